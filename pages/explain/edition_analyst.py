"""The analyst's edition: where counts land, the ceiling on every attack, the files."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hmpb_core.audit.attack import LEVEL, Attacked, AttackPoint
from hmpb_core.audit.bounds import Rate
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.report.explain import PrivacyLoss
from pages.explain.figures_attack import Measured, roc
from pages.explain.figures_noise import landing
from pages.explain.handouts import FILES
from pages.explain.subject import COUNTS, RATES, SHORT_RATES, Promise, at_most, give_or_take, interval_rows
from pages.explain.whole_runs import measured
from pages.session.state import AppState
from pages.shared.layout import show_chart
from pages.words.catalogue import number, plain, sentences, t, with_percent


def analyst(session: AppState, promise: Promise, dataset: RegisteredDataset | None) -> None:
    """Show what somebody who will work with the release needs."""
    del dataset
    _landing(promise)
    st.header(t("explain.analyst.roc"), anchor=False)
    _ceiling(promise, measured(session, promise))
    st.header(t("explain.analyst.files"), anchor=False)
    st.markdown(t("explain.analyst.files_why"))
    columns = [plain("explain.analyst.column.file"), plain("explain.analyst.column.use")]
    rows = [(plain(f"explain.files.{name}.path"), plain(f"explain.files.{name}.use")) for name in FILES]
    st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))


def _landing(promise: Promise) -> None:
    st.header(t("explain.analyst.landing"), anchor=False)
    if promise.noise is None:
        st.info(t("explain.analyst.no_codebook"), icon=":material/info:")
        return
    noise = promise.noise
    names = ("count", "low", "high", "relative")
    columns = [plain(f"explain.analyst.column.{name}") for name in names]
    rows = [
        (f"{count:,}", number(low, 4), number(high, 4), give_or_take(part))
        for count, low, high, part in interval_rows(noise)
    ]
    show_chart(
        landing(
            [
                (
                    plain("explain.analyst.a_count", count=f"{count:,}"),
                    count,
                    noise.places(count),
                )
                for count in COUNTS
            ],
            axis=plain("explain.analyst.published"),
        ),
        pd.DataFrame(rows, columns=columns),
        caption=plain("explain.analyst.landing_caption"),
        key="explain_landing",
        beside=True,
    )


def _ceiling(promise: Promise, attacked: Attacked | None) -> None:
    loss, points = promise.loss, attacked.points if attacked else ()
    wider = None
    if loss.rho is not None:
        wider = PrivacyLoss(epsilon=loss.epsilon, delta=loss.delta).curve(RATES)
    rows = [(with_percent(f"{100 * rate:g}"), at_most(loss.caught(rate)), "") for rate in SHORT_RATES]
    rows += [measured_row(loss, point) for point in points]
    names = ("rate", "caught", "measured")
    table = pd.DataFrame(rows, columns=[plain(f"explain.analyst.column.{name}") for name in names])
    caption = plain("explain.analyst.roc_caption" + ("" if wider is None else "_rho"))
    if attacked:
        level = with_percent(f"{100 * LEVEL:g}")
        measured = plain("explain.analyst.attack.caption", runs=f"{attacked.runs:,}", level=level)
        caption = sentences(caption, measured)
    show_chart(
        roc(
            RATES,
            loss.curve(RATES),
            axes=(plain("explain.analyst.column.rate"), plain("explain.analyst.caught_axis")),
            names=(plain("explain.analyst.ceiling"), plain("explain.analyst.guessing")),
            wider=wider,
            wider_name=plain("explain.analyst.wider"),
            measured=[
                Measured(
                    name=plain("explain.analyst.attack.measured"),
                    points=[(point.false_alarms, point.caught) for point in points],
                )
            ]
            if points
            else (),
        ),
        table if points else table.iloc[:, :2],
        caption=caption,
        key="explain_roc",
        beside=True,
    )


def measured_row(loss: PrivacyLoss, point: AttackPoint) -> tuple[str, str, str]:
    """False alarms, the ceiling at the most of them that chance leaves, and what was recognised."""
    return (
        _interval(point.false_alarms),
        at_most(loss.caught(point.false_alarms.high)),
        _interval(point.caught),
    )


def _interval(rate: Rate) -> str:
    return with_percent(f"{100 * rate.low:.1f}–{100 * rate.high:.1f}")
