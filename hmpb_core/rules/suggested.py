"""Rules that the names of columns suggest: a beginning and its end, a least and a largest value.

Names are public, so this looks at no row; whether such a rule holds is for somebody to say who knows.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

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
    ("onset", "outcome"),
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


def suggested_rules(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rules that the names of columns suggest and no rule says yet.

    Args:
        schema: A codebook, or a draft of one, as its file has it.

    Example:
        >>> fields = [{"name": name, "type": "datetime"} for name in ("pickup_at", "dropoff_at")]
        >>> suggested_rules({"fields": fields})
        [{'kind': 'ascending', 'columns': ['pickup_at', 'dropoff_at']}]
    """
    kinds = {
        str(field["name"]): field.get("type", "")
        for field in schema["fields"]
        if field.get("publish") is not False
    }
    said = {
        pair
        for rule in schema.get("rules") or ()  # of a draft: nobody has checked them yet
        if isinstance(rule, dict) and rule.get("kind") == "ascending"
        for pair in itertools.combinations(rule.get("columns") or (), 2)
    }
    names = {name.casefold(): name for name in kinds}
    found = {}
    for first, kind in kinds.items():
        alike = {kind} if kind in _DATES else _NUMBERS
        of_time = kind in _DATES or (kind in _NUMBERS and _OF_TIME.fullmatch(first.casefold()))
        words = (*(_IN_SIZE if kind in _NUMBERS else ()), *(_IN_TIME if of_time else ()))
        for turned in itertools.chain.from_iterable(_turned(first.casefold(), *pair) for pair in words):
            last = names.get(turned, first)
            if last != first and kinds[last] in alike and (first, last) not in said:
                found[first, last] = {"kind": "ascending", "columns": [first, last]}
    return list(found.values())


def _turned(name: str, smaller: str, larger: str) -> Iterator[str]:
    """The name with one word in place of another, wherever it stands."""
    at = name.find(smaller)
    while at >= 0:
        yield name[:at] + larger + name[at + len(smaller) :]
        at = name.find(smaller, at + 1)
