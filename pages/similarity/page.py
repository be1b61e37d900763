"""Similarity: the noisy matrix, and which attributes belong together."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.model import Model
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.rules.kinds import Rule
from hmpb_core.stages.similarity import SimilarityMatrix
from pages.session.state import AppState, state
from pages.session.widgets import choosing
from pages.shared.errors import guard
from pages.shared.layout import header, need_result, next_step, result_zone, say_of_columns, show_chart
from pages.shared.palette import is_dark
from pages.similarity.clusters import (
    BAND,
    MOST_OPEN,
    View,
    candidate_tables,
    clusters_of,
    may_be_noise,
    unclustered_view,
)
from pages.similarity.figures import eigenvalues, heatmap
from pages.similarity.matrices import Matrix, direct_noise, matrices_of, measure_words, wanted
from pages.similarity.pairs import verdicts
from pages.similarity.values import values_panel
from pages.words.catalogue import escape, names_listed, number, percent, plain, sentences, t


def page(session: AppState) -> None:
    """Look at the matrices for any number of clusters; take one into the plan."""
    header("similarity", zones=[result_zone(session)])
    result = need_result(session)
    say_of_columns(result)
    model, similarity = result.model, result.model.similarity
    with guard():
        if len(model.names) < 2:
            st.info(t("similarity.alone"), icon=":material/info:")
            next_step("similarity", "networks")
            return
        spec = result.plan.spec
        apart, labelled = Stage.CONDITIONAL_TABLES not in spec.needs, spec.sampling == "labels"
        if apart or labelled:
            st.info(t("similarity.apart" if apart else "similarity.labels"), icon=":material/info:")
            next_step("similarity", "networks")
            return
        clustered = similarity is not None and spec.clusters is not None
        if similarity is not None and clustered:
            k, sigma, vectors = controls(session, result.plan, similarity, len(model.clustering.clusters))
            view = clusters_of(session, similarity, k, sigma, vectors)
        else:
            st.info(t(f"similarity.{_why_unclustered(model)}"), icon=":material/info:")
            view = unclustered_view(model)
        ask_for_mic(session, model)
        found = matrices_of(session, model)
        if found:
            matrix(session, choose(session, found), view, clustered=clustered)
            directly(session, result.plan, model)
            pair(found, model.rules.items, exact=spec.protection == "none")
        if similarity is not None and clustered:
            number_of_clusters(view, k, similarity)
            membership(view, similarity.names, result.plan)
            st.button(
                t("similarity.take"),
                key="take_clusters",
                on_click=take_into_plan,
                args=(session, k, sigma, vectors),
                icon=":material/tune:",
                help=t("similarity.take_help"),
            )
        values_panel(session, result, found)
    next_step("similarity", "networks")


def _why_unclustered(model: Model) -> str:
    """Why there are no clusters: the method has none, or measures nothing that could be clustered."""
    if model.similarity is not None:
        return "no_clusters"
    return "none" if model.plan.measure is None else "no_share"


def ask_for_mic(session: AppState, model: Model) -> None:
    """MIC of a wide table takes a while: ask first."""
    if not wanted(session, model):
        st.button(
            t("similarity.mic.ask", d=len(model.names)),
            key="mic_ask",
            on_click=session.views.__setitem__,
            args=("model mic asked", True),
        )


def choose(session: AppState, found: list[Matrix]) -> Matrix:
    """Let the reader choose the matrix; MIC off the model comes first."""
    if len(found) == 1:
        return found[0]
    names = {m.kind: plain(f"similarity.which.{m.kind}", measure=measure_words(m)) for m in found}
    kind = choosing(
        st.radio,
        t("similarity.which.label"),
        [m.kind for m in found],
        format_func=lambda kind: names[kind],
        key=f"which_{session.results}",
        horizontal=True,
    )
    return next(m for m in found if m.kind == kind)


def directly(session: AppState, plan: Plan, model: Model) -> None:
    """Measuring MIC itself is a choice of the plan, with its price in noise."""
    noise = direct_noise(plan, model)
    if noise is None or "mic" not in session.settings.measures:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("similarity.mic.direct", sd=number(noise)))
        st.button(
            t("similarity.mic.take"),
            key="take_mic",
            on_click=take_mic,
            args=(session,),
        )


def controls(
    session: AppState, plan: Plan, similarity: SimilarityMatrix, found: int
) -> tuple[int, float, int]:
    """k, sigma and k1, free to move; a new result starts from its plan."""
    st.markdown(t("similarity.free"))
    most = min(20, len(similarity.names))
    left, middle, right = st.columns(3)
    k = left.number_input(
        t("similarity.k"),
        1,
        most,
        key=_seeded(session, "k", min(plan.clusters or found, most)),
        persist_state="session",
    )
    sigma = middle.slider(
        t("similarity.sigma"),
        0.1,
        2.0,
        step=0.05,
        key=_seeded(session, "sigma", plan.sigma),
        persist_state="session",
    )
    vectors = right.number_input(
        t("similarity.vectors"),
        0,
        most,
        key=_seeded(session, "vectors", min(plan.n_vectors or 0, most)),
        help=t("similarity.vectors_help"),
        persist_state="session",
    )
    return int(k), float(sigma), int(vectors)


def _seeded(session: AppState, name: str, value: float) -> str:
    """The key of a widget of this result, which starts from a value."""
    key = f"s_{name}_{session.results}"
    st.session_state.setdefault(key, value)
    return key


def matrix(session: AppState, found: Matrix, view: View, *, clustered: bool) -> None:
    """One noisy matrix, its clusters framed where there are any."""
    st.header(t(f"similarity.matrix.title_{found.kind}", measure=measure_words(found)), anchor=False)
    order = np.ix_(view.order, view.order)
    names = [found.names[i] for i in view.order]
    values, noise, bands = found.values[order], found.noise[order], found.bands[order]
    upper = np.triu_indices(len(names), 1)
    told = np.ones_like(noise) if found.untold is None else ~found.untold[order]
    part = percent(float((noise & told)[upper].mean())) if len(names) > 1 else percent(0)
    if session.result is not None and session.result.plan.spec.protection == "none":
        st.markdown(t("similarity.matrix.exact"))
    elif found.noise_sd is None:
        typical = float(np.median(bands[upper][told[upper]])) if told[upper].any() else 0.0
        st.markdown(
            t(
                "similarity.matrix.model",
                band=number(typical),
                measured=percent(found.measured or 0.0),
                part=part,
            )
        )
        if found.untold is not None:
            st.markdown(t("similarity.matrix.untold", part=percent(float((~told)[upper].mean()))))
    else:
        st.markdown(
            t(
                "similarity.matrix.noise",
                measure=measure_words(found),
                sd=number(found.noise_sd),
                band=number(BAND * found.noise_sd),
                part=part,
            )
        )
    table = pd.DataFrame(
        {
            plain("similarity.pair.first"): np.array(names, dtype=object)[upper[0]],
            plain("similarity.pair.second"): np.array(names, dtype=object)[upper[1]],
            plain("similarity.pair.value"): values[upper],
            plain("similarity.pair.up_to"): bands[upper],
            plain("similarity.pair.noise"): noise[upper],
        }
    )
    if clustered:
        table[plain("similarity.pair.together")] = view.labels[upper[0]] == view.labels[upper[1]]
    table = table.sort_values(plain("similarity.pair.value"), ascending=False)
    groups = view.labels.tolist() if clustered else []
    unit, cluster = measure_words(found), plain("similarity.cluster")
    figure = session.view(
        f"heatmap {found.kind} {view.order.tolist()} {groups} {is_dark()} {unit}",
        lambda: heatmap(values.copy(), names, groups, noise, unit=unit, cluster=cluster),
    )
    show_chart(
        figure,
        table,
        caption=sentences(
            t("similarity.matrix.caption"), *([t("similarity.matrix.frames")] if clustered else [])
        ),
        key="matrix",
    )


def pair(found: list[Matrix], rules: Sequence[Rule], *, exact: bool) -> None:
    """One pair, by name, in every matrix; and the rules that every row obeys."""
    st.header(t("similarity.pair.title"), anchor=False)
    left, right = st.columns(2)
    names = list(found[0].names)
    first = left.selectbox(t("similarity.pair.first"), names, key="pair_first", persist_state="session")
    second = right.selectbox(
        t("similarity.pair.second"), names, 1, key="pair_second", persist_state="session"
    )
    if first == second:
        st.caption(t("similarity.pair.same"))
        return
    for said in verdicts(found, first, second, rules, exact=exact):
        st.markdown(said)


def number_of_clusters(view: View, k: int, similarity: SimilarityMatrix) -> None:
    """Which k the matrix itself suggests, and whether it may be noise that does."""
    st.header(t("similarity.gap.title"), anchor=False)
    if may_be_noise(similarity):
        st.info(t("similarity.gap.noise"), icon=":material/info:")
    values = view.clustering.eigenvalues
    words = {name: plain(f"similarity.gap.{name}") for name in ("x", "y")}
    marks = {"suggested": view.suggested, "chosen": k, "both": k}
    words |= {name: plain(f"similarity.gap.{name}", k=number) for name, number in marks.items()}
    shown = np.abs(values[:16]).round(4)
    table = pd.DataFrame(
        {
            plain("similarity.gap.x"): range(1, len(shown) + 1),
            plain("similarity.gap.y"): shown,
            plain("similarity.gap.gap"): np.append(np.diff(shown).round(4), np.nan),
        }
    )
    figure = eigenvalues(values, suggested=view.suggested, chosen=k, words=words)
    show_chart(figure, table, caption=t("similarity.gap.caption"), key="gap")


def membership(view: View, names: Sequence[str], plan: Plan) -> None:
    """Who is with whom, and what it saves."""
    st.header(t("similarity.members.title"), anchor=False)
    clusters = [[names[i] for i in cluster] for cluster in view.clustering.clusters]
    sizes = [len(cluster) for cluster in clusters]
    whole = candidate_tables([len(names)], plan)
    split = candidate_tables(sizes, plan)
    for place, cluster in enumerate(clusters, 1):  # in a table's column, many names are a tower on a phone
        tables = number(candidate_tables([len(cluster)], plan))
        label = t("similarity.members.cluster", place=place, n=len(cluster), tables=tables)
        with st.expander(label, expanded=len(names) <= MOST_OPEN):
            st.markdown(escape(names_listed(cluster)))
    if whole > split:
        st.markdown(
            t(
                "similarity.members.adaptive"
                if plan.spec.learner in ("adaptive", "additive")
                else "similarity.members.saves",
                split=number(split),
                whole=number(whole),
                part=percent(1 - split / whole),
            )
        )


def take_into_plan(session: AppState, k: int, sigma: float, vectors: int) -> None:
    """Make these clusters part of the plan."""
    session.take_into_plan(clusters=k, sigma=sigma, vectors=vectors)
    st.toast(t("similarity.taken", k=session.settings.clusters), icon=":material/tune:")


def take_mic(session: AppState) -> None:
    """Have the plan measure MIC itself."""
    session.settings.choose("similarity", "mic")
    st.toast(t("similarity.mic.taken"), icon=":material/tune:")


page(state())
