"""The codebook as an editable table: one line a field."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from hmpb_core.codebook import DEFAULT_BINS
from hmpb_core.provenance import Origin, provenance_of
from pages.data.loading import LEFT_OUT, declare, is_declared, is_published
from pages.words.catalogue import plain, t

CATEGORY, INTEGER, NUMBER = "category", "integer", "number"
COLUMNS = [
    "name",
    "publish",
    "declared",
    "kind",
    "minimum",
    "maximum",
    "bins",
    "categories",
    "ordered",
    "missing",
    "sensitive",
]
ORDER = [*(name for name in COLUMNS if name != "categories"), "categories"]


def to_frame(draft: dict[str, Any]) -> pd.DataFrame:
    """Lay a draft out as a table."""
    return pd.DataFrame([_line(entry) for entry in draft.get("fields", [])], columns=COLUMNS)


def from_frame(draft: dict[str, Any], edited: pd.DataFrame) -> dict[str, Any]:
    """Take the edited table back into a draft; what it does not show is kept."""
    lines = ({str(name): value for name, value in line.items()} for line in edited.to_dict("records"))
    fields = [_entry(old, line) for old, line in zip(draft["fields"], lines, strict=True)]
    return {**draft, "fields": fields}


def edit(draft: dict[str, Any], *, key: str) -> dict[str, Any] | None:
    """Draw the editor; give the new draft once the steward saves it, else None."""
    kinds = {kind: plain(f"data.kind.{kind}") for kind in (CATEGORY, INTEGER, NUMBER)}
    column = st.column_config
    frame = to_frame(draft)
    frame["kind"] = frame["kind"].map(kinds)
    with st.form(f"{key}_form", border=False):
        edited = st.data_editor(
            frame,
            key=key,
            hide_index=True,
            column_order=ORDER,
            num_rows="fixed",
            placeholder="",
            alt=plain("data.codebook.alt"),
            height=min(35 * (len(frame) + 1) + 3, 640),
            column_config={
                "name": column.TextColumn(plain("data.column.name"), disabled=True, pinned=True),
                "publish": column.CheckboxColumn(
                    plain("data.column.publish"), help=plain("data.help.publish")
                ),
                "declared": column.CheckboxColumn(
                    plain("data.column.declared"), help=plain("data.help.declared")
                ),
                "kind": column.SelectboxColumn(
                    plain("data.column.kind"), options=list(kinds.values()), required=True
                ),
                "minimum": column.NumberColumn(plain("data.column.minimum"), help=plain("data.help.bounds")),
                "maximum": column.NumberColumn(plain("data.column.maximum"), help=plain("data.help.bounds")),
                "bins": column.NumberColumn(plain("data.column.bins"), min_value=1, step=1),
                "categories": column.ListColumn(
                    plain("data.column.categories"), help=plain("data.help.categories"), width="large"
                ),
                "ordered": column.CheckboxColumn(
                    plain("data.column.ordered"), help=plain("data.help.ordered")
                ),
                "missing": column.CheckboxColumn(
                    plain("data.column.missing"), help=plain("data.help.missing")
                ),
                "sensitive": column.CheckboxColumn(
                    plain("data.column.sensitive"), help=plain("data.help.sensitive")
                ),
            },
        )
        saved = st.form_submit_button(t("data.codebook.save"), type="primary", icon=":material/save:")
    if not saved:
        return None
    back = {label: kind for kind, label in kinds.items()}
    edited = edited.assign(kind=edited["kind"].map(back))
    return from_frame(draft, edited)


def _line(entry: dict[str, Any]) -> dict[str, Any]:
    constraints = entry.get("constraints") or {}
    categories = entry.get("categories", constraints.get("enum"))
    kind = entry.get("type", "string")
    is_category = categories is not None or kind not in (INTEGER, NUMBER)
    return {
        "name": str(entry.get("name", "")),
        "publish": is_published(entry),
        "declared": is_declared(entry),
        "kind": CATEGORY if is_category else kind,
        "minimum": _float(constraints.get("minimum")),
        "maximum": _float(constraints.get("maximum")),
        "bins": None if is_category else float(entry.get("bins", DEFAULT_BINS)),
        "categories": [str(c["value"] if isinstance(c, dict) else c) for c in categories or []],
        "ordered": entry.get("categoriesOrdered") is True,
        "missing": constraints.get("required") is not True,
        "sensitive": entry.get("sensitive") is True,
    }


def _entry(old: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    if _same(line, _line(old)):
        return old  # whatever the table does not show stays
    kept = ("name", "title", "description", "unknown", "missingValues", "missingApart")
    entry: dict[str, Any] = {k: old[k] for k in kept if k in old}
    if provenance_of(old).origin in (Origin.GUESS, Origin.SURVEY) and "source" in old:
        entry["source"] = old["source"]  # an edited guess stays a guess; anything else is now typed
    constraints: dict[str, Any] = {} if line["missing"] else {"required": True}
    if line["kind"] == CATEGORY:
        texts = [str(c).strip() for c in _list(line["categories"])]
        whole = bool(texts) and all(_is_whole(text) for text in texts)
        entry |= {
            "type": "integer" if whole else "string",
            "categories": [int(text) for text in texts] if whole else texts,
            "categoriesOrdered": bool(line["ordered"]),
        }
    else:
        whole = line["kind"] == INTEGER
        for bound in ("minimum", "maximum"):
            value = _float(line[bound])
            if value is not None:
                constraints[bound] = int(value) if whole and value.is_integer() else value
        bins = _float(line["bins"])
        entry |= {"type": line["kind"], "bins": DEFAULT_BINS if bins is None else int(bins)}
    if constraints:
        entry["constraints"] = constraints
    if line["sensitive"]:
        entry["sensitive"] = True
    if not line["declared"]:
        entry["declared"] = False
    elif not is_declared(old):
        entry = declare(entry)
    if not line["publish"]:
        entry[LEFT_OUT] = True
    return entry


def _same(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether a line of the table was left as it was."""
    number = ("minimum", "maximum", "bins")
    plain = {
        **new,
        "categories": [str(c) for c in _list(new["categories"])],
        **{k: _float(new[k]) for k in number},
    }
    return plain == {**old, **{k: _float(old[k]) for k in number}}


def _list(value: Any) -> list[Any]:
    return [] if value is None or isinstance(value, float) else list(value)


def _float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and str(int(text)) == text
