"""What the steward is told about values outside the declared bounds."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.errors import NotPrivateError
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.outside import heading_lines, lines_for, outside_bounds, surplus_lines
from hmpb_core.publishing.zones import public

BOOK = Codebook.from_dict(
    {
        "fields": [
            {
                "name": "age",
                "type": "integer",
                "constraints": {"minimum": 0, "maximum": 120},
                "missingValues": ["-8"],
            },
            {
                "name": "day",
                "type": "date",
                "constraints": {"minimum": "2000-01-01", "maximum": "2001-01-01"},
            },
        ]
    }
)


def found(*ages, day="2000-05-05"):
    table = pd.DataFrame({"age": list(ages), "day": [day] * len(ages)})
    return {one.name: one for one in outside_bounds(table, BOOK).value}


def test_a_code_below_the_bounds_is_named_and_a_declared_one_is_not():
    told = found("-9", "-8", "30", "40", "50")["age"]
    assert told.codes == ("-9",)
    assert told.share == pytest.approx(1 / 4)
    (words,) = told.words
    assert "-9 looks like a missing code" in words
    assert "0 to 120" in words


def test_values_that_are_no_usual_codes_are_counted_and_not_named():
    told = found(-40, 130, 999, 5)["age"]
    assert told.codes == ()
    assert "missing" not in "".join(told.words)
    assert found(999, 5, 6)["age"].codes == ("999",)


def test_numbers_next_to_the_bounds_are_no_missing_codes():
    field = {"name": "cars", "type": "integer", "constraints": {"minimum": 0, "maximum": 3}}
    book = Codebook.from_dict({"fields": [field], "missingValues": [""]})
    named = {
        values: outside_bounds(pd.DataFrame({"cars": [0, 1, *values]}), book).value[0].codes
        for values in [(4, 5, 6), (5, 6), (9,), (-1,), (-9, 4)]
    }
    assert named == {(4, 5, 6): (), (5, 6): (), (9,): ("9",), (-1,): ("-1",), (-9, 4): ("-9",)}


@pytest.mark.parametrize(
    ("most", "met", "named"),
    [
        (6, [7], ()),  # what the bounds forgot
        (6, [8], ("8",)),
        (6, [7, 8], ()),
        (95, [97, 98, 99], ("97", "98", "99")),
        (95, [97, 98, 99, 998], ()),  # a questionnaire has few codes
        (95, [97] * 9 + [300], ("97",)),
        (95, [97] * 8 + [300], ()),
        (500, [777, 888], ("777", "888")),
        (500, [666666, 997, 998], ("997", "998", "666666")),
        (500, [601], ()),
        (500, [6666666], ()),
    ],
)
def test_usual_codes_apart_from_the_bounds_are_named_where_hardly_anything_else_is_there(most, met, named):
    field = {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": most}}
    (told,) = outside_bounds(pd.DataFrame({"n": [1, *met]}), Codebook.from_dict({"fields": [field]})).value
    assert told.codes == named


@pytest.mark.parametrize(("least", "named"), [(0, ("-1",)), (1, ("-1",)), (-0.5, ())])
def test_a_number_below_zero_is_a_code_only_where_the_bounds_have_no_sign(least, named):
    field = {"name": "n", "type": "number", "constraints": {"minimum": least, "maximum": 9}}
    (told,) = outside_bounds(pd.DataFrame({"n": [1, -1]}), Codebook.from_dict({"fields": [field]})).value
    assert told.codes == named


def test_shares_are_told_from_one_in_a_hundred_on_and_codes_in_the_plural():
    (words,) = found(-9, -7, *[50] * 98)["age"].words
    assert "-9, -7 look like missing codes: if the questionnaire says so, list them under" in words
    assert found(-9, *[50] * 99)["age"].words[0].startswith("'age': about 1 % of")
    assert found(-9, *[50] * 100)["age"].words[0].startswith("'age': less than 1 % of")


def test_nothing_is_said_where_nothing_lies_outside():
    assert found("0", "120", None, "-8") == {}
    assert found(1, day="2001-01-02")["day"].maximum == "2001-01-01"


def test_values_that_count_as_missing_because_nobody_can_read_them_are_told():
    lax = Codebook.from_dict(
        {"fields": [{**field, "unknown": ""} for field in BOOK.to_dict()["fields"]], "missingValues": [""]}
    )
    table = pd.DataFrame({"age": ["T", "-8", "", "30", "999"], "day": ["2000-05-05"] * 5})
    (told,) = outside_bounds(table, lax).value
    assert (told.share, told.unread) == (1 / 2, 1 / 3)
    beyond, unread = told.words
    assert "about 50 % of its values lie outside" in beyond
    assert unread == "'age': about 33 % of its values cannot be read; they count as missing."
    only = pd.DataFrame({"age": ["30"] * 300 + ["T"], "day": ["2000-05-05"] * 301})
    (told,) = outside_bounds(only, lax).value
    assert told.words == ("'age': less than 1 % of its values cannot be read; they count as missing.",)
    assert "0.003" not in repr(told)


def test_values_that_are_no_whole_numbers_or_no_multiples_of_the_step_are_told():
    def told(hours, **more):
        field = {"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}, **more}
        table = pd.DataFrame({"hours": hours})
        return lines_for(table, Codebook.from_dict({"fields": [field], "missingValues": [""]}))

    hours = ["45"] * 93 + ["26.02"] * 7
    moved = "they are moved to the nearest one."
    assert told(hours) == [f"Only for you: 'hours': about 7 % of its values are no whole numbers; {moved}"]
    (of_five,) = told([*hours, "44"], multipleOf=5)
    assert of_five == f"Only for you: 'hours': about 8 % of its values are no multiples of 5; {moved}"
    assert told(["45", "45.0", "100", None, ""], multipleOf=5) == []
    assert told(hours, type="number", decimals=1) == [], "decimals are rounded as declared"
    (unlisted,) = told(["45"] * 93 + ["26"] * 4 + ["44"] * 3, values=[26, 45])
    assert unlisted == f"Only for you: 'hours': about 3 % of its values are not among those listed; {moved}"
    assert told(["4.5", "4.50", "7"], type="number", values=[4.5, 7]) == []
    (at_the_bound,) = told(["0"] * 5 + ["4.5"] * 5, type="number", values=[4.5, 7])
    assert "about 50 % of its values are not among those listed" in at_the_bound
    wide = {"minimum": 0, "maximum": 10**12}  # its own grid has steps of a million
    assert told(["45.5", "2"], type="number", constraints=wide) == []
    (of_five,) = told(["45.5", "10"], type="number", multipleOf=5)
    assert "about 50 % of its values are no multiples of 5" in of_five
    assert told(["1000000.000001"], multipleOf=1000, constraints=wide) == [], "a computer's rounding"


def test_values_of_no_category_that_a_codebook_lets_pass_are_told():
    def told(values, **more):
        field = {"name": "land", "type": "string", "categories": ["08", "16", "(other)"], **more}
        book = Codebook.from_dict({"fields": [field], "missingValues": ["", "NA"]})
        return lines_for(pd.DataFrame({"land": values}), book)

    lands = ["8", "9", "16", "16", "NA", None]
    begins = "Only for you: 'land': about 50 % of its values are none of its categories; they"
    assert told(lands, unknown="") == [f"{begins} count as missing."]
    assert told(lands, unknown="(other)") == [f"{begins} become '(other)'."]
    assert told([*lands, *["16"] * 50], unknown="(other)") == [], "few are what such a category is for"
    assert told(["08", "16", "", None], unknown="") == []


def test_what_was_found_shows_no_figure_and_may_not_leave():
    labelled = outside_bounds(pd.DataFrame({"age": [-9, 1], "day": ["2000-05-05"] * 2}), BOOK)
    assert "0.5" not in repr(labelled.value)
    assert "-9" not in repr(labelled.value)
    with pytest.raises(NotPrivateError):
        public(labelled, "This")


def test_the_command_line_tells_the_steward_and_writes_it_nowhere(tmp_path, capsys):
    rng = np.random.default_rng(0)
    age = np.where(rng.random(300) < 0.1, -9, rng.integers(0, 100, 300))
    table = pd.DataFrame({"age": age, "day": "2000-05-05"})
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "cb.json").write_text(BOOK.to_json())
    common = [str(tmp_path / "t.csv"), "--codebook", str(tmp_path / "cb.json")]
    register = ["--workspace", str(tmp_path / "w"), "--cap", "2", "--unit", "row"]
    assert main(["register", *common, *register]) == 0
    told = "-9 looks like a missing code"
    assert told in capsys.readouterr().err
    assert (
        main(
            ["synthesize", *common, "--method", "independent", "--epsilon", "1", "--out", str(tmp_path / "o")]
        )
        == 0
    )
    assert told in capsys.readouterr().err
    assert "outside" not in (tmp_path / "o" / "run.json").read_text()
    assert lines_for(table, BOOK)[0].startswith("Only for you: 'age'")


ORDERED = {
    "fields": [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": "learned"}
        for name in "ab"
    ],
    "missingValues": [""],
    "rules": [{"kind": "ascending", "columns": ["a", "b"]}],
}


def test_a_declared_rule_that_rows_break_is_told_to_the_steward_alone(tmp_path, capsys, monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.integers(0, 100, 1000) for name in "ab"})
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "cb.json").write_text(Codebook.from_dict(ORDERED).to_json())
    monkeypatch.chdir(tmp_path)
    common = ["t.csv", "--codebook", "cb.json"]
    plan = ["--epsilon", "1", "--method", "independent"]
    assert main(["plan", "--codebook", "cb.json", *plan, "-o", "plan.toml"]) == 0
    capsys.readouterr()
    share = round(100 * float((table["a"] > table["b"]).mean()))
    told = f"Only for you: about {share} % of the rows break the rule: 'a', 'b' never fall."
    release = ["--plan", "plan.toml", "--workspace", "w", "--out", "o.zip", "--yes"]
    for command in (
        ["register", *common, "--workspace", "w", "--cap", "2", "--unit", "row"],
        ["synthesize", *common, *plan, "--out", "o"],
        ["release", *common, *release],
        ["codebook", "t.csv", "--guess", "--from", "cb.json", "-o", "drafted.json"],
    ):
        code, said = main(command), capsys.readouterr()
        assert (code, said.err.count(told)) == (0, 1), said.err
        assert "break the rule" not in said.out
    assert "break the rule" not in (tmp_path / "o" / "run.json").read_text()
    with zipfile.ZipFile(tmp_path / "o.zip") as bundle:
        assert not any(b"break the rule" in bundle.read(name) for name in bundle.namelist())


def test_nothing_is_said_of_a_rule_that_every_row_keeps():
    kept = pd.DataFrame({"a": [1, None, 3], "b": [1, 5, None]})
    assert lines_for(kept, Codebook.from_dict(ORDERED)) == []
    assert lines_for(kept.iloc[:0], Codebook.from_dict(ORDERED)) == []


def test_the_steward_is_told_what_part_of_the_rows_is_left_out_as_persons_have_too_many(tmp_path, capsys):
    table = pd.DataFrame({"id": [1, 1, 1, 1, 2, 2, 3, 4, 5, 6], "age": 30, "day": "2000-05-05"})
    (line,) = surplus_lines(table, Unit.parse("id:2"))
    assert line.startswith("Only for you: about 20 % of the rows are left out: of each person at most 2")
    assert surplus_lines(table, Unit.parse("id:4")) == surplus_lines(table, ROW) == []
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ["register", str(tmp_path / "t.csv"), "--workspace", str(tmp_path / "w"), "--cap", "1"]
    assert main([*asked, "--unit", "id:2"]) == 0
    assert line in capsys.readouterr().err


def test_rows_that_repeat_the_names_of_the_columns_are_told_where_a_table_is_drafted_and_registered(
    tmp_path, capsys
):
    header = "Subject Age,Subject Sex,Officer Sex\n"
    rows = "".join(f"{20 + i % 40},{'Male' if i % 3 else 'Female'},Male\n" for i in range(98))
    (tmp_path / "t.csv").write_text(
        header + rows[: len(rows) // 2].rpartition("\n")[0] + "\n" + header + rows
    )
    told = "of the rows repeat the names of the columns"
    draft = ["codebook", str(tmp_path / "t.csv"), "-o", str(tmp_path / "cb.json")]
    assert main(draft) == 0
    assert told not in capsys.readouterr().err, "nobody looked at a row"
    assert main([*draft, "--guess"]) == 0
    assert told in capsys.readouterr().err
    register = ["register", str(tmp_path / "t.csv"), "--workspace", str(tmp_path / "w"), "--cap", "1"]
    assert main([*register, "--unit", "row"]) == 0
    assert told in capsys.readouterr().err
    sexes = pd.DataFrame({"sex": ["sex", "f"], "age": ["3", "4"], "day": [None, "x"]})
    assert not heading_lines(sexes), "one value of three is a word like others"
    wide = pd.DataFrame({name: [name, "x"] if name in "ab" else ["y", "x"] for name in "abcde"})
    assert not heading_lines(wide), "nor are two of five"
    assert not heading_lines(table_of_names()[:0])


def table_of_names():
    return pd.DataFrame({"sex": ["f", "m"], "age": ["3", "4"]})


def test_boxes_that_are_ticked_do_not_repeat_the_names_of_columns():
    """Forms give each box a column, and whoever ticked it its words: they were told to be nobody's rows."""
    boxes = pd.DataFrame({"bus": ["bus", "", "bus"], "tram": ["tram", "", ""], "bike": ["bike", "", "bike"]})
    people = pd.DataFrame({"sex": ["f", "m", "f"], "age": ["3", "4", "5"]})
    assert not heading_lines(pd.concat([people, boxes], axis=1))
    assert not heading_lines(boxes), "nobody's boxes are an answer as well"
    repeated = pd.concat([people, boxes], axis=1)
    repeated.loc[3] = list(repeated.columns)
    (told,) = heading_lines(repeated)
    assert "about 25 % of the rows repeat the names" in told


def test_rows_that_are_empty_in_every_column_are_told():
    """Spreadsheets save rows of commas alone below a table: a third of the people had no age."""
    table = pd.DataFrame({"age": ["3", "", None, "5"], "sex": ["f", "", None, ""]})
    (told,) = heading_lines(table)
    assert "about 50 % of the rows are empty in every column" in told
    assert not heading_lines(table[["age"]])


def test_rows_that_are_called_a_total_are_told():
    """Of 7,714 rows of a table of deaths 27 % were the sums of others, by hand."""
    ages = pd.DataFrame({"age": ["0-4", "5-9", "Total"] * 40, "deaths": ["1", "2", "3"] * 40})
    (told,) = heading_lines(ages)
    assert told.startswith("Only for you: about 33 % of the rows are called a total in a column.")
    names = pd.DataFrame({"pet": [f"pet {i}" for i in range(200)] + ["Total"], "age": ["3"] * 201})
    assert not heading_lines(names)
    assert not heading_lines(ages[ages["age"] == "Total"])


@pytest.mark.parametrize(("place", "where"), [(0, "first"), (30, "last")])
def test_a_row_of_nothing_but_sums_of_all_others_is_told(place, where):
    """Above 20,729 sales stood their sum, on a row of its own: the amounts had bounds up to it (by hand)."""
    rows = [[str(number), "Bern", f"{number / 4}"] for number in range(1, 31)]
    rows.insert(place, ["", "", f"{sum(range(31)) / 4}"])
    table = pd.DataFrame(rows, columns=["shop", "town", "kilos"])
    (told,) = heading_lines(table)
    assert told.startswith(f"Only for you: the {where} row holds sums of all others and nothing else.")
    rows[place][2] = "116.0"
    assert not heading_lines(pd.DataFrame(rows, columns=["shop", "town", "kilos"]))
    rows[place] = ["x", "Chur", f"{sum(range(31)) / 4}"]
    assert not heading_lines(pd.DataFrame(rows, columns=["shop", "town", "kilos"]))
