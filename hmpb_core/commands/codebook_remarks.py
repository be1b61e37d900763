"""What ``hmpb codebook`` says of a draft: what was guessed, what is open, what is left out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import remark, say
from hmpb_core.errors import HmpbError
from hmpb_core.kept.rules import kept_rules
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.publishing.outside import heading_lines, rule_lines
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.rule_words import RuleWriter, asked_alike
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.rules.suggested import suggested_rules
from hmpb_core.sources.drafting.date_order import in_either_order
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.drafting.numerals import decimals_of
from hmpb_core.sources.drafting.references import references
from hmpb_core.sources.drafting.signs import MANY_VALUES, NUMBER, OFTEN, distinct
from hmpb_core.sources.drafting.writings import MIDNIGHT, TIMED, dates_of

NAMED, RULES = 8, 20
COMMON = 0.01
"""Part of the rows from which on a value is no name of somebody: few surnames are as common."""
DATES = 0.9
"""Part of a list's texts from which on it is one of dates."""
_DATE = re.compile(r"\d{1,4}([-/. ])\d{1,2}\1\d{2,4}([T ].*)?")


def report_guesses(frame: pd.DataFrame, schema: dict[str, Any], guessed: Sequence[dict[str, Any]]) -> None:
    """Say what was made of the rows, and what of them is to be looked at."""
    fields = schema["fields"]
    for line in heading_lines(frame):
        remark(line)
    _report_lost_times(frame, fields)
    _report_either_order(frame, fields)
    _report_listed_dates(fields)
    _report_decimals(frame, fields)
    _report_several_answers(fields)
    _report_zone_words(fields)
    _report_repeats(frame, schema)
    _report_rules(frame, schema, guessed)


def report_suggested_rules(schema: dict[str, Any], frame: pd.DataFrame | None = None) -> None:
    """Name the rules that the names of a codebook's columns suggest; with rows, none that many break."""
    rules = suggested_rules(schema)
    if frame is not None:
        rules = [rule for rule in rules if not _breaks(frame, schema, rule)]
    if rules:
        written = ", ".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
        remark(
            f"The columns' names suggest public rules: {written}. Put those that everybody knows to hold "
            "into the codebook's 'rules'; every synthetic row then obeys them."
        )


def _breaks(frame: pd.DataFrame, schema: dict[str, Any], rule: dict[str, Any]) -> bool:
    """Whether so many rows break a rule that its columns only look as if it held."""
    try:
        codebook = Codebook.from_dict({**schema, "rules": [rule]})
    except HmpbError:
        return False
    return any(10 * count > len(frame) for _, count in rule_breaks(frame, codebook).value)


def _report_lost_times(frame: pd.DataFrame, fields: list[dict[str, Any]]) -> None:
    """Name days of which some have a time in the file: they are published without it."""
    days = [field["name"] for field in fields if field.get("type") == "date"]
    texts = {name: distinct(frame[name]).counts for name in days}
    timed = [name for name in days if any(TIMED.match(t) and not MIDNIGHT.search(t) for t in texts[name])]
    if timed:
        remark(
            f"Days, of which a few have a time of day in the file: {_some(timed)}. The times are left away; "
            'with "type": "datetime" they stay, and the other days are at midnight.'
        )


def _report_either_order(frame: pd.DataFrame, fields: list[dict[str, Any]]) -> None:
    """Name dates that all rows let be read with the day or the month first: which it is, nobody has said."""
    forms = {field["name"]: field.get("format") for field in fields}
    if either := in_either_order(fields, frame, USUAL_MISSING):
        read = [f"{name!r} ({forms[name]})" for name in either]
        remark(
            f"Dates that can be read with the day or the month first: {', '.join(read[:NAMED])}"
            f"{_more(read)}. Where it is the other way round, correct 'format' and the bounds."
        )


def _report_decimals(frame: pd.DataFrame, fields: list[dict[str, Any]]) -> None:
    """Name numbers of whose decimals a codebook file says nothing: synthetic ones would have more."""
    found = []
    for field in fields:
        said = {"categories", "decimals", "multipleOf", "values"} & field.keys()
        if field.get("type") != "number" or said or provenance_of(field).origin is Origin.GUESS:
            continue
        counts = distinct(frame[field["name"]]).counts
        numbers = Counter({text: rows for text, rows in counts.items() if NUMBER.fullmatch(text)})
        if numbers and (digits := decimals_of(numbers)):
            found.append(f"{field['name']!r} ({digits['decimals']})")
    if found:
        remark(
            "Only for you: how many decimals numbers have is not said, and in the table nearly all have so "
            f"many at most: {', '.join(found[:NAMED])}{_more(found)}. Add 'decimals' where everybody knows "
            "them; synthetic numbers have more of them else."
        )


def _report_listed_dates(fields: list[dict[str, Any]]) -> None:
    """Name lists of texts that are nearly all dates: of none a rule can tell an order or a time between."""
    listed = {
        field["name"]: field.get("categories") or () for field in fields if field.get("type") == "string"
    }
    dates = [
        name
        for name, texts in listed.items()
        if len(texts) > MANY_VALUES
        and sum(bool(_DATE.fullmatch(str(text))) for text in texts) > DATES * len(texts)
    ]
    again = [name for name in dates if dates_of(list(listed[name]), {})]
    if mixed := [name for name in dates if name not in again]:
        remark(
            f"Lists of dates, since no one way of writing them reads all: {_some(mixed)}. Of a list the "
            "synthetic rows know no order, weekday or time between. Write them in one way in the file, such "
            "as 2017-04-13; a spreadsheet may have read some with day and month the other way round."
        )
    if again:
        remark(
            f"Listed, since the same few days come again and again: {_some(again)}. Of a list no rule can "
            "tell an order, a part or a time between: where another column has such (an age on that day), "
            "declare a date with its 'format' and bounds."
        )


def _report_several_answers(fields: list[dict[str, Any]]) -> None:
    """Name columns whose cells hold several answers, each of which became a field."""
    found = Counter((one["column"], one.get("between")) for field in fields if (one := field.get("answerTo")))
    if found:
        named = [
            f"{column!r} ({n}, {'in lists' if between is None else f'{between!r} between them'})"
            for (column, between), n in found.items()
        ]
        remark(
            f"Cells with several answers: {', '.join(named[:NAMED])}{_more(named)}. Each answer is a field "
            "of yes and no; rows that leave have them in one cell again. What hardly anybody answers is left "
            "out: add it as a field like the others if it is public that it may be chosen."
        )


def _report_zone_words(fields: list[dict[str, Any]]) -> None:
    """Name moments behind which different zones stand: they are published without."""
    if zoned := [field["name"] for field in fields if str(field.get("format", "")).endswith("%Z")]:
        remark(
            f"Moments with words of several time zones behind them: {_some(zoned)}. They stay what the clock "
            "showed, and leave without the words."
        )


def _report_repeats(frame: pd.DataFrame, schema: dict[str, Any]) -> None:
    decided = {rule.get("column") for rule in schema.get("rules", ())}
    published = [field["name"] for field in schema["fields"] if field.get("publish") is not False]
    names = [name for name in published if name not in decided]
    if found := repeated_columns(frame, names).value:
        pairs = ", ".join(f"{name!r} as {other!r}" for name, other in found)
        remark(
            f"In every row these say the same as another column: {pairs}. Each is paid for, and drawn copies "
            "drift apart: if it is public that they do, give one of each 'publish: false', or a public rule "
            "by which it equals the other or follows from it. Of many values noise chooses which follows "
            "from which: list the pairs as the rule's 'values' where they are public."
        )


def _report_rules(frame: pd.DataFrame, schema: dict[str, Any], guessed: Sequence[dict[str, Any]]) -> None:
    """Tell of rules that rows break, and of those that none breaks: written as guesses, or said by nobody."""
    try:
        codebook = Codebook.from_dict(schema)
    except HmpbError:  # a field of the file is still open: whoever uses the draft is told which
        return
    for line in rule_lines(frame, codebook):
        remark(line)
    suggested = suggested_rules(schema)
    told = guessed or [rule for rule in kept_rules(frame, codebook).value if rule not in suggested]
    if not told:
        return
    writer = RuleWriter(words=ENGLISH)
    lines = [writer(*alike) for alike in asked_alike(told)]
    more = f" And {len(lines) - RULES} more." if len(lines) > RULES else ""
    where = (
        "They stand in the codebook's 'rules' as guesses: synthetic rows keep them, and with them nothing "
        "can be released. Take out what merely happens to be so, since rules are public; of what the form "
        "asks for, or what cannot be otherwise, let the 'source' say who declares it."
        if guessed
        else "Those that the form asks for, or that cannot be otherwise, belong into the codebook's 'rules', "
        "and every synthetic row keeps them too: --rules writes all of them there, as guesses. Leave out "
        "what merely happens to be so: rules are public."
    )
    remark(
        "Only for you: every row of the table keeps these rules, and by chance many would not. "
        f"{' '.join(lines[:RULES])}{more} {where} Where a band begins, and a factor in a formula, was read "
        "off the rows: write what is known."
    )


def report_labels(fields: list[dict[str, Any]]) -> None:
    """Name the fields of which some values have labels, as the ends of a scale."""
    names = [field["name"] for field in fields if "labels" in field and field.get("publish") is not False]
    if names:
        remark(
            f"The file labels only some of the numbers that these may hold: {_some(names)}. They are no "
            "lists of categories; the labels are kept under 'labels', and told with a release. Where the "
            "labelled values are all, write them as 'categories'."
        )


def report_row_names(name: str | None) -> None:
    """Say which column is taken for the numbers of the rows, if there is one."""
    if name is not None:
        remark(
            f"{name!r} stands first and has no name in the file, as row numbers do: it is not published. If "
            "it holds something else, take 'publish: false' and its role away and fill it in."
        )


def _mostly_shared(column: pd.Series) -> bool:
    """Whether most rows have a value that many others have, so that it is no column of identifiers."""
    counts = [rows for text, rows in distinct(column).counts.items() if text not in USUAL_MISSING]
    common = max(OFTEN, COMMON * sum(counts))
    return 2 * sum(rows for rows in counts if rows >= common) > sum(counts)


def _report_unpublished(fields: list[dict[str, Any]], frame: pd.DataFrame | None) -> None:
    """Name what is not published: for its name, for its values, and what has none to guess from."""
    guessed = [field for field in fields if provenance_of(field).origin is Origin.GUESS]
    valued = [field["name"] for field in guessed if "role" in field]
    shared = [name for name in valued if frame is not None and _mostly_shared(frame[name])]
    others = references(fields, frame, USUAL_MISSING) if frame is not None else {}
    shared = [name for name in shared if name not in others]
    unread = [name for name in valued if name not in shared and name not in others]
    empty = [field["name"] for field in guessed if "role" not in field]
    if named := [field["name"] for field in fields if field not in guessed]:
        remark(
            f"Not published, as identifiers or free text: {_some(named)}. Where one is neither, take "
            "'publish: false' and its role away and fill it in."
        )
    if others:
        named = [f"{name!r} (of {other!r})" for name, other in others.items()]
        remark(
            "Not published, since their values are those of an identifier, so that each names another row: "
            f"{', '.join(named[:NAMED])}{_more(named)}. No synthetic row has such a one. Where one is "
            "something else, take 'publish: false' and its role away and fill it in."
        )
    if unread:
        remark(
            "Not published, since by their values they are identifiers or free text, or are written in more "
            f"than one way: {_some(unread)}. Where one is neither, take 'publish: false' and its role away "
            'and fill it in; "unknown": "" makes missing what its type does not read. Dates written in '
            "several ways: write them in one in the file, or declare a date with its 'format'."
        )
    if shared:
        remark(
            "Not published, since most rows share common values and many others are rare: "
            f"{_some(shared)}. To publish one, take 'publish: false' and its role away and list the values "
            "that are public as 'categories', with one such as \"(other)\", named in 'unknown', for the rest."
        )
    if guessed:
        remark(
            f"That {_some([field['name'] for field in guessed])} should be left out was read off the rows, "
            "too: where you would leave one out whatever it holds, take its 'source' away."
        )
    if empty:
        remark(
            f"Not published, since no cell holds a value: {_some(empty)}. If one is to be there, take "
            "'publish: false' away and fill it in."
        )


def _some(names: list[str]) -> str:
    return f"{', '.join(map(repr, names[:NAMED]))}{_more(names)}"


def _more(named: list[str]) -> str:
    """How many come after those that are named."""
    return f" and {len(named) - NAMED} more" if len(named) > NAMED else ""


def report_fields(
    out: str, fields: list[dict[str, Any]], frame: pd.DataFrame | None, row_name: str | None
) -> None:
    """Say how many fields have what kind of source, and which are still open or left out."""
    kinds: Counter[str] = Counter()
    for field in fields:
        if field.get("publish") is False:
            kinds["unpublished"] += 1
        elif is_open(field):
            kinds["open"] += 1
        else:
            kinds[provenance_of(field).origin.value] += 1
    say(
        f"Fields drafted into {out}: {len(fields)}; {kinds[Origin.FILE.value]} from labels, "
        f"{kinds[Origin.VOCABULARY.value]} from public vocabularies, {kinds[Origin.GUESS.value]} guessed, "
        f"{kinds['open']} to be filled in, {kinds['unpublished']} not published."
    )
    unpublished = [field for field in fields if field.get("publish") is False]
    _report_unpublished([field for field in unpublished if field["name"] != row_name], frame)
    if kinds[Origin.GUESS.value]:
        remark(
            "Guesses were read off the rows: with them nothing can be released. Replace each by public "
            "knowledge, or declare it where it is public: in its 'source', 'declared' names the grounds "
            "(questionnaire, law, public table or risk), their name and who says so."
        )
    if kinds["open"]:
        remark(
            "Give every open field its categories, or a minimum and a maximum, from public knowledge and "
            "take 'declared: false' away; or leave them open, register the table without a codebook, and "
            "'hmpb survey' buys them for a small part of its cap. '--guess' fills them in from the rows: to "
            "try things out, not to release."
        )
    if kinds[Origin.VOCABULARY.value]:
        remark("Check what was filled in by the columns' names: a vocabulary may not be the one in use.")
