"""Public rules on the page Data: listed in words, added, edited and taken out; which rows break them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import HmpbError, Sentence
from hmpb_core.kept.suggested import guessed_rules, rule_of_copy
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.rule_words import asked_alike
from hmpb_core.publishing.zones import Zone
from hmpb_core.rules.declared import KINDS, read_off_rows, without_source
from hmpb_core.rules.suggested import suggested_rules
from pages.data import drafts
from pages.data.declaring import draw_rule_declaration
from pages.data.fields import is_declared, source_of
from pages.data.rule_form import asked_rule
from pages.data.summaries import source_badge
from pages.session.state import AppState, Table
from pages.session.widgets import choosing
from pages.shared.focus import then_focus
from pages.shared.layout import fold, zone_badge
from pages.words.assets import template
from pages.words.catalogue import Markdown, escape, number, plain, t
from pages.words.errors import sentence
from pages.words.rules import rule_words

FAULT, IN_SIGHT = "rules", "rules_in_sight"
SUGGESTIONS, KEPT = 3, 8
"""Rules that are offered at a time: by the names alone, and where the steward asks what every row keeps."""


def draw_rules(session: AppState, table: Table) -> None:
    """Draw the rules of the codebook and the form that changes them."""
    rules = drafts.rules_of(session.draft)
    suggested = suggested_rules(drafts.published(session.draft)) if session.codebook is not None else []
    for place, rule in enumerate(suggested[:SUGGESTIONS]):
        _suggestion(session, place, rule)
    box = fold(t("data.rules.title"), key="rules", icon=":material/rule:")
    if not box.open:
        return
    with box:
        zone_badge(Zone.DECLARED if all(map(is_declared, rules)) else Zone.STEWARD_ONLY)
        st.markdown(t("data.rules.what"))
        counts = _breaks(session, table) if rules and session.ready else None
        for place, rule in enumerate(rules):
            _line(session, place, rule, None if counts is None else counts[place])
        _declare(session, rules)
        if session.ready and table.outside is None:
            _kept(session, table)
        if session.codebook is None and not rules:
            st.info(t("data.rules.later"), icon=":material/info:")
            return
        fault = session.data.faults.get(FAULT)
        if fault is not None:
            st.error(escape(sentence(fault)), icon=":material/error:")
        if session.codebook is not None:
            _form(session, session.codebook.domain, rules)
        if st.session_state.pop(IN_SIGHT, False):
            st.html(template("sight.html.j2").render(key="fold_rules"), unsafe_allow_javascript=True)


def _breaks(session: AppState, table: Table) -> list[int] | None:
    """Count the rows that break each rule, once the steward asks."""
    if table.outside is not None:
        st.caption(t("data.rules.outside", engine=table.outside))
        return None
    if not st.toggle(t("data.rules.count"), key="rules_count", help=t("data.rules.count_help")):
        return None
    zone_badge(Zone.STEWARD_ONLY)
    codebook = session.codebook
    if codebook is None:
        return None
    found = session.view("rule_breaks", lambda: rule_breaks(table.frame, codebook))
    return [count for _, count in found.value]


def _kept(session: AppState, table: Table) -> None:
    """What every row keeps and would not by chance, once the steward asks: a rule only if it is known."""
    if not st.toggle(t("data.rules.look"), key="rules_kept", help=t("data.rules.look_help")):
        return
    zone_badge(Zone.STEWARD_ONLY)
    draft = drafts.published(session.draft)
    with st.spinner(plain("data.rules.looking")):
        found = session.view("guessed_rules", lambda: guessed_rules(table.frame, draft)).value
    st.markdown(t("data.rules.every_row", n=len(found)) if found else t("data.rules.no_row"))
    alike = asked_alike(found)
    for place, rules in enumerate(alike[:KEPT]):
        label = t("data.rules.add") if len(rules) == 1 else t("data.rules.add_all", n=len(rules))
        _offer(session, rules, rule_words(*rules), label, key=f"kept_{place}")
    if len(alike) > 1:
        st.button(
            t("data.rules.add_every", n=len(found)),
            key="rule_kept_all",
            on_click=_take,
            args=(session, found),
            icon=":material/playlist_add:",
        )
    if later := sum(map(len, alike[KEPT:])):
        st.caption(t("data.rules.more", n=later))


def _line(session: AppState, place: int, rule: dict[str, Any], broken: int | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"rule_{place}"):
        source = source_of(rule)
        origin = Markdown("") if source == Provenance() else source_badge(source)
        st.markdown(Markdown(f"{rule_words(rule)} {origin}"), width="stretch")
        if broken is not None:
            if broken:
                st.badge(t("data.rules.broken", n=number(broken)), color="orange", icon=":material/lock:")
            else:
                st.badge(t("data.rules.kept"), color="green", icon=":material/lock:")
        for name, icon, act in (
            ("edit", ":material/edit:", _begin),
            ("delete", ":material/delete:", _delete),
        ):
            st.button(
                t(f"data.rules.{name}"),
                key=f"rule_{name}_{place}",
                on_click=act,
                args=(session, place),
                icon=icon,
                type="tertiary",
            )


def _declare(session: AppState, rules: list[Any]) -> None:
    """Ask for somebody's word on the rules that were read off the rows."""
    waiting = [place for place, rule in enumerate(rules) if not is_declared(rule)]
    if not waiting:
        return
    with st.container(border=True, key="rules_waiting"):
        draw_rule_declaration(session, waiting)


def _suggestion(session: AppState, place: int, rule: dict[str, Any]) -> None:
    if rule["kind"] == "follows":
        words = t("data.rules.suggested_follows", column=rule["column"], source=rule["from"])
    elif rule["kind"] == "partOf":
        words = t("data.rules.suggested_part", rule=rule_words(rule))
    else:
        words = t("data.rules.suggested", rule=" ≤ ".join(rule["columns"]))
    _offer(session, [rule], words, t("data.rules.take"), key=f"take_{place}")


def _offer(
    session: AppState, rules: Sequence[dict[str, Any]], words: Markdown, label: Markdown, *, key: str
) -> None:
    """Rules in words, and a button that adds them."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"rule_offered_{key}"):
        st.markdown(words, width="stretch")
        st.button(
            label,
            key=f"rule_{key}",
            on_click=_take,
            args=(session, rules),
            icon=":material/add:",
            type="tertiary",
        )


def draw_copies(session: AppState, pairs: Sequence[tuple[str, str]]) -> None:
    """Offer a rule for columns that say the same as another, for a steward who knows that to be public.

    Args:
        session: The session.
        pairs: Each such column, and the one that says the same: the steward's own.
    """
    for place, (name, other) in enumerate(pairs[:SUGGESTIONS]):
        if rule := _copying(session, name, other):
            _offer(session, [rule], rule_words(rule), t("data.rules.add"), key=f"copied_{place}")


def _copying(session: AppState, name: str, other: str) -> dict[str, Any] | None:
    """The rule by which one of two columns is decided by the other; None where none can be."""
    table, draft = session.table, drafts.published(session.draft)
    if table is None:
        return None
    key = f"copying {session.uploads} {json.dumps([name, other, draft], default=str)}"
    frame = table.frame
    rule: dict[str, Any] | None = session.view(key, lambda: rule_of_copy(frame, draft, name, other))
    return rule


def _with_rules(session: AppState, rules: list[Any]) -> dict[str, Any]:
    return {**session.draft, "rules": rules}


def _fault_of(draft: dict[str, Any]) -> Sentence | None:
    """What speaks against a draft; None where nothing does."""
    try:
        Codebook.from_dict(drafts.published(draft))
    except HmpbError as error:
        return error.sentence
    return None


def open_rules(look: bool = False) -> None:
    """Open the box of the rules in sight, and show in it what every row keeps where that is asked for."""
    st.session_state["fold_rules"] = st.session_state[IN_SIGHT] = True
    if look:
        st.session_state["rules_kept"] = True


def _take(session: AppState, rules: Sequence[dict[str, Any]]) -> None:
    open_rules()  # where they are now, or what speaks against them
    _save(session, rules, None)


def _begin(session: AppState, place: int | None) -> None:
    if session.data.rule is not None:
        then_focus(f"rule_edit_{session.data.rule}")
    session.data.rule = place
    session.data.rule_forms += 1  # its widgets begin anew, with what the rule says
    session.data.faults.pop(FAULT, None)


def _delete(session: AppState, place: int) -> None:
    rules = drafts.rules_of(session.draft)
    _begin(session, None)
    drafts.apply_draft(session, _with_rules(session, rules[:place] + rules[place + 1 :]))
    then_focus(f"rule_delete_{place}", f"rule_delete_{place - 1}", "fold_rules")


def _form(session: AppState, domain: Domain, rules: list[Any]) -> None:
    """Draw the widgets of a new rule, or of the one that is being edited."""
    data = session.data
    place = data.rule if data.rule is not None and data.rule < len(rules) else None
    old: dict[str, Any] = rules[place] if place is not None else {}
    stem = f"rule_form_{session.uploads}_{data.rule_forms}"
    st.markdown(t("data.rules.new") if place is None else t("data.rules.editing", n=place + 1))
    kind = choosing(
        st.selectbox,
        t("data.rules.kind"),
        KINDS,
        first=KINDS.index(old["kind"]) if old.get("kind") in KINDS else 0,
        format_func=lambda one: plain(f"data.rules.kinds.{one}"),
        key=f"{stem}_kind",
    )
    rule = asked_rule(domain, kind, old if old.get("kind") == kind else {}, f"{stem}_{kind}", data.decimal)
    with st.container(horizontal=True):
        st.button(
            t("data.rules.add") if place is None else t("data.rules.change"),
            key="rule_save",
            type="primary",
            on_click=_save,
            args=(session, [rule], place),
            disabled=rule is None,
            icon=":material/add:" if place is None else ":material/check:",
        )
        if place is not None:
            st.button(t("data.rules.leave"), key="rule_leave", on_click=_begin, args=(session, None))


def _edited(old: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    """A rule after an edit, with its source: a guess stays one, and loses the word that declared it."""
    if without_source(old) == rule:
        return old
    return read_off_rows(rule) if source_of(old).origin is Origin.GUESS else rule


def _save(session: AppState, taken: Sequence[dict[str, Any]], place: int | None) -> None:
    """Take rules, unless one contradicts another or does not fit its columns; then nothing changes."""
    rules = drafts.rules_of(session.draft)
    if place is None:
        changed = [*rules, *taken]
    else:
        changed = [*rules[:place], *(_edited(rules[place], rule) for rule in taken), *rules[place + 1 :]]
    draft = _with_rules(session, changed)
    fault = _fault_of(draft)
    if fault is not None:
        session.data.faults[FAULT] = fault
        return
    _begin(session, None)
    drafts.apply_draft(session, draft)
    then_focus(f"rule_edit_{len(changed) - 1 if place is None else place}")
