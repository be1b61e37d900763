"""A column's card: everything the codebook says of it, each answer kept as soon as it is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from hmpb_core.dates import padded
from hmpb_core.provenance import Origin
from hmpb_core.rules.identifiers import EXAMPLE
from hmpb_core.sources.drafting import vocabulary_for, vocabulary_name
from hmpb_core.survey.fields import OTHER
from pages.data import fields
from pages.data.asking import Asker
from pages.data.declaring import draw_declaration
from pages.data.drafts import (
    amounts_of,
    guess_one,
    outside,
    rename,
    vocabulary_entry,
)
from pages.data.faults import fault_in_words
from pages.data.fields import Field
from pages.data.kinds import BY_KEY, KINDS, Part, kind_of
from pages.data.lists import read_list, read_pairs, without_heading, write_list
from pages.data.several import draw_answer, draw_setting_apart
from pages.data.summaries import bins_text, source_words, value_text
from pages.data.todo import Item, Status
from pages.data.typed import formats_of, short_and_padded
from pages.session.state import AppState, Basis
from pages.session.widgets import showing
from pages.words.catalogue import Markdown, escape, language, listed, plain, sentences, t

LIST_HEIGHT = 180
SHOWN_LABELS = 12
_USUAL_STEPS = {"integer": "1", "number": "0.01", "date": "1", "datetime": "1", "time": "1"}
FEW = 0.01
BOUNDS = ("minimum", "maximum")


def draw_card(session: AppState, item: Item) -> None:
    """Draw the card of a column."""
    asker = Asker(session, item)
    _fault(asker, item)
    _head(asker)
    kind = kind_of(item.entry)
    if fields.is_answer(asker.entry):
        draw_answer(asker)
    else:
        for part in kind.parts:
            _PARTS[part](asker)
    if not kind.role:
        if not fields.is_answer(asker.entry):
            _missing(asker)
        _marks(asker)
        _source(asker, item)


def _fault(asker: Asker, item: Item) -> None:
    """What is wrong, and what may mend it."""
    with st.container():  # always there: else what has the focus below would move, and lose it
        if item.fault is not None:
            st.warning(fault_in_words(item.fault), icon=":material/build:")
    session, entry = asker.session, asker.entry
    table = session.table
    offered = vocabulary_entry(entry)
    with st.container(horizontal=True):
        if offered is not None and fields.source_of(entry) != fields.source_of(offered):
            name = vocabulary_name(fields.source_of(offered).name, language())
            asker.press(
                "vocabulary",
                t("data.card.vocabulary", name=name),
                lambda _: offered,
                icon=":material/menu_book:",
                help=t("data.help.vocabulary"),
            )
        if table is None or item.name not in table.columns or item.status in (Status.DONE, Status.LEFT_OUT):
            return
        if table.basis is Basis.PRIVATE and item.status is not Status.GUESS:
            asker.press(
                "guess",
                t("data.card.guess"),
                lambda old: guess_one(table, old, amounts_of(asker.session)),
                icon=":material/auto_fix_high:",
                help=t("data.codebook.guess_help"),
            )
        misfits = item.status is Status.MISFIT
        if misfits and fields.values_of(entry) and "unknown" not in entry:
            asker.press(
                "others",
                t("data.card.others", other=OTHER),
                fields.with_others,
                help=t("data.help.others", other=OTHER),
            )
        if misfits and Part.BOUNDS in kind_of(entry).parts and not fields.takes_unread(entry):
            asker.press(
                "unread_missing",
                t("data.card.unread"),
                lambda old: fields.with_unread(old, missing=True),
                help=t("data.help.unread"),
            )
        if misfits and fields.constraints_of(entry).get("required") is True:
            asker.press(
                "allow_missing",
                t("data.card.allow_missing"),
                lambda old: fields.with_required(old, required=False),
            )


def _head(asker: Asker) -> None:
    left, right = st.columns(2)
    with left:
        asker.ask(
            st.selectbox,
            "kind",
            kind_of(asker.entry).key,
            lambda entry, key: fields.with_kind(entry, BY_KEY[key]),
            options=[kind.key for kind in KINDS],
            disabled=fields.is_answer(asker.entry),
            format_func=lambda key: plain(f"data.kind.{key}"),
            help=t("data.help.kind"),
        )
    with right:
        key = asker.key("name")
        table = asker.session.table
        fixed = table is not None and table.outside is not None
        showing(
            st.text_input,
            t("data.column.name"),
            asker.name,
            key=key,
            on_change=_rename,
            args=(asker.session, asker.name, key),
            help=t("data.help.name_fixed") if fixed else t("data.help.name"),
            disabled=fixed,
        )
        if (tried := asker.session.data.misnamed.get(asker.name)) is not None:
            words = t("data.card.taken", name=tried) if tried else t("data.card.nameless")
            st.warning(words, icon=":material/build:")
    if title := asker.entry.get("title"):
        st.caption(escape(title))


def _rename(session: AppState, name: str, key: str) -> None:
    tried = str(st.session_state[key]).strip()
    session.data.misnamed.pop(name, None)
    if not rename(session, name, tried):
        session.data.misnamed[name] = tried


def _list(asker: Asker) -> None:
    entry = asker.entry
    _writing(asker)
    asker.ask(
        st.text_area,
        "categories",
        write_list(fields.values_of(entry)),
        lambda old, text: _take_list(asker, old, text),
        height=LIST_HEIGHT,
        help=t("data.help.categories"),
        placeholder=plain("data.card.paste"),
    )
    finer = fields.first_beginning(entry)
    if finer is not None:
        st.caption(t("data.card.prefixes", value=finer[0], beginning=finer[1]))
    repeated = asker.session.data.notes.get(asker.name)
    if repeated:
        names = listed(repeated, SHOWN_LABELS)
        st.caption(t("data.card.repeated", n=len(repeated), names=names))
    asker.ask(
        st.checkbox,
        "ordered",
        entry.get("categoriesOrdered") is True,
        lambda old, on: fields.edited(old, same_values=True, categoriesOrdered=on),
        help=t("data.help.ordered"),
    )
    draw_setting_apart(asker)
    _labels(asker)


def _labels(asker: Asker) -> None:
    """What values mean."""
    told = fields.labels_of(asker.entry)
    with st.expander(t("data.card.labels"), icon=":material/label:", expanded=bool(told)):
        asker.ask(
            st.text_area,
            "labels",
            told,
            fields.with_labels,
            help=t("data.help.labels"),
            placeholder="1 = " + plain("data.card.label_example"),
        )


def _writing(asker: Asker) -> None:
    """In which words a vocabulary's categories are published: those that the file uses."""
    vocabulary = vocabulary_for(asker.name)
    if vocabulary is None or fields.source_of(asker.entry).origin is not Origin.VOCABULARY:
        return
    written = [writing.words for writing in vocabulary.writings]
    values = tuple(map(str, fields.values_of(asker.entry)))
    if values in written:
        asker.ask(
            st.selectbox,
            "writing",
            written.index(values),
            lambda old, place: {**old, **vocabulary.field_for(asker.name, vocabulary.writings[place])},
            options=range(len(written)),
            format_func=lambda place: listed(written[place][:SHOWN_LABELS]),
            help=t("data.help.writing"),
        )


def _take_list(asker: Asker, entry: Field, text: str) -> Field:
    pasted = without_heading(read_pairs(text) or read_list(text), asker.name)
    asker.session.data.notes[asker.name] = pasted.repeated
    listed = fields.with_categories(entry, pasted.values)
    if not pasted.meanings:
        return listed
    told = zip(pasted.values, pasted.meanings, strict=True)
    return fields.with_labels(listed, "\n".join(f"{value} = {meaning}" for value, meaning in told))


def _bounds(asker: Asker) -> None:
    bounds = fields.constraints_of(asker.entry)
    for column, bound in zip(st.columns(4), ("minimum", "maximum", "step", "bins"), strict=True):
        with column:
            if bound == "bins":
                asker.ask(
                    st.text_input, bound, bins_text(asker.entry), fields.with_bins, help=t("data.help.bins")
                )
                continue
            if bound == "step":
                asker.ask(
                    st.text_input,
                    bound,
                    fields.step_of(asker.entry),
                    fields.with_step,
                    placeholder=_USUAL_STEPS.get(kind_of(asker.entry).key, ""),
                    help=t("data.help.step"),
                )
                continue
            asker.ask(
                st.text_input,
                bound,
                value_text(bounds.get(bound, "")),
                partial(with_typed_bound, asker.session, bound),
                help=t("data.help.bounds"),
            )
    if kind_of(asker.entry).numeric:
        _occurring(asker)
        _labels(asker)
    _outside(asker)


def _occurring(asker: Asker) -> None:
    """The numbers that occur, where they are few among all between the bounds."""
    told = write_list(asker.entry.get("values") or [])
    with st.expander(t("data.card.occurring"), icon=":material/format_list_numbered:", expanded=bool(told)):
        asker.ask(
            st.text_area,
            "values",
            told,
            fields.with_occurring,
            height=LIST_HEIGHT,
            help=t("data.help.values"),
            placeholder=plain("data.card.paste"),
        )


def _outside(asker: Asker) -> None:
    """Values outside the bounds: only the steward may know, and may know better what they mean."""
    found = outside(asker.session, asker.entry).value
    if found is None:
        return
    values = {"low": found.minimum, "high": found.maximum, "step": f"{found.step:g}"}
    uneven = {0: "unlisted_", 1: "fraction_"}.get(int(found.step), "uneven_")
    said = []
    for what, share in (("", found.share), (uneven, found.uneven), ("unread_", found.unread)):
        if share:
            how = "few" if share < FEW else "some"
            said.append(t(f"data.beyond.{what}{how}", **values, percent=f"{100 * share:.0f}"))
    said += [t("data.beyond.codes", codes="; ".join(found.codes))] if found.codes else []
    st.warning(Markdown(sentences(*said)), icon=":material/lock:")


def _truths(asker: Asker) -> None:
    written = {"trueValues": "true, True, TRUE, 1", "falseValues": "false, False, FALSE, 0"}
    for column, (key, usual) in zip(st.columns(2), written.items(), strict=True):
        with column:
            asker.ask(
                st.text_input,
                key,
                write_list(asker.entry.get(key) or [], ", "),
                partial(_with_truths, key),
                placeholder=usual,
                help=t("data.help.truths"),
            )


def _written(asker: Asker) -> None:
    asker.ask(
        st.text_input,
        "format",
        str(asker.entry.get("format", "")),
        fields.with_format,
        placeholder=plain("data.card.for_example", example="%d.%m.%Y"),
        help=t("data.help.format"),
    )
    if "%Z" in str(asker.entry.get("format", "")):
        st.caption(t("data.card.zone_word"))
    forms = short_and_padded(str(asker.entry.get("format", "")), kind_of(asker.entry).key)
    if forms is not None:
        st.caption(t("data.card.leaves", short=forms[0], padded=forms[1]))


def _amount(asker: Asker) -> None:
    comma = asker.session.data.decimal == ","
    asker.ask(
        st.text_input,
        "written",
        fields.number_form(asker.entry),
        fields.with_number_form,
        placeholder="1234,5" if comma else "1234.5",
        help=t("data.help.written"),
    )


def _fresh(asker: Asker) -> None:
    asker.ask(
        st.text_input,
        "regenerated",
        str(asker.entry.get("regenerated", "")),
        fields.with_format_of_new_ones,
        placeholder=EXAMPLE,
        help=t("data.help.regenerated", example=EXAMPLE),
    )


def with_typed_bound(session: AppState, bound: str, entry: Field, text: str) -> Field:
    """Take a bound as it was typed; a date shows by itself how the column is written, if only one way can."""
    changed = fields.with_bound(entry, bound, text, session.data.decimal)
    bounds = fields.constraints_of(changed)
    typed = [str(bounds[key]) for key in BOUNDS if key in bounds]
    if Part.WRITTEN not in kind_of(changed).parts or not typed:
        return changed
    formats = formats_of(typed, kind_of(changed).key)
    known = str(changed.get("format", ""))
    if known and (known in formats or formats != [padded(known)]):  # zeros typed later correct what had none
        return changed
    # 01/02/2015 may be written two ways: the rows would tell, but then one of them would decide.
    return fields.with_format(changed, formats[0]) if len(formats) == 1 else changed


def _with_truths(key: str, entry: Field, text: str) -> Field:
    return fields.with_truths(entry, key, text)


_PARTS: dict[Part, Callable[[Asker], None]] = {
    Part.LIST: _list,
    Part.WRITTEN: _written,
    Part.BOUNDS: _bounds,
    Part.AMOUNT: _amount,
    Part.TRUTHS: _truths,
    Part.FRESH: _fresh,
}


def _missing(asker: Asker) -> None:
    entry = asker.entry
    codes = fields.missing_of(entry)
    left, right = st.columns(2)
    with left:
        asker.ask(
            st.text_input,
            "missing_codes",
            write_list(codes, "; "),
            partial(fields.with_missing, decimal=asker.session.data.decimal),
            help=t("data.help.missing_codes"),
            placeholder="-9; n.a.",
        )
    with right:
        asker.ask(
            st.checkbox,
            "missing",
            fields.constraints_of(entry).get("required") is not True,
            lambda old, on: fields.with_required(old, required=not on),
            help=t("data.help.missing"),
        )
        if Part.LIST in kind_of(entry).parts:
            asker.ask(
                st.checkbox,
                "apart",
                entry.get("missingApart") is True,
                lambda old, on: fields.with_apart(old, apart=on),
                disabled=not codes,
                help=t("data.help.apart"),
            )
        if Part.BOUNDS in kind_of(entry).parts:
            asker.ask(
                st.checkbox,
                "unread",
                fields.takes_unread(entry),
                lambda old, on: fields.with_unread(old, missing=on),
                help=t("data.help.unread"),
            )


def _marks(asker: Asker) -> None:
    with st.container(horizontal=True):
        asker.ask(
            st.toggle,
            "publish",
            fields.is_published(asker.entry),
            lambda old, on: fields.with_publish(old, publish=on),
            help=t("data.help.publish"),
        )
        asker.ask(
            st.checkbox,
            "sensitive",
            asker.entry.get("sensitive") is True,
            lambda old, on: fields.with_mark(old, "sensitive", on=on),
            help=t("data.help.sensitive"),
        )


def _source(asker: Asker, item: Item) -> None:
    """Where the values come from; a guess asks for somebody's word, and what is not published for none."""
    if item.status is Status.LEFT_OUT or fields.is_blank(item.entry):
        return
    source = fields.source_of(item.entry)
    st.markdown(t("data.source_of.line", words=source_words(source)))
    if source.origin is Origin.TYPED:
        asker.ask(
            st.text_input,
            "typed_from",
            source.name,
            fields.typed_from,
            placeholder=plain("data.card.typed_from"),
            help=t("data.help.typed_from"),
        )
    elif not source.public and item.status is Status.GUESS:
        draw_declaration(asker.session, [item.name], key=asker.key("declare"))
    elif source.declaration is not None:
        asker.press("take_back", t("data.card.take_back"), fields.take_back, icon=":material/undo:")
