"""What a plan can tell, before anything is spent: formulas from public numbers alone."""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.planning.feasibility import (
    Feasibility,
    Outlook,
    Verdict,
    epsilon_for_two_way,
    feasibility,
    least_two_way_error,
)
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import MAX_EPSILON, MIN_EPSILON
from hmpb_core.utility.charts import short
from pages.session.plan_settings import PlanSettings
from pages.session.state import AppState
from pages.shared.layout import fold
from pages.words.catalogue import LONGEST, Markdown, number, plain, sentences, t

FEWEST_FOR_PAIRS = 2
"""Attributes of which there are two-way tables."""
ROUNDS = 8
CLOSE = 0.005
"""Part of epsilon that a further round may move: less than the two digits that are shown."""
TIMES_OFF = 2.0
"""How many times as large or as small the error was on nine of ten tables, docs/ledger.md."""
LEAST_SECOND, MOST_SECOND = 0.5, 1.25
"""The same for a second sample."""
SIGNS = {Verdict.USABLE: "●", Verdict.WEAK: "◐", Verdict.DROWNED: "○"}


def show_verdict(plan: Plan, codebook: Codebook, n_rows: int, *, rows_from: str) -> None:
    """Say how much is left under the noise: overall, for the clusters, attribute by attribute.

    Args:
        plan: The plan.
        codebook: The codebook.
        n_rows: Number of rows that the formulas use.
        rows_from: Where that number comes from; see ``AppState.rows_from``.
    """
    if plan.spec.protection == "none":
        st.caption(t("plan.verdict.no_noise"))
        return
    if len(codebook.domain) < FEWEST_FOR_PAIRS:
        st.markdown(t("plan.verdict.one_attribute"))
        return
    foreseen = feasibility(plan, codebook.domain, n_rows)
    told = foretold(plan)
    if told:
        st.markdown(_summary(foreseen, f"plan.verdict.summary_{told}", n_rows, rows_from))
    else:
        st.markdown(t("plan.verdict.bits"))
    if foreseen.clusters is not None and plan.spec.clusters is not None and plan.measure is not None:
        st.markdown(_clusters(foreseen.clusters))
    box = fold(t("plan.verdict.attributes"), key="verdict", icon=":material/troubleshoot:")
    if box.open:
        with box:
            if told:
                st.caption(sentences(t("plan.verdict.caption"), t(f"plan.verdict.caption_{told}")))
                _attributes(foreseen)
            _stages(foreseen)


def foretold(plan: Plan) -> str:
    """What the formulas tell of: ``pairs``, pairs with a ``class``, or columns ``alone``; empty for nothing.

    Of whole columns that a method cuts into bits they tell nothing.
    """
    if plan.spec.encoding == "bits":
        return ""
    if Stage.CONDITIONAL_TABLES not in plan.spec.needs:
        return "alone"
    return "class" if plan.spec.classifies else "pairs"


def _summary(foreseen: Feasibility, key: str, n_rows: int, rows_from: str) -> Markdown:
    """The expected error, and how many attributes are left."""
    counts = Counter(outlook.verdict for outlook in foreseen.attributes)
    return Markdown(
        t(
            key,
            rows=number(n_rows),
            assumed=plain(f"plan.verdict.{rows_from}") if rows_from in ("assumed", "to_make") else "",
            points=number(100 * foreseen.two_way_error),  # a share that is moved moves the third digit
            utility=number(foreseen.two_way_error, 2),
            low=number(100 * foreseen.two_way_error / TIMES_OFF, 2),
            high=number(min(100.0, 100 * foreseen.two_way_error * TIMES_OFF), 2),
            second_low=number(LEAST_SECOND * foreseen.second_sample, 2),
            second_high=number(min(1.0, MOST_SECOND * foreseen.second_sample), 2),
            usable=counts[Verdict.USABLE],
            weak=counts[Verdict.WEAK],
            drowned=counts[Verdict.DROWNED],
        )
    )


def accuracy_first(session: AppState, plan: Plan, codebook: Codebook) -> None:
    """Start from the accuracy that is needed, and find the limit it takes, where formulas know of both."""
    if plan.spec.protection == "none" or not foretold(plan) or len(codebook.domain) < FEWEST_FOR_PAIRS:
        return
    box = fold(t("plan.accuracy.title"), key="accuracy", icon=":material/target:")
    if not box.open:
        return
    with box:
        st.markdown(t("plan.accuracy.what"))
        points = st.number_input(t("plan.accuracy.points"), 0.1, 50.0, 3.0, 0.5, key="points")
        least = least_two_way_error(plan, codebook.domain, session.public_rows)
        if least > points / 100:
            key = "too_few_rows" if plan.spec.learner == "adaptive" else "method"
            st.markdown(
                t(
                    f"plan.accuracy.{key}",
                    points=number(points),
                    rows=number(session.public_rows),
                    least=number(_up(100 * least)),
                )
            )
            return
        needed = epsilon_needed(session, plan, codebook, points / 100)
        if not needed <= MAX_EPSILON:
            st.markdown(t("plan.accuracy.none", points=number(points), most=number(MAX_EPSILON)))
            return
        rounded = _up(needed)
        key = "needs" if session.settings.shares else "needs_recommended"
        st.markdown(t(f"plan.accuracy.{key}", points=number(points), epsilon=number(rounded)))
        st.button(
            t("plan.accuracy.take", epsilon=number(rounded)),
            key="take_epsilon",
            disabled=rounded == session.settings.epsilon,
            on_click=_take,
            args=(session.settings, rounded),
        )


def epsilon_needed(session: AppState, plan: Plan, codebook: Codebook, error: float) -> float:
    """The limit at which two-way tables are within an error; recommended shares are those of that limit.

    Args:
        session: The session, whose settings the plan was made from.
        plan: The plan.
        codebook: The codebook.
        error: Expected error, as a share of the rows.
    """
    needed = epsilon_for_two_way(plan, codebook.domain, session.public_rows, error)
    if session.settings.shares is not None:
        return needed
    for _ in range(ROUNDS):
        if not MIN_EPSILON <= needed <= MAX_EPSILON:
            break
        there = session.settings.copy()
        there.epsilon = needed
        before, needed = (
            needed,
            epsilon_for_two_way(session.plan_of(there), codebook.domain, session.public_rows, error),
        )
        if abs(needed - before) <= CLOSE * before:
            break
    return needed


def _take(settings: PlanSettings, epsilon: float) -> None:
    settings.choose("epsilon", epsilon)


def _clusters(outlook: Outlook) -> Markdown:
    better = outlook.better_at
    if better is None:
        return t("plan.verdict.clusters_usable")
    key = f"plan.verdict.clusters_{outlook.verdict}"
    return Markdown(sentences(t(key), _better(better)))


def _better(epsilon: float) -> Markdown:
    if math.isinf(epsilon):
        return t("plan.verdict.never")
    return t("plan.verdict.better", epsilon=number(_up(epsilon)))


def _attributes(foreseen: Feasibility) -> None:
    table = pd.DataFrame(
        {
            plain("common.column.attribute"): [short(o.name, LONGEST) for o in foreseen.attributes],
            plain("plan.verdict.verdict"): [
                f"{SIGNS[o.verdict]} {plain(f'plan.verdict.{o.verdict}')}" for o in foreseen.attributes
            ],
            plain("plan.verdict.error"): [round(100 * o.figure, 2) for o in foreseen.attributes],
            plain("plan.verdict.better_at"): [
                ""
                if o.better_at is None
                else plain("plan.verdict.no_limit")
                if math.isinf(o.better_at)
                else number(_up(o.better_at))
                for o in foreseen.attributes
            ],
        }
    )
    st.dataframe(table, hide_index=True, key="verdict", alt=plain("plan.verdict.attributes"))


def _stages(foreseen: Feasibility) -> None:
    table = pd.DataFrame(
        {
            plain("plan.bill.stage"): [plain(f"plan.stage.{s.stage}") for s in foreseen.stages],
            plain("plan.verdict.noise"): [number(s.noise) for s in foreseen.stages],
            plain("plan.verdict.signal"): [number(s.signal) for s in foreseen.stages],
            plain("plan.verdict.tables"): [s.tables for s in foreseen.stages],
            plain("plan.verdict.memory"): [number(s.largest_bytes / 1e6) for s in foreseen.stages],
        }
    )
    st.caption(t("plan.verdict.stages"))
    # a table that breaks its headings: half a page is too narrow for them in one line
    st.table(table.set_index(table.columns[0]), border="horizontal", alt=plain("plan.verdict.stages"))


def _up(value: float) -> float:
    """Round up to two digits: never less than what is needed."""
    digits = 1 - math.floor(math.log10(value))
    step = 10.0**-digits
    return round(math.ceil(round(value / step, 9)) * step, max(digits, 0))
