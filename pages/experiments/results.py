"""What was measured, beside what the paper reports: figures, the table, why they differ, downloads."""

from __future__ import annotations

import io

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from hmpb_core.experiments.base import Chart
from hmpb_core.experiments.writing import can_draw_pictures, html_of, png_of
from hmpb_core.publishing.zones import declared
from pages.experiments.said import line_name, said, worded
from pages.experiments.work import Bench, Given
from pages.shared.downloads import download
from pages.shared.figures import figure, safe
from pages.shared.layout import EMPTY_CELL, show_chart
from pages.shared.palette import SYMBOLS, palette
from pages.words.catalogue import number, plain, t
from pages.words.errors import sentence

DASHES = ("solid", "dash", "dot", "dashdot")


def show(bench: Bench, given: Given | None) -> None:
    """Show what is measured so far; nothing where nothing is."""
    frame = bench.frame()
    if frame.empty:
        return
    experiment = bench.experiment
    st.header(t("experiments.result.title"), anchor=False)
    if given is not None:
        st.info(t("experiments.result.loaded", table=given.table.name), icon=":material/info:")
    elif not experiment.of_machine and experiment.name != "table1":
        st.caption(t("experiments.result.sample"))
    if len(frame) < len(bench.cells):
        st.caption(t("experiments.result.part", done=number(len(frame)), n=number(len(bench.cells))))
    charts = experiment.charts(frame)
    columns = st.columns(2) if len(charts) > 1 else [st.container()]
    for place, chart in enumerate(charts):
        with columns[place % len(columns)]:
            st.markdown(f"**{said((chart.title,))}**")
            show_chart(
                draw(chart),
                points(chart),
                caption=plain("experiments.result.caption", y=sentence(chart.y), x=sentence(chart.x)),
                key=f"experiments_{place}",
            )
    st.markdown(f"**{t('experiments.result.beside')}**")
    if "variant" in frame:
        st.caption(t("experiments.result.accounting"))
    st.dataframe(
        worded(experiment.table(frame)),
        hide_index=True,
        placeholder=EMPTY_CELL,
        key="experiments_table",
        alt=plain("experiments.result.beside"),
    )
    key = "says" if experiment.of_machine else "differs"
    st.markdown(t(f"experiments.result.{key}", text=said(experiment.differs(frame))))
    offer(bench, frame, charts)


def offer(bench: Bench, frame: pd.DataFrame, charts: list[Chart]) -> None:
    """Downloads: all of it comes from public tables."""
    experiment = bench.experiment
    with st.container(horizontal=True):
        download(
            t("experiments.download.parquet"),
            lambda: declared(parquet(frame)),
            f"{experiment.name}.parquet",
            "application/vnd.apache.parquet",
            key="experiments_parquet",
        )
        if charts:
            download(
                t("experiments.download.html"),
                lambda: declared(html_of(experiment, frame)),
                f"{experiment.name}.html",
                "text/html",
                key="experiments_html",
            )
            download(
                t("experiments.download.png"),
                lambda: declared(png_of(experiment, frame) or b""),
                f"{experiment.name}.png",
                "image/png",
                key="experiments_png",
                disabled=not can_draw_pictures(),
                help_text=None if can_draw_pictures() else t("experiments.download.no_png"),
            )


def parquet(frame: pd.DataFrame) -> bytes:
    """The rows measured, as Parquet."""
    written = io.BytesIO()
    frame.to_parquet(written, index=False)
    return written.getvalue()


def draw(chart: Chart) -> go.Figure:
    """A panel in the reader's theme: lines differ by colour, by mark and by stroke."""
    look = palette()
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": safe(line_name(name), 60),
            "x": [x for x, _ in line],
            "y": [y for _, y in line],
            "line": {"color": look.of(i), "width": 2, "dash": DASHES[i % len(DASHES)]},
            "marker": {"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 9, "color": look.of(i)},
            "hovertemplate": "%{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
        for i, (name, line) in enumerate(chart.lines.items())
    ]
    places = {x for line in chart.lines.values() for x, _ in line}
    alone = {"range": [0, 2 * max(places)]} if len(places) == 1 else {}  # else plotly goes below nothing
    return figure(
        360,
        traces,
        x={"title": {"text": safe(sentence(chart.x), 80)}} | alone,
        y={"title": {"text": safe(sentence(chart.y), 80)}, "rangemode": "tozero"},
    )


def points(chart: Chart) -> pd.DataFrame:
    """A panel as a table: one row a point."""
    return pd.DataFrame(
        [
            {plain("experiments.column.line"): line_name(name), sentence(chart.x): x, sentence(chart.y): y}
            for name, line in chart.lines.items()
            for x, y in line
        ]
    )
