"""The csv that leaves is written as the one that came, unless asked otherwise."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.dialect import PLAIN, CsvDialect
from hmpb_core.errors import DomainError
from hmpb_core.planning.plan_file import codebook_digest
from hmpb_core.publishing.package import datapackage_of
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.sources.files import read_file

GERMAN = {"delimiter": ";", "decimal": ",", "encoding": "cp1252"}
FIELDS = [
    {"name": "Größe", "type": "number", "constraints": {"minimum": 0, "maximum": 3}, "decimals": 2},
    {"name": "raucht", "type": "boolean", "trueValues": ["JA", "ja"], "falseValues": ["NEIN"]},
    {"name": "Ort", "categories": ["Köln", "Brühl;Ost"]},
]
ROWS = pd.DataFrame(
    {
        "Größe": pd.array([1.5, None, 2.0], dtype="Float64"),
        "raucht": pd.array([True, False, None], dtype="boolean"),
        "Ort": ["Köln", "Brühl;Ost", None],
    }
)


def test_a_german_file_leaves_as_excel_in_german_writes_it():
    form = CsvForm.of(Codebook.from_dict({"fields": FIELDS, "reading": GERMAN}))
    text = csv_of(ROWS, form).decode("cp1252")
    assert text.split("\n") == ["Größe;raucht;Ort", "1,5;JA;Köln", ';NEIN;"Brühl;Ost"', "2,0;;", ""]
    again = read_file(csv_of(ROWS, form), name="t.csv")
    assert again.frame["Größe"].tolist()[0] == "1.5"
    assert (again.reading.encoding, again.reading.delimiter, again.reading.decimal) == ("cp1252", ";", ",")


@pytest.mark.parametrize(
    ("written", "texts"),
    [(None, ["1.5", "2.0"]), ("shortest", ["1.5", "2"]), (2, ["1.50", "2.00"])],
    ids=str,
)
def test_numbers_are_written_as_the_field_says(written, texts):
    entry = {**FIELDS[0], "name": "x", **({"written": written} if written is not None else {})}
    book = Codebook.from_dict({"fields": [entry]})
    assert Codebook.from_json(book.to_json()) == book
    rows = pd.DataFrame({"x": [1.5, 2.0]})
    assert csv_of(rows, CsvForm.of(book)).decode().split("\n")[1:-1] == texts


def test_a_codebook_keeps_its_dialect_and_a_plan_does_not_depend_on_it():
    book = Codebook.from_dict({"fields": FIELDS, "reading": GERMAN})
    assert Codebook.from_json(book.to_json()).dialect == CsvDialect(**GERMAN)
    plain = Codebook.from_dict({"fields": FIELDS, "reading": GERMAN, "dialect": PLAIN.to_dict()})
    assert plain.dialect == PLAIN
    assert codebook_digest(plain) == codebook_digest(book)


def test_the_data_dictionary_says_how_the_file_is_written():
    book = Codebook.from_dict({"fields": FIELDS, "reading": GERMAN})
    package = json.loads(
        datapackage_of(book, {"data.csv": b""}, name="n", title="t", description="d", created="c")
    )
    resource = package["resources"][0]
    assert (resource["encoding"], resource["dialect"]["delimiter"]) == ("cp1252", ";")
    number, truth, _ = resource["schema"]["fields"]
    assert number["decimalChar"] == ","
    assert (truth["trueValues"], truth["falseValues"]) == (["JA"], ["NEIN"])


def test_a_character_that_the_encoding_lacks_makes_it_utf_8():
    fields = [*FIELDS, {"name": "z", "categories": ["中"]}]
    assert CsvForm.of(Codebook.from_dict({"fields": fields, "reading": GERMAN})).dialect.encoding == "utf-8"


@pytest.mark.parametrize(
    "dialect", [{"delimiter": "ab"}, {"decimal": "x"}, {"encoding": "hex"}, "x"], ids=str
)
def test_an_impossible_dialect_is_refused_and_an_impossible_reading_passed_over(dialect):
    with pytest.raises(DomainError, match="dialect"):
        Codebook.from_dict({"fields": FIELDS, "dialect": dialect})
    assert Codebook.from_dict({"fields": FIELDS, "reading": dialect}).dialect == PLAIN


def test_the_commands_write_the_dialect_that_came_unless_asked_otherwise(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"Größe": rng.normal(1.7, 0.1, 400).round(2), "Ort": rng.choice(["Köln", "Bonn"], 400)}
    )
    table, book = tmp_path / "t.csv", str(tmp_path / "cb.json")
    frame.to_csv(table, sep=";", decimal=",", index=False, encoding="cp1252")
    assert main(["codebook", str(table), "--guess", "-o", book]) == 0
    run = ["synthesize", str(table), "--codebook", book, "--epsilon", "1", "--method", "independent"]
    assert main([*run, "--out", str(tmp_path / "a.csv")]) == 0
    assert main([*run, "--out", str(tmp_path / "b.csv"), "--plain-csv"]) == 0
    capsys.readouterr()
    as_it_came = (tmp_path / "a.csv").read_text("cp1252")
    plain = (tmp_path / "b.csv").read_text("utf-8")
    assert re.fullmatch(r"Größe;Ort\n(\d(,\d+)?;(Köln|Bonn)\n){400}", as_it_came)
    assert re.fullmatch(r"Größe,Ort\n(\d(\.\d+)?,(Köln|Bonn)\n){400}", plain)
