"""The four stage sliders: linked, lockable, and always summing to the total."""

from __future__ import annotations

import streamlit as st

from pages.session.plan_settings import PlanSettings
from pages.session.shares import STAGES, TOTAL, rebalance
from pages.words.catalogue import number, t

KEYS = tuple(f"share_{stage.value}" for stage in STAGES)
LOCKS = tuple(f"lock_{stage.value}" for stage in STAGES)


def seed(settings: PlanSettings, *, anew: bool = False) -> None:
    """Give the sliders the settings' shares, where they have none yet or are to take them anew."""
    for key, value in zip(KEYS, settings.thousandths, strict=True):
        if anew or key not in st.session_state:
            st.session_state[key] = value
    for i, key in enumerate(LOCKS):
        if key not in st.session_state:
            st.session_state[key] = i in settings.locked


def draw(settings: PlanSettings) -> None:
    """Draw the sliders; a move makes the unlocked others give way."""
    for i, stage in enumerate(STAGES):
        left, right = st.columns([4, 1], vertical_alignment="bottom")
        left.slider(
            t(f"plan.stage.{stage}"),
            0,
            TOTAL,
            key=KEYS[i],
            step=5,
            format="%d ‰",
            help=t(f"plan.stage_help.{stage}"),
            disabled=i in settings.locked,
            on_change=_moved,
            args=(settings, i),
        )
        right.checkbox(
            t("plan.shares.lock"),
            key=LOCKS[i],
            on_change=_locked,
            args=(settings,),
        )
    parts = " + ".join(str(value) for value in settings.thousandths)
    st.caption(t("plan.shares.sum", parts=parts, total=sum(settings.thousandths)))
    if settings.exact is not None and any(share * TOTAL % 1 for _, share in settings.exact.items()):
        exact = ", ".join(number(float(share), 4) for _, share in settings.exact.items())
        st.caption(t("plan.shares.exact", shares=exact))


def _moved(settings: PlanSettings, index: int) -> None:
    value = int(st.session_state[KEYS[index]])
    settings.move(rebalance(settings.thousandths, moved=index, value=value, locked=settings.locked))
    seed(settings, anew=True)


def _locked(settings: PlanSettings) -> None:
    settings.locked = frozenset(i for i, key in enumerate(LOCKS) if st.session_state[key])
