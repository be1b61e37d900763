"""The page Utility: exact figures of the last result beside a holdout's, for the steward alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain
from hmpb_core.metrics.holdout import Comparison, classify_with_holdout, compare_with_holdout
from hmpb_core.progress import Progress
from pages.session.state import AppState, Result, Table
from pages.session.widgets import bound
from pages.shared.figures import bars
from pages.shared.figures_utility import difference_heatmap
from pages.shared.layout import show_chart
from pages.words.catalogue import number, percent, plain, t

MOST_VALUES = 10
SHOWN_DIFFERENCES = 12


def comparison_work(table: Table, result: Result, codebook: Codebook) -> Callable[[Progress], Comparison]:
    """Give the work of comparing a result with its table."""
    real, rows = table.frame, result.rows

    def work(progress: Progress) -> Comparison:
        return compare_with_holdout(real, rows, codebook, rng=np.random.default_rng(), progress=progress)

    return work


def targets(domain: Domain) -> list[str]:
    """What may be predicted: categories, and numbers against the middle of their declared range."""
    found = []
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical):
            if len(attribute.categories) > 1:
                found.append(attribute.name)
        else:
            found.append(f"{attribute.name}<{(attribute.minimum + attribute.maximum) / 2:g}")
    return found


def series(ours: Any, holdout: Any) -> dict[str, Any]:
    """The two that stand side by side everywhere, in the reader's words."""
    return {plain("utility.synthetic"): ours, plain("utility.holdout"): holdout}


def overall(found: Comparison) -> None:
    """AVD of one, two and three attributes."""
    st.subheader(t("utility.overall.title"), anchor=False)
    ours = [float(found.synthetic.one_way.mean()), found.synthetic.pairs.mean, found.synthetic.triples.mean]
    theirs = [float(found.holdout.one_way.mean()), found.holdout.pairs.mean, found.holdout.triples.mean]
    kept = [i for i, value in enumerate(ours) if value is not None]
    labels = [plain(f"utility.overall.alpha_{i + 1}") for i in kept]
    values = series([ours[i] for i in kept], [theirs[i] for i in kept])
    show_chart(
        bars(labels, values, unit=plain("utility.avd")),
        pd.DataFrame({plain("utility.overall.size"): labels} | {k: _fixed(v) for k, v in values.items()}),
        caption=plain("utility.overall.caption", rows=number(found.n_rows)),
        key="utility_overall",
    )


def worst_pairs(found: Comparison, session: AppState) -> None:
    """The pairs of attributes with the largest error."""
    st.subheader(t("utility.worst.title"), anchor=False)
    most = len(found.synthetic.pairs.subsets)
    if most == 0:
        st.caption(t("utility.worst.none"))
        return
    if most > 3:
        session.utility.pairs = min(session.utility.pairs, most)
        bound(
            st.slider,
            t("utility.worst.count"),
            session.utility,
            "pairs",
            min_value=3,
            max_value=min(most, 50),
            key="utility_pairs",
            persist_state="session",
        )
    rows = found.worst_pairs(session.utility.pairs)
    labels = [f"{a} × {b}" for a, b, _, _ in rows]
    values = series([v for *_, v, _ in rows], [v for *_, v in rows])
    show_chart(
        bars(labels, values, unit=plain("utility.avd")),
        pd.DataFrame({plain("utility.worst.pair"): labels} | {k: _fixed(v) for k, v in values.items()}),
        caption=plain("utility.worst.caption"),
        key="utility_worst",
    )


def one_way(found: Comparison, session: AppState) -> None:
    """One attribute's distribution in the real, the synthetic and the held-out rows."""
    st.subheader(t("utility.one_way.title"), anchor=False)
    names = list(found.domain.names)
    order = [names[i] for i in np.argsort(-found.synthetic.one_way, kind="stable")]
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
    attribute = found.domain.attributes[found.domain.index(chosen)]
    shares = found.shares[found.domain.index(chosen)]
    kept = np.arange(shares.shape[1])
    if len(kept) > MOST_VALUES:
        kept = np.sort(np.argsort(-shares[0], kind="stable")[:MOST_VALUES])
        st.caption(t("utility.one_way.many", shown=MOST_VALUES, all=shares.shape[1]))
    labels = [str(attribute.labels[i]) for i in kept]
    values = {
        plain("utility.real"): shares[0, kept],
        plain("utility.synthetic"): shares[1, kept],
        plain("utility.holdout"): shares[2, kept],
    }
    drawn = bars(labels, values, unit=plain("utility.share"))
    drawn.data[2].marker.pattern.shape = "."  # three patterns for three bars
    show_chart(
        drawn,
        pd.DataFrame(
            {plain("utility.value"): labels} | {k: [percent(float(x)) for x in v] for k, v in values.items()}
        ),
        caption=plain("utility.one_way.caption"),
        key="utility_one_way",
    )


def dependences(found: Comparison) -> None:
    """Which pairs hang together too little or too much."""
    st.subheader(t("utility.dependence.title"), anchor=False)
    real, ours, holdout = found.dependence
    change, theirs = ours - real, holdout - real
    upper = np.triu_indices(len(real), 1)
    order = np.argsort(-np.abs(change[upper]), kind="stable")[:SHOWN_DIFFERENCES]
    names = found.domain.names
    table = pd.DataFrame(
        {
            plain("utility.worst.pair"): [f"{names[upper[0][i]]} × {names[upper[1][i]]}" for i in order],
            plain("utility.real"): _fixed(real[upper][order]),
            plain("utility.synthetic"): _fixed(ours[upper][order]),
            plain("utility.holdout"): _fixed(holdout[upper][order]),
        }
    )
    typical = float(np.abs(theirs[upper]).mean()) if upper[0].size else 0.0
    show_chart(
        difference_heatmap(names, change, scale_title=plain("utility.dependence.scale")),
        table,
        caption=plain("utility.dependence.caption", typical=f"{typical:.3f}"),
        key="utility_dependence",
    )


def groups(found: Comparison) -> None:
    """Error by how many people a cell holds."""
    st.subheader(t("utility.groups.title"), anchor=False)
    pairs = [(a, b) for a, b in zip(found.synthetic.groups, found.holdout.groups, strict=True) if a.cells]
    labels = [
        plain("utility.groups.from", low=f"{a.low:,}")
        if a.high is None
        else plain("utility.groups.range", low=f"{a.low:,}", high=f"{a.high:,}")
        for a, _ in pairs
    ]
    values = series([a.relative_error for a, _ in pairs], [b.relative_error for _, b in pairs])
    lost = {
        plain("utility.groups.lost"): [percent(a.lost or 0.0) for a, _ in pairs],
        plain("utility.groups.lost_holdout"): [percent(b.lost or 0.0) for _, b in pairs],
    }
    show_chart(
        bars(labels, values, unit=plain("utility.groups.error")),
        pd.DataFrame(
            {
                plain("utility.groups.size"): labels,
                plain("utility.groups.cells"): [f"{a.cells:,}" for a, _ in pairs],
            }
            | {k: [percent(x or 0.0) for x in v] for k, v in values.items()}
            | lost
        ),
        caption=plain("utility.groups.caption"),
        key="utility_groups",
    )
    small = next((a for a, _ in pairs if a.low == 1), None)
    if small is not None and small.lost:
        st.warning(t("utility.groups.warning", lost=percent(small.lost)), icon=":material/group_off:")


def prediction(session: AppState, table: Table, result: Result, codebook: Codebook) -> None:
    """Train on synthetic rows, test on real ones, for a chosen target."""
    st.subheader(t("utility.prediction.title"), anchor=False)
    options = targets(codebook.domain)
    if not options:
        st.caption(t("utility.prediction.none"))
        return
    if session.utility.target not in options:
        session.utility.target = options[-1]
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
    if not pressed and f"prediction:{target}" not in session.views:
        return
    with st.spinner(t("utility.prediction.working")):
        errors = session.view(
            f"prediction:{target}",
            lambda: classify_with_holdout(
                table.frame, result.rows, codebook, target, rng=np.random.default_rng()
            ),
        )
    labels = [plain(f"utility.prediction.{name}") for name in ("synthetic", "holdout", "guess")]
    show_chart(
        bars(labels, {plain("utility.prediction.wrong"): errors}, unit=plain("utility.prediction.wrong")),
        pd.DataFrame(
            {
                plain("utility.prediction.learned"): labels,
                plain("utility.prediction.wrong"): [percent(error) for error in errors],
            }
        ),
        caption=plain("utility.prediction.caption"),
        key="utility_prediction",
    )


def _fixed(values: Any) -> list[str]:
    return [f"{value:.4f}" for value in values]
