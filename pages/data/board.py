"""The list of columns: what is left to do, the filters, one row a column, and the card that is open."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.utility.charts import short
from pages.data import drafts
from pages.data.card import FEW, draw_card
from pages.data.choosing import CHOOSE, draw_chosen
from pages.data.fields import is_declared, is_published
from pages.data.kinds import Part, kind_of
from pages.data.ruling import draw_copies, open_rules
from pages.data.summaries import look_of, source_of_row, what
from pages.data.todo import TO_DO, Item, Status, items_of, next_to_do, shown
from pages.session.state import AppState
from pages.session.widgets import bound, showing
from pages.shared.errors import guard
from pages.words.assets import template
from pages.words.catalogue import (
    LONGEST,
    NAMED,
    Markdown,
    listed,
    names_listed,
    number,
    percent,
    plain,
    sentences,
    t,
)

PER_PAGE = 25
MANY = 12
"""Columns from which a list wants a search."""
LONGEST_TITLE = 60
FILTERS = ("all", "todo", "guesses")


def draw_board(session: AppState) -> None:
    """Draw the summary, the filters and the columns."""
    items = items_of(session)
    with st.container():  # always there: else what has the focus below would move, and lose it
        draw_summary(session, items)
        _outside(session, items)
        _repeated(session, items)
        _either_order(session)
    _filters(session, items)
    listed = shown(items, session.data.show, session.data.search)
    stays = [item for item in items if item.name == session.data.open and item not in listed]
    listed = sorted([*listed, *stays], key=lambda item: item.place)  # a card does not vanish as it is mended
    pages = max(1, -(-len(listed) // PER_PAGE))
    session.data.page = min(session.data.page, pages - 1)
    start = session.data.page * PER_PAGE
    for item in listed[start : start + PER_PAGE]:
        _row(session, item, items)
    if not listed:
        st.caption(t("data.list.none"))
    if pages > 1:
        _pager(session, start, len(listed), pages)
    draw_chosen(session, items)


def draw_summary(session: AppState, items: list[Item]) -> None:
    """Say once what is left to do, with a way to each column."""
    waiting = [item for item in items if item.status in TO_DO]
    rules = [rule for rule in drafts.rules_of(session.draft) if not is_declared(rule)]
    if not waiting and not rules:
        _all_done(session, items)
        return
    lines = []
    for status in TO_DO:
        names = [item.name for item in waiting if item.status is status]
        if names:
            lines.append(t(f"data.todo.{status}", n=len(names), names=names_listed(names, NAMED)))
    if rules:
        lines.append(t("data.todo.rules", n=len(rules)))
    without_rules = _lacks_rules(session)
    lines += [t("data.no_rules")] if without_rules else []
    done = sum(item.status is Status.DONE for item in items)
    st.warning(
        Markdown("  \n".join([t("data.todo.count", n=len(waiting) + len(rules), done=done), *lines])),
        icon=":material/checklist:",
    )
    with st.container(horizontal=True, key="todo_links"):
        for item in waiting[:NAMED]:
            st.button(
                t("data.todo.go", name=short(item.name, LONGEST)),
                key=f"go_{item.place}",
                on_click=_open,
                args=(session, item.name, items),
                icon=look_of(item.status)[1],
                type="tertiary",
            )
        if len(waiting) > NAMED:
            st.button(
                t("data.todo.more", n=len(waiting) - NAMED),
                key="go_more",
                on_click=_show,
                args=(session, "todo"),
                type="tertiary",
            )
        if rules or without_rules:
            _go_to_rules(session, look=without_rules)


def _lacks_rules(session: AppState) -> bool:
    """Whether all columns are described, by guesses too, and nothing says yet what goes together in a row."""
    codebook = session.codebook
    return codebook is not None and not drafts.rules_of(session.draft) and len(codebook.domain) > 1


def _go_to_rules(session: AppState, *, look: bool) -> None:
    """Draw the way to the rules; where asked, and the rows are here, to what every row keeps."""
    look = look and session.table is not None and session.table.outside is None
    st.button(
        t("data.rules.look" if look else "data.rules.title"),
        key="go_rules",
        on_click=open_rules,
        args=(look,),
        icon=":material/rule:",
        type="tertiary",
    )


def _outside(session: AppState, items: list[Item]) -> None:
    """Name the columns that have values outside their bounds; their cards say more."""
    bounded = [
        item
        for item in items
        if item.status in (Status.DONE, Status.GUESS) and Part.BOUNDS in kind_of(item.entry).parts
    ]
    found = [(item.name, drafts.outside(session, item.entry).value) for item in bounded]
    names = named_by_share({name: value.share for name, value in found if value is not None and value.share})
    if names:
        said = t("data.beyond.columns", n=len(names), names=listed(names, NAMED))
        st.warning(said, icon=":material/lock:")


def _repeated(session: AppState, items: list[Item]) -> None:
    """Name the columns that say the same as another: both are paid for."""
    described = (item for item in items if item.status in (Status.DONE, Status.GUESS))
    names = [item.name for item in described if is_published(item.entry)]
    decided = {rule.get("column") for rule in drafts.rules_of(session.draft)}
    found = [pair for pair in drafts.repeated(session, names).value if not decided.intersection(pair)]
    if found:
        pairs = [plain("data.repeated.pair", column=name, other=other) for name, other in found]
        said = t("data.repeated.columns", n=len(found), pairs=listed(pairs, NAMED))
        st.info(said, icon=":material/lock:")
        draw_copies(session, found)


def _either_order(session: AppState) -> None:
    """Name guessed dates of which no row tells whether the day or the month stands first."""
    if found := drafts.either_order(session).value:
        read = [plain("data.either_order.read", column=name, form=form) for name, form in found]
        said = t("data.either_order.columns", n=len(found), columns=listed(read, NAMED))
        st.info(said, icon=":material/lock:")


def named_by_share(shares: Mapping[str, float]) -> list[str]:
    """Names with the part of their values that lies outside, the largest first; less than 1 % is not said."""
    worst_first = sorted(shares.items(), key=lambda one: -one[1])
    named = [(short(name, LONGEST), share) for name, share in worst_first]
    return [
        plain("data.beyond.named", name=name, share=percent(share)) if share >= FEW else name
        for name, share in named
    ]


def _all_done(session: AppState, items: list[Item]) -> None:
    if session.codebook is None:  # a fault of the whole, such as no field at all
        with guard():
            Codebook.from_dict(drafts.published(session.draft))
        return
    left = sum(item.status is Status.LEFT_OUT for item in items)
    domain = session.codebook.domain
    said = [t("data.fits", n=len(domain), cells=number(sum(domain.sizes)))]
    said += [t("data.left_out", n=left)] if left else []
    without_rules = _lacks_rules(session)
    said += [t("data.no_rules")] if without_rules else []
    st.info(Markdown(sentences(*said)), icon=":material/task_alt:")
    if without_rules:
        _go_to_rules(session, look=True)


def _filters(session: AppState, items: list[Item]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bound(
            st.radio,
            t("data.list.show"),
            session.data,
            "show",
            choose=lambda _, value: _show(session, value),
            key="data_show",
            options=list(FILTERS),
            horizontal=True,
            format_func=lambda name: plain(f"data.list.{name}"),
        )
        if len(items) > MANY:
            bound(
                st.text_input,
                t("data.list.search"),
                session.data,
                "search",
                key="data_search",
                icon=":material/search:",
                width=260,
            )
        st.button(
            t("data.chosen.all"),
            key=CHOOSE,
            on_click=_choose_shown,
            args=(session, items),
            icon=":material/select_all:",
            help=t("data.chosen.all_help"),
        )


def _row(session: AppState, item: Item, items: list[Item]) -> None:
    """Draw one column: a line, and its card where it is open."""
    is_open = item.name == session.data.open
    with st.container(border=True, key=f"column_{item.place}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _choice(session, item)
            st.button(
                t("data.card.open", name=short(item.name, LONGEST))
                if item.name.strip()
                else t("data.card.unnamed"),
                key=f"open_{item.place}",
                on_click=_toggle,
                args=(session, item.name),
                icon=":material/expand_less:" if is_open else ":material/expand_more:",
                type="tertiary",
            )
            colour, icon = look_of(item.status)
            status = Markdown(f":{colour}-badge[{icon} {t(f'data.status.{item.status}')}]")
            words = [status, source_of_row(item)]
            words += [t("data.card.title", title=short(item.title, LONGEST_TITLE))] if item.title else []
            st.markdown(Markdown(" ".join([*words, what(item.entry)])), width="content")
        if is_open:
            following = next_to_do(items, item.name)
            draw_card(session, item)
            if following is not None:
                st.button(
                    t("data.card.next", name=short(following.name, LONGEST)),
                    key=f"next_{item.place}",
                    on_click=_open,
                    args=(session, following.name, items),
                    icon=":material/arrow_forward:",
                )
            if session.data.shown == item.name:
                session.data.shown = ""
                st.html(template("scroll.html.j2").render(place=item.place), unsafe_allow_javascript=True)


def _choice(session: AppState, item: Item) -> None:
    key = f"choose_{session.uploads}_{item.place}"
    showing(
        st.checkbox,
        plain("data.chosen.one", name=item.name),
        item.name in session.data.chosen,
        key=key,
        label_visibility="collapsed",
        on_change=_choose,
        args=(session, item.name, key),
    )


def _pager(session: AppState, start: int, count: int, pages: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for step, name in ((-1, "before"), (1, "after")):
            st.button(
                t(f"data.list.{name}"),
                key=f"page_{name}",
                on_click=_turn,
                args=(session, step),
                disabled=not 0 <= session.data.page + step < pages,
            )
        st.caption(t("data.list.page", first=start + 1, last=min(start + PER_PAGE, count), n=count))


def _turn(session: AppState, step: int) -> None:
    session.data.page += step


def _show(session: AppState, show: str) -> None:
    session.data.show, session.data.page = show, 0


def _toggle(session: AppState, name: str) -> None:
    session.data.open = "" if session.data.open == name else name


def _open(session: AppState, name: str, items: list[Item]) -> None:
    """Open a column's card, on the page of the list where it is."""
    data = session.data
    data.open = data.shown = name
    listed = shown(items, data.show, data.search)
    if all(item.name != name for item in listed):
        data.show, data.search = "all", ""
        listed = items
    data.page = next(place for place, item in enumerate(listed) if item.name == name) // PER_PAGE


def _choose(session: AppState, name: str, key: str) -> None:
    (session.data.chosen.add if st.session_state[key] else session.data.chosen.discard)(name)


def _choose_shown(session: AppState, items: list[Item]) -> None:
    session.data.all_chosen = True
    session.data.chosen |= {item.name for item in shown(items, session.data.show, session.data.search)}
