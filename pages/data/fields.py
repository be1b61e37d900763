"""Changes to one field of a draft: each gives a new field, with an honest source.

What a person types is typed. An edited guess stays a guess, and loses the word that declared it: that
was given for other values. An entry that came with a file, out of a vocabulary or by a paid survey is typed
once its values are edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hmpb_core.categories import labels_of as read_labels
from hmpb_core.codebook_fields import LEARNED, MOST_DECIMALS, SHORTEST
from hmpb_core.errors import DomainError
from hmpb_core.provenance import Grounds, Origin, Provenance, is_left_out_by_guess, provenance_of
from hmpb_core.survey.fields import OTHER
from hmpb_core.texts import text_of
from pages.data.kinds import Kind, Part, kind_of
from pages.data.lists import read_list
from pages.data.typed import as_number

Field = dict[str, Any]
LEFT_OUT = "leftOut"
_LISTED = ("categories", "missingValues")
_OF_VALUES = (
    "type",
    "categories",
    "categoriesOrdered",
    "values",
    "bins",
    "unknown",
    "trueValues",
    "falseValues",
)
_OF_KIND = (
    *_OF_VALUES,
    "format",
    "decimals",
    "multipleOf",
    "precision",
    "written",
    "hierarchy",
    "missingApart",
    "role",
    "publish",
    "regenerated",
)


_OF_NAME = ("name", "title", "description", "labels", "sensitive", LEFT_OUT)
"""What a guess has from elsewhere: the steward or the table's file."""


def is_answer(entry: Mapping[str, Any]) -> bool:
    """Whether a field is one of several answers that a column's cells hold."""
    return "answerTo" in entry


def column_of(entry: Mapping[str, Any]) -> str:
    """The column of the file that a field is of."""
    return str(entry["answerTo"]["column"] if is_answer(entry) else entry["name"])


def is_published(entry: Mapping[str, Any]) -> bool:
    """Whether a field is to be released."""
    return not entry.get(LEFT_OUT) and entry.get("publish") is not False


def is_made_up(entry: Mapping[str, Any]) -> bool:
    """Whether a field's identifiers are made up anew instead of being published."""
    return entry.get("regenerated") is not None and entry.get("publish") is False and not entry.get(LEFT_OUT)


def is_guessed_out(entry: Mapping[str, Any]) -> bool:
    """Whether a guess left a field out, which nobody has declared or said himself."""
    return not entry.get(LEFT_OUT) and is_left_out_by_guess(entry)


def source_of(entry: Mapping[str, Any]) -> Provenance:
    """Where a field comes from; a source that cannot be read counts as a guess."""
    try:
        return provenance_of(entry)
    except DomainError:
        return Provenance(origin=Origin.GUESS)


def is_blank(entry: Mapping[str, Any]) -> bool:
    """Whether nobody has given the field anything yet."""
    constraints = constraints_of(entry)
    said = entry.get("categories") or "enum" in constraints or {"minimum", "maximum"} & set(constraints)
    return "source" not in entry and not said and entry.get("type") != "boolean" and is_published(entry)


def is_declared(entry: Mapping[str, Any]) -> bool:
    """Whether a field is no guess, or one that somebody declared."""
    return source_of(entry).public


def constraints_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The field's constraints."""
    constraints = entry.get("constraints")
    return dict(constraints) if isinstance(constraints, Mapping) else {}


def declare(entry: Field, grounds: Grounds = Grounds.RISK, *, name: str = "", by: str = "") -> Field:
    """Declare a guess; everything else stays as it is.

    Raises:
        DomainError: the grounds need a name.
    """
    source = source_of(entry)
    if is_blank(entry) or source.public:
        return entry
    entry = {key: value for key, value in entry.items() if key != "declared"}
    return entry | {"source": source.declared(grounds, name=name.strip(), by=by.strip()).to_dict()}


def take_back(entry: Field) -> Field:
    """Make a declared guess one that nobody declared."""
    if source_of(entry).origin is not Origin.GUESS:
        return entry
    return entry | {"source": Provenance(origin=Origin.GUESS).to_dict(), "declared": False}


def edited(entry: Field, *, same_values: bool = False, **values: Any) -> Field:
    """Change what a field says of its values; None takes a property away.

    Args:
        entry: The field.
        same_values: Whether the change leaves the values alone, so that they still come from where they did.
        values: The properties.
    """
    blank = is_blank(entry)
    changed = {key: value for key, value in {**entry, **values}.items() if value is not None}
    if changed == entry:
        return entry
    source = source_of(entry)
    if blank:
        changed.pop("declared", None)
    elif source.origin is Origin.GUESS:
        changed = take_back(changed)
    elif source.origin in (Origin.FILE, Origin.VOCABULARY, Origin.SURVEY) and not same_values:
        changed.pop("source", None)
    return changed


def unguessed(entry: Field) -> Field:
    """What another source may keep of a field: all, but of a guess nothing that was read off the rows."""
    if source_of(entry).origin is not Origin.GUESS or is_blank(entry):
        return entry
    return {key: entry[key] for key in _OF_NAME if key in entry}


def typed_from(entry: Field, name: str) -> Field:
    """Say what the steward typed a field from."""
    if source_of(entry).origin is not Origin.TYPED:
        return entry
    if name.strip():
        return entry | {"source": Provenance(origin=Origin.TYPED, name=name.strip()).to_dict()}
    return {key: value for key, value in entry.items() if key != "source"}


def with_kind(entry: Field, kind: Kind) -> Field:
    """Make a field of another kind; what only its old kind has is dropped."""
    if kind == kind_of(entry):
        return entry
    if kind.role:
        kept = {key: entry[key] for key in ("name", "title", "description", "sensitive") if key in entry}
        said = Provenance().to_dict()  # or it would look like one that its name alone leaves out
        return kept | {"type": kind.type, "role": kind.role, "publish": False, "source": said}
    required = {"required": True} if constraints_of(entry).get("required") is True else {}
    alike = Part.BOUNDS in kind.parts and kind.numeric and kind_of(entry).numeric
    bounds = constraints_of(entry) if alike else {}
    bounds = {key: value for key, value in bounds.items() if key in ("minimum", "maximum")}
    changes: dict[str, Any] = dict.fromkeys(_OF_KIND)
    changes |= {"type": kind.type, "constraints": {**bounds, **required} or None}
    if Part.LIST in kind.parts:
        changes |= {"categories": [], "categoriesOrdered": False}
    if Part.BOUNDS in kind.parts:
        changes["bins"] = LEARNED
    if entry.get("role") and not is_published(entry):  # its roles were told by its name: nothing was said yet
        changes |= {"source": None, "declared": None}
    return edited(entry, **changes)


def with_bound(entry: Field, bound: str, text: str, decimal: str | None = None) -> Field:
    """Set ``minimum`` or ``maximum`` as it was typed; what is no number is kept for its card to say so.

    Args:
        entry: The field.
        bound: Which of the two.
        text: What was typed.
        decimal: The decimal mark of the table's file.
    """
    constraints = constraints_of(entry)
    constraints.pop(bound, None)
    if text.strip():
        constraints[bound] = as_number(text, decimal) if kind_of(entry).numeric else text.strip()
    return edited(entry, constraints=constraints or None)


def with_format_of_new_ones(entry: Field, text: str) -> Field:
    """Set the format of the identifiers that are made up anew; none where it is empty."""
    kept = {key: value for key, value in entry.items() if key != "regenerated"}
    return kept | {"regenerated": text.strip()} if text.strip() else kept


def with_bins(entry: Field, text: str) -> Field:
    """Set the bins: a number of them, their edges, or a word that the codebook knows; learned where empty."""
    values = list(read_list(text).values)
    return edited(entry, bins=LEARNED if not values else values[0] if len(values) == 1 else values)


def with_step(entry: Field, text: str) -> Field:
    """Set what every value is a multiple of; a power of ten below 1 is written as decimals."""
    step = as_number(text) if text.strip() else None
    digits = next((d for d in range(1, MOST_DECIMALS + 1) if step == float(f"1e-{d}")), None)
    multiple = step if digits is None else None
    values = entry.get("values") if step is None else None
    return edited(entry, decimals=digits, multipleOf=multiple, values=values)


def step_of(entry: Mapping[str, Any]) -> str:
    """What every value is a multiple of, as a card writes it; empty where nothing is said."""
    if "multipleOf" in entry:
        step = entry["multipleOf"]
        return f"{step:.12g}" if isinstance(step, float) else str(step)
    digits = entry.get("decimals")
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 <= digits <= MOST_DECIMALS:
        return "" if digits is None else str(digits)
    return f"{10.0**-digits:.{digits}f}"


def with_occurring(entry: Field, text: str) -> Field:
    """Set the numbers that occur, one a line; all between the bounds may where it is empty."""
    values = [as_number(str(value)) for value in read_list(text).values]
    if not values:
        return edited(entry, values=None)
    return edited(entry, values=values, decimals=None, multipleOf=None)


def with_labels(entry: Field, text: str) -> Field:
    """Set what values mean, one ``value = meaning`` a line; of a list, what is not listed is dropped."""
    cut = [line.split(" = " if " = " in line else "=", 1) for line in text.splitlines() if "=" in line]
    told = dict(cut)
    labels = {text_of(value): label.strip() for value, label in told.items() if label.strip()}

    def labelled(item: Any) -> Any:
        known = dict(item) if isinstance(item, dict) else {"value": item}
        known.pop("label", None)
        label = labels.get(text_of(known.get("value")))
        known |= {"label": label} if label else {}
        return known["value"] if set(known) == {"value"} else known

    changes: Field = {key: [labelled(item) for item in entry[key]] for key in _LISTED if entry.get(key)}
    numbers = {text: as_number(text) for text in labels if text not in missing_of(entry)}
    some = [{"value": n, "label": labels[text]} for text, n in numbers.items() if not isinstance(n, str)]
    changes["labels"] = some if some and kind_of(entry).numeric else None
    return edited(entry, same_values=True, **changes)


def labels_of(entry: Mapping[str, Any]) -> str:
    """What listed values and labelled numbers mean, one a line."""
    told = read_labels(dict(entry))
    return "\n".join(f"{value} = {' '.join(label.split())}" for value, label in told.items())


def with_categories(entry: Field, values: Sequence[Any]) -> Field:
    """Set the list; what is known of a value that stays (its label, its spellings) stays with it."""
    constraints = constraints_of(entry)
    constraints.pop("enum", None)
    labels = read_labels(dict(entry))
    known = {text: {"value": text, "label": label} for text, label in labels.items()}
    known |= {text_of(c["value"]): c for c in entry.get("categories", []) if isinstance(c, dict)}
    texts = [text_of(value) for value in values]
    items = [
        {**known[text], "value": value} if text in known else value
        for text, value in zip(texts, values, strict=True)
    ]
    whole, number = (all(isinstance(v, of) for v in values) for of in (int, int | float))
    kind = "string" if not values or not number else "integer" if whole else "number"
    if text_of(entry.get("unknown") or "") not in ("", *texts):
        entry = {key: value for key, value in entry.items() if key != "unknown"}
    ordered = entry.get("categoriesOrdered") is True
    return edited(
        entry,
        type=kind,
        categories=items,
        categoriesOrdered=ordered,
        constraints=constraints or None,
        labels=None,
    )


def with_others(entry: Field) -> Field:
    """Let every value that is not listed count as one further category, which a list without it lets go."""
    values = values_of(entry)
    texts = [text_of(value) for value in values]
    listed = entry if OTHER in texts else with_categories(entry, [*texts, OTHER])
    return edited(listed, same_values=True, unknown=OTHER)


def with_format(entry: Field, text: str) -> Field:
    """Set how a date or time is written; empty for the standard way."""
    return edited(entry, format=text.strip() or None)


def number_form(entry: Mapping[str, Any]) -> str:
    """How csv files write numbers, as ``with_number_form`` reads it; empty for plain ones."""
    written = entry.get("written", "")
    return "" if written == SHORTEST else str(written)


def with_number_form(entry: Field, text: str) -> Field:
    """Set how csv files write numbers: so many decimals, or as 1234.5 is written; empty for plain ones."""
    text = text.strip()
    written: str | int | None = int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else text
    return edited(entry, same_values=True, written=None if written == "" else written)


def with_truths(entry: Field, key: str, text: str) -> Field:
    """Set how yes (``trueValues``) or no (``falseValues``) is written."""
    words: dict[str, Any] = {key: [text_of(value) for value in read_list(text).values] or None}
    return edited(entry, **words)


def with_missing(entry: Field, text: str, decimal: str | None = None) -> Field:
    """Set the codes that mean a missing value, beside the empty cell; who names the first one allows them.

    The first of all is what the csv files hold that leave: the empty cell only where it came first before.

    Args:
        entry: The field.
        text: The codes as they were typed.
        decimal: The decimal mark of the table's file.
    """
    known = {text_of(c["value"]): c for c in entry.get("missingValues", []) if isinstance(c, dict)}
    mark = decimal if kind_of(entry).numeric else None
    codes = [text_of(value) for value in read_list(text, decimal=mark).values]
    apart = entry.get("missingApart") is True and bool(codes)
    items: list[Any] = [known.get(code, code) for code in codes]
    if listed := entry.get("categories"):  # a code that means missing is no value beside
        values = [value for value in values_of(entry) if text_of(value) not in codes]
        entry = entry if len(values) == len(listed) else with_categories(entry, values)
    if items and not missing_of(entry):
        entry = with_required(entry, required=False)
    return edited(
        entry,
        same_values=True,
        missingValues=_beside_empty(entry, items, apart=apart) if items else None,
        missingApart=True if apart else None,
    )


def with_apart(entry: Field, *, apart: bool) -> Field:
    """Tell the missing codes apart, or fold them into one."""
    codes = [code for code in entry.get("missingValues", []) if code != ""]
    if not codes:
        return edited(entry, same_values=True, missingApart=None)
    items = _beside_empty(entry, codes, apart=apart)
    return edited(entry, same_values=True, missingValues=items, missingApart=True if apart else None)


def _beside_empty(entry: Field, codes: list[Any], *, apart: bool) -> list[Any]:
    """Missing codes and the empty cell, in its old place; it is no code where they are told apart."""
    first = entry.get("missingValues", [])[:1] == [""]
    return codes if apart else ["", *codes] if first else [*codes, ""]


def with_required(entry: Field, *, required: bool) -> Field:
    """Say whether a value must be there."""
    constraints = constraints_of(entry)
    constraints.pop("required", None)
    if required:
        constraints["required"] = True
        entry = with_unread(entry, missing=False) if takes_unread(entry) else entry
    return edited(entry, same_values=True, constraints=constraints or None)


def takes_unread(entry: Mapping[str, Any]) -> bool:
    """Whether values that cannot be read count as missing."""
    return entry.get("unknown") == ""


def with_unread(entry: Field, *, missing: bool) -> Field:
    """Say whether values that cannot be read count as missing, which they then may be."""
    if missing:
        entry = with_required(entry, required=False)
    return edited(entry, same_values=True, unknown="" if missing else None)


def with_publish(entry: Field, *, publish: bool) -> Field:
    """Publish a field, or leave it out; what it says is kept."""
    if publish:
        return {key: value for key, value in entry.items() if key not in (LEFT_OUT, "publish")}
    return entry | {LEFT_OUT: True}


def with_mark(entry: Field, mark: str, *, on: bool) -> Field:
    """Set or take away a mark such as ``sensitive``."""
    return entry | {mark: True} if on else {key: value for key, value in entry.items() if key != mark}


def like(entry: Field, other: Mapping[str, Any]) -> Field:
    """Give a field the kind, values and missing codes of another one: typed, or a guess if that is one."""
    kept = {key: entry[key] for key in ("name", "title", "description", "sensitive") if key in entry}
    taken = (*_OF_KIND, "constraints", "missingValues", "source", "declared")
    return kept | {key: other[key] for key in taken if key in other}


def values_of(entry: Mapping[str, Any]) -> list[Any]:
    """The listed values, without what is known of them."""
    listed = entry.get("categories", constraints_of(entry).get("enum")) or []
    return [c["value"] if isinstance(c, dict) and "value" in c else c for c in listed]


def first_beginning(entry: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first value that takes finer codes, and a beginning of these; None where no value does."""
    for category in entry.get("categories") or []:
        if isinstance(category, dict) and category.get("prefixes"):
            return text_of(category.get("value", "")), str(category["prefixes"][0])
    return None


def missing_of(entry: Mapping[str, Any]) -> list[str]:
    """The missing codes beside the empty cell."""
    codes = entry.get("missingValues") or []
    texts = [text_of(c["value"] if isinstance(c, dict) and "value" in c else c) for c in codes]
    return [text for text in texts if text]
