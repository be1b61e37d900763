"""What every page has: a header with zone and cost, the missing step explained, charts, a next step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NoReturn

import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import InputError
from hmpb_core.planning.plan import Plan
from hmpb_core.publishing.zones import Zone
from hmpb_core.rules.consistency import in_order
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.kinds import AskedIf
from pages.session.login import require_login
from pages.session.outside import MOST_ROWS
from pages.session.state import AppState, Basis, Result, Table
from pages.session.widgets import in_other_words
from pages.shared.errors import show_error
from pages.shared.focus import give_focus
from pages.shared.page_list import page_file
from pages.words.catalogue import Markdown, listed, names_listed, number, plain, t

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

_ZONE_LOOKS: dict[Zone, tuple[Literal["blue", "violet", "gray", "orange"], str]] = {
    Zone.DECLARED: ("blue", ":material/edit_note:"),
    Zone.DP: ("violet", ":material/blur_on:"),
    Zone.K_ANONYMOUS: ("gray", ":material/groups:"),
    Zone.STEWARD_ONLY: ("orange", ":material/lock:"),
}


def zone_badge(zone: Zone) -> None:
    """Mark what follows by its zone: in words, with a symbol, and in colour."""
    colour, icon = _ZONE_LOOKS[zone]
    name = zone.name.lower()
    st.badge(t(f"common.zone.{name}"), icon=icon, color=colour, help=t(f"common.zone_help.{name}"))


def header(page: str, *, zones: Sequence[Zone], cost: str | None = None) -> None:
    """Open a page: what it decides, which zones it shows, what it costs.

    Args:
        page: The page's name: its texts are ``<page>.title``, ``.purpose`` and ``.cost``.
        zones: The zones of what it shows.
        cost: What it costs, where it depends; ``<page>.cost`` otherwise.
    """
    require_login()
    st.title(t(f"{page}.title"), anchor=False)
    st.markdown(t(f"{page}.purpose"))
    with st.container(horizontal=True, vertical_alignment="center"):
        for zone in zones:
            zone_badge(zone)
        st.markdown(t("common.cost", cost=Markdown(cost or t(f"{page}.cost"))))
    give_focus()


def next_step(page: str, target: str) -> None:
    """Close a page with the step that follows.

    Args:
        page: The page's name: its text is ``<page>.next``.
        target: The name of the page to go to.
    """
    st.divider()
    st.page_link(page_file(target), label=t(f"{page}.next"), icon=":material/arrow_forward:")


def go_to(target: str) -> None:
    """Offer the page where what is in the way can be mended."""
    st.page_link(
        page_file(target),
        label=t("common.go_to", page=t(f"nav.{target}")),
        icon=":material/arrow_forward:",
    )


def _stop(reason: str, target: str) -> NoReturn:
    st.info(t(f"common.need.{reason}"), icon=":material/info:")
    go_to(target)
    st.stop()


def need_table(session: AppState) -> Table:
    """Give the table, or say that one is needed and stop."""
    if session.table is None:
        _stop("table", "data")
    return session.table


def need_rows(session: AppState) -> Table:
    """Give a table whose rows are in memory, or say that all rows are needed and stop."""
    table = need_table(session)
    if table.outside is not None:
        _stop("rows", "data")
    return table


def say_drawn(table: Table) -> None:
    """Say that exact figures are those of rows drawn at random, where the table stays outside of memory."""
    if table.outside is not None:
        words = t("common.drawn", engine=table.outside, rows=number(MOST_ROWS))
        st.info(words, icon=":material/info:")


def need_codebook(session: AppState) -> Codebook:
    """Give the codebook, or say that one is needed and stop."""
    need_table(session)
    if session.codebook is None or not session.ready:
        _stop("codebook", "data")
    return session.codebook


def need_plan(session: AppState) -> Plan:
    """Give the plan, or say that one is needed and stop."""
    need_codebook(session)
    try:
        return session.plan
    except InputError as error:
        show_error(error)
        _stop("plan", "plan")


def need_result(session: AppState) -> Result:
    """Give the last run's result, or say that a run is needed and stop; says what it was learned from."""
    if session.result is None:
        _stop("result", "run")
    describe_basis(session, session.result)
    return session.result


def result_zone(session: AppState) -> Zone:
    """The zone of what is read off the last result: of a rehearsal what its codebook may say."""
    result = session.result
    return result.zone if result is not None and result.rehearsal else Zone.DP


def codebook_zone(session: AppState) -> Zone:
    """The zone of what is worked out of the codebook: the steward's, while it holds guesses from the rows."""
    guessed = session.codebook is not None and not session.codebook.public
    return Zone.STEWARD_ONLY if guessed else Zone.DECLARED


def describe_basis(session: AppState, result: Result) -> None:
    """Say above a result what it was learned from, and whether codebook or plan have changed since."""
    if result.basis is not Basis.PRIVATE:
        rows, name = number(result.source.n_rows), result.source.name
        st.info(t(f"common.basis.{result.basis}", table=name, rows=rows), icon=":material/science:")
    elif result.plan.spec.protection == "none":
        st.warning(t("common.basis.unprotected"), icon=":material/lock_open:")
    st.caption(ran(result))
    if session.codebook != result.codebook:
        st.caption(t("common.codebook_changed"))
    elif session.plan_changed:
        st.caption(t("common.plan_changed"))


def say_of_columns(result: Result) -> None:
    """Name the columns that are not what the model relates: counted from another, or decided by rules."""
    told = times_since(result.model.domain)
    if told:
        st.caption(t("common.since.line", told=told))
    if told := repeating(result.model.domain):
        st.caption(t("common.repeats.line", told=told))
    if ruled := decided_by_rules(result.model.rules):
        st.caption(t("common.decided.line", told=ruled))


def times_since(domain: Domain) -> str:
    """Name the columns of a model that are counted from another one; empty where there is none."""
    return listed(
        plain("common.since.one", name=entry.name, start=entry.since.column)
        for entry in domain.attributes
        if isinstance(entry, Numeric) and entry.since is not None
    )


def repeating(domain: Domain) -> str:
    """Name the lists of a model that repeat another column in many rows; empty where there is none."""
    return listed(
        plain("common.repeats.one", name=entry.name, column=entry.repeats)
        for entry in domain.attributes
        if isinstance(entry, Categorical) and entry.repeats
    )


def decided_by_rules(rules: Rules) -> str:
    """Name the columns that public rules decide by others, and these; empty where there is none."""
    return listed(
        plain(
            "common.decided.one",
            name=rule.target,
            by=names_listed(c for c in rule.columns if c != rule.target),
        )
        for rule in in_order(rules.items)
        if rule.target is not None and not isinstance(rule, AskedIf)
    )


def ran(result: Result) -> Markdown:
    """What made a result: method, limit, accounting, learner, how many clusters, for which column best."""
    spec, target = result.plan.spec, result.plan.target
    clusters = spec.clusters is not None and spec.measure is not None
    epsilon = number((result.asked or result.plan).guarantee.epsilon)
    return t(
        "common.ran.line" if clusters else "common.ran.line_unclustered",
        method=t(f"methods.{spec.name}.name"),
        limit="" if spec.protection == "none" else t("common.ran.limit", epsilon=epsilon),
        accounting=t(f"common.ran.{'unprotected' if spec.protection == 'none' else spec.accounting}"),
        learner=t(f"learners.{spec.learner}.name"),
        clusters=len(result.model.networks),
        favoured=t("common.ran.favoured", name=target) if spec.favours and target is not None else "",
    )


def fold(label: str, *, key: str, icon: str) -> ExpanderContainer:
    """A closed box whose inside is made when it is opened: ``if box.open``, then ``with box``.

    What lies in a closed box costs the page as much time as what is seen.
    """
    key = f"fold_{key}"
    if (
        in_other_words(key) and key in st.session_state
    ):  # for Streamlit another label is another box, and closed
        st.session_state[key] = st.session_state[key]
    return st.expander(label, icon=icon, key=key, on_change="rerun")


def show_chart(
    figure: go.Figure | str,
    table: pd.DataFrame,
    *,
    caption: str,
    key: str,
    beside: bool = False,
    below: bool = False,
    in_lines: bool = False,
) -> None:
    """Draw a figure with how to read it and the table of what it shows.

    Args:
        figure: A plotly figure, or one in HTML.
        table: What it shows, for those who read tables or cannot see it.
        caption: How to read it; also its accessible name.
        key: Names the figure's and the table's widgets.
        beside: Put the table at the figure's side instead of below it, folded.
        below: Put the table below it, unfolded.
        in_lines: Break the texts of a table of few rows into lines, where they would be cut.
    """
    show_table = partial(st.dataframe, table, hide_index=True, alt=caption, key=f"table_{key}")
    if in_lines:
        show_table = partial(st.table, table, hide_index=True, alt=caption)
    if beside:
        left, right = st.columns([3, 2])
        with left:
            _draw(figure, caption, key)
        with right:
            show_table()
        return
    _draw(figure, caption, key)
    if below:
        show_table()
        return
    box = fold(t("common.as_table"), key=key, icon=":material/table:")
    if box.open:
        with box:
            show_table()


def _draw(figure: go.Figure | str, caption: str, key: str) -> None:
    if isinstance(figure, str):
        st.html(figure)
    else:
        # Streamlit's theme, or any template, would have the browser draw every figure twice
        figure.layout.template = None
        st.plotly_chart(figure, key=f"chart_{key}", theme=None, alt=caption, config=CHART_CONFIG)
    st.caption(caption)


EMPTY_CELL = ""
"""What a missing value is shown as, as in the csv file: Streamlit would write None, in every language, beside
a category that is called none."""
CHART_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}
