"""Hostile input, made from a number: case 17 is the same on every machine, and can be run alone."""

import copy
import io
import json
import math
import random
import zipfile

import tomli_w

from hmpb_core.privacy.ledger import digest_of
from tests.tables import SCHEMA

CANARY = "Zuckmayer-4711"
"""A cell of every table: it must never be seen in what a command says."""

DEEP = "[" * 100_000
DIGITS = "9" * 5_000
HALF = "\ud800"
TEXTS = (
    "",
    " ",
    "x" * 300,
    "\x00",
    "\x1b[2J",
    "\u202egpj",
    "{name!r}",
    "{0.__class__}",
    "%s%n",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE entries; --",
    "auto",
    "nan",
    "1/0",
    "1e999999999",
    "-0",
    "٣",
    "e\u0301",
    "\U0001f600",
    "\ufeff",
    "row",
    "pid:99999999999999999999",
)
NUMBERS = (0, -1, 1, 2, 3, 10**15 + 1, -(10**18), 10**400, 1.5, 1e308, 5e-324, -0.0, True, False, None)
NOT_FINITE = (math.nan, math.inf, -math.inf)


def strange(dice, depth=0):
    """Any value that JSON can write, and some that it can only nearly write."""
    often = (TEXTS, NUMBERS, ([], {}), ("deeper",)) * 4
    kinds = (*often, NOT_FINITE, (HALF,))
    value = dice.choice(dice.choice(kinds))
    if value != "deeper" or depth > 3:
        return copy.deepcopy(value)
    if dice.random() < 0.5:
        return [strange(dice, depth + 1) for _ in range(dice.randrange(3))]
    return {dice.choice(("value", "name", "x")): strange(dice, depth + 1)}


def places(value, path=()):
    """The path to every part of a nested value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def changed(value, dice, times=1, part=None):
    """A copy with some of its parts replaced, removed, repeated or renamed."""
    value = copy.deepcopy(value)
    part = part or strange
    for _ in range(times):
        path = dice.choice(list(places(value)))
        if not path:
            if dice.random() < 0.1:
                return part(dice)
            continue
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        deed = dice.choice(("replace", "replace", "replace", "remove", "repeat", "add"))
        if deed == "replace":
            holder[path[-1]] = part(dice)
        elif deed == "remove":
            del holder[path[-1]]
        elif isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]) if deed == "repeat" else part(dice))
        else:
            holder[dice.choice(TEXTS)] = copy.deepcopy(holder[path[-1]]) if deed == "repeat" else part(dice)
    return value


def scratched(content, dice):
    """Bytes with some of them changed, cut off, doubled or put in."""
    content = bytearray(content)
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(content) + 1)
        deed = dice.choice(("flip", "flip", "cut", "cut short", "put", "double"))
        if deed == "flip" and at < len(content):
            content[at] ^= 1 << dice.randrange(8)
        elif deed == "cut":
            del content[at : at + dice.randrange(1, 20)]
        elif deed == "cut short" and dice.random() < 0.3:
            del content[at:]
        elif deed == "put":
            content[at:at] = dice.choice((b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b'"', b"\r", b"{", b"\x1b"))
        elif deed == "double":
            content[at:at] = content[at : at + dice.randrange(1, 60)]
    return bytes(content)


def codebook(number):
    """A codebook file."""
    dice = random.Random(f"codebook {number}")
    special = (
        DEEP,
        DEEP.replace("[", '{"fields":['),
        '{"fields": [{"name": "a", "type": "integer", "constraints": {"minimum": DIGITS}}]}'.replace(
            "DIGITS", DIGITS
        ),
        '{"fields": [{"name": "a", "categories": [1e999, NaN, -Infinity]}]}',
        '{"fields": [{"name": "\\ud800", "categories": ["a"]}]}',
        '{"fields": [{"name": "a", "categories": ["\\udfff", "b"]}]}',
        '{"fields": [{"name": "a", "title": "\\ud800", "categories": ["b"]}]}',
        "",
        "null",
        "[]",
        '"fields"',
        '{"resources": []}',
        '{"resources": [{"schema": null}]}',
        json.dumps({"fields": [{"name": f"c{i}", "categories": ["a"]} for i in range(1001)]}),
        json.dumps({"fields": [{"name": "c", "categories": list(range(5000))}]}),
    )
    if number < len(special):
        return special[number].encode()
    if dice.random() < 0.2:
        return scratched(json.dumps(SCHEMA).encode(), dice)
    return json.dumps(changed(SCHEMA, dice, dice.randrange(1, 4)), ensure_ascii=True).encode()


def plan(number, good):
    """A plan file, from a good one's values."""
    dice = random.Random(f"plan {number}")
    special = (
        f"x = {DEEP}",
        "x = " + "{a=" * 20_000,
        f"clusters = {DIGITS}",
        f"format = {DIGITS}\n",
        "\x00",
        "a.b.c = 1\na.b = 2",
        "x = 1e99999999999",
        tomli_w.dumps(good | {"shares": {"conditional tables": "1e999999999"}}),
        tomli_w.dumps(good | {"shares": {"conditional tables": "1/0"}}),
        tomli_w.dumps(good | {"weights": {"age": "1/0"}}),
        "x = 9999-99-99",
        'x = "\\ud800"',
        "",
    )
    if number < len(special):
        return special[number].encode()
    if dice.random() < 0.2:
        return scratched(tomli_w.dumps(good).encode(), dice)
    try:
        return tomli_w.dumps(changed(good, dice, dice.randrange(1, 4), toml_part)).encode()
    except (TypeError, ValueError, AttributeError, RecursionError):  # not every value has a TOML
        return scratched(tomli_w.dumps(good).encode(), dice)


def toml_part(dice):
    value = strange(dice)
    return dice.choice(("1/0", "1e999999999", "1/3", True, 0, -1, 1.5, [1], {})) if value is None else value


def bundle(number, good):
    """A bundle: a good one's files, changed within, their checksums right, or a zip that is none."""
    dice = random.Random(f"bundle {number}")
    if number % 6 == 0:
        return scratched(good, dice)
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name != "CHECKSUMS"}
    if number % 6 < 4:
        target = dice.choice(("model/tables.json", "model/tables.json", "model/codebook.json"))
        files[target] = json.dumps(
            changed(json.loads(files[target]), dice, dice.randrange(1, 4), model_part)
        ).encode()
    else:
        target = dice.choice(("model/tables.json", "model/codebook.json", "plan.toml"))
        deed = dice.choice(("remove", "scratch", "scratch", "deep", "digits", "empty"))
        if deed == "remove":
            del files[target]
        elif deed == "scratch":
            files[target] = scratched(files[target], dice)
        else:
            files[target] = {"deep": DEEP, "digits": DIGITS, "empty": ""}[deed].encode()
    files["CHECKSUMS"] = "".join(
        f"{digest_of(content)}  {name}\n" for name, content in files.items()
    ).encode()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    whole = content.getvalue()
    if dice.random() < 0.15:  # a stream that is none, in a zip whose directory is right
        start = whole.index(b"PK\x03\x04") + 64
        whole = whole[:start] + bytes(dice.randrange(256) for _ in range(16)) + whole[start + 16 :]
    return whole


def model_part(dice):
    return dice.choice((*NOT_FINITE, -0.5, 2.0, 0, 10**400, "x", [], [[0.5], 0.5], None, {}, -1, "age", HALF))


def table(number):
    """A small csv file with the canary in it."""
    dice = random.Random(f"table {number}")
    rows = [["age", "smokes", "coughs", "town", "income"]]
    rows += [
        [str(dice.randrange(80)), "no", "yes", "north", dice.choice(("low", "high", ""))]
        for _ in range(dice.randrange(1, 6))
    ]
    rows.append([dice.choice((CANARY, "7")), dice.choice((CANARY, "yes")), "no", CANARY, "low"])
    for _ in range(dice.randrange(3)):
        row = dice.choice(rows)
        at = dice.randrange(len(row))
        row[at : at + dice.randrange(1, 3)] = [dice.choice((*TEXTS, CANARY))] * dice.choice((1, 1, 1, 0, 2))
    text = "\n".join(map(dice.choice((",", ",", ",", ";", "\t", "|")).join, rows))
    content = text.encode("utf-8", "surrogatepass")
    if dice.random() < 0.3:
        content = scratched(content, dice)
    return dice.choice((content, content, content.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + content))


WORDS = (
    *TEXTS,
    *map(str, NUMBERS[:-1]),
    *map(str, NOT_FINITE),
    DIGITS,
    "\udcff",
    "-5",
    "1/3",
    "structure=1/0",
    "structure=1e999999999",
    "structure=1",
    "similarity=0.5,structure=0.5",
    "age",
    "age<",
    "age<nan",
    "age:3",
    "row:1",
    "people.csv",
    "cb.json",
    "p.toml",
    "nowhere",
    ".",
    "/dev/null",
    "/dev/zero",
    "x" * 5000,
    "-",
    "--",
)
GOOD = {
    "accounting": ("sound", "as-published"),
    "attributes": ("3",),
    "bundle": ("b.zip",),
    "cap": ("2",),
    "codebook": ("cb.json",),
    "data": ("people.csv",),
    "epsilon": ("0.01", "1"),
    "export": ("chain.json",),
    "k": ("2",),
    "method": ("independent",),
    "out": ("new.zip", "new"),
    "p": ("1",),
    "plan": ("p.toml",),
    "quasi": ("age,town",),
    "real": ("people.csv",),
    "rows": ("40",),
    "sensitive": ("income",),
    "simulate": ("0.5",),
    "synthetic": ("people.csv",),
    "unit": ("row", "age:3"),
    "workspace": ("w",),
}
WRITTEN = ("export", "out", "workspace")
"""Options that name what is written: their words stay inside the folder, whoever runs the tests."""


def arguments(number, parsers):
    """A command with good and bad words behind its options.

    Args:
        number: The case.
        parsers: The parser of every command, by its name.
    """
    dice = random.Random(f"arguments {number}")
    command = dice.choice(sorted(parsers))
    words = [command]
    for action in parsers[command]._actions:
        if action.dest == "help" or dice.random() > (0.95 if action.required else 0.3):
            continue
        if action.option_strings:
            words.append(dice.choice(action.option_strings))
        if action.nargs == 0:
            continue
        if dice.random() < 0.7 and (good := GOOD.get(action.dest) or action.choices):
            words.append(dice.choice(sorted(good)))
        else:
            words.append(dice.choice([w for w in WORDS if action.dest not in WRITTEN or _stays_inside(w)]))
    return words


def _stays_inside(word):
    return not word.startswith("/") and ".." not in word
