"""Drafts of a codebook: labels and vocabularies without a look, and guesses that fit their table."""

import contextlib
import datetime as dt
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import MAX_ATTRIBUTES
from hmpb_core.encoding import decode, encode
from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.sources.drafting import (
    VOCABULARIES,
    draft_from_header,
    draft_from_rows,
    fields_of_codebook_file,
    fields_of_labels,
    vocabulary_for,
)
from hmpb_core.sources.files import VariableLabels, read_file, read_header, read_table
from tests.datasets import data_file
from tests.sources.test_formats import workbook

GERMAN_EXCEL = (
    "Patienten-ID;Geschlecht;Alter;Größe;aufgenommen;Hauptdiagnose_ICD;Notiz;Raucher\r\n"
    + "".join(
        f"{1000 + i};{'wm'[i % 2]};{20 + i % 60};{1 + i % 70 / 100:.2f};{1 + i % 28:02d}.08.1996;"
        f"{('I21.9', 'E11.9', 'J18.0')[i % 3]};Müller sagt Nr. {i};{('ja', 'nein')[i % 2]}\r\n".replace(
            f"{1 + i % 70 / 100:.2f}", f"{1 + i % 70 / 100:.2f}".replace(".", ",")
        )
        for i in range(300)
    )
).encode("latin-1")


def field(schema, name):
    return next(entry for entry in schema["fields"] if entry["name"] == name)


def origin(entry):
    return provenance_of(entry).origin


def fits(frame, schema):
    """Whether the published part of a draft can encode its table; in parts, for the widest tables."""
    entries = [entry for entry in schema["fields"] if entry.get("publish") is not False]
    for start in range(0, len(entries), MAX_ATTRIBUTES):
        book = Codebook.from_dict({**schema, "fields": entries[start : start + MAX_ATTRIBUTES]})
        encode(frame, book)
    return True


# Vocabularies


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Country", "country"),
        ("Staatsangehörigkeit", "country"),
        ("nationalité", "country"),
        ("birthMonth", "month"),
        ("Wochentag", "weekday"),
        ("GESCHLECHT", "sex"),
        ("Year_Birth", "year of birth"),
        ("birthYear", "year of birth"),
        ("is_member", "yes or no"),
        ("isco-08", "occupation"),
        ("NACE Rev. 2", "industry"),
        ("icd10", "diagnosis"),
        ("Alter", "age"),
        ("share_pct", "percentage"),
        ("isced", "education"),
        ("q7_likert", "agreement"),
        ("language", "language"),
        ("education", None),
        ("message", None),
        ("percentile", None),
        ("", None),
    ],
)
def test_a_vocabulary_is_offered_by_the_columns_name_alone(name, key):
    found = vocabulary_for(name)
    assert (found.key if found else None) == key


@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda v: v.key)
def test_every_vocabulary_is_a_usable_field_that_names_its_source(vocabulary):
    codebook = Codebook.from_dict({"fields": [vocabulary.field_for("x")]})
    assert Codebook.from_json(codebook.to_json()) == codebook
    assert codebook.sources["x"].origin is Origin.VOCABULARY
    assert codebook.sources["x"].name == vocabulary.source
    assert codebook.undeclared == frozenset()


@pytest.mark.parametrize(
    ("name", "values", "categories"),
    [
        ("country", ["DE", "DEU", "US"], ["DE", "DE", "US"]),
        ("sex", ["w", "M", "2", "female"], ["female", "male", "female", "female"]),
        ("month", ["01", "März", "Dec", 12.0], ["1", "3", "12", "12"]),
        ("weekday", ["Montag", "Sun", "3"], ["1", "7", "3"]),
        ("icd10", ["D48.9", "D50.0", "T98", "Z99"], ["C00-D48", "D50-D89", "S00-T98", "Z00-Z99"]),
        ("isco", ["1120", "0310", 5], ["1", "0", "5"]),
        ("nace", ["01.11", "33", "C", "C10"], ["A", "C", "C", "C"]),
        ("is_new", ["ja", "N", True], ["true", "false", "true"]),
    ],
)
def test_a_vocabulary_takes_the_usual_ways_to_write_its_values(name, values, categories):
    codebook = Codebook.from_dict(draft_from_header([name]))
    codes = encode(pd.DataFrame({name: values}), codebook)[:, 0]
    assert [codebook.domain.attributes[0].labels[code] for code in codes] == categories


def test_the_standards_lists_are_whole():
    sizes = {v.key: len(v.field.get("categories", ())) for v in VOCABULARIES}
    # ISO 3166-1: 249 countries. ISO 639-1: 183. ICD-10: 22 chapters. ISIC Rev. 4: 21 sections.
    assert sizes["country"] == 249
    assert sizes["language"] == 183
    assert sizes["diagnosis"] == 22
    assert sizes["industry"] == 21
    assert sizes["occupation"] == 10
    assert sizes["education"] == 9
    prefixes = [
        p
        for c in next(v for v in VOCABULARIES if v.key == "diagnosis").field["categories"]
        for p in c["prefixes"]
    ]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for letter in letters:
        for tens in "0123456789":
            assert sum(f"{letter}{tens}".startswith(p) for p in prefixes) == (
                0 if letter == "D" and tens == "9" else 1
            )


# Without a look


def test_a_draft_without_a_look_depends_on_the_header_alone():
    one = read_header(b"sex;age;town\nf;30;K\n", name="t.csv")
    other = read_header(b"sex;age;town\n", name="t.csv")
    assert draft_from_header(one.names) == draft_from_header(other.names)


@pytest.mark.parametrize(
    ("unit", "digits", "step"), [(0.5, 1, 0.5), (0.25, 2, 0.25), (0.05, 2, 0.05), (0.1, 1, None)]
)
def test_numbers_that_are_all_halves_or_quarters_stay_so(unit, digits, step):
    values = [f"{i * unit:.{digits}f}" for i in range(3, 60)]
    entry, frame = guessed(*values)
    assert entry.get("multipleOf") == step
    assert entry.get("decimals") == (None if step else digits)
    for text in written_again(entry, frame):
        assert float(text) / unit == pytest.approx(round(float(text) / unit))


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (["1.0", "1.3", "1.7", "2.0", "2.3", "5.0"] * 20 + ["4.7"], True),
        (["sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft", "ungenügend"] * 10, True),
        (["gut"] * 99 + ["Tante Erna anrufen"], False),
        (["sehr gut"] * 99 + ["Erna"], False),
    ],
)
def test_a_column_named_note_with_a_few_short_values_holds_grades(values, listed):
    (entry,) = draft_from_rows(pd.DataFrame({"Note": values}))["fields"]
    assert (entry.get("publish") is not False) == listed
    assert not listed or len(entry["categories"]) == len(set(values))


def test_ids_and_free_text_are_not_published_by_their_names():
    names = ["id", "Patienten-ID", "uuid", "Nachname", "e-mail", "Bemerkungen", "idea", "notebook", "named"]
    roles = {e["name"]: e.get("role") for e in draft_from_header(names)["fields"]}
    assert roles == {
        "id": "identifier",
        "Patienten-ID": "identifier",
        "uuid": "identifier",
        "Nachname": "text",
        "e-mail": "text",
        "Bemerkungen": "text",
        "idea": None,
        "notebook": None,
        "named": None,
    }


def test_labels_of_a_file_are_declared_and_go_before_vocabularies():
    labels = [
        VariableLabels(
            name="sex", title="Sex", values=((1, "m"), (2, "f"), (9, "?")), missing=(9,), measure="nominal"
        ),
        VariableLabels(name="grade", values=((1, "good"), (2, "bad")), measure="ordinal"),
        VariableLabels(name="income", title="Income", values=((0, "none"),), measure="scale"),
    ]
    fields = fields_of_labels(labels, "t.sav")
    schema = draft_from_header(["sex", "grade", "income", "age"], fields)
    codebook = Codebook.from_dict(
        {**schema, "fields": [e for e in schema["fields"] if e["name"] != "income"]}
    )
    assert codebook.sources["sex"].words == "came with the file 't.sav'"
    assert codebook.domain.attributes[0].categories == (1, 2)
    assert codebook.domain.attributes[1].ordered
    assert codebook.missing_of("sex") == {"", "9"}
    assert codebook.titles == {"sex": "Sex"}
    assert origin(field(schema, "age")) is Origin.VOCABULARY
    assert field(schema, "income")["title"] == "Income"
    assert field(schema, "income")["declared"] is False


# The file that Excel in German saves


def test_excel_in_german_is_read_rightly_and_gets_a_sensible_draft():
    table = read_file(GERMAN_EXCEL, name="Patienten.csv")
    reading = table.reading
    assert (reading.encoding, reading.delimiter, reading.decimal) == ("cp1252", ";", ",")
    assert table.frame.loc[5, "Größe"] == "1.05"
    assert table.frame.loc[5, "Notiz"] == "Müller sagt Nr. 5"
    schema = draft_from_rows(table.frame)
    assert fits(table.frame, schema)
    assert field(schema, "Patienten-ID") | {"title": 0} == {
        "name": "Patienten-ID",
        "type": "string",
        "role": "identifier",
        "publish": False,
        "title": 0,
    }
    assert field(schema, "Notiz")["role"] == "text"
    for name in ("Alter", "Hauptdiagnose_ICD"):
        assert origin(field(schema, name)) is Origin.VOCABULARY, name
    sexes = field(schema, "Geschlecht")["categories"]
    assert [sex["value"] for sex in sexes] == ["w", "m", "d", "u"], "in the words of the file"
    assert (field(schema, "Größe")["decimals"], field(schema, "aufgenommen")["format"]) == (2, "%d.%m.%Y")
    for name in ("Geschlecht", "Größe", "aufgenommen", "Raucher"):
        assert origin(field(schema, name)) is Origin.GUESS, name
        assert field(schema, name)["declared"] is False
    assert field(schema, "Größe")["type"] == "number"
    assert field(schema, "Raucher")["categories"] == ["ja", "nein"]


# Guesses


def guessed(*texts, name="x", times=20):
    frame = pd.DataFrame({name: list(texts) * times})
    schema = draft_from_rows(frame)
    assert fits(frame, schema)
    return schema["fields"][0], frame


def written_again(entry, frame):
    """What a synthetic table would hold of the column: its own values, through codes and back."""
    book = Codebook.from_dict({"fields": [entry]})
    rows = decode(encode(frame, book), book.domain, np.random.default_rng(0))
    return set(csv_of(rows, CsvForm.of(book)).decode().split("\n")[1:-1])


@pytest.mark.parametrize(
    "texts",
    [
        ("1.0", "2.0", "3.0"),
        ("1", "2", "3"),
        ("0.5", "1.5"),
        ("Ja", "Nein"),
        ("TRUE!", "FALSE!"),
        ("TRUE", "FALSE"),
        ("3", "7.5", "10"),
        ("0.50", "1.00"),
        (".5", "-.25", "3"),
        (".50", "1.00", "-.25"),
        ("01067", "80331"),
    ],
    ids=str,
)
def test_few_values_come_out_as_the_file_writes_them(texts):
    entry, frame = guessed(*texts)
    assert written_again(entry, frame) == set(texts)


def test_many_numbers_without_a_zero_before_the_point_come_out_so():
    entry, frame = guessed(*(f"{i / 100:.2f}".removeprefix("0") for i in range(1, 200)), times=1)
    assert (entry["decimals"], entry["written"]) == (2, ".50")
    assert {"nan", ""}.isdisjoint(written_again(entry, frame))
    assert any(text.startswith(".") for text in written_again(entry, frame))


def test_a_few_huge_amounts_do_not_make_the_grid_of_all_others_coarse():
    entry, _ = guessed("1000000000", *(f"{i * 1.0123456789:.8f}" for i in range(1, 99)), times=1)
    assert entry["constraints"]["maximum"] == 10**9
    assert entry["decimals"] == 1  # the median is about 50: three digits of it


@pytest.mark.parametrize("words", [("Ja", "Nein"), ("J", "N"), ("oui", "non")], ids=str)
def test_a_vocabulary_of_yes_and_no_is_guessed_in_the_words_of_the_file(words):
    entry, frame = guessed(*words, name="is_smoker")
    assert entry["categories"] == list(words)
    assert origin(entry) is Origin.GUESS
    assert written_again(entry, frame) == set(words)
    assert guessed("true", "false", name="is_smoker")[0]["type"] == "boolean"


@pytest.mark.parametrize(
    ("low", "high", "kind", "form"),
    [
        ("1996-08-27", "1999-01-01", "date", None),
        ("27.08.1996", "01.02.1999", "date", "%d.%m.%Y"),
        ("27.08.96", "01.02.99", "date", "%d.%m.%y"),
        ("08/27/1996", "01/02/1999", "date", "%m/%d/%Y"),
        ("1996-08-27 14:30", "1999-01-01 00:00", "datetime", "%Y-%m-%d %H:%M"),
        ("27.08.1996 14:30", "01.02.1999 08:00", "datetime", "%d.%m.%Y %H:%M"),
        ("1996-08", "1999-01", "yearmonth", None),
        ("08/1996", "01/1999", "yearmonth", "%m/%Y"),
        ("08:30", "23:59", "time", "%H:%M"),
        ("8/27/1996", "1/12/1999", "date", "%-m/%-d/%Y"),
        ("8/27/96", "11/12/99", "date", "%-m/%-d/%y"),
        ("8/27/1996 4:05", "11/12/1999 14:30", "datetime", "%-m/%-d/%Y %-H:%M"),
        ("1996-08-27T14:30:00Z", "1999-01-01T00:00:00Z", "datetime", "%Y-%m-%dT%H:%M:%SZ"),
        ("19960827", "19990101", "date", "%Y%m%d"),
        ("27-Aug-1996", "01-Feb-1999", "date", "%d-%b-%Y"),
        ("August 27, 1996", "March 01, 1999", "date", "%B %d, %Y"),
        ("Mar-2018", "Jan-2019", "yearmonth", "%b-%Y"),
        ("08:30:05", "23:59:00", "time", None),
    ],
)
def test_dates_and_times_keep_the_way_in_which_they_are_written(low, high, kind, form):
    entry, frame = guessed(low, high)
    assert (entry["type"], entry.get("format")) == (kind, form)
    shapes = {shape_of(text.strip('"'), form) for text in written_again(entry, frame)}
    assert shapes == {shape_of(low, form)}


def shape_of(text, form):
    """Which characters stand where; a day, month or hour may have one digit or two."""
    loose = r"(?<![:\d])\d{1,2}(?!\d)" if form and "%-" in form else r"\d"
    return re.sub("[A-Za-z]+", "a", re.sub(r"\d", "0", re.sub(loose, "0", text)))


def test_days_with_a_time_and_days_without_one_are_days():
    entry, frame = guessed("2014-07-02T11:45", "2013-02-18")
    assert entry["type"] == "date"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in written_again(entry, frame))


def test_moments_that_are_all_midnight_stay_midnight():
    entry, frame = guessed(*(f"2014-07-{day:02d} 00:00:00" for day in range(1, 29)))
    assert all(text.endswith("00:00:00") for text in written_again(entry, frame))


def test_many_numbers_keep_their_decimals_and_what_divides_them():
    prices = [f"{i / 100:.2f}" for i in range(1, 300, 7)]
    entry, frame = guessed(*prices)
    assert (entry["type"], entry["decimals"]) == ("number", 2)
    assert all(len(text.partition(".")[2]) <= 2 for text in written_again(entry, frame))
    whole, _ = guessed(*(f"{i}.0" for i in range(50)))
    assert (whole["type"], whole["multipleOf"]) == ("number", 1)
    hundreds, _ = guessed(*(str(100 * i) for i in range(50)))
    assert (hundreds["type"], hundreds["multipleOf"]) == ("integer", 100)
    computed, _ = guessed(*(repr(i / 7) for i in range(1, 50)))
    assert "decimals" not in computed
    huge, _ = guessed(*(f"{i}00000000000.123456" for i in range(1, 50)))
    assert "decimals" not in huge


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([repr(i * 1.15078) for i in range(1, 60)], {"multipleOf": 2e-05}),  # 6.904679999999999 among them
        ([repr(float(np.float32(i / 100))) for i in range(1, 90)], {"decimals": 2}),  # as Stata keeps it
        ([f"{np.float32(i / 10):.15g}" for i in range(1, 90)], {"decimals": 1}),  # and R writes it
    ],
)
def test_the_last_digits_that_a_computer_made_are_no_decimals(values, says):
    entry, _ = guessed(*values)
    assert {key: entry.get(key) for key in says} == says


def test_very_small_numbers_with_a_power_of_ten_are_no_missing_codes():
    values = [f"{i}.25" for i in range(1, 60)]
    entry, _ = guessed(*values, "-6.84697e-4", "1e-05")
    assert "missingValues" not in entry
    assert (entry["type"], entry["decimals"]) == ("number", 2)
    flats, _ = guessed(*(f"{i}.25" for i in range(1, 60)), "6e4x")
    assert "6e4x" in flats["missingValues"]
    people, _ = guessed(*(f"{i}1907.0" for i in range(1, 60)), "3.3736494e7")  # as Java writes it
    assert (people["type"], people["multipleOf"]) == ("number", 1)
    tiny, _ = guessed(*(f"{i}.5E-05" for i in range(10, 60)))
    assert tiny["constraints"]["maximum"] == pytest.approx(0.0006)


def test_a_missing_code_without_decimals_says_nothing_of_how_numbers_are_written():
    tenths = [f"{i / 10:.1f}" for i in range(300)]
    entry, frame = guessed(*tenths, "-200")
    assert "written" not in entry
    assert "12.0" in written_again(entry, frame)
    assert guessed(*(repr(i / 10).removesuffix(".0") for i in range(300)))[0]["written"] == "shortest"


def test_a_column_named_percent_that_holds_parts_of_1_is_bounded_by_1():
    frame = pd.DataFrame(
        {"win_pct": [repr(i / 90) for i in range(91)], "tax_pct": [i / 2 for i in range(91)]}
    )
    parts, percent = draft_from_rows(frame)["fields"]
    assert parts["constraints"]["maximum"] == 1
    assert percent["constraints"]["maximum"] == 100


def test_amounts_of_all_sizes_keep_the_small_ones_apart():
    products = [8.8e6 * 1.26**i + 0.55556 for i in range(70)]  # to 10^14, as those of countries
    entry, _ = guessed(*(f"{product:.5f}" for product in products))
    assert entry["multipleOf"] == 100_000
    shares, _ = guessed(*(repr(1 / 3**i) for i in range(1, 40)))
    assert shares["decimals"] == 6


@pytest.mark.parametrize("seed", range(200))
def test_a_guess_fits_the_table_it_came_from(seed):
    rng = np.random.default_rng(seed)
    frame = random_table(rng)
    if seed % 3 == 0:
        frame = read_table(frame.to_csv(index=False).encode(), name="t.csv")
    assert fits(frame, draft_from_rows(frame))


def random_table(rng):
    n = int(rng.choice([1, 2, 7, 60, 400]))
    columns = {}
    for i in range(int(rng.integers(1, 8))):
        name = (
            f"c{i}"
            if rng.random() < 0.7
            else str(rng.choice(["age", "sex", "id", "month", "name", "icd"])) + str(i)
        )
        columns[name] = random_column(rng, n)
    return pd.DataFrame(columns)


def random_column(rng, n):
    kind = int(rng.integers(16))
    values = {
        0: lambda: rng.integers(-5, 5, n),
        1: lambda: rng.integers(-(10**18), 10**18, n),
        2: lambda: rng.normal(0, 10.0 ** int(rng.integers(-8, 20)), n),
        3: lambda: rng.choice([0.0, 1.5, np.inf, np.nan, -0.0], n),
        4: lambda: rng.choice(["a", " a", "b ", "", "NA", "?", "n.a."], n),
        5: lambda: [f"text number {i} {'x' * int(rng.integers(80))}" for i in range(n)],
        6: lambda: rng.choice(["True", "False", "true"], n),
        7: lambda: pd.array(rng.choice([True, False, None], n), dtype="boolean"),
        8: lambda: [str(dt.date(1950, 1, 1) + dt.timedelta(days=int(d))) for d in rng.integers(0, 30000, n)],
        9: lambda: [f"{d:02d}.{m:02d}.1996" for d, m in rng.integers(1, 13, (n, 2))],
        10: lambda: [None] * n,
        11: lambda: rng.choice(["1", "1.0", "01", "+1", "1e0", "2", "٣"], n),
        12: lambda: pd.array(rng.choice([2**53 + 1, 2**53, None], n), dtype="Int64"),
        13: lambda: pd.Series(
            [(True, 1, 1.0, "1", None, "x", -9)[int(i)] for i in rng.integers(0, 7, n)], dtype=object
        ),
        14: lambda: [chr(int(c)) * int(k) for c, k in rng.integers(33, 5000, (n, 2)) % [3000, 4] + [33, 1]],
        15: lambda: rng.integers(0, 10**6, n),
    }
    return values[kind]()


REALISTIC = {  # each made with a generator; some need none
    "survey": lambda r: {
        "age": r.integers(18, 90, 500),
        "sex": r.choice(["m", "f"], 500),
        "q1": r.integers(1, 6, 500),
    },
    "missing codes": lambda r: {"x": r.choice([1, 2, -9, -8], 500), "y": r.choice(["a", "n.a.", ""], 500)},
    "wages": lambda r: {"wage": np.round(r.lognormal(8, 1, 500), 2), "hours": r.choice([40, 38.5, 20], 500)},
    "spikes": lambda r: {"gain": r.choice([0, 0, 0, 99999, 7688], 500)},
    "patients": lambda r: {"icd": r.choice(["I21.9", "E11"], 500), "los": r.poisson(5, 500)},
    "unusual codes under a usual name": lambda r: {
        "icd": r.choice(["xx", "yy"], 500),
        "sex": r.choice(["A", "B"], 500),
    },
    "panel": lambda _: {"pid": np.repeat(np.arange(100), 5), "wave": np.tile(np.arange(5), 100)},
    "dates": lambda r: {"born": [f"{y}-01-31" for y in r.integers(1920, 2010, 500)], "at": ["12:30"] * 500},
    "zip codes": lambda r: {"plz": [f"{p:05d}" for p in r.integers(0, 300, 500)]},
    "wide floats": lambda r: {"x": r.normal(0, 1e-9, 500), "y": r.normal(1e12, 1, 500)},
    "constant": lambda _: {"one": [1] * 500, "text": ["same"] * 500, "half": [0.5] * 500},
    "letters": lambda r: {
        "comment": [f"Dear {i}, thank you" for i in range(500)],
        "stars": r.integers(1, 6, 500),
    },
}


@pytest.mark.parametrize("name", REALISTIC)
@pytest.mark.parametrize("through_csv", [False, True])
def test_a_guess_fits_a_realistic_table(name, through_csv):
    frame = pd.DataFrame(REALISTIC[name](np.random.default_rng(3)))
    if through_csv:
        frame = read_table(frame.to_csv(index=False).encode(), name="t.csv")
    schema = draft_from_rows(frame)
    assert fits(frame, schema)
    assert all(e.get("publish") is False for e in schema["fields"] if e["name"] in ("pid", "comment"))


@pytest.mark.parametrize("name", ["adult_train", "big5"])
def test_a_guess_fits_the_tables_of_the_papers(name):
    frame = read_table(data_file(f"{name}.csv"))
    assert fits(frame, draft_from_rows(frame))


def test_what_a_vocabulary_does_not_hold_is_guessed_and_marked():
    frame = pd.DataFrame({"sex": ["A", "B"] * 50})
    assert origin(draft_from_rows(frame)["fields"][0]) is Origin.GUESS


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["MALE", "FEMALE"], ["FEMALE", "MALE"]),
        (["male", "female"], ["female", "male"]),
        (["1", "2"], ["2", "1"]),
    ],
    ids=str,
)
def test_a_vocabulary_is_written_in_the_letters_of_the_file(texts, kept):
    entry, _ = guessed(*texts, name="sex")
    assert [category["value"] for category in entry["categories"]][:2] == kept


@pytest.mark.parametrize(
    "texts",
    [
        ("may", "jul", "aug"),
        ("MAY", "JUL"),
        ("May", "Jul"),
        ("july", "august"),
        ("juillet", "mai"),
        ("5", "7"),
    ],
    ids=str,
)
def test_months_leave_in_the_words_and_letters_of_the_file(texts):
    entry, frame = guessed(*texts, name="month")
    assert written_again(entry, frame) == set(texts)
    assert len(entry["categories"]) == 12


def test_countries_keep_the_code_of_the_file():
    entry, frame = guessed("USA", "PRT", name="country")
    assert written_again(entry, frame) == {"USA", "PRT"}
    assert "FRA" in [category["value"] for category in entry["categories"]]


@pytest.mark.parametrize(
    "ages",
    [[str(i) for i in range(150, 450)], [f"{i / 100}" for i in range(20, 90)]],
    ids=["months", "decimals"],
)
def test_an_age_that_is_no_whole_number_of_years_is_neither_clipped_nor_rounded(ages):
    entry, frame = guessed(*ages, name="age")
    low, high = entry["constraints"]["minimum"], entry["constraints"]["maximum"]
    assert low <= min(map(float, ages)) < max(map(float, ages)) <= high
    assert ("decimals" in entry) == ("." in ages[0])
    assert len(written_again(entry, frame)) > 50


def test_a_few_finer_numbers_do_not_make_all_others_fine():
    years = [f"{i}.0" for i in range(1, 90)] * 10
    entry, frame = guessed(*years, "0.42", "0.75", name="age", times=1)
    assert (entry["type"], entry["multipleOf"], entry["constraints"]["maximum"]) == ("number", 1, 120)
    assert all(text.endswith(".0") for text in written_again(entry, frame))
    length, _ = guessed(*(f"{i}.5" for i in range(90)), "1.2345", name="length", times=1)
    assert length["decimals"] == 1


def test_a_percentage_that_is_always_the_same_stays_so():
    entry, frame = guessed("4.761904762", name="margin_percentage")
    assert written_again(entry, frame) == {"4.761904762"}


def test_yes_and_no_written_as_numbers_come_out_as_numbers():
    entry, frame = guessed("0", "1", name="is_smoker")
    assert written_again(entry, frame) == {"0", "1"}


@pytest.mark.parametrize("name", ["is_smoker", "smoker", "x"])
def test_truths_leave_in_the_letters_of_the_file(name):
    for texts in ({"TRUE", "FALSE"}, {"True", "False"}, {"true", "false"}):
        entry, frame = guessed(*texts, name=name)
        assert written_again(entry, frame) == texts


def test_two_sexes_in_words_that_no_list_has_together_leave_in_them():
    for texts in ({"woman", "man"}, {"Frau", "Male"}):
        entry, frame = guessed(*texts, name="sex")
        assert written_again(entry, frame) == texts
        assert len(entry["categories"]) == 4


def test_two_sexes_written_0_and_1_are_no_codes_of_iso_5218():
    entry, _ = guessed("0", "1", name="sex")
    assert entry["categories"] == [0, 1]
    labels = {c["value"]: c.get("label") for c in guessed("0", "1", "2", name="sex")[0]["categories"]}
    assert (labels["1"], labels["0"]) == ("male", "not known")


def test_none_beside_empty_cells_is_an_answer_and_by_itself_a_missing_value():
    entry, _ = guessed("None", "", "Landed", "Stopped", name="effect")
    assert (entry["categories"], entry["missingValues"]) == (["Landed", "None", "Stopped"], [""])
    assert "None" not in guessed("None", "Landed", "Stopped", name="effect")[0]["categories"]
    numbers, _ = guessed("NA", "", *map(str, range(50)), name="n")
    assert numbers["type"] == "integer"


def test_computed_numbers_are_whole_where_the_file_writes_them_so():
    computed = [repr(i / 7) for i in range(60) if i % 7]
    assert guessed("0", *computed)[0]["written"] == "shortest"
    assert "written" not in guessed("0.0", *computed)[0]


def test_numbers_with_leading_zeros_are_codes():
    entry, _ = guessed(*(f"{i:05d}" for i in range(1000, 1040)))
    assert entry["categories"][0] == "01000"
    many, _ = guessed(*(f"{i:05d}" for i in range(1000, 2000)), times=1)
    assert (many["publish"], many["role"]) == (False, "identifier")


@pytest.mark.parametrize(
    "numbers",
    [range(1, 101), np.random.default_rng(0).permutation(100) + 7, np.arange(100) ** 2 + 1015],
    ids=["counted", "shuffled", "growing"],
)
def test_numbers_of_rows_are_identifiers(numbers):
    entry, _ = guessed(*map(str, numbers), times=1)
    assert (entry["publish"], entry["role"]) == (False, "identifier")


@pytest.mark.parametrize("numbers", [range(1930, 2010), np.random.default_rng(0).integers(0, 10**6, 100)])
def test_years_and_amounts_are_no_identifiers(numbers):
    entry, _ = guessed(*map(str, numbers), times=1)
    assert entry["type"] == "integer"


def test_numbers_of_a_list_are_no_identifiers_and_names_of_codes_no_free_text():
    names = ["MaritalStatusID", "dept_id", "GenderID", "RaceDesc", "EmpID", "patient_id", "desc"]
    fields = draft_from_header(names)["fields"]
    assert [entry.get("publish", True) for entry in fields] == [True] * 4 + [False] * 3


def test_a_vocabulary_in_the_files_own_words_has_no_missing_value_where_the_column_has_none():
    assert guessed("F", "M", name="sex")[0]["constraints"] == {"required": True}
    assert "constraints" not in guessed("F", "M", "", name="sex")[0]


def test_a_word_among_many_numbers_is_a_missing_code():
    entry, _ = guessed(*map(str, range(16, 80)), "Unknown")
    assert (entry["type"], entry["missingValues"]) == ("integer", ["Unknown", ""])
    assert guessed(*map(str, range(16)), "other")[0]["type"] == "string"


def test_long_answers_to_choose_are_a_list_and_long_texts_of_one_row_are_not():
    long = "a sentence that somebody may choose as an answer to a question of a survey"
    assert guessed(f"Yes, {long}", f"No, {long}")[0]["categories"] == [f"No, {long}", f"Yes, {long}"]
    assert guessed(*(f"{i}, {long}" for i in range(60)), times=1)[0]["role"] == "text"


def test_a_long_list_whose_values_are_mostly_of_one_person_is_not_published():
    names = [f"town {i}" for i in range(150)] + ["city"] * 900
    assert guessed(*names, times=1)[0]["publish"] is False


def test_a_column_named_like_an_identifier_that_holds_two_words_is_a_list():
    assert guessed("covid", "flu", name="test_id", times=30)[0]["categories"] == ["covid", "flu"]
    assert guessed("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", name="surname")[0]["publish"] is False


def test_bounds_are_written_without_the_noise_of_binary_fractions():
    entry, _ = guessed(*(f"{13.1 + i / 10:.1f}" for i in range(80)))
    assert entry["constraints"]["minimum"] == 13.1


def test_columns_of_mostly_distinct_values_are_not_published():
    frame = pd.DataFrame({"x": [f"k{i % 90}" for i in range(100)], "y": [f"k{i % 40}" for i in range(100)]})
    published = [entry.get("publish") is not False for entry in draft_from_rows(frame)["fields"]]
    assert published == [False, True]


# Codebook files

REDCAP = (
    '"Variable / Field Name","Form Name","Field Type","Field Label",'
    '"Choices, Calculations, OR Slider Labels",'
    '"Text Validation Type OR Show Slider Number","Text Validation Min","Text Validation Max","Identifier?"\n'
    "record_id,f,text,Record,,,,,y\n"
    "smoke,f,yesno,Smokes?,,,,,\n"
    'grade,f,radio,"<b>Grade</b>","1, low | 2, high, or so | 01, odd",,,,\n'
    'meds,f,checkbox,Medicines,"1, A | 2, B",,,,\n'
    "weight,f,text,Weight,,number,30,250.5,\n"
    "age,f,text,Age,,integer,0,120,\n"
    "remark,f,notes,Remark,,,,,\n"
    "free,f,text,Free,,,,,\n"
)
DDI = """<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="V1" intrvl="discrete"><labl>Sex</labl>
 <catgry><catValu>1</catValu><labl>male</labl></catgry><catgry><catValu>2</catValu><labl>female</labl></catgry>
 <catgry missing="Y"><catValu>9</catValu><labl>no answer</labl></catgry><varFormat type="numeric"/></var>
<var name="V2" intrvl="contin"><labl>Age</labl><valrng><range min="18" max="99"/></valrng></var>
<var name="V3"><labl>Name</labl><varFormat type="character"/></var></dataDscr></codeBook>"""


def test_bounds_that_came_with_a_file_or_a_vocabulary_have_their_bins_learned_and_declared_bins_stay():
    given = fields_of_codebook_file(REDCAP.encode(), name="dictionary.csv")
    given["size"] = {**given["weight"], "bins": [30, 60, 250.5]}
    fields = draft_from_header(["weight", "size", "alter"], given)["fields"]
    drafted = {entry["name"]: entry for entry in fields}
    assert [drafted[name]["bins"] for name in ("weight", "size", "alter")] == [
        "learned",
        [30, 60, 250.5],
        "learned",
    ]


def test_first_and_last_beside_each_other_are_names_of_people():
    fields = draft_from_header(["first", "last", "age"])["fields"]
    assert [entry.get("role") for entry in fields] == ["text", "text", None]
    assert "role" not in draft_from_header(["last", "age"])["fields"][0]
    frame = pd.DataFrame({"first": ["Ann", "Ben"] * 30, "last": [f"L{i}" for i in range(60)]})
    assert draft_from_rows(frame[["first", "last"]])["fields"][1]["publish"] is False


def test_a_redcap_dictionary_declares_its_fields():
    fields = fields_of_codebook_file(REDCAP.encode(), name="dictionary.csv")
    assert fields["record_id"]["publish"] is False
    assert fields["smoke"]["type"] == "boolean"
    assert [c["value"] for c in fields["grade"]["categories"]] == ["1", "2", "01"]
    assert fields["grade"]["categories"][1]["label"] == "high, or so"
    assert fields["grade"]["title"] == "Grade"
    assert fields["meds___2"] == {
        "name": "meds___2",
        "title": "Medicines: B",
        "type": "boolean",
        "source": {"kind": "file", "name": "dictionary.csv"},
    }
    assert fields["weight"]["constraints"] == {"minimum": 30, "maximum": 250.5}
    assert fields["age"]["type"] == "integer"
    assert fields["remark"]["role"] == "text"
    assert "source" not in fields["free"]


def test_a_ddi_codebook_declares_its_variables():
    fields = fields_of_codebook_file(DDI.encode(), name="study.xml")
    schema = draft_from_header(["V1", "V2", "V3"], fields)
    codebook = Codebook.from_dict({"fields": schema["fields"][:2]})
    assert codebook.domain.attributes[0].categories == (1, 2)
    assert codebook.missing_of("V1") == {"", "9"}
    assert codebook.value_labels["V1"] == {"1": "male", "2": "female", "9": "no answer"}
    assert (codebook.domain.attributes[1].minimum, codebook.domain.attributes[1].maximum) == (18, 99)
    assert codebook.undeclared == frozenset()
    assert schema["fields"][2]["declared"] is False


def test_an_odk_form_declares_its_questions():
    content = workbook(
        {
            "survey": [
                ["type", "name", "label::English"],
                ["begin_group", "g", "G"],
                ["select_one colour", "col", "Colour"],
                ["text", "why", "Why"],
                ["range", "pain", "Pain"],
                ["integer", "n", "How many"],
            ],
            "choices": [
                ["list_name", "name", "label::English"],
                ["colour", "r", "red"],
                ["colour", "g", "green"],
            ],
        }
    )
    fields = fields_of_codebook_file(content, name="form.xlsx")
    assert [c["value"] for c in fields["col"]["categories"]] == ["r", "g"]
    assert fields["col"]["title"] == "Colour"
    assert fields["why"]["publish"] is False
    assert "g" not in fields
    assert "source" not in fields["n"]


def test_a_data_package_declares_its_fields_and_keeps_what_is_a_guess():
    package = {
        "resources": [
            {
                "schema": {
                    "fields": [
                        {"name": "a", "type": "string", "categories": ["x", "y"]},
                        {
                            "name": "b",
                            "type": "string",
                            "categories": ["x"],
                            "source": {"kind": "guess"},
                            "declared": False,
                        },
                        {"name": "c", "type": "string", "categories": ["x"], "declared": False},
                        {"name": "d", "type": "string"},
                    ]
                }
            }
        ]
    }
    fields = fields_of_codebook_file(json.dumps(package).encode(), name="datapackage.json")
    schema = draft_from_header(list("abcd"), fields)
    assert [origin(entry) for entry in schema["fields"][:3]] == [Origin.FILE, Origin.GUESS, Origin.GUESS]
    assert schema["fields"][3]["declared"] is False


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"[" * 100_000, "is not JSON"),
        ("a.json", b"{}", "describes no variable"),
        ("a.xml", b"<a>", "is not well-formed XML"),
        (
            "a.xml",
            b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
            "is not well-formed XML without document types",
        ),
        ("a.xml", b"<a/>", "describes no variable"),
        ("a.csv", b"x,y\n1,2\n", "describes no variable"),
        ("a.xlsx", b"x", "is not a whole workbook"),
        ("a.pdf", b"x", "is no codebook file by its ending"),
    ],
)
def test_a_file_that_is_no_codebook_is_refused(name, content, text):
    with pytest.raises(SourceError, match=text):
        fields_of_codebook_file(content, name=name)


@settings(max_examples=200)
@given(
    st.binary(max_size=200) | st.text(max_size=100).map(str.encode),
    st.sampled_from([".json", ".xml", ".csv", ".xlsx"]),
)
def test_whatever_is_handed_in_as_a_codebook_file_only_our_own_errors_come_out(content, ending):
    try:
        fields = fields_of_codebook_file(content, name=f"x{ending}")
    except HmpbError:
        return
    assert isinstance(fields, dict)


def test_a_workbook_of_random_bytes_in_its_parts_raises_our_own_errors_only():
    rng = np.random.default_rng(0)
    whole = workbook({"T": [["a", "b"], [1, "x"]]})
    for _ in range(150):
        broken = bytearray(whole)
        for place in rng.integers(0, len(broken), int(rng.integers(1, 30))):
            broken[place] = int(rng.integers(256))
        with contextlib.suppress(HmpbError):
            read_table(bytes(broken), name="t.xlsx")
