"""minepy's MIC of the values themselves, real beside synthetic: exact, so for the steward alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.metrics.mic import MicPair, exact_mics, minepy_is_here
from hmpb_core.publishing.zones import Zone
from pages.session.state import AppState, Basis, Result
from pages.shared.layout import fold, say_drawn, zone_badge
from pages.similarity.matrices import Matrix
from pages.words.catalogue import plain, t

SHOWN = 12
"""Pairs that are compared: the most similar by the first noisy matrix."""


def values_panel(session: AppState, result: Result, found: list[Matrix]) -> None:
    """Compare on request, where the extra ``mic`` and the table that the result was learned from are here."""
    table, codebook = result.source, result.codebook
    if not found or not minepy_is_here():
        return
    box = fold(t("similarity.values.title"), key="mic_values", icon=":material/lock:")
    if not box.open:
        return
    with box:
        zone_badge(Zone.STEWARD_ONLY)
        st.markdown(t("similarity.values.what"))
        if result.basis is Basis.PRIVATE:
            st.warning(t("similarity.values.keep_inside"), icon=":material/lock:")
        elif result.basis is Basis.STAND_IN:
            st.caption(t("utility.stand_in"))
        say_drawn(table)
        pressed = st.button(t("similarity.values.go"), key="mic_values_go")
        if not pressed and "mic values" not in session.views:
            return
        pairs = strongest(found[0], set(codebook.domain.names))
        with st.spinner(t("similarity.values.working")):
            compared: list[MicPair] = session.view(
                "mic values",
                lambda: exact_mics(table.frame, result.rows, codebook, pairs, rng=np.random.default_rng()),
            )
        st.dataframe(
            pd.DataFrame(
                {
                    plain("similarity.values.pair"): [f"{c.first} × {c.second}" for c in compared],
                    plain("similarity.values.real"): [c.real for c in compared],
                    plain("similarity.values.synthetic"): [c.synthetic for c in compared],
                }
            ).round(3),
            hide_index=True,
            key="mic_values",
            alt=plain("similarity.values.title"),
        )
        st.caption(t("similarity.values.caption", shown=len(compared)))


def strongest(matrix: Matrix, known: set[str]) -> list[tuple[str, str]]:
    """The most similar pairs of a noisy matrix, by the codebook's names."""
    names = matrix.names
    upper = np.triu_indices(len(names), 1)
    order = np.argsort(-matrix.values[upper], kind="stable")
    pairs = [(names[upper[0][i]], names[upper[1][i]]) for i in order]
    return [pair for pair in pairs if set(pair) <= known][:SHOWN]
