"""DDI-Codebook 1.x and 2.x: an archive's description of its variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from hmpb_core.codebook_fields import MOST_DECIMALS
from hmpb_core.errors import Sentence, SourceError
from hmpb_core.sources.drafting.codebook_entries import (
    Columns,
    Field,
    Found,
    bounded,
    listed,
    number,
    shown,
    unique,
    with_missing,
)
from hmpb_core.sources.drafting.labels import label_some, open_with
from hmpb_core.sources.files.labelled import codes_between

_PADDED = re.compile(r"(-?)0*(\d{1,15})(?:\.0+)?", re.ASCII)
"""A whole number as numeric variables have it: 03 and 3.0 are 3."""
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def read_ddi(content: bytes, label: str, _: Columns) -> Found:
    """Read the variables of a DDI-Codebook.

    Raises:
        SourceError: it is no XML, or declares entities.
    """
    try:
        root = fromstring(content)  # a document type is passed over: nothing it names is opened
    except DefusedXmlException:
        raise SourceError(
            "{file!r} declares entities of XML, which may stand for other files or for texts without end and "
            "are never read; give a DDI-Codebook file without them.",
            file=label,
        ) from None
    except (ParseError, ValueError, LookupError, RecursionError):
        raise SourceError("{file!r} is not well-formed XML; give a DDI-Codebook file.", file=label) from None
    found = Found()
    unlisted = []
    language = _language_of(root)
    for variable in _all(root, "var"):
        field, whole = _field(variable, language)
        found.fields.append(field)
        if not whole:
            unlisted.append(field["name"])
    if unlisted:
        found.remarks.append(
            Sentence(
                "Of {names} the file declares a range of missing codes that is too long to list; list "
                "those that occur under 'missingValues'.",
                {"names": shown(unlisted)},
            )
        )
    return found


def _field(variable: Element, language: str) -> tuple[Field, bool]:
    """Give a variable's field, and whether all its missing codes are listed in it."""
    field: Field = {"name": (variable.get("name") or "").strip()}
    if title := _label(variable, language):
        field["title"] = title
    numeric = all(f.get("type", "numeric") == "numeric" for f in _all(variable, "varFormat"))
    categories = [_item(one, language, numeric=numeric) for one in _all(variable, "catgry")]
    valid, invalid = (list(_all(variable, name)) for name in ("valrng", "invalrng"))
    codes, whole = _codes(invalid, numeric=numeric)
    missing = [item for item, absent in categories if absent or (item and item["value"] in codes)]
    values = [item for item, _ in categories if item and item not in missing]
    bounds = next((r for one in valid for r in _all(one, "range")), None)
    if not values and bounds is None:
        values = [_value(i.get("VALUE") or "", numeric=numeric) for one in valid for i in _all(one, "item")]
    kind = variable.get("intrvl")
    labelled = not kind and bounds is None and all("label" in value for value in values)
    if labelled and label_some([value["value"] for value in values]):
        field |= open_with([_without_spellings(value) for value in values])
    elif values and (kind == "discrete" or (kind != "contin" and bounds is None)):
        field |= listed(_distinct(values))
        field |= {"categoriesOrdered": True} if variable.get("nature") == "ordinal" else {}
    elif numeric and (bounds is not None or kind == "contin"):
        field |= _measured(bounds, variable.get("dcml"))
    if missing or codes:
        field = _with_missing(field, [item for item in missing if item], codes, numeric=numeric)
    return field, whole


def _measured(bounds: Element | None, decimals: str | None) -> Field:
    """A number between its bounds; of what the file says of its decimals, whole numbers are a case."""
    whole, kind = None, None
    if re.fullmatch(r"\s*\d{1,2}\s*", decimals or "", re.ASCII):
        whole = int(decimals or 0)
        kind = "number" if whole else "integer"
    elif bounds is not None and bounds.get("UNITS") == "REAL":
        kind = "number"
    low, high = (bounds.get("min"), bounds.get("max")) if bounds is not None else (None, None)
    return {
        **bounded(low, high, kind=kind),
        **({"decimals": whole} if whole and whole <= MOST_DECIMALS else {}),
    }


def _item(category: Element, language: str, *, numeric: bool) -> tuple[Field | None, bool]:
    """A category with its label, None where it has no value; and whether it means a missing one."""
    value = next(map(_text_of, _children(category, "catValu")), "")
    if not value:
        return None, False
    item = _value(value, numeric=numeric)
    if text := _label(category, language):
        item["label"] = text
    return item, category.get("missing") == "Y"


def _value(text: str, *, numeric: bool) -> Field:
    """A value; of a numeric variable the number, however many zeros it is written with."""
    if not numeric or not (whole := _PADDED.fullmatch(text)):
        return {"value": number(text) if numeric else text}
    value = int(whole[1] + whole[2])
    return {"value": value, **({"spellings": [text]} if text != str(value) else {})}


def _distinct(values: list[Field]) -> list[Field]:
    """Values as they are written where two are one number, or one is a word: then they are codes."""
    found = [value["value"] for value in values]
    if len(set(found)) == len(found) and all(isinstance(value, int) for value in found):
        return values
    return [
        {key: part for key, part in value.items() if key != "spellings"}
        | {"value": value.get("spellings", [value["value"]])[0]}
        for value in values
    ]


def _codes(invalid: list[Element], *, numeric: bool) -> tuple[list[Any], bool]:
    """The values that are declared invalid, and whether these are all."""
    whole = True
    found = [
        _value(i.get("VALUE") or "", numeric=numeric)["value"] for one in invalid for i in _all(one, "item")
    ]
    for element in (r for one in invalid for r in _all(one, "range")):
        low, high = (
            _value((element.get(end) or "").strip(), numeric=True)["value"] for end in ("min", "max")
        )
        codes = codes_between(low, high)
        whole = whole and bool(codes)
        found += codes
    return [code for code in found if code != ""], whole


def _with_missing(field: Field, items: list[Field], codes: list[Any], *, numeric: bool) -> Field:
    """The field with its missing codes; the empty cell goes first where one means it: Sysmiss, or a point."""
    kept = [_without_spellings(item) for item in items]
    found = unique([*kept, *codes])
    if numeric and any(isinstance(item["value"], str) for item in kept):
        return {**field, "missingValues": ["", *found]}
    return with_missing(field, found)


def _without_spellings(item: Field) -> Field:
    return {key: part for key, part in item.items() if key != "spellings"}


def _all(element: Element, name: str) -> Iterator[Element]:
    return (e for e in element.iter() if str(e.tag).rpartition("}")[2] == name)


def _children(element: Element, name: str) -> list[Element]:
    return [child for child in element if str(child.tag).rpartition("}")[2] == name]


def _text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _language_of(root: Element) -> str:
    """The language of the labels that are taken: the document's, if it has such, else the commonest."""
    found = Counter(spoken for label in _all(root, "labl") if (spoken := _spoken(label)))
    own = _spoken(root)
    return own if own in found or not found else found.most_common(1)[0][0]


def _spoken(element: Element) -> str:
    """The language that an element names, en of en-GB; empty where it names none."""
    return (element.get(_LANGUAGE) or "").strip().lower().partition("-")[0]


def _label(element: Element, language: str) -> str:
    """The label in this language, else one that names none, else the first."""
    labels = _children(element, "labl")
    chosen = [one for spoken in (language, "") for one in labels if _spoken(one) == spoken] or labels
    return _text_of(chosen[0]) if chosen else ""
