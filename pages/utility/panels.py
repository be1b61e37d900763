"""The page Utility: the conclusion, tables over attributes, dependence and groups."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.metrics.groups import Vanished
from hmpb_core.publishing.zones import Labelled, Zone, declared, steward_only
from hmpb_core.utility import to_dict, to_html
from hmpb_core.utility.charts import told_apart
from hmpb_core.utility.conclusion import AVOID_ERROR, AVOID_TIMES, conclude, is_unusable, set_text
from hmpb_core.utility.words.catalogue import words_of
from pages.session.state import AppState, Basis, Result
from pages.session.widgets import bound
from pages.shared.downloads import keep_inside
from pages.shared.figures import bars
from pages.shared.figures_utility import difference_heatmap
from pages.shared.layout import show_chart
from pages.utility.work import Found
from pages.words.catalogue import escape, language, number, percent, plain, t, with_percent
from pages.words.values import labels_of

SHOWN_DIFFERENCES = 12
PAIR_LETTERS = 18


def series(ours: Sequence[float], second: Sequence[float]) -> dict[str, Any]:
    """The two that stand side by side everywhere, in the reader's words."""
    return {plain("utility.synthetic"): ours, plain("utility.second"): second}


def conclusion(found: Found, result: Result) -> None:
    """What to take away in one sentence, and the report as files."""
    report = found.report
    st.header(escape(conclude(report).headline(words_of(language()))), anchor=False)
    rows = t("utility.rows", real=number(report.n_real), synthetic=number(report.n_synthetic))
    st.caption(rows)
    inside = result.basis is Basis.PRIVATE or not result.codebook.public
    zone = Zone.STEWARD_ONLY if inside else Zone.DECLARED

    def labelled(content: str) -> Labelled[str | bytes]:
        return steward_only(content) if zone is Zone.STEWARD_ONLY else declared(content)

    chosen = language()
    help_text = t("utility.report.inside" if zone is Zone.STEWARD_ONLY else "utility.report.public")
    with st.container(horizontal=True):
        keep_inside(
            t("utility.report.html"),
            lambda: labelled(to_html(report, chosen)),
            "utility-report.html",
            "text/html",
            key="utility_html",
            zone=zone,
            help_text=help_text,
        )
        keep_inside(
            t("utility.report.json"),
            lambda: labelled(json.dumps(to_dict(report, chosen), ensure_ascii=False, indent=1) + "\n"),
            "utility-report.json",
            "application/json",
            key="utility_json",
            zone=zone,
            help_text=help_text,
        )


def overall(found: Found) -> None:
    """The mean error of tables over one, two and three attributes."""
    st.header(t("utility.overall.title"), anchor=False)
    kept = found.report.agreement
    labels = [plain(f"utility.overall.alpha_{of.size}") for of in kept]
    values = series([of.mean for of in kept], [of.second for of in kept])
    ours, second = values.items()
    table = {plain("utility.overall.size"): labels, ours[0]: fixed(ours[1])}
    table[plain("utility.drawing")] = fixed(
        [of.drawing for of in kept]
    )  # beside the figure they are parts of
    table[plain("utility.noise")] = fixed([of.noise for of in kept])
    table[second[0]] = fixed(second[1])
    table[plain("utility.subsample")] = [percent(of.subsample) for of in kept]
    show_chart(
        bars(labels, values, unit=plain("utility.avd")),
        pd.DataFrame(table),
        caption=plain("utility.overall.caption", rows=number(found.report.n_synthetic)),
        key="utility_overall",
    )


def worst_pairs(found: Found, session: AppState) -> None:
    """The pairs of attributes with the largest error."""
    st.header(t("utility.worst.title"), anchor=False)
    pairs = next((of.sets for of in found.report.agreement if of.size == 2), ())
    most = len(pairs)
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
    words = words_of(language())
    marks = [words("agreement.mark") if is_unusable(of.error, of.second) else "" for of in pairs]
    values = series([of.error for of in pairs], [of.second for of in pairs])
    table = {plain("utility.worst.pair"): [set_text(of.names) for of in pairs]}
    table |= {k: fixed(v) for k, v in values.items()}
    table[plain("utility.subsample")] = [percent(of.subsample) for of in pairs]
    table[words("agreement.avoid")] = marks
    shown = session.utility.pairs
    drawn = [
        f"{mark} {pair}".strip()
        for mark, pair in zip(marks, _pairs([of.names for of in pairs[:shown]]), strict=False)
    ]
    bounds = {"error": with_percent(f"{100 * AVOID_ERROR:.0f}"), "times": f"{AVOID_TIMES:g}"}
    show_chart(
        bars(drawn, {name: of[:shown] for name, of in values.items()}, unit=plain("utility.avd")),
        pd.DataFrame(table),  # all: the headline counts marked pairs, also those that are not drawn
        caption=plain("utility.worst.caption", mark=words("agreement.mark"), **bounds),
        key="utility_worst",
    )


def dependences(found: Found) -> None:
    """Which pairs hang together too little or too much."""
    st.header(t("utility.dependence.title"), anchor=False)
    names, pairs = found.report.domain.names, found.report.dependence
    change = np.zeros((len(names), len(names)))
    for of in pairs:
        i, j = (names.index(name) for name in of.names)
        change[i, j] = change[j, i] = of.difference
    worst = pairs[:SHOWN_DIFFERENCES]
    words = words_of(language())
    table = pd.DataFrame(
        {
            plain("utility.worst.pair"): [set_text(of.names) for of in worst],
            plain("utility.dependence.measure"): [words(f"dependence.{of.measure.value}") for of in worst],
            plain("utility.real"): fixed([of.real for of in worst]),
            plain("utility.synthetic"): fixed([of.synthetic for of in worst]),
            plain("utility.dependence.second"): fixed([of.second for of in worst]),
        }
    )
    typical = float(np.mean([of.second for of in pairs])) if pairs else 0.0
    show_chart(
        difference_heatmap(names, change, scale_title=plain("utility.dependence.scale")),
        table,
        caption=plain("utility.dependence.caption", typical=f"{typical:.3f}"),
        key="utility_dependence",
    )


def groups(found: Found, codebook: Codebook) -> None:
    """Error by how many people a cell holds, and the groups that vanished."""
    st.header(t("utility.groups.title"), anchor=False)
    classes, vanished = found.report.groups.classes, found.report.groups.vanished
    labels = [
        plain("utility.groups.from", low=f"{of.low:,}")
        if of.high is None
        else plain("utility.groups.range", low=f"{of.low:,}", high=f"{of.high:,}")
        for of in classes
    ]
    values = series([of.relative_error for of in classes], [of.second_error or 0.0 for of in classes])
    show_chart(
        bars(labels, values, unit=plain("utility.groups.error")),
        pd.DataFrame(
            {
                plain("utility.groups.size"): labels,
                plain("utility.groups.cells"): [f"{of.cells:,}" for of in classes],
            }
            | {k: [percent(x) for x in v] for k, v in values.items()}
            | {
                plain("utility.groups.bias"): [with_percent(f"{100 * of.bias:+.1f}") for of in classes],
                plain("utility.groups.lost"): [percent(of.lost) for of in classes],
                plain("utility.groups.lost_second"): [percent(of.second_lost or 0.0) for of in classes],
            }
        ),
        caption=plain("utility.groups.caption"),
        key="utility_groups",
    )
    if classes and classes[0].low == 1 and classes[0].lost:
        st.warning(t("utility.groups.warning", lost=percent(classes[0].lost)), icon=":material/group_off:")
    if vanished:
        largest = vanished[0]
        st.caption(
            t(
                "utility.groups.vanished",
                count=f"{found.report.groups.n_vanished:,}",
                names=set_text(largest.names),
                values=set_text(_in_words(largest, found.report.domain, codebook)),
                people=f"{largest.count:,}",
            )
        )


def _in_words(group: Vanished, domain: Domain, codebook: Codebook) -> tuple[str, ...]:
    """A group's values, with what they mean."""
    of_group = [domain.attributes[domain.index(name)] for name in group.names]
    return tuple(
        dict(zip(of.labels, labels_of(of, codebook.value_labels.get(of.name)), strict=True))[value]
        for of, value in zip(of_group, group.values, strict=True)
    )


def fixed(values: Sequence[float]) -> list[str]:
    """Numbers with four decimals."""
    return [f"{value:.4f}" for value in values]


def _pairs(pairs: Sequence[tuple[str, ...]]) -> list[str]:
    """The pairs' labels in a figure: each name is cut by itself, so that all can be told."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    cut = dict(zip(names, told_apart(names, PAIR_LETTERS), strict=True))
    return [set_text(tuple(cut[name] for name in pair)) for pair in pairs]
