"""What micro-aggregation gave: classes, loss, entropy, protection, before and after, and the way out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from hmpb_core.anonymize.anonymizer import Anonymized, Request
from hmpb_core.anonymize.quality import ClassFigures
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.publishing.zones import Zone, handed_over, k_anonymous
from pages.session.choices import AnonymizeChoices
from pages.session.roles import values_of
from pages.session.state import Table
from pages.session.widgets import bound
from pages.shared.downloads import download
from pages.shared.figures import figure
from pages.shared.layout import EMPTY_CELL, show_chart, zone_badge
from pages.shared.palette import palette
from pages.words.catalogue import names_listed, number, percent, plain, t

SHOWN_ROWS = 20
SHOWN_CLASSES = 200
WORD_WIDTH = 100
"""Pixels of a column that holds one word."""
COARSE = 3.0
"""Rows of a class over k from which the classes are called coarse."""


def show(choices: AnonymizeChoices, codebook: Codebook, table: Table) -> None:
    """Show a finished table beside the one it was made from."""
    request: Request
    found: Anonymized
    request, found = choices.outcome
    st.header(t("anonymize.result.title"), anchor=False)
    zone_badge(Zone.STEWARD_ONLY)
    st.success(
        t(
            "anonymize.result.verified",
            classes=number(found.figures.n_classes),
            k=request.k,
            p=request.p,
            sensitive=request.sensitive,
        ),
        icon=":material/verified:",
    )
    st.caption(t("anonymize.result.made", method=request.method.upper(), quasi=names_listed(request.quasi)))
    asked = (choices.method, choices.k, choices.p, set(choices.quasi), choices.sensitive)
    if asked != (request.method, request.k, request.p, set(request.quasi), request.sensitive):
        st.warning(t("anonymize.result.changed"), icon=":material/history:")
    domain = codebook.domain
    if isinstance(domain.attributes[domain.index(request.sensitive)], Numeric):
        bins = values_of(domain, request.sensitive)
        st.caption(t("anonymize.result.bins", sensitive=request.sensitive, n=bins))
    _figures(found)
    if found.figures.c_avg > COARSE and found.figures.avg_il > 0:  # else nothing was lost at all
        st.warning(
            t("anonymize.result.coarse", times=number(found.figures.c_avg)), icon=":material/compress:"
        )
    _before_and_after(found, request)
    _classes(found)
    _one_class(choices, found)
    _hand_over(choices, found, codebook, table)


def csv_like_the_table(rows: pd.DataFrame, codebook: Codebook) -> bytes:
    """The csv file that leaves, in the dialect of the table's own file unless the codebook says otherwise."""
    return csv_of(rows, CsvForm.of(replace(codebook, answers={})))


def _figures(found: Anonymized) -> None:
    figures = found.figures
    shown = {
        "avg_il": number(figures.avg_il),
        "avg_ent": number(figures.avg_ent),
        "c_avg": number(figures.c_avg),
        "protection": _protection(_mean_protection(found.classes)),
    }
    for column, (name, value) in zip(st.columns(len(shown)), shown.items(), strict=True):
        column.metric(t(f"anonymize.figure.{name}"), value, help=t(f"anonymize.figure_help.{name}"))


def _mean_protection(classes: tuple[ClassFigures, ...]) -> float:
    """The mean over classes that lose something; infinite where none does."""
    finite = [one.protection for one in classes if math.isfinite(one.protection)]
    return float(np.mean(finite)) if finite else math.inf


def _protection(value: float) -> str:
    return number(value) if math.isfinite(value) else "∞"


def _before_and_after(found: Anonymized, request: Request) -> None:
    """How many rows were told apart by their quasi-identifiers, and each attribute's loss."""
    st.markdown(f"**{t('anonymize.before.title')}**")
    sizes = found.group_sizes_before()
    few = float(np.mean(sizes < request.k))
    alone = float(np.mean(sizes == 1))
    st.markdown(t("anonymize.before.rows", alone=percent(alone), few=percent(few), k=request.k))
    weights = np.array([one.n_rows for one in found.classes])
    losses = np.array([one.attribute_losses for one in found.classes])
    lines = [
        {
            plain("common.column.attribute"): column.name,
            plain("anonymize.before.kind"): plain(f"anonymize.kind.{column.kind.value}"),
            plain("anonymize.before.values"): number(len(np.unique(column.codes))),
            plain("anonymize.before.values_after"): number(
                int(found.table[column.name].nunique(dropna=False))
            ),
            plain("anonymize.before.loss"): number(float(weights @ losses[:, i] / weights.sum())),
        }
        for i, column in enumerate(found.columns)
    ]
    st.dataframe(
        pd.DataFrame(lines),
        hide_index=True,
        key="anonymize_attributes",
        alt=plain("anonymize.before.title"),
        height="content",
    )


def _classes(found: Anonymized) -> None:
    """Loss and entropy of every class; the ones with the most frequent value first in the table."""
    st.markdown(f"**{t('anonymize.classes.title')}**")
    order = sorted(range(len(found.classes)), key=lambda i: -found.classes[i].top_share)
    table = pd.DataFrame(
        {
            plain("anonymize.classes.number"): i + 1,
            plain("anonymize.classes.rows"): one.n_rows,
            plain("anonymize.classes.values"): one.n_values,
            plain("anonymize.classes.top"): percent(one.top_share),
            plain("anonymize.classes.loss"): number(one.average_loss),
            plain("anonymize.classes.entropy"): number(one.entropy),
            plain("anonymize.classes.protection"): _protection(one.protection),
        }
        for i, one in ((i, found.classes[i]) for i in order[:SHOWN_CLASSES])
    )
    worst = found.classes[order[0]]
    st.markdown(t("anonymize.classes.worst", number=order[0] + 1, share=percent(worst.top_share)))
    show_chart(_scatter(found.classes), table, caption=plain("anonymize.classes.caption"), key="anonymize")


def _scatter(classes: tuple[ClassFigures, ...]) -> go.Figure:
    look = palette()
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [one.average_loss for one in classes],
        "y": [one.entropy for one in classes],
        "marker": {"color": look.main, "size": 7, "opacity": 0.6},
        "hovertemplate": "%{x:.3f}, %{y:.2f}<extra></extra>",
    }
    return figure(
        320,
        [trace],
        x={"title": {"text": plain("anonymize.classes.loss")}, "rangemode": "tozero"},
        y={"title": {"text": plain("anonymize.classes.entropy")}, "rangemode": "tozero"},
    )


def _one_class(choices: AnonymizeChoices, found: Anonymized) -> None:
    """The rows of one class, and what replaces them."""
    st.markdown(f"**{t('anonymize.one.title')}**")
    bound(
        st.number_input,
        t("anonymize.one.number"),
        choices,
        "number",
        min_value=1,
        max_value=len(found.members),
        step=1,
        key="anonymize_number",
    )
    shown = found.before_and_after(int(choices.number) - 1)
    heading = plain("anonymize.one.row")
    while heading in shown.columns:
        heading += " "
    shown.insert(0, heading, [*map(str, shown.index[:-1]), plain("anonymize.one.published")])
    rows = len(shown) - 1
    if rows > SHOWN_ROWS:
        shown = pd.concat([shown.head(SHOWN_ROWS), shown.tail(1)])
        st.caption(t("anonymize.one.part", shown=SHOWN_ROWS, rows=number(rows)))
    st.dataframe(
        shown.astype("str"),
        hide_index=True,
        key="anonymize_one",
        alt=plain("anonymize.one.title"),
        # measured by its first rows, numbers, it would cut the word in the last one
        column_config={heading: st.column_config.TextColumn(width=WORD_WIDTH)},
        height="content",
        placeholder=EMPTY_CELL,
    )


def _hand_over(choices: AnonymizeChoices, found: Anonymized, codebook: Codebook, table: Table) -> None:
    """The first rows of what leaves, and the download, once the steward has agreed."""
    st.header(t("anonymize.out.title"), anchor=False)
    zone_badge(Zone.K_ANONYMOUS)
    st.dataframe(
        found.table.head(SHOWN_ROWS).astype("str"),
        hide_index=True,
        key="anonymize_table",
        alt=plain("anonymize.out.title"),
        placeholder=EMPTY_CELL,
    )
    bound(st.checkbox, t("anonymize.out.agree"), choices, "agreed", key="anonymize_agreed")
    download(
        t("anonymize.out.download"),
        lambda: k_anonymous(csv_like_the_table(found.table, codebook)),
        f"{table.name.rsplit('.', 1)[0]}-k-anonymous.csv",
        "text/csv",
        key="anonymize_download",
        disabled=not choices.agreed,
        help_text=None if choices.agreed else t("anonymize.out.why"),
        way_out=handed_over,
    )
