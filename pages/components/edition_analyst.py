"""The analyst's edition: where counts land, the ceiling on every attack, the files."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hmpb_core.publishing.dataset import Dataset
from hmpb_core.report.explain import PrivacyLoss
from pages.components.charts_explain import roc
from pages.components.charts_noise import landing
from pages.components.explaining import COUNTS, RATES, SHORT_RATES, Promise, at_most, interval_rows
from pages.components.handouts import FILES
from pages.components.layout import show_chart
from pages.components.state import AppState
from pages.components.text import number, plain, t


def analyst(known: AppState, promise: Promise, dataset: Dataset | None) -> None:
    """Show what somebody who will work with the release needs."""
    del known, dataset
    _landing(promise)
    _ceiling(promise)
    st.subheader(t("explain.analyst.files"), anchor=False)
    st.markdown(t("explain.analyst.files_why"))
    columns = [plain("explain.analyst.column.file"), plain("explain.analyst.column.use")]
    rows = [(plain(f"explain.files.{name}.path"), plain(f"explain.files.{name}.use")) for name in FILES]
    st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))


def _landing(promise: Promise) -> None:
    st.subheader(t("explain.analyst.landing"), anchor=False)
    if promise.noise is None:
        st.info(t("explain.analyst.no_codebook"), icon=":material/info:")
        return
    noise = promise.noise
    names = ("count", "low", "high", "relative")
    columns = [plain(f"explain.analyst.column.{name}") for name in names]
    rows = [
        (f"{count:,}", number(low, 4), number(high, 4), f"± {100 * part:.3g} %")
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


def _ceiling(promise: Promise) -> None:
    loss = promise.loss
    st.subheader(t("explain.analyst.roc"), anchor=False)
    wider = None
    if loss.rho is not None:
        wider = PrivacyLoss(epsilon=loss.epsilon, delta=loss.delta).curve(RATES)
    table = pd.DataFrame(
        {
            plain("explain.analyst.column.rate"): [f"{100 * rate:g} %" for rate in SHORT_RATES],
            plain("explain.analyst.column.caught"): [at_most(loss.caught(rate)) for rate in SHORT_RATES],
        }
    )
    show_chart(
        roc(
            RATES,
            loss.curve(RATES),
            axes=(plain("explain.analyst.column.rate"), plain("explain.analyst.caught_axis")),
            names=(plain("explain.analyst.ceiling"), plain("explain.analyst.guessing")),
            wider=wider,
            wider_name=plain("explain.analyst.wider"),
        ),
        table,
        caption=plain("explain.analyst.roc_caption" + ("" if wider is None else "_rho")),
        key="explain_roc",
        beside=True,
    )
