"""The decision maker's edition: gauge, beliefs, the data set's life, acceptance marks, context."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from hmpb_core.privacy.guarantee import rho_of
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.report.deployments import DEPLOYMENTS, UnitOfProtection
from hmpb_core.report.explain import PrivacyLoss
from pages.explain.figures import belief_curve, gauge
from pages.explain.figures_noise import context_strip, lifetime
from pages.explain.standing import Standing, standing
from pages.explain.subject import (
    RATES,
    RELEASES,
    Promise,
    agreement,
    at_most,
    at_most_words,
    gauge_sentence,
    mark_columns,
    marks,
)
from pages.session.state import AppState
from pages.session.widgets import bound
from pages.shared.layout import show_chart
from pages.words.catalogue import escape, many, number, one_in, plain, sentences, t, with_percent
from pages.words.guarantee import band


def decider(session: AppState, promise: Promise, dataset: RegisteredDataset | None) -> None:
    """Show what somebody who has to say yes or no needs."""
    right = at_most(promise.loss.accuracy)
    st.header(t("explain.decider.gauge"), anchor=False)
    st.markdown(escape(gauge_sentence(promise)))
    st.markdown(t(f"explain.band.{band(promise.loss.epsilon)}"))
    table = pd.DataFrame(
        {
            plain("explain.decider.column.epsilon"): [number(e) for e in (0.1, 0.5, 1.0, 3.0)]
            + [plain("explain.here")],
            plain("explain.decider.column.right"): [
                at_most(_like(promise.loss, e).accuracy) for e in (0.1, 0.5, 1.0, 3.0)
            ]
            + [right],
        }
    )
    show_chart(
        gauge(
            accuracy=promise.loss.accuracy,
            coin=plain("explain.decider.coin"),
            here=right,
            beyond=plain("explain.decider.beyond"),
        ),
        table,
        caption=plain("explain.decider.gauge_caption"),
        key="explain_gauge",
    )
    _beliefs(session, promise)
    standings = standing(promise, dataset)
    _life(standings)
    _marks(session, promise, standings)
    _context(promise)


def _like(loss: PrivacyLoss, epsilon: float) -> PrivacyLoss:
    """A limit counted like another one, with another epsilon."""
    if loss.rho is None:
        return PrivacyLoss(epsilon=epsilon, delta=loss.delta)
    return PrivacyLoss(epsilon=epsilon, delta=loss.delta, rho=rho_of(epsilon, loss.delta))


def _beliefs(session: AppState, promise: Promise) -> None:
    choices, loss = session.explain, promise.loss
    st.header(t("explain.decider.belief"), anchor=False)
    bound(
        st.slider,
        t("explain.decider.prior"),
        choices,
        "prior",
        min_value=1,
        max_value=99,
        format=with_percent("%d") + "%",
        key="explain_prior",
        persist_state="session",
    )
    prior = choices.prior / 100
    top, bottom = loss.belief(prior), loss.lowest_belief(prior)
    sentence = plain(
        "explain.decider.belief_sentence",
        prior=with_percent(str(choices.prior)),
        top=at_most_words(top),
        bottom=with_percent(f"{100 * bottom:.1f}"),
    )
    if loss.delta:
        sentence = sentences(sentence, plain("explain.decider.belief_delta", cases=many(1 / loss.delta)))
    shown = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9)
    table = pd.DataFrame(
        {
            plain("explain.decider.column.before"): [with_percent(f"{100 * p:g}") for p in shown],
            plain("explain.decider.column.lowest"): [
                with_percent(f"{100 * loss.lowest_belief(p):.1f}") for p in shown
            ],
            plain("explain.decider.column.highest"): [at_most(loss.belief(p)) for p in shown],
        }
    )
    show_chart(
        belief_curve(
            RATES,
            [loss.belief(p) for p in RATES],
            [loss.lowest_belief(p) for p in RATES],
            at=(prior, top, bottom),
            axes=(plain("explain.decider.before"), plain("explain.decider.after")),
            names=(
                plain("explain.decider.belief_highest"),
                plain("explain.decider.belief_lowest"),
                plain("explain.decider.belief_same"),
            ),
            here=at_most(top),
        ),
        table,
        caption=sentences(sentence, plain("explain.decider.belief_caption")),
        key="explain_belief",
    )


def _life(standings: Standing) -> None:
    st.header(t("explain.decider.life"), anchor=False)
    names = [plain(f"explain.decider.life_{n}") for n in ("spent", "this", "further", "cap")]
    table = pd.DataFrame(
        {
            plain("explain.decider.column.releases"): range(1, RELEASES + 1),
            plain("explain.decider.column.total"): [number(e, 4) for e in standings.totals],
        }
    )
    caption = plain("explain.decider.life_caption")
    if standings.name:
        caption = sentences(caption, t("explain.decider.life_ledger", name=standings.name))
    show_chart(
        lifetime(
            standings.totals,
            spent=standings.spent,
            cap=standings.cap,
            axes=(plain("explain.decider.column.releases"), plain("explain.decider.column.total")),
            names=names,
        ),
        table,
        caption=caption,
        key="explain_life",
    )


def _marks(session: AppState, promise: Promise, standings: Standing) -> None:
    choices = session.explain
    st.header(t("explain.decider.marks"), anchor=False)
    st.markdown(t("explain.decider.marks_why"))
    fields: tuple[tuple[str, dict[str, Any]], ...] = (
        ("most_right", {"min_value": 50, "max_value": 100, "step": 1}),
        ("most_error", {"min_value": 1, "max_value": 1_000_000, "step": 10}),
        ("most_epsilon", {"min_value": 0.01, "max_value": 100.0, "step": 0.5}),
        ("releases", {"min_value": 1, "max_value": RELEASES, "step": 1}),
    )
    for column, (name, options) in zip(st.columns(len(fields)), fields, strict=True):
        with column:
            bound(
                st.number_input,
                t(f"explain.decider.{name}"),
                choices,
                name,
                key=f"explain_{name}",
                persist_state="session",
                **options,
            )
    for column, name in zip(st.columns(2), ("agreed_by", "agreed_on"), strict=True):
        with column:
            bound(
                st.text_input,
                t(f"explain.decider.{name}"),
                choices,
                name,
                key=f"explain_{name}",
                persist_state="session",
                max_chars=200,
            )
    st.caption(escape(agreement(choices)))
    rows = [
        (what, asked, given, plain("explain.decider.met" if met else "explain.decider.not_met"))
        for what, asked, given, met in marks(promise, choices, standings.totals)
    ]
    columns = mark_columns(choices)
    st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))
    total = standings.totals[choices.releases - 1]
    if standings.cap is not None and total > standings.cap:
        figures = {"total": number(total, 4), "cap": number(standings.cap)}
        st.warning(
            t("explain.decider.beyond_cap", name=standings.name, n=choices.releases, **figures),
            icon=":material/block:",
        )


def _context(promise: Promise) -> None:
    st.header(t("explain.decider.context"), anchor=False)
    units = list(UnitOfProtection)
    facets = [
        (
            plain(f"explain.units.{unit}"),
            [(d.epsilon, f"{d.publisher} {d.epsilon:g}") for d in DEPLOYMENTS if d.unit is unit],
        )
        for unit in units
    ]
    ours = (units.index(UnitOfProtection.PERSON), promise.single.epsilon, plain("explain.here"))
    table = pd.DataFrame(
        {
            plain("explain.decider.column.publisher"): [d.publisher for d in DEPLOYMENTS],
            plain("explain.decider.column.unit"): [plain(f"explain.units.{d.unit}") for d in DEPLOYMENTS],
            plain("explain.decider.column.epsilon"): [f"{d.epsilon:g}" for d in DEPLOYMENTS],
            "delta": [one_in(d.delta) for d in DEPLOYMENTS],
            plain("explain.decider.column.source"): [d.source for d in DEPLOYMENTS],
        }
    )
    show_chart(
        context_strip(facets, ours=ours, axis=plain("explain.decider.column.epsilon")),
        table,
        caption=plain("explain.decider.context_caption"),
        key="explain_context",
    )
