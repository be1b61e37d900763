"""Networks: who depends on whom, and each attribute's table."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from hmpb_core.model import Model
from hmpb_core.publishing.model_files import graphml_of
from hmpb_core.utility.charts import short
from pages.networks.facts import (
    KINDS,
    Graph,
    conditional_frame,
    graph_of,
    in_order,
    measured_whole,
    read_bare,
)
from pages.networks.graph import page_of
from pages.networks.svg import svg_of
from pages.session.state import AppState, Result, state
from pages.session.widgets import choosing
from pages.shared.downloads import download_of
from pages.shared.errors import guard
from pages.shared.layout import fold, header, need_result, next_step, result_zone, say_of_columns
from pages.shared.palette import is_dark, palette
from pages.words.catalogue import LONGEST, language, listed, names_listed, number, plain, sentences, t

HEIGHT, TALLER = 560, 720
"""Of the frame in pixels: for few attributes, and for more than ``FEW``."""
FEW = 24
MOST_ROWS = 60
MOST_BRIDGES = 12
BRIDGING = ("adaptive", "additive")
"""Learners that look for bridges; the others stay inside their clusters."""


def page(session: AppState) -> None:
    """Show the networks of one cluster or of all, as a graph and as a table."""
    header("networks", zones=[result_zone(session)])
    result = need_result(session)
    say_of_columns(result)
    model = result.model
    with guard():
        whole = session.view("graph", lambda: graph_of(model))
        cluster = which(session, [len(network.families) for network in model.networks])
        graph = whole.of_cluster(cluster)
        drawing(session, graph, cluster, clustered=clustered(model))
        bridges_named(graph, model)
        nodes_table(graph, model.names)
        node_details(session, whole, result)
        exports(graph, result)
    next_step("networks", "weights")


def which(session: AppState, sizes: Sequence[int]) -> int | None:
    """Let the reader choose a cluster's network, the largest first; None for all of them."""
    if len(sizes) < 2:
        return None
    every = len(sizes)  # a box that holds None looks empty
    chosen = choosing(
        st.selectbox,
        t("networks.which"),
        [every if cluster is None else cluster for cluster in in_order(sizes)],
        format_func=lambda c: (
            plain("networks.all") if c == every else plain("networks.one", n=c + 1, size=sizes[c])
        ),
        key=f"cluster_{session.results}",
    )
    return None if chosen == every else chosen


def clustered(model: Model) -> bool:
    """Whether its networks are those of clusters: without similarities there are none."""
    return len(model.networks) > 1 and model.plan.spec.measure is not None


def drawing(session: AppState, graph: Graph, cluster: int | None, *, clustered: bool) -> None:
    """The interactive graph, drawn once a theme and language, and how to read what is in it."""
    words = {
        name: plain(f"networks.word.{name}")
        for name in ("cluster", "risk", "parents", "cells", "noise", "strength", "png", *KINDS)
    }
    title = plain("networks.graph.alt", n=len(graph.nodes), arrows=len(graph.arrows))
    height = HEIGHT if len(graph.nodes) <= FEW else TALLER
    page = session.view(
        f"graph {cluster} {is_dark()} {title}",
        lambda: page_of(graph, palette(), title=title, language=language(), words=words, height=height),
    )
    st.iframe(page, height=height, alt=title)
    said = ["caption"]
    said += ["caption_clusters"] if clustered and cluster is None else []
    said += ["caption_bridges"] if graph.bridges else []
    st.caption(sentences(*(t(f"networks.graph.{part}") for part in (*said, "caption_use"))))


def bridges_named(graph: Graph, model: Model) -> None:
    """The bridges by name: what holds the clusters together."""
    if not clustered(model):
        return
    if not graph.bridges:
        bridging = model.plan.spec.learner in BRIDGING
        st.markdown(t(f"networks.bridges.{'none' if bridging else 'never'}"))
        return
    names = model.names
    said = listed(
        f"{short(names[a.parent], LONGEST)} → {short(names[a.child], LONGEST)}"
        for a in graph.bridges[:MOST_BRIDGES]
    )
    key = "some" if len(graph.bridges) > MOST_BRIDGES else "all"
    st.markdown(t(f"networks.bridges.{key}", n=len(graph.bridges), shown=MOST_BRIDGES, bridges=said))


def nodes_table(graph: Graph, names: Sequence[str]) -> None:
    """The same as a table."""
    table = pd.DataFrame(
        {
            plain("common.column.attribute"): [node.name for node in graph.nodes],
            plain("networks.word.cluster"): [node.cluster + 1 for node in graph.nodes],
            plain("networks.word.parents"): [
                names_listed(names[p] for p in node.parents) for node in graph.nodes
            ],
            plain("networks.word.risk"): [round(node.risk, 3) for node in graph.nodes],
            plain("networks.word.cells"): [node.cells for node in graph.nodes],
            plain("networks.word.noise"): [round(node.noise_sd, 2) for node in graph.nodes],
        }
    )
    box = fold(t("common.as_table"), key="nodes", icon=":material/table:")
    if box.open:
        box.dataframe(table, hide_index=True, key="nodes", alt=plain("networks.nodes.alt"))


def node_details(session: AppState, whole: Graph, result: Result) -> None:
    """One node: its table and its noise."""
    model = result.model
    st.header(t("networks.node.title"), anchor=False)
    names = model.names
    by_name = {node.name: node for node in whole.nodes}
    chosen = st.selectbox(t("networks.node.choose"), sorted(by_name), key=f"node_{session.results}")
    node = by_name[chosen]
    first, second, third = st.columns(3)
    first.metric(t("networks.word.cells"), number(node.cells))
    second.metric(t("networks.word.noise"), number(node.noise_sd))
    per_cell = model.n_rows / node.cells
    third.metric(t("networks.node.average"), number(per_cell))
    parents = names_listed(names[p] for p in node.parents)
    st.markdown(
        t("networks.node.parents", name=node.name, parents=parents)
        if parents
        else t("networks.node.root", name=node.name)
    )
    for arrow in whole.arrows:
        if arrow.child == node.index and arrow.kind == "rule":
            st.caption(t("networks.node.rule", child=node.name, parent=names[arrow.parent]))
    if read_bare(model):
        st.caption(t("networks.node.bare"))
    elif not measured_whole(model, node):
        st.caption(t("networks.node.fitted"))
    elif node.noise_sd > per_cell:
        st.warning(t("networks.node.drowned"), icon=":material/waves:")
    frame, total = conditional_frame(
        model,
        whole,
        node.index,
        most_rows=MOST_ROWS,
        given=lambda name: plain("networks.node.given", name=name),
        meanings=result.codebook.value_labels,
    )
    shares = frame.columns[len(node.parents) :]
    st.dataframe(
        frame,
        hide_index=True,
        key="conditional",
        alt=plain("networks.node.alt"),
        column_config={
            column: st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.3f")
            for column in shares
        },
    )
    shown = len(frame)
    st.caption(
        t("networks.node.caption")
        if shown == total
        else t("networks.node.part", shown=shown, total=number(total))
    )


def exports(graph: Graph, result: Result) -> None:
    """The networks as files."""
    st.header(t("networks.export.title"), anchor=False)
    kinds: dict[str, str] = {kind: plain(f"networks.word.{kind}") for kind in KINDS}
    with st.container(horizontal=True):
        download_of(
            result,
            t("networks.export.graphml"),
            lambda: graphml_of(result.model),
            "networks.graphml",
            "application/xml",
            key="graphml",
        )
        download_of(
            result,
            t("networks.export.svg"),
            lambda: svg_of(graph, title=plain("networks.title"), words=kinds),
            "networks.svg",
            "image/svg+xml",
            key="svg",
        )
    st.caption(t("networks.export.png"))


page(state())
