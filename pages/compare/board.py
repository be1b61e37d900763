"""The page Compare's board: what every plan gave, under which guarantee, and what may be ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from scipy.special import stdtrit

from hmpb_core.anonymize.beside import Aggregated
from hmpb_core.metrics.runs import Runs
from hmpb_core.metrics.sweep import Outcome
from pages.compare.runs import Sweep, label_of
from pages.session.plan_settings import PlanSettings
from pages.shared.figures_utility import protected_bars, tradeoff
from pages.shared.layout import show_chart
from pages.words.catalogue import escape, listed, number, one_in, plain, t
from pages.words.errors import sentence
from pages.words.guarantee import neighbors_words, unit_of
from pages.words.values import NO_BREAK

MOST_RUNS = 5
"""Runs of each method that can be asked for."""
SURE = 0.975
"""Of Student's distribution: chance alone goes further, either way, in one comparison of twenty."""


def show(found: Sweep, settings: PlanSettings) -> None:
    """Show a finished comparison."""
    where = plain("compare.on_demo", table=found.demo) if found.demo else plain("compare.on_stand_in")
    st.markdown(t("compare.made", where=where, rows=number(found.n_rows)))
    if found.left_out:
        st.caption(t("compare.left_out", names=listed(map(label_of, found.left_out))))
    if found.stopped:
        st.info(t("compare.stopped", n=len(found.outcomes) + len(found.aggregated)), icon=":material/block:")
    for one in found.failed:
        name = label_of(one.label)
        st.warning(t("compare.failed", name=name, reason=escape(sentence(one.reason))))
    if not found.outcomes:
        st.info(t("compare.nothing"), icon=":material/info:")
        return
    if found.aggregated:
        first = found.aggregated[0].request
        fewer = found.grouped_rows < found.n_rows
        st.caption(
            t(
                "compare.grouped_fewer" if fewer else "compare.grouped",
                rows=number(found.grouped_rows),
                k=first.k,
                p=first.p,
                sensitive=first.sensitive,
            )
        )
    rows = [_row(found.kind, outcome) for outcome in found.outcomes]
    table = pd.DataFrame([*rows, *(_aggregated_row(one) for one in found.aggregated)])
    errors = [outcome.error for outcome in found.outcomes]
    spreads = [outcome.spread for outcome in found.outcomes]
    if found.kind == "methods":
        drawn = protected_bars(
            [label_of(o.label) for o in found.outcomes] + [_label(one) for one in found.aggregated],
            errors + [one.error for one in found.aggregated],
            spreads + [one.spread for one in found.aggregated],
            [o.total is not None and not o.unpaid for o in found.outcomes]
            + [False for _ in found.aggregated],
            names=(plain("compare.carries"), plain("compare.carries_not")),
            unit=plain("compare.error_of_pairs"),
        )
    else:
        places = [float(outcome.label) for outcome in found.outcomes]
        triples = [float(np.mean(outcome.triples)) for outcome in found.outcomes]
        ranges = [(max(o.triples) - min(o.triples)) / 2 for o in found.outcomes]
        drawn = tradeoff(
            {
                plain("compare.pairs"): (places, errors, spreads),
                plain("compare.triples"): (places, triples, ranges),
            },
            axes=(plain(f"compare.axis.{found.kind}"), plain("compare.error")),
            log=found.kind == "epsilon",
            here=settings.epsilon if found.kind == "epsilon" else settings.clusters or None,
            here_name=plain("compare.here"),
        )
    if found.kind == "methods":
        st.markdown(conclusion(found.outcomes))
        if found.aggregated:
            st.markdown(t("compare.conclusion.aggregated", n=len(found.aggregated)))
    caption = plain(f"compare.caption.{found.kind}")
    show_chart(drawn, table, caption=caption, key=f"compare_{found.kind}", in_lines=found.kind == "methods")


def promise_of(outcome: Outcome) -> str:
    """What kind of guarantee an outcome is under, in a few words."""
    plan = outcome.plan
    if plan.spec.protection == "none" or outcome.total is None:
        return plain("compare.promise.none")
    if plan.spec.protection == "published":
        factor = outcome.total / plan.guarantee.epsilon
        kind = "published_more" if outcome.unpaid else "published"
        return plain(f"compare.promise.{kind}", factor=number(factor))
    neighbors = neighbors_words(plan.guarantee.neighbors, unit_of(plan))
    currency = plain(f"compare.currency.{plan.guarantee.currency}")
    return plain("compare.promise.paid", currency=currency, neighbors=neighbors)


def conclusion(outcomes: list[Outcome]) -> str:
    """Which is nearest among those under one and the same guarantee, and who is not ranked."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.plan.spec.releasable and outcome.total is not None and not outcome.unpaid:
            groups.setdefault(promise_of(outcome), []).append(outcome)
    if not groups:
        return t("compare.conclusion.none")
    promise, ranked = max(groups.items(), key=lambda entry: len(entry[1]))
    nearest = _nearest(promise, sorted(ranked, key=lambda outcome: outcome.error))
    others = len(outcomes) - len(ranked)
    return nearest + t("compare.conclusion.others", others=others) if others else nearest


def _nearest(promise: str, ranked: list[Outcome]) -> str:
    """Which is the nearest of those under one guarantee, of the least error first."""
    best, *rest = ranked
    if not rest:
        return t("compare.conclusion.one", promise=promise, best=label_of(best.label))
    if len(best.pairs) == 1:  # says nothing of how much another run would differ
        return t(
            "compare.conclusion.once", promise=promise, best=label_of(best.label), error=number(best.error)
        )
    alike = [o for o in rest if not told_apart(best.pairs, o.pairs)]
    if alike:
        first, *others = [
            plain("compare.conclusion.with_error", name=label_of(one.label), error=number(one.error))
            for one in (best, *alike)
        ]
        few = len(best.pairs)
        said = t("compare.conclusion.alike", promise=promise, best=first, runs=few, others=listed(others))
        return said + t("compare.conclusion.more_runs") if few < MOST_RUNS else said
    return t(
        "compare.conclusion.best",
        promise=promise,
        best=label_of(best.label),
        second=label_of(rest[0].label),
        error=number(best.error),
        second_error=number(rest[0].error),
    )


def told_apart(nearer: Sequence[float], further: Sequence[float]) -> bool:
    """Whether the mean errors of two methods differ by more than chance, by Student's test at 5 %.

    That the ranges of their runs lie apart is not enough: of two methods that are alike, those of two runs
    each lie apart in a third of all comparisons.

    Example:
        >>> told_apart([0.1, 0.102], [0.103, 0.105]), told_apart([0.1, 0.102], [0.15, 0.152])
        (False, True)
    """
    spare = len(nearer) + len(further) - 2
    spread = (len(nearer) * np.var(nearer) + len(further) * np.var(further)) / spare
    error = math.sqrt(float(spread) * (1 / len(nearer) + 1 / len(further)))
    return float(np.mean(further) - np.mean(nearer)) > float(stdtrit(spare, SURE)) * error


def _measured(found: Runs) -> dict[str, str]:
    """Mean errors and time; one run alone has no range, and ± 0 would say that the next gives the same."""
    spread = f"{NO_BREAK}±{NO_BREAK}{found.spread:.4f}" if len(found.pairs) > 1 else ""
    return {
        plain("compare.pairs"): f"{found.error:.4f}{spread}",
        plain("compare.triples"): f"{float(np.mean(found.triples)):.4f}",
        plain("compare.column.seconds"): f"{found.seconds:.1f}",
    }


def _label(one: Aggregated) -> str:
    return plain(f"compare.aggregated.{one.request.method.value}")


def _aggregated_row(one: Aggregated) -> dict[str, str]:
    """Its guarantee is k-anonymity: no privacy loss is bounded, so none is named."""
    return {
        plain("compare.column.methods"): _label(one),
        **_measured(one),
        plain("compare.column.guarantee"): plain("compare.no_loss_bounded"),
        plain("compare.column.promise"): plain(
            "compare.promise.k_anonymity", k=one.request.k, p=one.request.p
        ),
    }


def _row(kind: str, outcome: Outcome) -> dict[str, str]:
    promise = outcome.plan.guarantee
    board = {plain("compare.column.promise"): promise_of(outcome)} if kind == "methods" else {}
    if outcome.total is None:
        guarantee = plain("compare.no_protection")
    else:
        guarantee = plain(
            "compare.guarantee",
            total=number(outcome.total, 4),
            delta=one_in(promise.delta),
        )
        if outcome.unpaid:
            guarantee = plain("compare.unpaid", guarantee=guarantee)
    return {
        plain(f"compare.column.{kind}"): label_of(outcome.label),
        **_measured(outcome),
        plain("compare.column.guarantee"): guarantee,
        **board,
    }
