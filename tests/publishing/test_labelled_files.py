"""Rows as SPSS and Stata keep them, read back by the reader that tables come through."""

import datetime as dt

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from hmpb_core import Codebook, SourceError, read_table
from hmpb_core.cli import main
from hmpb_core.encoding import encode
from hmpb_core.publishing.labelled_files import labelled_of, unfit_names
from hmpb_core.publishing.own_form import own_ending, require_names

FIELDS = [
    {
        "name": "sex",
        "title": "Sex of the respondent, as they said it to whoever asked them at their door in the spring",
        "type": "integer",
        "categories": [{"value": 1, "label": "male"}, {"value": 2, "label": "female"}],
        "missingValues": [{"value": "-9", "label": "refused"}, ""],
    },
    {"name": "size", "categories": ["S", "M"], "categoriesOrdered": True},
    {"name": "town", "categories": [{"value": "a", "label": "Amstetten"}, "b"]},
    {"name": "code", "categories": ["01067", "1067"]},
    {
        "name": "apart",
        "type": "integer",
        "categories": [1, 2],
        "missingValues": ["-7", "-8"],
        "missingApart": True,
    },
    {"name": "smokes", "type": "boolean"},
    {
        "name": "weight",
        "type": "number",
        "decimals": 1,
        "constraints": {"minimum": 0, "maximum": 300},
        "missingValues": ["-4", "-3", "-2", "-1", ""],
    },
    {
        "name": "score",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 10},
        "labels": [{"value": 10, "label": "all right"}],
        "missingValues": [""],
    },
    {
        "name": "born",
        "type": "date",
        "format": "%d.%m.%Y",
        "constraints": {"minimum": "01.01.1900", "maximum": "31.12.2020"},
    },
    {
        "name": "at",
        "type": "time",
        "format": "%H:%M",
        "constraints": {"minimum": "00:00", "maximum": "23:59"},
    },
    {
        "name": "seen",
        "type": "datetime",
        "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2020-12-31T00:00:00"},
    },
    {"name": "stay", "type": "duration", "constraints": {"minimum": "PT0S", "maximum": "P7D"}},
]
CODEBOOK = Codebook.from_dict({"fields": FIELDS})
ROWS = pd.DataFrame(
    {
        "sex": pd.array([1, None, 2], dtype="Int64"),
        "size": ["S", "M", None],
        "town": ["a", "b", None],
        "code": ["01067", None, "1067"],
        "apart": ["1", "-8", "2"],
        "smokes": pd.array([True, None, False], dtype="boolean"),
        "weight": pd.array([70.5, None, 80], dtype="Float64"),
        "score": pd.array([10, 3, None], dtype="Int64"),
        "born": ["27.08.1996", None, "01.02.1910"],
        "at": ["10:05", None, "23:59"],
        "seen": ["2020-02-03T10:11:00", None, "2020-12-31T00:00:00"],
        "stay": ["P1D", None, "PT3H"],
    }
)


@pytest.fixture(params=[".sav", ".zsav", ".dta"])
def ending(request):
    return request.param


def written(folder, ending, rows=ROWS, codebook=CODEBOOK):
    path = folder / f"rows{ending}"
    path.write_bytes(labelled_of(rows, codebook, ending))
    read = pyreadstat.read_dta if ending == ".dta" else pyreadstat.read_sav
    options = {} if ending == ".dta" else {"user_missing": True}
    return path, *read(str(path), **options)


def test_what_is_written_means_the_same_under_the_same_codebook(tmp_path, ending):
    path, _, _ = written(tmp_path, ending)
    assert np.array_equal(encode(read_table(path), CODEBOOK), encode(ROWS, CODEBOOK))


def test_codes_keep_their_labels_columns_their_titles_and_dates_are_dates(tmp_path, ending):
    path, rows, about = written(tmp_path, ending)
    labels = about.variable_value_labels
    assert labels["sex"] == {1: "male", 2: "female", -9: "refused"}
    assert labels["score"] == {10: "all right"}
    title = CODEBOOK.titles["sex"]
    assert about.column_names_to_labels["sex"] == (title[:80] if ending == ".dta" else title)
    assert rows.sex.tolist() == [1, -9, 2]  # the code that the csv file writes
    assert rows.weight.tolist() == [70.5, -4, 80]
    assert rows.score.tolist()[:2] == [10, 3]
    assert np.isnan(rows.score[2])
    assert rows.code.tolist() == ["01067", "", "1067"]
    assert rows.apart.tolist() == [1, -8, 2]
    assert rows.smokes.tolist()[::2] == [1, 0]
    assert rows.born.tolist()[::2] == [dt.date(1996, 8, 27), dt.date(1910, 2, 1)]
    assert rows["at"].tolist()[::2] == [dt.time(10, 5), dt.time(23, 59)]
    assert rows.seen.tolist()[0] == pd.Timestamp("2020-02-03 10:11")
    assert rows.loc[1, ["born", "at", "seen"]].isna().all()
    lengths = ["P1D", "PT3H"] if ending == ".dta" else ["24:00:00", "03:00:00"]  # Stata has no such type
    assert read_table(path).stay.tolist()[::2] == lengths


def test_spss_is_told_missing_codes_measures_and_labels_of_texts(tmp_path):
    _, _, about = written(tmp_path, ".sav")
    assert about.missing_ranges == {
        "sex": [{"lo": -9, "hi": -9}],
        "apart": [{"lo": -8, "hi": -8}, {"lo": -7, "hi": -7}],  # told apart, and missing all the same
        "weight": [{"lo": -4, "hi": -1}],  # of four codes a range, since no weight lies in it
    }
    measures = about.variable_measure
    assert [measures[name] for name in ("sex", "size", "weight")] == ["nominal", "ordinal", "scale"]
    assert about.variable_value_labels["town"] == {"a": "Amstetten"}
    assert about.original_variable_types["weight"] == "F8.1"
    assert about.original_variable_types["sex"] == "F8.0"
    assert about.original_variable_types["stay"] == "TIME12"


def test_of_more_codes_than_spss_takes_that_are_no_range_it_is_told_three(tmp_path):
    weight = next(field for field in FIELDS if field["name"] == "weight")
    for codes, told in (
        (["-1", "777", "888", "999"], [-1, 777, 888]),
        (["-2", "-1", "777", "888"], [-2, -1, 777]),
    ):
        codebook = Codebook.from_dict({"fields": [weight | {"missingValues": codes}]})
        _, _, about = written(tmp_path, ".sav", ROWS[["weight"]], codebook)
        assert [code["lo"] for code in about.missing_ranges["weight"]] == told


@pytest.mark.parametrize(
    ("codes", "told"),
    [(["-4", "-3", "-2", "-1"], {"lo": -4, "hi": -1}), (["0", "7", "8", "9"], {"lo": 0, "hi": 0})],
)
@pytest.mark.parametrize("apart", [False, True])
def test_missing_codes_of_a_list_are_a_range_where_no_answer_lies_in_it(tmp_path, codes, told, apart):
    field = {"name": "k", "type": "integer", "categories": [1, 2], "missingValues": codes}
    codebook = Codebook.from_dict({"fields": [field | {"missingApart": apart}]})
    rows = pd.DataFrame({"k": ["1", "2"] if apart else pd.array([1, 2], dtype="Int64")})
    _, _, about = written(tmp_path, ".sav", rows, codebook)
    assert about.missing_ranges["k"][0] == told


@pytest.mark.parametrize(
    ("words", "codes", "told"),
    [
        ({}, ["-9", "-8", "-7", "-6"], {"lo": -9, "hi": -6}),
        ({}, ["-1", "7", "8", "9"], {"lo": -1, "hi": -1}),
        ({"falseValues": ["2"], "trueValues": ["1"]}, ["0", "-7", "-8", "-9"], {"lo": -9, "hi": 0}),
        ({"falseValues": ["2"], "trueValues": ["1"]}, ["-1", "7", "8", "9"], {"lo": -1, "hi": -1}),
    ],
)
def test_missing_codes_of_yes_and_no_are_a_range_where_neither_lies_in_it(tmp_path, words, codes, told):
    field = {"name": "k", "type": "boolean", "missingValues": codes, **words}
    rows = pd.DataFrame({"k": pd.array([True, None, False], dtype="boolean")})
    _, read, about = written(tmp_path, ".sav", rows, Codebook.from_dict({"fields": [field]}))
    assert about.missing_ranges["k"][0] == told
    assert read.k.tolist() == [1, float(codes[0]), 2 if words else 0]


def test_a_list_of_texts_is_one_of_texts_though_they_are_digits(tmp_path, ending):
    rows = pd.DataFrame({"k": ["1", "2"]})
    _, read, _ = written(
        tmp_path, ending, rows, Codebook.from_dict({"fields": [{"name": "k", "categories": ["1", "2"]}]})
    )
    assert read.equals(rows)


def test_yes_and_no_are_texts_where_one_of_their_words_is_no_number(tmp_path, ending):
    field = {"name": "k", "type": "boolean", "falseValues": ["no"], "trueValues": ["1"]}
    rows = pd.DataFrame({"k": pd.array([True, False], dtype="boolean")})
    _, read, _ = written(tmp_path, ending, rows, Codebook.from_dict({"fields": [field]}))
    assert read.k.tolist() == ["1", "no"]


def test_a_zsav_is_compressed_and_a_sav_is_not():
    assert [labelled_of(ROWS, CODEBOOK, ending)[:4] for ending in (".sav", ".zsav")] == [b"$FL2", b"$FL3"]


@pytest.mark.parametrize(
    ("numbers", "form"),
    [
        ([1.5, 12345678.25], "F12.2"),  # eight digits, two decimals, a point and a sign
        ([1234567, 3], "F9.0"),
        ([123456, 3], "F8.0"),
        ([1 / 3, 1.0], "F9.6"),
    ],
)
def test_spss_shows_numbers_as_wide_as_the_longest_with_six_decimals_at_most(tmp_path, numbers, form):
    field = {"name": "n", "type": "number", "constraints": {"minimum": 0, "maximum": 10**9}}
    codebook = Codebook.from_dict({"fields": [field]})
    _, _, about = written(tmp_path, ".sav", pd.DataFrame({"n": numbers}), codebook)
    assert about.original_variable_types == {"n": form}


def test_missing_codes_that_are_no_numbers_keep_numbers_and_make_a_list_one_of_texts(tmp_path, ending):
    codes = [{"value": "9 no", "label": "no answer"}, ""]
    fields = [
        {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "missingValues": codes},
        {"name": "k", "type": "integer", "categories": [1, 2], "missingValues": codes, "missingApart": True},
    ]
    rows = pd.DataFrame({"n": pd.array([3, None], dtype="Int64"), "k": ["1", "9 no"]})
    _, read, _ = written(tmp_path, ending, rows, Codebook.from_dict({"fields": fields}))
    assert read.n[0] == 3
    assert np.isnan(read.n[1])
    assert read.k.tolist() == ["1", "9 no"]


def test_columns_that_are_made_up_anew_leave_and_those_left_out_leave_no_title(tmp_path, ending):
    fields = [
        {"name": "case", "role": "identifier", "publish": False, "regenerated": "P-[0-9]{3}"},
        {"name": "note", "title": "What somebody wrote", "publish": False},
        {"name": "sex", "title": "Sex", "categories": ["f", "m"]},
    ]
    rows = pd.DataFrame({"case": ["P-001", "P-002"], "sex": ["f", "m"]})
    _, read, about = written(tmp_path, ending, rows, Codebook.from_dict({"fields": fields}))
    assert read.equals(rows)
    assert about.column_names_to_labels["sex"] == "Sex"
    assert not about.column_names_to_labels["case"]


@pytest.mark.parametrize(("kind", "day"), [("date", "1995-01-02"), ("datetime", "1995-01-02T03:04:05")])
def test_days_are_days_though_a_missing_code_beside_them_has_a_label(tmp_path, ending, kind, day):
    missing = [{"value": "-9", "label": "refused"}, ""]
    field = {"name": "d", "type": kind, "missingValues": missing}
    field["constraints"] = {"minimum": day.replace("1995", "1990"), "maximum": day.replace("1995", "2000")}
    rows = pd.DataFrame({"d": [day, None]})
    _, read, _ = written(tmp_path, ending, rows, Codebook.from_dict({"fields": [field]}))
    assert pd.Timestamp(read.d[0]) == pd.Timestamp(day)
    assert pd.isna(read.d[1])


def test_stata_keeps_labels_of_the_whole_numbers_that_it_can_label(tmp_path):
    told = [-2147483648, -9, 2147483620, 2147483621, 9999999999]
    field = {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 10**10}}
    field["labels"] = [{"value": number, "label": "of all"} for number in told[2:]]
    field["missingValues"] = [{"value": str(number), "label": "none"} for number in told[:2]]
    rows = pd.DataFrame({"n": pd.array([9999999999], dtype="Int64")})
    _, read, about = written(tmp_path, ".dta", rows, Codebook.from_dict({"fields": [field]}))
    assert about.variable_value_labels == {"n": {-9: "none", 2147483620: "of all"}}
    assert read.n.tolist() == [9999999999]


def test_spss_is_told_missing_codes_that_are_texts(tmp_path):
    segment = {"name": "segment", "categories": ["Alarmed", "Doubtful"], "missingValues": ["-99", "n.a.", ""]}
    apart = {"name": "why", "categories": ["a", "b"], "missingValues": ["-99", "much too long", "-8"]}
    codebook = Codebook.from_dict({"fields": [segment, apart | {"missingApart": True}]})
    rows = pd.DataFrame({"segment": ["Alarmed", None], "why": ["a", "much too long"]})
    _, _, about = written(tmp_path, ".sav", rows, codebook)
    assert [code["lo"] for code in about.missing_ranges["segment"]] == ["-99", "n.a."]
    assert [code["lo"] for code in about.missing_ranges["why"]] == ["-8", "-99"]  # SPSS takes eight bytes


@pytest.mark.parametrize(
    ("ending", "names", "unfit"),
    [
        (".sav", ["age", "education-num", "größe", "ALL", "Age"], ["education-num", "ALL", "Age"]),
        (".dta", ["age", "a b", "x" * 33, "Age"], ["a b", "x" * 33]),
    ],
)
def test_columns_that_a_package_has_no_names_for_are_named(ending, names, unfit):
    codebook = Codebook.from_dict({"fields": [{"name": name, "categories": ["a"]} for name in names]})
    assert unfit_names(codebook, ending) == unfit
    package = {".sav": "SPSS", ".dta": "Stata"}[ending]
    with pytest.raises(SourceError, match=f"^{package} has no variables called {unfit[0]!r}, "):
        require_names(codebook, ending)
    for other in (".csv", ".xlsx", ""):
        require_names(codebook, other)


def test_rows_leave_as_their_table_came_where_the_package_has_names_for_all_columns():
    came = ({"format": "spss"}, {"format": "stata"}, {"sheet": "People"}, {"format": "sas"}, {"format": []})
    for reading, ending in zip(came, (".sav", ".dta", ".xlsx", None, None), strict=True):
        told = Codebook.from_dict({"fields": FIELDS, "reading": reading})
        again = Codebook.from_dict(told.to_dict())
        assert own_ending(told) == own_ending(again) == ending
        assert again.sheet == reading.get("sheet", "")
    fields = [{"name": "a b", "categories": ["a"]}]
    assert own_ending(Codebook.from_dict({"fields": fields, "reading": {"format": "spss"}})) is None


def test_from_a_file_of_spss_to_one_of_spss(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    sexes = rng.integers(1, 3, 300).astype(float)
    table = pd.DataFrame({"sex": sexes, "town": rng.choice(["a", "b"], 300)})
    labels = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_sav(table, "t.sav", column_labels={"sex": "Sex"}, variable_value_labels=labels)
    assert main(["codebook", "t.sav", "--guess", "-o", "cb.json"]) == 0
    asked = ["synthesize", "t.sav", "--codebook", "cb.json", "--epsilon", "1", "--out"]
    assert main([*asked, "rows.sav"]) == 0
    rows, about = pyreadstat.read_sav("rows.sav")
    assert len(rows) == 300
    assert (about.column_names_to_labels["sex"], about.variable_value_labels) == ("Sex", labels)
    assert main(["evaluate", "t.sav", "rows.sav", "--codebook", "cb.json"]) == 0
    pd.DataFrame({"a b": rng.choice(["a", "b"], 50)}).to_csv("u.csv", index=False)
    assert main(["codebook", "u.csv", "--guess", "-o", "u.json"]) == 0
    capsys.readouterr()
    assert main(["synthesize", "u.csv", "--codebook", "u.json", "--epsilon", "1", "--out", "u.dta"]) == 2
    assert "Stata has no variables called 'a b'; rename them" in capsys.readouterr().err
