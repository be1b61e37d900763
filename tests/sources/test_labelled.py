"""SPSS, Stata and SAS: labels, missing codes, and dates of every display format."""

import datetime as dt
from dataclasses import replace

import pandas as pd
import pyreadstat
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import SourceError
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows, fields_of_labels
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.files import VariableLabels, read_file, read_header, read_table
from hmpb_core.texts import text_of

LABELLED = pd.DataFrame({"sex": [1.0, 2.0, -9.0], "age": [30.0, None, 40.0], "town": ["Köln", "b", ""]})
LABELS = {
    "column_labels": {"sex": "Sex of the person"},
    "variable_value_labels": {"sex": {1: "male", 2: "female", -9: "refused"}},
}


def written(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    if ending == ".sav":
        pyreadstat.write_sav(
            LABELLED, path, **LABELS, missing_ranges={"sex": [-9]}, variable_measure={"sex": "nominal"}
        )
    elif ending == ".dta":
        pyreadstat.write_dta(LABELLED, path, **LABELS)
    else:
        pyreadstat.write_xport(LABELLED.replace("Köln", "Koeln"), path)
    return path


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
def test_files_of_statistics_packages_are_read_with_their_missing_codes(tmp_path, ending):
    path = written(tmp_path, ending)
    for table in (read_file(path), read_file(path.read_bytes(), name=path.name)):
        assert table.frame["sex"].tolist() == [1.0, 2.0, -9.0]
        assert table.frame["age"].isna().tolist() == [False, True, False]
        assert table.frame["town"].tolist()[1:] == ["b", ""]
        assert table.reading.words.startswith({".sav": "SPSS", ".dta": "Stata", ".xpt": "SAS"}[ending])


def test_labels_come_without_a_row(tmp_path):
    header = read_header(written(tmp_path, ".sav"))
    about = header.labels[0]
    assert header.names == ("sex", "age", "town")
    assert (about.title, about.measure, about.missing) == ("Sex of the person", "nominal", (-9,))
    assert dict(about.values) == {1: "male", 2: "female", -9: "refused"}
    assert not header.labels[2].numeric


def test_stata_files_without_declared_missing_codes_have_labels_all_the_same(tmp_path):
    about = read_header(written(tmp_path, ".dta")).labels[0]
    assert dict(about.values) == {1: "male", 2: "female", -9: "refused"}
    assert about.missing == ()


@pytest.mark.parametrize(
    ("write", "ending", "forms"),
    [
        (pyreadstat.write_dta, ".dta", ("%td", "%tdNN/DD/CCYY", "%-tdDD.NN.CCYY", "%d", "%dD_m_Y")),
        (pyreadstat.write_sav, ".sav", ("DATE11", "WKYR10")),
        (pyreadstat.write_xport, ".xpt", ("MMDDYY10.", "E8601DA10.", "WORDDATX20.", "EURDFDD10.")),
    ],
)
def test_dates_of_any_display_format_are_dates(tmp_path, write, ending, forms):
    path = tmp_path / f"t{ending}"
    for form in forms:
        days = pd.DataFrame({"d": [dt.date(2014, 10, 1), None, dt.date(1959, 2, 28)]})
        write(days, path, variable_format={"d": form})
        assert read_table(path)["d"].fillna("").tolist() == ["2014-10-01", "", "1959-02-28"], form


def test_moments_of_stata_are_moments_and_its_numbers_are_numbers(tmp_path):
    path = tmp_path / "t.dta"
    for form in ("%tc", "%tcDDmonCCYY_HH:MM", "%-tcNN/DD/CCYY_HH:MM:SS"):
        moments = pd.DataFrame({"m": [pd.Timestamp("2014-10-01 09:30")], "n": [657.0]})
        pyreadstat.write_dta(moments, path, variable_format={"m": form, "n": "%9.0gc"})
        assert read_table(path).iloc[0].tolist() == ["2014-10-01 09:30:00", 657.0], form


def test_months_quarters_half_years_and_weeks_of_stata_are_periods_and_no_numbers(tmp_path):
    firsts = pd.to_datetime(["2014-07-01", "1959-01-01", None])
    pd.DataFrame(dict.fromkeys("mqhwy", firsts)).to_stata(
        tmp_path / "t.dta", convert_dates={period: f"t{period}" for period in "mqhwy"}, write_index=False
    )
    table = read_table(tmp_path / "t.dta").astype(object).fillna("")
    assert table["m"].tolist() == ["2014-07", "1959-01", ""]
    assert table["q"].tolist() == ["2014q3", "1959q1", ""]
    assert table["h"].tolist() == ["2014h2", "1959h1", ""]
    assert table["w"].tolist() == ["2014-06-25", "1959-01-01", ""]  # the 26th week
    assert [float(year) for year in table["y"][:2]] == [2014, 1959]


@pytest.mark.parametrize(
    ("write", "ending", "month", "quarter"),
    [
        (pyreadstat.write_sav, ".sav", "MOYR8", "QYR6"),
        (pyreadstat.write_xport, ".xpt", "MONYY7.", "YYQ6."),
    ],
)
def test_of_a_date_shown_as_a_month_or_a_quarter_no_day_is_read(tmp_path, write, ending, month, quarter):
    path = tmp_path / f"t{ending}"
    days = [dt.date(2014, 10, 9), None, dt.date(1959, 2, 28)]
    write(pd.DataFrame({"m": days, "q": days}), path, variable_format={"m": month, "q": quarter})
    table = read_table(path).fillna("")
    assert table["m"].tolist() == ["2014-10", "", "1959-02"]
    assert table["q"].tolist() == ["2014q4", "", "1959q1"]


def test_a_time_of_more_than_a_day_is_not_cut_and_a_time_of_day_of_stata_has_no_date(tmp_path):
    lengths = pd.DataFrame({"t": [105_276.5, 60.0, -1.0, None]})
    for form in ("TIME11.2", "DTIME15.2", "MTIME8.2"):
        pyreadstat.write_sav(lengths, tmp_path / "t.sav", variable_format={"t": form})
        read = read_table(tmp_path / "t.sav")["t"].fillna("").tolist()
        assert read == ["29:14:36.5", "00:01:00", "-00:00:01", ""], form
    pyreadstat.write_xport(lengths, tmp_path / "t.xpt", variable_format={"t": "TIME11."})
    assert read_table(tmp_path / "t.xpt")["t"][0] == "29:14:36.5"
    clocks = pd.DataFrame({"t": [8.64e7 + 3.6e6, 0.0]})
    pyreadstat.write_dta(clocks, tmp_path / "t.dta", variable_format={"t": "%tcHH:MM:SS"})
    assert read_table(tmp_path / "t.dta")["t"].tolist() == ["01:00:00", "00:00:00"]


def test_moments_that_sas_shows_by_their_date_are_dates(tmp_path):
    second = (dt.date(2014, 10, 9) - dt.date(1960, 1, 1)).days * 86_400 + 3600.0
    names = {
        "DTDATE9.": "2014-10-09",
        "E8601DN10.": "2014-10-09",
        "DTMONYY7.": "2014-10",
        "DTYYQC6.": "2014q4",
    }
    for form, shown in names.items():
        pyreadstat.write_xport(pd.DataFrame({"d": [second]}), tmp_path / "t.xpt", variable_format={"d": form})
        assert read_table(tmp_path / "t.xpt")["d"].tolist() == [shown], form


def test_a_day_that_spss_declares_missing_is_written_as_the_others(tmp_path):
    path = tmp_path / "t.sav"
    day = (dt.date(1900, 1, 1) - dt.date(1582, 10, 14)).days * 86_400.0
    pyreadstat.write_sav(
        pd.DataFrame({"d": [day, day + 86_400]}),
        path,
        variable_format={"d": "DATE11"},
        missing_ranges={"d": [day, 1e15]},
        variable_value_labels={"d": {day: "refused"}},
    )
    assert read_table(path)["d"].tolist() == ["1900-01-01", "1900-01-02"]
    about = read_header(path).labels[0]
    assert (about.missing, about.values) == (("1900-01-01", 10**15), (("1900-01-01", "refused"),))
    assert fields_of_labels([about], "t.sav")["d"]["missingValues"][1]["label"] == "refused"


def test_what_a_display_format_says_of_a_type_is_known_without_a_row(tmp_path):
    """A month of Stata's is none of January to December, whatever the column is called."""
    path = tmp_path / "t.dta"
    days = pd.to_datetime(["2014-10-09"] * 3)
    pd.DataFrame({"month": days, "birth_date": days, "when": days, "age": [1, 2, 3]}).to_stata(
        path, convert_dates={"month": "tm", "birth_date": "td", "when": "tc"}, write_index=False
    )
    header = read_header(path)
    fields = draft_from_header(header.names, fields_of_labels(header.labels, "t.dta"))["fields"]
    assert [entry["type"] for entry in fields] == ["yearmonth", "date", "datetime", "integer"]
    assert [is_open(entry) for entry in fields] == [True, True, True, False], "bounds are still to be said"
    assert draft_from_rows(read_table(path), {})["fields"][0]["type"] == "yearmonth"


def test_a_date_beyond_all_calendars_is_refused_and_its_column_named(tmp_path):
    rows = pd.DataFrame({"n": [4e6], "d": [4e6]})
    pyreadstat.write_dta(rows, tmp_path / "t.dta", variable_format={"d": "%td"})
    with pytest.raises(SourceError, match="holds dates in the column 'd' that no calendar has") as refused:
        read_table(tmp_path / "t.dta")
    assert "4000000" not in str(refused.value)


def test_missing_values_that_spss_declares_are_codes_though_none_has_a_label(tmp_path):
    path = tmp_path / "t.sav"
    rows = {"age": [30.0, 999.0, 61.0], "hours": [40.0, -2.0, -3.0], "wide": [1.0, -5000.0, -7.0]}
    pyreadstat.write_sav(
        pd.DataFrame(rows),
        path,
        missing_ranges={"age": [999], "hours": [{"lo": -3, "hi": -1}], "wide": [{"lo": -9999, "hi": -1}]},
        variable_value_labels={"hours": {-2: "refused"}, "wide": {-7: "unknown"}},
    )
    header = read_header(path)
    codes = {about.name: about.missing for about in header.labels}
    assert codes == {"age": (999,), "hours": (-2, -3, -1), "wide": (-7,)}, "those with a label first"
    table = read_file(path)
    assert table.frame["hours"].tolist() == [40, -2, -3]
    assert table.frame["wide"].isna().tolist() == [False, True, False], "what cannot be listed is left empty"
    given = fields_of_labels(table.labels, "t.sav")
    for schema in (draft_from_header(header.names, given), draft_from_rows(table.frame, given)):
        age, hours = schema["fields"][:2]
        assert age["source"]["kind"] == "vocabulary"
        assert age["missingValues"] == [999, ""], "no person of 120 years"
        assert hours["missingValues"] == ["", {"value": -2, "label": "refused"}, -3, -1]


def test_missing_values_with_a_code_leave_the_numbers_beside_them_as_they_are(tmp_path):
    path = tmp_path / "t.dta"
    rows = {"n": [4, "a", 5], "d": [20_000, "b", 20_001], "both": [2, "a", "b"]}
    pyreadstat.write_dta(
        pd.DataFrame(rows),
        path,
        missing_user_values={"n": ["a"], "d": ["b"], "both": ["a", "b"]},
        variable_format={"d": "%td"},
    )
    table = read_table(path)
    assert [text_of(value) for value in table["n"]] == ["4", ".a", "5"]
    assert table["d"].tolist() == ["2014-10-04", ".b", "2014-10-05"]
    assert [text_of(value) for value in table["both"]] == ["2", ".a", ".b"]


def test_numbers_of_a_labelled_file_stay_numbers_beside_an_empty_cell(tmp_path):
    numbers = pd.DataFrame({"n": [4.5, None, 3], "whole": [1, 2, 3]})
    for write, ending in ((pyreadstat.write_sav, ".sav"), (pyreadstat.write_dta, ".dta")):
        write(numbers, tmp_path / f"t{ending}")
        table = read_table(tmp_path / f"t{ending}")
        assert table["n"].dtype.kind == "f"
        assert table["n"].isna().tolist() == [False, True, False]


def test_a_range_of_missing_codes_holds_beside_an_empty_cell(tmp_path):
    ranges = {"n": [{"lo": -9999, "hi": -1}]}
    pyreadstat.write_sav(pd.DataFrame({"n": [1.0, -5000.0, None]}), tmp_path / "t.sav", missing_ranges=ranges)
    assert read_table(tmp_path / "t.sav")["n"].isna().tolist() == [False, True, True]


SATISFACTION = VariableLabels(
    name="satisfaction", values=((0, "not at all"), (10, "fully"), (-9, "refused")), missing=(-9,)
)


def test_labels_at_the_ends_of_a_scale_are_no_list_of_two():
    few = {
        "ends": (0, 10), "last": (5,), "tens": (0, 25, 50, 75, 100), "second": (1, 3, 5),
        "sex": (1, 2), "unknown": (1, 2, 9), "refused": (-2, 1, 2, 3, 99), "all": (0, 1, 2, 3),
        "most": (1, 2, 4, 5), "lands": (4, 8, 12, 20, 24, 40, 276, 894),
    }  # fmt: skip
    labels = [
        VariableLabels(name=name, values=tuple((n, f"{n}!") for n in numbers))
        for name, numbers in few.items()
    ]
    fields = fields_of_labels(labels, "t.dta")
    assert [name for name in few if "categories" not in fields[name]] == [
        "ends", "last", "tens", "second",
    ]  # fmt: skip
    for entry in draft_from_header(list(few), fields)["fields"]:
        assert is_open(entry) == ("labels" in entry)
    assert fields["ends"]["labels"] == [{"value": 0, "label": "0!"}, {"value": 10, "label": "10!"}]
    nominal = [replace(one, measure="nominal") for one in labels]
    left_open = [name for name, entry in fields_of_labels(nominal, "t.sav").items() if "labels" in entry]
    assert left_open == ["ends", "last"], "names may be coded by any numbers"


def test_labels_of_some_values_are_put_on_the_categories_that_are_found():
    given = fields_of_labels([SATISFACTION], "t.sav")
    (entry,) = draft_from_header(["satisfaction"], given)["fields"]
    assert (entry["type"], entry["declared"], "categories" in entry) == ("integer", False, False)
    assert entry["missingValues"] == [{"value": -9, "label": "refused"}, ""]
    (guessed,) = draft_from_rows(pd.DataFrame({"satisfaction": [0, 4, 7, 10, -9] * 5}), given)["fields"]
    assert guessed["categories"] == [
        {"value": 0, "label": "not at all"}, 4, 7, {"value": 10, "label": "fully"},
    ]  # fmt: skip
    assert "labels" not in guessed
    (numbers,) = draft_from_rows(pd.DataFrame({"satisfaction": [*range(11), -9] * 5}), given)["fields"]
    assert numbers["constraints"] == {"minimum": 0, "maximum": 10}


def test_labels_of_a_list_that_lacks_a_value_of_the_rows_stay_with_its_others():
    mood = VariableLabels(name="mood", values=((1, "low"), (2, "middle"), (3, "high")))
    given = fields_of_labels([mood], "t.sav")
    (guessed,) = draft_from_rows(pd.DataFrame({"mood": [1, 2, 3, 4] * 5}), given)["fields"]
    assert guessed["categories"] == [*({"value": v, "label": text} for v, text in mood.values), 4]


def test_answers_without_a_gap_are_a_list_though_the_file_calls_them_a_scale():
    """SPSS calls every number a scale until somebody says otherwise."""
    trust = ((-1, "missing"), (0, "not at all"), (1, "a little"), (2, "a lot"), (8, "refused"))
    labels = [
        VariableLabels(name="trust", values=trust, measure="scale"),
        VariableLabels(name="age", values=((-1, "missing"), (999, "unknown")), measure="scale"),
        VariableLabels(name="income", values=((0, "none"),), measure="scale"),
        VariableLabels(name="happy", values=((0, "not"), (10, "very")), measure="scale", title="happy?"),
    ]
    fields = fields_of_labels(labels, "t.sav")
    assert [item["value"] for item in fields["trust"]["categories"]] == [-1, 0, 1, 2, 8]
    assert not fields["trust"]["categoriesOrdered"]
    ends = [{"value": 0, "label": "not"}, {"value": 10, "label": "very"}]
    assert fields["happy"] == {"name": "happy", "title": "happy?", "labels": ends}
    assert fields["income"] == {"name": "income", "labels": [{"value": 0, "label": "none"}]}
    assert not any("categories" in fields[name] or "type" in fields[name] for name in ("age", "income"))


def test_ten_labelled_answers_are_a_list_though_7_8_and_9_could_be_missing_codes():
    school = tuple((step, f"step {step}") for step in [*range(1, 11), 98, 99])
    gap = tuple((party, f"party {party}") for party in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11])
    labels = [
        VariableLabels(name="school", values=school, measure="scale"),
        VariableLabels(name="party", values=gap, measure="scale"),
    ]
    fields = fields_of_labels(labels, "t.sav")
    assert [item["value"] for item in fields["school"]["categories"]] == [*range(1, 11), 98, 99]
    assert "categories" not in fields["party"], "there is no third one"


@pytest.mark.parametrize("rows", [[1, 2, 4, 5, 6, 7, 8, 9, 10, 99] * 5, [4.0, None] * 5], ids=["most", "one"])
def test_numbers_that_a_scale_labels_every_one_are_the_list_of_its_labels(rows):
    """Candidates with gaps between their numbers, which SPSS calls a scale; 99 is an answer."""
    party = tuple((code, f"party {code}") for code in [1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 99])
    given = fields_of_labels([VariableLabels(name="party", values=party, measure="scale")], "t.sav")
    (guessed,) = draft_from_rows(pd.DataFrame({"party": rows}), given)["fields"]
    assert guessed["categories"] == [{"value": code, "label": text} for code, text in party]
    assert (guessed["type"], guessed["source"]["kind"]) == ("integer", "guess")
    assert "missingValues" not in guessed
    assert ("constraints" in guessed) is (None not in rows)
    (numbers,) = draft_from_rows(pd.DataFrame({"party": [*range(1, 30)] * 5}), given)["fields"]
    assert numbers["constraints"]["maximum"] == 29, "some have no label"


def test_missing_values_with_a_letter_leave_lists_their_labels_and_numbers_their_type(tmp_path):
    path = tmp_path / "t.dta"
    rows = {"sex": [1, 2, "z", 1] * 9, "grade": [0, 1, 12, "z"] * 9, "word": ["a", ".z", "b", "b"] * 9}
    pyreadstat.write_dta(
        pd.DataFrame(rows),
        path,
        variable_value_labels={"sex": {1: "male", 2: "female"}},
        missing_user_values={"sex": ["z"], "grade": ["z"]},
    )
    table = read_file(path)
    sex, grade, word = draft_from_rows(table.frame, fields_of_labels(table.labels, "t.dta"))["fields"]
    assert sex["categories"] == [{"value": 1, "label": "male"}, {"value": 2, "label": "female"}]
    assert grade["categories"] == [0, 1, 12]
    assert sex["missingValues"] == grade["missingValues"] == word["missingValues"] == [".z", ""]
    assert (sex["source"]["kind"], sex["type"], grade["type"]) == ("guess", "integer", "integer")


def test_labelled_missing_codes_of_a_list_are_told_apart_and_several_others_leave_as_an_empty_cell():
    texts = ((1, "yes"), (2, "no"), (-9, "refused"), (-8, "unknown"))
    labels = [
        VariableLabels(name="a", values=texts, missing=(-9, -8)),
        VariableLabels(name="b", values=texts[:3], missing=(-9, -8)),
        VariableLabels(name="c", values=texts[2:], missing=(-9, -8), measure="scale"),
        VariableLabels(name="d", values=texts[:3], missing=(-9,)),
    ]
    fields = fields_of_labels(labels, "t.sav")
    refused, unknown = ({"value": value, "label": text} for value, text in texts[2:])
    assert fields["a"]["missingValues"] == [refused, unknown]
    assert fields["a"]["missingApart"] is True
    assert [fields[name]["missingValues"] for name in "bcd"] == [
        ["", refused, -8], ["", refused, unknown], [refused, ""],
    ]  # fmt: skip
    rows = pd.DataFrame({name: [1, 2, 3, -9, -8, None] * 5 for name in "ab"})
    for entry in draft_from_rows(rows, fields)["fields"]:
        assert entry["missingValues"][0] == "", "a guess takes the place of a list that does not fit"
        assert "missingApart" not in entry
    book = Codebook.from_dict({"fields": [fields["a"]]})
    codes = encode(pd.DataFrame({"a": [1, -9, -8, None]}), book)[:, 0]
    assert [book.domain.attributes[0].labels[code] for code in codes] == ["1", "-9", "-8", "(missing)"]
