"""The four stage sliders: linked, lockable, always summing to the total; or following the recommendation."""

from __future__ import annotations

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.privacy.budget import Stage
from pages.session.shares import STAGES, TOTAL, rebalance, to_shares, to_thousandths
from pages.session.state import AppState
from pages.session.widgets import showing
from pages.shared.parted_bar import PART_DIGITS
from pages.words.catalogue import listed, number, plain, t

FOLLOW = "share_follow"
KEYS = tuple(f"share_{stage.value}" for stage in STAGES)
LOCKS = tuple(f"lock_{stage.value}" for stage in STAGES)
LAST, NOW = "share_moved_last", "share_moved_now"
"""Which slider moved last, and whether one has in this run."""
DRAWN = "share_drawn"
"""What the sliders showed, since the browser last said that it had heard of what they show."""
PAPERS_STAGES = {Stage.SIMILARITY, Stage.STRUCTURE, Stage.CONDITIONAL_TABLES}


def share_panel(session: AppState, codebook: Codebook) -> None:
    """How the budget is shared among the stages: as recommended, or as the steward says."""
    settings = session.settings
    st.header(t("plan.shares.title"), anchor=False)
    if not settings.protected:
        st.markdown(t("plan.shares.none"))
        return
    if len(settings.stages) == 1:
        (stage,) = settings.stages
        st.markdown(t("plan.shares.one", stage=plain(f"plan.stage.{stage}")))
        return
    st.markdown(t("plan.shares.what"))
    follows = settings.shares is None
    with st.container(horizontal=True, vertical_alignment="center"):
        showing(st.toggle, t("plan.shares.follow"), follows, key=FOLLOW, on_change=_follow, args=(session,))
        if settings.stages >= PAPERS_STAGES:
            st.button(
                t("plan.shares.paper"), key="preset_paper", on_click=_papers_split, args=(session, codebook)
            )
    st.caption(t("plan.shares.followed" if follows else "plan.shares.own"))
    _sliders(session)


def _sliders(session: AppState) -> None:
    """Draw the sliders; a move makes the unlocked others give way."""
    settings, shares = session.settings, session.shares
    thousandths = to_thousandths(shares)
    st.session_state[NOW] = False
    _remember(thousandths)
    for i, stage in enumerate(STAGES):
        if stage not in settings.stages:
            continue
        name = t(f"plan.stage.{stage}")
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        showing(
            left.slider,
            name,
            thousandths[i],
            min_value=0,
            max_value=TOTAL,
            key=KEYS[i],
            step=5,
            format="%d ‰",
            help=t(f"plan.stage_help.{stage}"),
            disabled=i in settings.locked,
            on_change=_moved,
            args=(session, i),
        )
        showing(
            right.checkbox,
            t("plan.shares.lock", stage=name),
            i in settings.locked,
            key=LOCKS[i],
            on_change=_locked,
            args=(session,),
        )
    shown = [i for i, stage in enumerate(STAGES) if stage in settings.stages]
    parts = " + ".join(str(thousandths[i]) for i in shown)
    st.caption(t("plan.shares.sum", parts=parts, total=sum(thousandths)))
    if any(share * TOTAL % 1 for _, share in shares.items()):
        exact = listed(number(float(shares.of(STAGES[i])), PART_DIGITS) for i in shown)
        st.caption(t("plan.shares.exact", shares=exact))


def _remember(thousandths: tuple[int, ...]) -> None:
    """Note what the sliders show now, and forget what they showed before the browser heard the last of it."""
    drawn = st.session_state.get(DRAWN, [])
    if drawn and all(st.session_state.get(KEYS[i], value) == value for i, value in enumerate(drawn[-1])):
        del drawn[:-1]
    st.session_state[DRAWN] = [*drawn, thousandths]


def _follow(session: AppState) -> None:
    """Follow the recommendation from now on, or keep the shares as they stand."""
    if st.session_state[FOLLOW]:
        session.settings.shares, session.settings.locked = None, frozenset()
    else:
        session.settings.shares = session.shares


def _papers_split(session: AppState, codebook: Codebook) -> None:
    domain = session.plan.spec.encoded_domain(codebook.domain)
    session.settings.take_papers_split(domain, session.shares.one_way_tables)


def _moved(session: AppState, index: int) -> None:
    """Take a slider's new place: from now on the shares are the steward's own.

    Whoever holds an arrow key down moves a slider again before the browser hears where the others went. It
    then reports these where they were, and nobody moved them: of several the one that moved last is taken.
    So it is with whoever holds a key down on the limit, which the recommended shares follow: what a slider
    showed before is no move of it.
    """
    settings, value = session.settings, int(st.session_state[KEYS[index]])
    current = to_thousandths(session.shares)
    if value == current[index]:  # nobody moved it: a page that comes back reports all its widgets
        return
    if settings.shares is None and any(value == shown[index] for shown in st.session_state[DRAWN][:-1]):
        return
    last = st.session_state.get(LAST, index)
    if last != index and (st.session_state.get(NOW) or st.session_state.get(KEYS[last]) != current[last]):
        return
    st.session_state[LAST] = index
    st.session_state[NOW] = True
    unused = {i for i, stage in enumerate(STAGES) if stage not in settings.stages}
    locked = settings.locked | unused
    settings.shares = to_shares(rebalance(current, moved=index, value=value, locked=locked))


def _locked(session: AppState) -> None:
    """Take the locks: whoever wants a share to stay no longer follows the recommendation."""
    session.settings.locked = frozenset(i for i, key in enumerate(LOCKS) if st.session_state.get(key))
    if session.settings.locked:
        session.settings.shares = session.shares
