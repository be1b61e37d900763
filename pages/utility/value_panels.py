"""The page Utility: values column by column, and what models learn from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.metrics.columns import level_text, spread_text
from hmpb_core.metrics.values import QUANTILES
from hmpb_core.utility import predict_target
from hmpb_core.utility.columns import ColumnReport
from hmpb_core.utility.prediction import Prediction
from hmpb_core.utility.words.catalogue import words_of
from pages.session.state import AppState, Result, Table
from pages.session.widgets import bound
from pages.shared.figures import bars
from pages.shared.layout import fold, show_chart
from pages.utility.panels import fixed, series
from pages.utility.work import Found
from pages.words.catalogue import escape, language, percent, plain, t
from pages.words.errors import sentence
from pages.words.values import labels_of, value_words

MOST_VALUES, MOST_BINS = 10, 24
"""Bars of a list, and of a number: of that all that a run learns at first."""


def targets(domain: Domain) -> list[str]:
    """What may be predicted: numbers, and categories of which there are two or more."""
    if len(domain) < 2:
        return []
    return [
        attribute.name
        for attribute in domain.attributes
        if not isinstance(attribute, Categorical) or len(attribute.categories) > 1
    ]


def values(found: Found) -> None:
    """Every column's values: how far off, beside a second sample."""
    st.header(t("utility.values.title"), anchor=False)
    columns = found.report.columns
    st.dataframe(
        pd.DataFrame(
            {
                plain("utility.values.column"): [c.name for c in columns],
                plain("utility.values.ks"): _beside([(c.error.ks, c.second.ks) for c in columns]),
                plain("utility.values.wasserstein"): _beside(
                    [(c.error.wasserstein_sd, c.second.wasserstein_sd) for c in columns]
                ),
                plain("utility.values.mean"): _beside([(c.error.mean_sd, c.second.mean_sd) for c in columns]),
                plain("utility.values.sd"): [_or_none(c.error.sd_ratio) for c in columns],
                plain("utility.values.common"): _beside(
                    [(c.error.commonest, c.second.commonest) for c in columns]
                ),
                plain("utility.values.missing"): fixed([c.error.missing for c in columns]),
                plain("utility.subsample"): [
                    "–" if c.subsample is None else percent(c.subsample) for c in columns
                ],
            }
        ),
        hide_index=True,
        key="utility_values",
        alt=plain("utility.values.caption"),
    )
    st.caption(t("utility.values.caption"))


def one_way(found: Found, session: AppState, codebook: Codebook) -> None:
    """One attribute: its distribution, its mean and quantiles in the real and the synthetic rows."""
    st.header(t("utility.one_way.title"), anchor=False)
    report = found.report
    order = [column.name for column in report.columns]  # as the table above has them
    if session.utility.attribute not in order:
        session.utility.attribute = order[0]
    chosen = bound(
        st.selectbox,
        t("utility.one_way.attribute"),
        session.utility,
        "attribute",
        options=order,
        key="utility_attribute",
        persist_state="session",
    )
    place = found.domain.index(chosen)
    attribute, shares = found.domain.attributes[place], found.shares[place]
    kept = np.arange(shares.shape[1])
    most = MOST_BINS if isinstance(attribute, Numeric) else MOST_VALUES
    if len(kept) > most:
        kept = np.sort(np.argsort(-shares[0], kind="stable")[:most])
        st.caption(t("utility.one_way.many", shown=most, all=shares.shape[1]))
    texts = labels_of(attribute, codebook.value_labels.get(chosen))
    labels = [texts[i] for i in kept]
    drawn = {plain("utility.synthetic"): shares[1, kept], plain("utility.real"): shares[0, kept]}
    show_chart(
        bars(labels, drawn, unit=plain("utility.share")),
        pd.DataFrame(
            {plain("utility.value"): labels} | {k: [percent(float(x)) for x in v] for k, v in drawn.items()}
        ),
        caption=plain("utility.one_way.caption"),
        key="utility_one_way",
    )
    column = next(c for c in report.columns if c.name == chosen)
    box = fold(t("utility.one_way.figures", name=chosen), key="utility_column", icon=":material/table:")
    if box.open:
        with box:
            st.dataframe(
                figures_of(
                    column,
                    apart=chosen in codebook.apart,
                    meanings=codebook.value_labels.get(chosen, {}),
                ),
                hide_index=True,
                key="utility_column_figures",
            )


def figures_of(column: ColumnReport, *, apart: bool, meanings: Mapping[str, str]) -> pd.DataFrame:
    """Mean, sd, quantiles, missing and the commonest values' shares of one column.

    Args:
        column: The column.
        apart: Whether its missing codes are told apart: then they stand among its values.
        meanings: What its values mean, by their text.
    """
    ours, theirs = column.real, column.synthetic
    rows: list[tuple[str, str, str]] = []
    if ours.mean is not None and theirs.mean is not None:
        of = column.attribute
        rows.append((plain("utility.one_way.mean"), level_text(of, ours.mean), level_text(of, theirs.mean)))
        words = words_of(language())
        real, synthetic = (
            spread_text(of, summary.sd or 0.0, lambda sign: words(f"unit.{sign}"))
            for summary in (ours, theirs)
        )
        rows.append((plain("utility.one_way.sd"), real, synthetic))
        rows += [
            (plain("utility.one_way.quantile", percent=f"{100 * q:g}"), level_text(of, a), level_text(of, b))
            for q, a, b in zip(QUANTILES, ours.quantiles or (), theirs.quantiles or (), strict=True)
        ]
    missing = plain("utility.values.missing_uncoded" if apart else "utility.values.missing_share")
    rows.append((missing, percent(ours.missing), percent(theirs.missing)))
    rows += [
        (
            plain(
                "utility.one_way.share_of", value=value_words(value, meanings) if value in meanings else value
            ),
            percent(a),
            percent(b),
        )
        for value, a, b in zip(column.shown, ours.shares, theirs.shares, strict=True)
    ]
    head = [plain("utility.one_way.figure"), plain("utility.real"), plain("utility.synthetic")]
    return pd.DataFrame(rows, columns=head)


def prediction(session: AppState, found: Found, table: Table, result: Result) -> None:
    """Train on synthetic rows, test on real ones, for a chosen target."""
    st.header(t("utility.prediction.title"), anchor=False)
    codebook = result.codebook
    options = targets(codebook.domain)
    if not options:
        st.caption(t("utility.prediction.none"))
        return
    known, refused = {of.target: of for of in found.report.predictions}, found.report.not_predicted
    if session.utility.target not in options:
        session.utility.target = next((n for n in [*known, *refused] if n in options), options[-1])
    target = bound(
        st.selectbox,
        t("utility.prediction.target"),
        session.utility,
        "target",
        options=options,
        help=t("utility.prediction.help"),
        key="utility_target",
        persist_state="session",
    )
    pressed = st.button(t("utility.prediction.go"), key="utility_predict", icon=":material/model_training:")
    if target in known:
        _scores(known[target])
    elif pressed or f"prediction:{target}" in session.views:
        with st.spinner(t("utility.prediction.working")):
            scores = session.view(
                f"prediction:{target}",
                lambda: predict_target(
                    table.frame, result.rows, codebook, target, rng=np.random.default_rng()
                ),
            )
        _scores(scores)
    elif target in refused:
        why = sentence(refused[target])
        st.info(
            words_of(language())("prediction.refused", target=escape(target), why=why), icon=":material/info:"
        )


def _scores(of: Prediction) -> None:
    words = words_of(language())
    names = list(of.synthetic)
    labels = [words(f"prediction.{name}") for name in names]
    drawn = series([of.synthetic[name] for name in names], [of.second[name] for name in names])
    table: dict[str, Any] = {plain("utility.prediction.score"): labels}
    table |= {k: [f"{x:.3f}" for x in v] for k, v in drawn.items()}
    if any(of.rows[name] is not None for name in names):
        table[plain("utility.prediction.rows")] = [f"{of.rows[name] or 0:,}" for name in names]
    show_chart(
        bars(labels, drawn, unit=plain("utility.prediction.score")),
        pd.DataFrame(table),
        caption=plain("utility.prediction.caption", rows=f"{of.n_train:,}", tested=f"{of.n_test:,}"),
        key="utility_prediction",
    )


def _beside(figures: Sequence[tuple[float | None, float | None]]) -> list[str]:
    """Each figure with that of the second sample behind it: a column each would not fit a window."""
    return [
        _or_none(ours) if ours is None else f"{ours:.4f} / {_or_none(second)}" for ours, second in figures
    ]


def _or_none(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
