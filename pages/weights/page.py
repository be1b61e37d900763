"""Risk weights: who gets how much of the budget, and what it leads to."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.planning.plan import Plan
from hmpb_core.publishing.zones import Zone
from pages.session.state import AppState, state
from pages.shared.errors import guard
from pages.shared.figures import bars
from pages.shared.layout import fold, header, need_result, next_step, show_chart
from pages.weights.figures import dumbbells
from pages.weights.shares import Weighed, manual_weights, to_frame, weigh
from pages.words.catalogue import number, plain, t

MOST_BARS = 24
FIELDS = ("name", "risk", "weight", "share", "error", "even_error", "loss")


def page(session: AppState) -> None:
    """Move gamma or set weights by hand, and see what comes of it."""
    header("weights", zones=[Zone.DP])
    result = need_result(session)
    with guard():
        gamma = gamma_slider(session, result.plan)
        manual = by_hand(session, result.model.names)
        weighed = weigh(result.model, gamma=gamma, manual=manual)
        if result.plan.spec.weights == "even":
            st.info(t("weights.privbayes"), icon=":material/info:")
        heavy = max(weighed, key=lambda w: w.share)
        light = min(weighed, key=lambda w: w.share)
        st.markdown(
            t(
                "weights.summary",
                most=heavy.name,
                most_share=number(100 * heavy.share),
                least=light.name,
                least_share=number(100 * light.share),
                even=number(100 / len(weighed)),
            )
        )
        shares_chart(weighed, session.codebook.sensitive if session.codebook else frozenset())
        losses_chart(weighed)
        st.button(
            t("weights.take"),
            key="take_gamma",
            on_click=take_into_plan,
            args=(session, gamma),
            icon=":material/tune:",
        )
    next_step("weights", "plan")


def gamma_slider(session: AppState, plan: Plan) -> float:
    """How strongly risk entropy moves the noise."""
    key = f"gamma_{session.results}"
    st.session_state.setdefault(key, float(min(4.0, max(-4.0, plan.gamma))))
    value = st.slider(
        t("weights.gamma"),
        -4.0,
        4.0,
        step=0.1,
        key=key,
        help=t("weights.gamma_help"),
        persist_state="session",
    )
    st.caption(
        t(
            "weights.gamma_negative"
            if value < 0
            else "weights.gamma_zero"
            if value == 0
            else "weights.gamma_positive"
        )
    )
    return float(value)


def by_hand(session: AppState, names: Sequence[str]) -> dict[str, float]:
    """Weights set by hand; an empty cell follows the rule."""
    box = fold(t("weights.manual.title"), key="manual", icon=":material/edit:")
    if not box.open:
        return dict(session.settings.weights)
    with box:
        st.markdown(t("weights.manual.what"))
        frame = pd.DataFrame(
            {
                "name": list(names),
                "weight": [session.settings.weights.get(name, np.nan) for name in names],
            }
        )
        with st.form("manual_form", border=False):
            edited = st.data_editor(
                frame,
                hide_index=True,
                key=f"manual_{session.results}",
                alt=plain("weights.manual.title"),
                column_config={
                    "name": st.column_config.TextColumn(plain("common.column.attribute"), disabled=True),
                    "weight": st.column_config.NumberColumn(
                        plain("weights.manual.weight"), min_value=0.0, help=t("weights.manual.help")
                    ),
                },
            )
            if st.form_submit_button(t("weights.manual.save"), icon=":material/save:"):
                given = manual_weights(dict(zip(edited["name"], edited["weight"], strict=True)))
                session.settings.choose("weights", given)
    return dict(session.settings.weights)


def shares_chart(weighed: list[Weighed], sensitive: AbstractSet[str]) -> None:
    """Who gets how much of the budget."""
    st.subheader(t("weights.shares.title"), anchor=False)
    columns = {name: plain(f"weights.column.{name}") for name in FIELDS}
    table = to_frame(weighed, columns)
    table[plain("data.column.sensitive")] = [
        w.name in sensitive or w.name.rpartition(":")[0] in sensitive for w in weighed
    ]
    shown = sorted(weighed, key=lambda w: -w.risk)[:MOST_BARS]
    labels = [w.name for w in shown]
    even = [1 / len(weighed)] * len(shown)
    names = (plain("weights.uniform"), plain("weights.weighted"))
    show_chart(
        dumbbells(labels, even, [w.share for w in shown], names=names, unit=plain("weights.column.share")),
        table,
        caption=t("weights.shares.caption", shown=len(shown), total=len(weighed)),
        key="shares",
    )
    st.subheader(t("weights.errors.title"), anchor=False)
    show_chart(
        dumbbells(
            labels,
            [100 * w.even_error for w in shown],
            [100 * w.error for w in shown],
            names=names,
            unit=plain("weights.errors.unit"),
        ),
        table[[columns[name] for name in ("name", "error", "even_error")]],
        caption=t("weights.errors.caption"),
        key="errors",
    )


def losses_chart(weighed: list[Weighed]) -> None:
    """What each attribute alone may lose."""
    st.subheader(t("weights.losses.title"), anchor=False)
    st.markdown(t("weights.losses.what"))
    lost = [(w.name, w.loss) for w in weighed if w.loss is not None]
    shown = sorted(lost, key=lambda pair: -pair[1])[:MOST_BARS]
    if not shown:
        st.info(t("weights.losses.none"))
        return
    table = pd.DataFrame(
        {
            plain("common.column.attribute"): [name for name, _ in shown],
            plain("weights.column.loss"): [loss for _, loss in shown],
        }
    )
    figure = bars(
        [name for name, _ in shown],
        {plain("weights.column.loss"): [loss for _, loss in shown]},
        unit=plain("weights.column.loss"),
    )
    show_chart(figure, table, caption=t("weights.losses.caption"), key="losses")


def take_into_plan(session: AppState, gamma: float) -> None:
    """Make this gamma part of the plan."""
    session.settings.choose("gamma", gamma)


page(state())
