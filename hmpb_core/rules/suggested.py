"""Rules that names suggest: a beginning and its end, a code and its label, a date and its parts, and so on.

Names are public, so this looks at no row; whether such a rule holds is for somebody to say who knows.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hmpb_core.rules.parts import PARTS, Part
from hmpb_core.texts import text_of

_DATES = frozenset({"date", "datetime", "yearmonth", "year"})
_NUMBERS = frozenset({"number", "integer"})
_IN_TIME = (
    ("start", "end"),
    ("begin", "end"),
    ("start", "stop"),
    ("start", "finish"),
    ("start", "submit"),
    ("started", "submitted"),
    ("submitted", "approved"),
    ("created", "updated"),
    ("created", "resolved"),
    ("sent", "received"),
    ("requested", "completed"),
    ("in", "out"),
    ("from", "to"),
    ("first", "last"),
    ("opened", "closed"),
    ("open", "close"),
    ("created", "closed"),
    ("entry", "exit"),
    ("pickup", "dropoff"),
    ("pick-up", "drop-off"),
    ("admission", "discharge"),
    ("admitted", "discharged"),
    ("hire", "termination"),
    ("hired", "terminated"),
    ("birth", "death"),
    ("born", "died"),
    ("infection", "onset"),
    ("onset", "hospitalisation"),
    ("onset", "hospitalization"),
    ("onset", "hosp"),
    ("onset", "outcome"),
    ("hosp", "outcome"),
    ("hospitalisation", "outcome"),
    ("hospitalization", "outcome"),
    ("order", "delivery"),
    ("ordered", "delivered"),
    ("issue", "expiry"),
    ("admit", "discharge"),
    ("arrival", "departure"),
    ("check-in", "check-out"),
    ("check_in", "check_out"),
    ("checkin", "checkout"),
    ("effective", "expiration"),
    ("beginn", "ende"),
    ("beginn", "end"),
    ("anfang", "ende"),
    ("start", "ende"),
    ("von", "bis"),
    ("aufnahme", "entlassung"),
    ("aufnahme", "entlassungs"),
    ("aufgenommen", "entlassen"),
    ("anreise", "abreise"),
    ("abfahrt", "ankunft"),
    ("bestellung", "lieferung"),
    ("bestell", "liefer"),
    ("eintritt", "austritt"),
    ("geburt", "tod"),
    ("geburts", "todes"),
    ("geburts", "sterbe"),
    ("diagnose", "todes"),
    ("debut", "fin"),
    ("début", "fin"),
    ("entree", "sortie"),
    ("entrée", "sortie"),
    ("admission", "sortie"),
    ("naissance", "deces"),
    ("naissance", "décès"),
    ("inicio", "fin"),
    ("desde", "hasta"),
    ("ingreso", "alta"),
    ("ingreso", "egreso"),
    ("entrada", "salida"),
    ("nacimiento", "muerte"),
    ("nacimiento", "defuncion"),
    ("nacimiento", "defunción"),
    ("inicio", "fim"),
    ("início", "fim"),
    ("entrada", "saida"),
    ("entrada", "saída"),
    ("internacao", "alta"),
    ("internação", "alta"),
    ("nascimento", "obito"),
    ("nascimento", "óbito"),
    ("inizio", "fine"),
    ("ingresso", "uscita"),
    ("ricovero", "dimissione"),
    ("nascita", "morte"),
    ("nascita", "decesso"),
    ("begin", "einde"),
    ("begin", "eind"),
    ("start", "eind"),
    ("opname", "ontslag"),
    ("geboorte", "overlijdens"),
    ("rozpoczecia", "zakonczenia"),
    ("rozpoczęcia", "zakończenia"),
    ("przyjecia", "wypisu"),
    ("przyjęcia", "wypisu"),
    ("urodzenia", "zgonu"),
    ("начало", "конец"),
    ("начала", "окончания"),
    ("поступления", "выписки"),
    ("рождения", "смерти"),
    ("開始", "終了"),
    ("入院", "退院"),
    ("入社", "退社"),
    ("시작", "종료"),
    ("입원", "퇴원"),
    ("입사", "퇴사"),
    ("출생", "사망"),
    ("开始", "结束"),
    ("入院", "出院"),
    ("入职", "离职"),
    ("出生", "死亡"),
)
_IN_SIZE = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("low", "high"),
    ("lower", "upper"),
    ("utilized", "limit"),
    ("utilised", "limit"),
    ("used", "limit"),
    ("最小", "最大"),
    ("最低", "最高"),
)
"""What the name of the smaller column says, and that of the larger one in its place."""
_OF_TIME = re.compile(r"t?start|.*(year|yr|jahr|année|annee|año|jaar|год|년|年).*")
"""Names of numbers that are of a time: years, and where a spell of somebody begins."""
_WORD = re.compile(r"[\W_]+")
_IN_DATES = frozenset(("", "date", "dt", "datum", "data", "fecha", "of", "de"))
"""Words of a date's name that do not tell it from another date."""
_CODE = "num|code|cd|nr|id|key|abbr|short|kurz|schluessel|schlüssel|kode|código|codigo|codice"
_LABEL = "label|lbl|name|desc|description|text|txt|title|bezeichnung|libelle|libellé|nombre|nome|descr"
_CODED = re.compile(rf"(?P<stem>.+?)[ _.-]*(?:(?P<code>{_CODE})|{_LABEL})")
"""Names of a code or of what it stands for: ``education-num`` beside ``education``."""


_PARTS: dict[Part, tuple[str, ...]] = {
    "year": ("year", "yr", "jahr", "année", "annee", "año", "anno", "ano", "jaar", "年", "年份"),
    "month": ("month", "monat", "mois", "mes", "mês", "mese", "maand", "月", "月份"),
    "day": (
        "day",
        "mday",
        "day_of_month",
        "date_of_month",
        "tag",
        "jour",
        "día",
        "dia",
        "giorno",
        "dag",
        "日",
    ),
    "weekday": ("weekday", "wday", "day_of_week", "dayofweek", "dow", "wochentag", "weekdag", "星期"),
    "hour": ("hour", "hr", "stunde", "heure", "hora", "ora", "uur", "小时"),
}
"""Names of columns that are a part of a date beside them."""
_DATED = re.compile("[_ .-]*(date|datum|data|fecha|日期)$")
"""What the name of a date may end with: birth_date beside birth_year."""


def suggested_rules(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rules that the names of columns suggest and no rule says yet.

    Args:
        schema: A codebook, or a draft of one, as its file has it.

    Example:
        >>> fields = [{"name": name, "type": "datetime"} for name in ("pickup_at", "dropoff_at")]
        >>> suggested_rules({"fields": fields})
        [{'kind': 'ascending', 'columns': ['pickup_at', 'dropoff_at']}]
        >>> fields = [{"name": "region_code"}, {"name": "region", "categories": ["north", "south"]}]
        >>> suggested_rules({"fields": fields})
        [{'kind': 'follows', 'column': 'region_code', 'from': 'region'}]
        >>> fields = [{"name": "date", "type": "date"}, {"name": "year", "type": "integer"}]
        >>> suggested_rules({"fields": fields})
        [{'kind': 'partOf', 'column': 'year', 'of': 'date', 'part': 'year'}]
    """
    return [*_in_order(schema), *_coded(schema), *_parts(schema)]


def _in_order(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {
        str(field["name"]): field.get("type", "")
        for field in schema["fields"]
        if field.get("publish") is not False
    }
    rules = [rule for rule in schema.get("rules") or () if isinstance(rule, dict)]  # nobody has checked them
    said = {
        pair
        for rule in rules
        if rule.get("kind") == "ascending"
        for pair in itertools.combinations(rule.get("columns") or (), 2)
    }
    said |= {(rule.get("from"), rule.get("to")) for rule in rules if rule.get("kind") == "timeBetween"}
    names = {name.casefold(): name for name in kinds}
    by_words = {_words(name): name for name, kind in kinds.items() if kind in _DATES}
    found = {}
    for first, kind in kinds.items():
        alike = {kind} if kind in _DATES else _NUMBERS
        of_time = kind in _DATES or (kind in _NUMBERS and _OF_TIME.fullmatch(first.casefold()))
        words = (*(_IN_SIZE if kind in _NUMBERS else ()), *(_IN_TIME if of_time else ()))
        for turned in itertools.chain.from_iterable(_turned(first.casefold(), *pair) for pair in words):
            last = names.get(turned) or (by_words.get(_words(turned), first) if kind in _DATES else first)
            if last != first and kinds[last] in alike and (first, last) not in said:
                found[first, last] = {"kind": "ascending", "columns": [first, last]}
    return list(found.values())


def _coded(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What follows from a list: its code, or what a listed code stands for."""
    fields = {str(field["name"]): field for field in schema["fields"] if field.get("publish") is not False}
    said = {rule.get("column") for rule in schema.get("rules") or () if isinstance(rule, dict)}
    stems: dict[str, list[tuple[bool, str]]] = {}
    for name in fields:
        match = _CODED.fullmatch(name.casefold())
        stem = match["stem"] if match else name.casefold()
        stems.setdefault(stem, []).append((bool(match and match["code"]), name))
    found = []
    for alike in stems.values():
        codes, labels = ([name for coded, name in alike if coded is wanted] for wanted in (True, False))
        if len(codes) == len(labels) == 1:
            code, label = codes[0], labels[0]
            column, source = (code, label) if fields[label].get("categories") else (label, code)
            listed = fields[source].get("categories") and not {code, label} & said
            if listed and not _is_amount_of_two(fields[column], fields[source]):
                found.append({"kind": "follows", "column": column, "from": source})
    return found


def _is_amount_of_two(column: Mapping[str, Any], source: Mapping[str, Any]) -> bool:
    """Whether a number goes on where a list has two values: how much somebody smokes beside yes and no."""
    bounds = column.get("constraints") or {}
    low, high = bounds.get("minimum"), bounds.get("maximum")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return len(source["categories"]) == 2 and not column.get("categories") and high - low > 1


def _parts(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is a part of the only date of a table, or of the one whose name begins like its own."""
    fields = {str(field["name"]): field for field in schema["fields"] if field.get("publish") is not False}
    said = {rule.get("column") for rule in schema.get("rules") or () if isinstance(rule, dict)}
    dates = {
        name: field["type"] for name, field in fields.items() if field.get("type") in ("date", "datetime")
    }
    found = []
    for name in (name for name, field in fields.items() if name not in said and _is_whole(field)):
        for date, kind in dates.items():
            stems = date.casefold(), _DATED.sub("", date.casefold())
            after = {name.casefold().removeprefix(stem).lstrip("_- .") for stem in stems}
            words = after | {name.casefold()} if len(dates) == 1 else after - {name.casefold()}
            part = next((part for part, names in _PARTS.items() if words & set(names)), None)
            if part and kind in PARTS[part]:
                found.append({"kind": "partOf", "column": name, "of": date, "part": part})
                break
    return found


def _is_whole(field: Mapping[str, Any]) -> bool:
    """Whether a field holds whole numbers, in a range or a list."""
    listed = field.get("categories") or ()
    if listed:
        return all(any(text.isdecimal() for text in _texts_of(value)) for value in listed)
    return field.get("type") in ("integer", "year")


def _texts_of(category: Any) -> list[str]:
    """How a category may be written: Monday, also 1."""
    if not isinstance(category, dict):
        return [text_of(category)]
    return [text_of(category["value"]), *map(text_of, category.get("spellings") or ())]


def _words(name: str) -> tuple[str, ...]:
    """What the name of a date says beside that it is one: of "date onset" and "onset_date" the same."""
    return tuple(sorted(set(_WORD.split(name.casefold())) - _IN_DATES))


def _turned(name: str, smaller: str, larger: str) -> Iterator[str]:
    """The name with one word in place of another, wherever it stands."""
    at = name.find(smaller)
    while at >= 0:
        yield name[:at] + larger + name[at + len(smaller) :]
        at = name.find(smaller, at + 1)
