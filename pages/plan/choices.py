"""The choices of the page Plan: what is promised, and how the rows are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.planning.methods import METHOD_NAMES, Accounting, accountings_of, learners_of
from hmpb_core.privacy.guarantee import Currency, Neighbors
from hmpb_core.privacy.unit import ROW
from pages.session.plan_settings import EPSILONS, MOST_CLUSTERS, PlanSettings
from pages.session.state import AppState, Basis
from pages.session.widgets import bound
from pages.shared.errors import guard
from pages.shared.focus import then_focus
from pages.shared.layout import fold
from pages.words.catalogue import number, one_in, plain, t
from pages.words.guarantee import guarantee_words

DELTAS = tuple(range(5, 13))
MOST_ROWS = 10_000_000


def promise(session: AppState) -> None:
    """How much may be learned about one person, at most."""
    settings = session.settings
    st.header(t("plan.promise.title"), anchor=False)
    if settings.protected:
        _limit(session)
    else:
        st.warning(t("plan.promise.none"), icon=":material/money_off:")
    if session.table is not None and session.table.basis is Basis.PRIVATE:
        _rows(session)
    if settings.protected:
        box = fold(t("plan.promise.more"), key="promise", icon=":material/gavel:")
        if box.open:
            with box:
                _details(session)


def _limit(session: AppState) -> None:
    """The limit on the privacy loss, and what it means."""
    settings = session.settings
    _choice(
        st.select_slider,
        t("plan.promise.limit"),
        settings,
        "epsilon",
        options=sorted({*EPSILONS, settings.epsilon}),
        format_func=number,
        help=t("plan.promise.limit_help"),
    )
    st.caption(t("plan.promise.ends"))
    with guard():
        if settings.published:
            st.warning(t("plan.promise.broken"), icon=":material/money_off:")
        else:
            st.markdown(guarantee_words(settings.guarantee, session.unit or ROW))


def _rows(session: AppState) -> None:
    """About how many rows there are: the table's own number is not used until somebody says that it may."""
    _choice(
        st.number_input,
        t("plan.promise.rows"),
        session.settings,
        "declared_rows",
        min_value=0,
        max_value=MOST_ROWS,
        step=1000,
        help=t("plan.promise.rows_help"),
    )
    if session.rows_from in ("assumed", "to_make"):
        st.caption(t(f"plan.promise.rows_{session.rows_from}", rows=number(session.public_rows)))
        public = session.settings.neighbors is Neighbors.REPLACE_ONE and (session.unit or ROW) == ROW
        if session.table is not None and public:
            st.button(
                t("plan.promise.rows_own"),
                key="rows_own",
                help=t("plan.promise.rows_own_help"),
                on_click=_take_own_rows,
                args=(session.settings, session.table.n_rows),
            )


def _take_own_rows(settings: PlanSettings, n_rows: int) -> None:
    settings.take_own_rows(n_rows)
    then_focus("w_declared_rows")  # the button is of no further use


def _details(session: AppState) -> None:
    """Currency, delta and neighbours."""
    settings, unit = session.settings, session.unit or ROW
    key = "row" if unit.column is None else "person"
    st.markdown(t(f"plan.promise.unit.{key}", column=unit.column, rows=unit.rows))
    _choice(
        st.radio,
        t("plan.promise.currency"),
        settings,
        "currency",
        options=list(Currency),
        format_func=lambda c: plain(f"plan.currency.{c}"),
        disabled=settings.published,
    )
    _choice(
        st.select_slider,
        t("plan.promise.delta"),
        settings,
        "delta_digits",
        options=sorted({*DELTAS, settings.delta_digits}, reverse=True),
        format_func=lambda digits: one_in(10.0**-digits),
        disabled=settings.published or settings.currency is Currency.PURE,
        help=t("plan.promise.delta_help"),
    )
    _choice(
        st.radio,
        t("plan.promise.neighbors"),
        settings,
        "neighbors",
        options=list(Neighbors),
        format_func=lambda n: plain(f"plan.{'neighbors' if unit.column is None else 'neighbors_person'}.{n}"),
        disabled=settings.needs_replace_one,
    )
    if settings.needs_replace_one:
        st.caption(t("plan.promise.replace_one_only"))


def method(settings: PlanSettings, codebook: Codebook) -> None:
    """How the rows are made."""
    st.header(t("plan.how.title"), anchor=False)
    _choice(
        st.selectbox,
        t("plan.how.method"),
        settings,
        "method",
        options=METHOD_NAMES,
        format_func=lambda m: plain(f"methods.{m}.title"),
    )
    st.caption(t(f"methods.{settings.method}.help"))
    if settings.spec.classifies:
        names = codebook.domain.names
        settings.target = settings.target if settings.target in names else names[-1]
        _choice(
            st.selectbox,
            t("plan.how.target"),
            settings,
            "target",
            options=names,
            help=t("plan.how.target_help"),
        )
    if len(accountings_of(settings.method)) > 1:
        _choice(
            st.radio,
            t("plan.how.accounting"),
            settings,
            "accounting",
            options=list(Accounting),
            format_func=lambda a: plain(f"plan.accounting.{a}"),
        )
        kind = settings.accounting if settings.protected else "unprotected"
        st.caption(t(f"plan.accounting_help.{kind}"))
    learners = learners_of(settings.method, settings.accounting)
    if len(learners) > 1:
        _choice(
            st.radio,
            t("plan.how.learner"),
            settings,
            "learner",
            options=learners,
            format_func=lambda name: plain(f"learners.{name}.title"),
        )
        st.caption(t(f"learners.{settings.learner}.help"))
    if settings.spec.favours:
        _choice(
            st.selectbox,
            t("plan.how.favoured"),
            settings,
            "favoured",
            options=["", *codebook.domain.names],
            format_func=lambda name: name or plain("plan.how.alike"),
            help=t("plan.how.favoured_help"),
        )


def structure(settings: PlanSettings, codebook: Codebook) -> None:
    """Clusters, parents, weights."""
    most = min(MOST_CLUSTERS, len(codebook.domain))
    left, right = st.columns(2)
    with left:
        _whole(settings, "clusters", most)
    with right:
        _slider(settings, "gamma", -4.0, 4.0, 0.1)
    if "gamma" not in settings.idle and settings.protected and not settings.published:
        st.caption(t("plan.structure.gamma_moves"))
    box = fold(t("plan.structure.further"), key="structure", icon=":material/more_horiz:")
    if not box.open:
        return
    with box:
        left, right = st.columns(2)
        with left:
            _whole(settings, "max_parents", 8)
            _whole(settings, "vectors", most)
        with right:
            _slider(settings, "eta", 0.0, 1.0, 0.05)
            _slider(settings, "sigma", 0.1, 2.0, 0.05)
        _choice(
            st.radio,
            t("plan.structure.similarity"),
            settings,
            "similarity",
            options=settings.measures,
            format_func=lambda m: plain(f"plan.measure.{m}"),
            disabled=settings.published or len(settings.measures) == 1,
        )
        _whole(settings, "rows", MOST_ROWS)
        if settings.weights:
            st.caption(t("plan.structure.manual", n=len(settings.weights)))


def _whole(settings: PlanSettings, name: str, most: int) -> None:
    """A whole number of the plan."""
    _choice(
        st.number_input,
        t(f"plan.structure.{name}"),
        settings,
        name,
        min_value=0,
        max_value=max(most, getattr(settings, name)),
        step=1,
        help=t(f"plan.structure_help.{name}"),
        disabled=name in settings.idle,
    )


def _slider(settings: PlanSettings, name: str, low: float, high: float, step: float) -> None:
    """A number of the plan."""
    value = getattr(settings, name)
    _choice(
        st.slider,
        t(f"plan.structure.{name}"),
        settings,
        name,
        min_value=min(low, value),
        max_value=max(high, value),
        step=step,
        help=t(f"plan.structure_help.{name}"),
        disabled=name in settings.idle,
    )


def _choice(
    widget: Callable[..., Any], label: str, settings: PlanSettings, name: str, **options: Any
) -> None:
    """Draw a widget of the plan; what is chosen settles the choices that hang on it."""
    bound(widget, label, settings, name, choose=settings.choose, **options)
