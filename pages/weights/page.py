"""Risk weights: what the rule asks for, the noise that was drawn, and what was spent."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.planning.plan import Plan
from pages.session.state import AppState, state
from pages.shared.errors import guard
from pages.shared.figures import bars
from pages.shared.layout import (
    EMPTY_CELL,
    fold,
    header,
    need_result,
    next_step,
    result_zone,
    say_of_columns,
    show_chart,
)
from pages.weights.figures import both_ends, dumbbells
from pages.weights.shares import Weighed, agreement, manual_weights, to_frame, weigh
from pages.words.catalogue import number, plain, sentences, t


def page(session: AppState) -> None:
    """Move gamma or set weights by hand, and see what comes of it."""
    header("weights", zones=[result_zone(session)])
    result = need_result(session)
    say_of_columns(result)
    with guard():
        ran = weigh(
            result.model, gamma=result.plan.gamma, manual=result.plan.weights
        )  # whatever is looked at
        if "gamma" in result.plan.spec.idle:
            st.info(t("weights.even"), icon=":material/info:")
            spent_chart(ran, _columns("name", "tables", "spent"), result.model.bill.total, gamma=False)
        else:
            gamma = gamma_slider(session, result.plan)
            by_rule = [w.weight for w in weigh(result.model, gamma=gamma, manual={})]
            manual = by_hand(session, result.model.domain.names, by_rule)
            weighed = weigh(result.model, gamma=gamma, manual=manual)
            asked_chart(weighed, result.codebook.sensitive)
            st.button(
                t("weights.take"),
                key="take_gamma",
                on_click=take_into_plan,
                args=(session, gamma),
                icon=":material/tune:",
            )
            noise_chart(ran, result.plan)
            spent_chart(
                weighed, _columns("name", "share", "tables", "spent"), result.model.bill.total, gamma=True
            )
            st.header(t("weights.accuracy.title"), anchor=False)
            st.markdown(t("weights.accuracy.what"))
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


def by_hand(session: AppState, names: Sequence[str], by_rule: Sequence[float]) -> dict[str, float]:
    """Weights set by hand; an empty cell follows the rule, whose weights say how large is large."""
    box = fold(t("weights.manual.title"), key="manual", icon=":material/edit:")
    if not box.open:
        return dict(session.settings.weights)
    with box:
        least, most = number(min(by_rule)), number(max(by_rule))
        st.markdown(t("weights.manual.what", least=least, most=most))
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
                placeholder=EMPTY_CELL,
                column_config={
                    "name": st.column_config.TextColumn(plain("common.column.attribute"), disabled=True),
                    "weight": st.column_config.NumberColumn(
                        plain("weights.manual.weight"), min_value=0.0, help=t("weights.manual.help")
                    ),
                },
            )
            if st.form_submit_button(t("weights.manual.save"), icon=":material/save:"):
                given = dict(zip(edited["name"], edited["weight"], strict=True))
                others = {n: w for n, w in session.settings.weights.items() if n not in given}
                session.take_into_plan(weights=others | manual_weights(given))
    return dict(session.settings.weights)


def asked_chart(weighed: list[Weighed], sensitive: AbstractSet[str]) -> None:
    """First: the shift that the rule asks for."""
    st.header(t("weights.asked.title"), anchor=False)
    heavy, light = max(weighed, key=lambda w: w.share), min(weighed, key=lambda w: w.share)
    most, least, even = (number(100 * share) for share in (heavy.share, light.share, 1 / len(weighed)))
    if most == least:
        st.markdown(t("weights.asked.alike", n=len(weighed), even=even))
    else:
        ends = {"most": heavy.name, "least": light.name}
        st.markdown(t("weights.asked.summary", **ends, most_share=most, least_share=least, even=even))
    table = to_frame(weighed, _columns("name", "risk", "weight", "share", "shift"))
    table[plain("data.column.sensitive")] = [
        w.name in sensitive or w.name.rpartition(":")[0] in sensitive for w in weighed
    ]
    shown = both_ends(sorted(weighed, key=lambda w: -w.risk))
    names = (plain("weights.uniform"), plain("weights.weighted"))
    show_chart(
        dumbbells(
            [w.name for w in shown],
            [w.share * len(weighed) for w in shown],
            names=names,
            unit=plain("weights.asked.unit"),
        ),
        table,
        caption=sentences(t("weights.asked.caption"), *_part(shown, weighed)),
        key="shares",
    )


def noise_chart(weighed: list[Weighed], plan: Plan) -> None:
    """Second: the noise that the run drew for each attribute's own tables."""
    st.header(t("weights.noise.title"), anchor=False)
    drawn = [(w, w.uniform_noise, w.noise) for w in weighed if w.noise and w.uniform_noise]
    if not drawn:
        st.info(t("weights.noise.none"), icon=":material/info:")
        return
    st.markdown(
        t("weights.noise.what", learner=t(f"learners.{plan.spec.learner}.name"), gamma=number(plan.gamma))
    )
    found = agreement(weighed)
    if found is not None:
        st.markdown(t("weights.noise.agreement", correlation=f"{found:.2f}"))
    shown = both_ends(sorted(drawn, key=lambda row: -row[0].risk))
    table = to_frame([w for w, _, _ in drawn], _columns("name", "noise", "uniform_noise"))
    table[plain("weights.column.ratio")] = [noise / uniform for _, uniform, noise in drawn]
    show_chart(
        dumbbells(
            [w.name for w, _, _ in shown],
            [noise / uniform for _, uniform, noise in shown],
            names=(plain("weights.uniform"), plain("weights.noise.drawn")),
            unit=plain("weights.column.ratio"),
        ),
        table,
        caption=sentences(t("weights.noise.caption"), *_part(shown, drawn)),
        key="noise",
    )


def spent_chart(weighed: list[Weighed], columns: dict[str, str], total: float | None, *, gamma: bool) -> None:
    """Third: what was spent on each attribute, and so what it alone may lose.

    Args:
        weighed: The attributes.
        columns: Headings of the table.
        total: What the run cost for a whole row; None where nothing is protected.
        gamma: Whether gamma has a say.
    """
    st.header(t("weights.spent.title"), anchor=False)
    spent = [(w, w.spent) for w in weighed if w.spent is not None]
    if not spent or total is None:
        st.info(t("weights.spent.none"), icon=":material/info:")
        return
    st.markdown(t("weights.spent.what", total=number(total, 4)))
    shown = both_ends(sorted(spent, key=lambda pair: -pair[1]))
    unit = plain("weights.column.spent")
    show_chart(
        bars([w.name for w, _ in shown], {unit: [loss for _, loss in shown]}, unit=unit),
        to_frame([w for w, _ in spent], columns),
        caption=sentences(
            t("weights.spent.caption"),
            *([t("weights.spent.gamma")] if gamma else []),
            *_part(shown, spent),
        ),
        key="losses",
    )


def _part(shown: Sequence[object], lines: Sequence[object]) -> list[str]:
    """What to say where not all lines are drawn."""
    return [t("weights.part", shown=len(shown), total=len(lines))] if len(shown) < len(lines) else []


def _columns(*fields: str) -> dict[str, str]:
    """Headings by field."""
    return {field: plain(f"weights.column.{field}") for field in fields}


def take_into_plan(session: AppState, gamma: float) -> None:
    """Make this gamma part of the plan."""
    session.settings.choose("gamma", gamma)
    st.toast(t("weights.taken", gamma=number(gamma)), icon=":material/tune:")


page(state())
