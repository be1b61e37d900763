"""A column in a line of words: what it is, and where its values come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hmpb_core.categories import labels_of
from hmpb_core.codebook_fields import LEARNED
from hmpb_core.provenance import Grounds, Origin, Provenance
from hmpb_core.sources.drafting import vocabulary_name
from hmpb_core.texts import text_of
from pages.data.fields import constraints_of, is_blank, is_made_up, source_of, values_of
from pages.data.kinds import Part, kind_of
from pages.data.todo import Item, Status
from pages.words.catalogue import Markdown, language, listed, t
from pages.words.values import value_words

NAMED_VALUES = 4
"""Values that a card names; five are named whole: a mark that one is left out is no shorter."""
_LOOKS = {
    Status.LACKING: ("red", ":material/edit:"),
    Status.MISFIT: ("red", ":material/build:"),
    Status.GUESS: ("orange", ":material/help:"),
    Status.DONE: ("green", ":material/check:"),
    Status.LEFT_OUT: ("gray", ":material/visibility_off:"),
}


def look_of(status: Status) -> tuple[str, str]:
    """A status's colour and symbol."""
    return _LOOKS[status]


def what(entry: Mapping[str, Any]) -> Markdown:
    """Say what a column is."""
    kind = kind_of(entry)
    if is_made_up(entry):
        return t("data.what.regenerated", pattern=str(entry["regenerated"]))
    if kind.role:
        return t(f"data.what.{kind.role}")
    if is_blank(entry):
        return t("data.what.blank")
    if Part.LIST in kind.parts:
        values = values_of(entry)
        if not values:
            return t("data.what.blank")
        most = None if len(values) <= NAMED_VALUES + 1 else NAMED_VALUES
        labels = labels_of(dict(entry))
        names = listed((value_words(text_of(value), labels) for value in values), most)
        ordered = "ordered" if entry.get("categoriesOrdered") is True else "listed"
        return t(f"data.what.{_alone(entry) or ordered}", n=len(values), names=names)
    if Part.BOUNDS in kind.parts:
        bounds = constraints_of(entry)
        low, high = (value_text(bounds.get(bound, "?")) for bound in ("minimum", "maximum"))
        name = t(f"data.kind.{kind.key}")
        words = {"kind": name, "low": low, "high": high, "bins": _bins_words(entry)}
        if occurring := entry.get("values"):
            return t("data.what.occurring", n=len(occurring), **words)
        return t("data.what.bounded", **words)
    return t("data.what.plain", kind=t(f"data.kind.{kind.key}"))


def _alone(entry: Mapping[str, Any]) -> str:
    """How one value is told; that no row has another one is to be said, for the column costs budget."""
    if len(values_of(entry)) > 1:
        return ""
    every = constraints_of(entry).get("required") is True and "unknown" not in entry
    return "same" if every and entry.get("publish") is not False else "one"


def bins_text(entry: Mapping[str, Any]) -> str:
    """The bins as a card writes them."""
    bins = entry.get("bins", LEARNED)
    return "; ".join(value_text(edge) for edge in bins) if isinstance(bins, list) else str(bins)


def _bins_words(entry: Mapping[str, Any]) -> str:
    """The bins in the reader's language: only a card's box has the codebook's own word."""
    return t("data.what.learned") if entry.get("bins", LEARNED) == LEARNED else bins_text(entry)


def value_text(value: Any) -> str:
    """A bound as people write it: without the last digits of binary fractions."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def source_of_row(item: Item) -> Markdown:
    """A column's source as a short mark."""
    if item.status is Status.LEFT_OUT or is_blank(item.entry):
        return Markdown("")
    return source_badge(source_of(item.entry))


def source_badge(source: Provenance) -> Markdown:
    """Where a field or a rule comes from, as a short mark."""
    declared = "declared" if source.declaration else source.origin.value
    return Markdown(f":gray-badge[{t(f'data.origin.{declared}')}]")


def source_words(source: Provenance) -> Markdown:
    """Where a field comes from, in a sentence."""
    said = source.declaration
    if said is not None:
        by = t("data.source_of.by", by=said.by) if said.by else t("data.source_of.by_nobody")
        if said.grounds is Grounds.RISK:
            return t("data.source_of.risk", by=by)
        grounds = t(f"data.grounds.{said.grounds.name.lower()}")
        return t("data.source_of.declared", by=by, grounds=grounds, name=said.name)
    if source.origin is Origin.SURVEY:
        return t("data.source_of.survey", entry=str(source.entry))
    named = "_from" if source.origin is Origin.TYPED and source.name else ""
    name = vocabulary_name(source.name, language()) if source.origin is Origin.VOCABULARY else source.name
    return t(f"data.source_of.{source.origin.value}{named}", name=name)
