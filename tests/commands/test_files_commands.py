"""Any table in from the command line: what was detected is said, kept by the codebook, and overruled."""

import json

import pandas as pd
import pyreadstat
import pytest

from hmpb_core.cli import main
from tests.sources.test_codebook_files import REDCAP
from tests.sources.test_drafting import GERMAN_EXCEL
from tests.sources.test_formats import workbook
from tests.thorough import sample


def run(*arguments):
    return main([str(argument) for argument in arguments])


def fields(path):
    return {entry["name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))["fields"]}


@pytest.fixture
def german(tmp_path):
    path = tmp_path / "Patienten.csv"
    path.write_bytes(GERMAN_EXCEL)
    return path


def test_a_file_of_german_excel_goes_from_guess_to_rows(german, tmp_path, capsys):
    book, out = tmp_path / "cb.json", tmp_path / "out.csv"
    assert run("codebook", german, "--guess", "-o", book) == 0
    said = capsys.readouterr()
    assert "Windows-1252 (Western European), semicolons, decimal comma" in said.err
    assert (
        f"Fields drafted into {book}: 8; 0 from labels, 2 from public vocabularies, 4 guessed, "
        "0 to be filled in, 2 not" in said.out
    )
    reading = json.loads(book.read_text(encoding="utf-8"))["reading"]
    marks = {"encoding": "cp1252", "delimiter": ";", "decimal": ",", "thousands": "", "money": ""}
    assert reading == {**marks, "lines": "\r\n"}
    assert run("synthesize", german, "--codebook", book, "--epsilon", "1", "--out", out) == 0
    made = pd.read_csv(out, sep=";", decimal=",", encoding="cp1252")
    assert list(made.columns) == [
        "Geschlecht",
        "Alter",
        "Größe",
        "aufgenommen",
        "Hauptdiagnose_ICD",
        "Raucher",
    ]
    assert made["Größe"].between(1, 1.7).all()
    assert json.loads(out.with_suffix(".run.json").read_text(encoding="utf-8"))["releasable"] is False


def test_it_is_said_how_much_of_a_file_was_read_and_which_options_fit_it(german, tmp_path, capsys):
    sheet = tmp_path / "t.xlsx"
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_excel(sheet, index=False)
    marked = tmp_path / "marked.csv"
    marked.write_text("who,paid\n" + 'x,"$1,200.50"\n' * 60 + "\nSource: the office\n")
    also = "with --encoding, --delimiter, --decimal, --thousands, --money, --header or --footer."
    texts = "Tell it otherwise with --encoding, --delimiter, --decimal or --header."
    for words, said in (
        ((german,), ("By its first lines read as csv", texts)),
        ((german, "--guess"), ("Read as csv", texts)),
        ((sheet,), ("Read as xlsx", "Tell it otherwise with --sheet or --header.")),
        ((marked, "--guess"), ("numbers written with $", "1 line below the table left away", also)),
    ):
        assert run("codebook", *words, "-o", tmp_path / "book.json") == 0
        told = capsys.readouterr().err
        assert [part for part in said if part not in told] == []


def test_a_guess_names_columns_that_say_the_same_as_another(tmp_path, capsys):
    rows = "".join(f"{'abc'[i % 3]},{i % 3},{i % 7}\n" for i in range(90))
    (tmp_path / "t.csv").write_text(f"grade,grade_code,other\n{rows}")
    assert main(["codebook", str(tmp_path / "t.csv"), "--guess", "-o", str(tmp_path / "cb.json")]) == 0
    assert "'grade_code' as 'grade'" in capsys.readouterr().err
    assert main(["codebook", str(tmp_path / "t.csv"), "-o", str(tmp_path / "cb.json")]) == 0
    assert "as 'grade'" not in capsys.readouterr().err, "no row is looked at"


def test_without_guess_the_draft_is_the_same_whatever_the_rows_are(german, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(GERMAN_EXCEL.split(b"\r\n")[0] + b"\r\n9;x;x;x;x;x;x;x\r\n")
    for path, book in ((german, "a.json"), (other, "b.json")):
        assert run("codebook", path, "-o", tmp_path / book) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert fields(tmp_path / "a.json")["Geschlecht"]["source"]["kind"] == "vocabulary"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("mark", [";", ","])
def test_one_row_does_not_decide_how_the_numbers_of_others_are_read(tmp_path, capsys, mark, engine):
    """With a second decimal comma in one column, the points of another would mark thousands in all rows."""
    fields = [
        {"name": "hours", "type": "number", "constraints": {"minimum": 0, "maximum": 60}, "unknown": ""},
        {"name": "level", "type": "number", "constraints": {"minimum": 0, "maximum": 9999}},
    ]
    book = tmp_path / "cb.json"
    book.write_text(json.dumps({"fields": fields, "reading": {"delimiter": mark}}), encoding="utf-8")
    files = []
    for name, last in (("one", "7"), ("other", '"1,5"')):
        rows = [f"{i % 50}{mark}{1 + i % 8}.{100 + i}" for i in range(90)]
        rows += [f'"1,5"{mark}2.345', f"{last}{mark}2.345"]
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("\n".join([f"hours{mark}level", *rows]) + "\n", encoding="utf-8")

    def made(data, *options):
        make = ("synthesize", data, "--codebook", book, "--epsilon", "1", "--engine", engine)
        return run(*make, *options, "--out", tmp_path / f"{len(list(tmp_path.iterdir()))}.csv")

    assert made(files[0]) == 0
    assert made(files[1]) == 2
    usual = "comma" if mark == ";" else "point"
    told = "add --decimal comma --thousands point if they are written so, else"
    assert f"{told} --decimal {usual} --thousands none" in capsys.readouterr().err
    assert made(files[1], "--decimal", usual, "--thousands", "none") == 0


def test_between_semicolons_a_decimal_comma_needs_no_word_of_a_codebook_that_was_drafted_without_rows(
    tmp_path,
):
    data, book, out = tmp_path / "t.csv", tmp_path / "cb.json", tmp_path / "out.csv"
    rows = [f"{1 + i % 80 / 100:.2f};{i % 7}" for i in range(400)]
    data.write_text("\n".join(["Gr\u00f6\u00dfe;Kinder", *rows]).replace(".", ",") + "\n", encoding="utf-8")
    assert run("codebook", data, "-o", book) == 0
    kept = ("--workspace", tmp_path / "w")
    assert run("register", data, *kept, "--cap", "5", "--unit", "row") == 0
    make = ("survey", data, "--codebook", book, *kept, "--epsilon", "1")
    assert run(*make, "--out", tmp_path / "found.json", "--yes") == 0
    make = ("synthesize", data, "--codebook", tmp_path / "found.json", "--epsilon", "5", "--out", out)
    assert run(*make) == 0
    heights = (
        pd.read_csv(out, sep=None, engine="python")["Gr\u00f6\u00dfe"]
        .astype(str)
        .str.replace(",", ".")
        .astype(float)
    )
    assert heights.between(0.5, 2.5).mean() > 0.9


@pytest.mark.parametrize("blank", sample([" ", "\u00a0", "\u202f"], 2))
def test_options_that_a_refusal_names_are_enough_and_the_survey_keeps_them_so_the_csv_leaves_with_its_comma(
    blank, tmp_path, capsys
):
    data, book, found = tmp_path / "t.csv", tmp_path / "cb.json", tmp_path / "found.json"
    rows = [f"{1 + i % 7}{blank}{i % 900 + 100},{i % 90 + 10};{1 + i % 80 / 100:.2f}" for i in range(900)]
    text = "\n".join(["salaire;taux", *rows]).replace(".", ",")
    data.write_text(text + "\n", encoding="utf-8")
    assert run("codebook", data, "-o", book) == 0
    kept = ("--workspace", tmp_path / "w")
    assert run("register", data, *kept, "--cap", "9", "--unit", "row") == 0
    make = ("survey", data, "--codebook", book, *kept, "--epsilon", "5", "--out", found, "--yes")
    assert run(*make) == 2
    assert "add --decimal comma --thousands space if" in capsys.readouterr().err
    assert run(*make, "--decimal", "comma", "--thousands", "space") == 0
    reading = json.loads(found.read_text(encoding="utf-8"))["reading"]
    assert (reading["decimal"], reading["thousands"]) == (",", " ")
    make = ("synthesize", data, "--codebook", found, "--epsilon", "5", "--out")
    assert run(*make, tmp_path / "kept.csv") == 0
    untold = json.loads(found.read_text(encoding="utf-8"))
    untold["reading"] = {"delimiter": ";"}
    found.write_text(json.dumps(untold), encoding="utf-8")
    assert run(*make, tmp_path / "told.csv", "--decimal", "comma", "--thousands", "space") == 0
    for name in ("kept.csv", "told.csv"):
        drawn = pd.read_csv(tmp_path / name, sep=";", decimal=",")
        assert drawn["taux"].between(0.5, 2.5).mean() > 0.95
        assert 2000 < drawn["salaire"].median() < 7000


def test_the_reading_that_a_codebook_keeps_is_used_and_an_option_overrules_it(german, tmp_path, capsys):
    book, out = tmp_path / "cb.json", tmp_path / "out.csv"
    run("codebook", german, "--guess", "-o", book)
    schema = json.loads(book.read_text(encoding="utf-8"))
    schema["reading"]["delimiter"] = "|"
    book.write_text(json.dumps(schema), encoding="utf-8")
    make = ("synthesize", german, "--codebook", book, "--epsilon", "1", "--out", out)
    assert run(*make) == 2
    assert "The table lacks 'Geschlecht'" in capsys.readouterr().err
    assert run(*make, "--delimiter", "semicolon") == 0


def test_a_sheet_is_chosen_and_kept(tmp_path):
    data, book = tmp_path / "t.xlsx", tmp_path / "cb.json"
    data.write_bytes(workbook({"One": [["a"], [1]], "Two": [["sex", "x"], *[["m", 1], ["f", 2]] * 30]}))
    assert run("codebook", data, "--sheet", "Two", "--guess", "-o", book) == 0
    assert list(fields(book)) == ["sex", "x"]
    assert run("synthesize", data, "--codebook", book, "--epsilon", "1", "--out", tmp_path / "o.csv") == 0
    assert run("evaluate", data, tmp_path / "o.csv", "--codebook", book) == 0


@pytest.mark.parametrize("command", [("evaluate",), ("report", "-o", "r.html")])
def test_a_synthetic_table_is_read_as_its_codebook_writes_it(tmp_path, monkeypatch, command):
    """Of 60 fees in yen the synthetic rows had 28: too few to tell that 円 is no part of a text."""
    monkeypatch.chdir(tmp_path)
    data, drawn, book = tmp_path / "t.csv", tmp_path / "o.csv", tmp_path / "cb.json"
    lines = [f"{('男', '女')[i % 2]},{500 + 37 * (i % 60)}円" for i in range(600)]
    data.write_bytes("\n".join(["性別,管理費", *lines, ""]).encode("cp932"))
    assert run("codebook", data, "--guess", "-o", book) == 0
    assert fields(book)["管理費"]["written"] == "1234円"
    drawn.write_bytes("\n".join(["性別,管理費", *lines[:25], ""]).encode("cp932"))
    assert run(*command[:1], data, drawn, "--codebook", book, *command[1:]) == 0
    plain = "\n".join(["性別,管理費", *lines[:25], ""]).replace("円", "")
    drawn.write_text(plain, encoding="utf-8")
    assert run(*command[:1], data, drawn, "--codebook", book, *command[1:]) == 0


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_a_file_without_a_line_of_names_gives_all_its_rows(tmp_path, name):
    data, book, out = tmp_path / name, tmp_path / "cb.json", tmp_path / "o.csv"
    rows = [["m", 1], ["f", 2]] * 30
    text = "".join(f"{sex},{number}\n" for sex, number in rows)
    data.write_bytes(text.encode() if name == "t.csv" else workbook({"One": rows}))
    assert run("codebook", data, "--no-header", "--guess", "-o", book) == 0
    assert list(fields(book)) == ["column 1", "column 2"]
    assert run("synthesize", data, "--codebook", book, "--epsilon", "1", "--out", out) == 0
    assert pd.read_csv(out).shape == (60, 2)
    assert run("evaluate", data, out, "--codebook", book) == 0


def test_a_draft_without_a_look_keeps_line_ends_and_quotes(tmp_path):
    data, book = tmp_path / "t.csv", tmp_path / "cb.json"
    data.write_bytes(b'"sex","x"\r\n"m",1\r\n')
    run("codebook", data, "-o", book)
    reading = json.loads(book.read_text(encoding="utf-8"))["reading"]
    assert (reading["lines"], reading["quotes"]) == ("\r\n", "texts")


@pytest.mark.parametrize("listed", ["%", "$"])
def test_a_codebook_that_lists_amounts_as_words_reads_them_as_words(tmp_path, listed):
    words = [f"{n}%" if listed == "%" else f"${n}" for n in (5, 10, 20)]
    (tmp_path / "t.csv").write_text("share,n\n" + "".join(f"{words[i % 3]},{i % 7}\n" for i in range(300)))
    fields = [
        {"name": "share", "type": "string", "categories": words},
        {"name": "n", "type": "integer", "categories": list(range(7))},
    ]
    (tmp_path / "cb.json").write_text(json.dumps({"fields": fields}))
    options = ("--codebook", tmp_path / "cb.json", "--epsilon", "50", "--out", tmp_path / "s")
    assert run("synthesize", tmp_path / "t.csv", *options) == 0
    made = pd.read_csv(tmp_path / "s" / "data.csv", dtype=str)
    shares = made["share"].value_counts(normalize=True)
    assert set(shares.index) == set(words)
    assert (shares - 1 / 3).abs().max() < 0.05


def test_an_open_draft_is_told_what_may_be_done_with_it(tmp_path, capsys):
    data, book = tmp_path / "t.csv", tmp_path / "cb.json"
    data.write_text("x,y\n1,2\n", encoding="utf-8")
    run("codebook", data, "-o", book)
    assert "'hmpb survey' buys them" in capsys.readouterr().err
    assert (
        run("register", data, "--codebook", book, "--workspace", tmp_path, "--cap", "1", "--unit", "row") == 2
    )
    assert "The codebook has 2 open fields: 'x', 'y'." in capsys.readouterr().err


def test_a_codebook_starts_from_a_data_dictionary(tmp_path):
    data, dictionary, book = tmp_path / "t.csv", tmp_path / "redcap.csv", tmp_path / "cb.json"
    data.write_text("record_id,smoke,grade,weight,other\n1,1,2,70.5,x\n", encoding="utf-8")
    dictionary.write_text(REDCAP, encoding="utf-8")
    assert run("codebook", data, "--from", dictionary, "-o", book) == 0
    found = fields(book)
    assert found["smoke"]["source"] == {"kind": "file", "name": "redcap.csv"}
    assert found["weight"]["constraints"] == {"minimum": 30, "maximum": 250.5}
    assert found["record_id"]["publish"] is False
    assert found["other"]["declared"] is False


def test_labels_of_some_values_leave_a_field_open_and_are_remarked(tmp_path, capsys):
    pyreadstat.write_sav(
        pd.DataFrame({"satis": [0.0, 4.0, 10.0], "sex": [1.0, 2.0, 2.0]}),
        tmp_path / "t.sav",
        variable_value_labels={"satis": {0: "not at all", 10: "fully"}, "sex": {1: "m", 2: "f"}},
    )
    assert main(["codebook", str(tmp_path / "t.sav"), "-o", str(tmp_path / "cb.json")]) == 0
    assert "labels only some of the numbers that these may hold: 'satis'." in capsys.readouterr().err
    satis, sex = json.loads((tmp_path / "cb.json").read_text())["fields"]
    assert (satis["type"], satis["declared"], len(sex["categories"])) == ("integer", False, 2)


def test_a_codebook_file_leaves_what_only_the_table_s_own_file_says(tmp_path):
    pyreadstat.write_sav(
        pd.DataFrame({"age": [30.0, 999.0, 61.0], "sex": [1.0, 2.0, 9.0], "job": [1.0, 2.0, 1.0]}),
        tmp_path / "t.sav",
        column_labels={"age": "Age in years", "sex": "Sex", "job": "Work"},
        missing_ranges={"age": [999], "sex": [9]},
        variable_value_labels={"sex": {9: "refused"}, "job": {1: "none", 2: "some"}},
    )
    told = [
        {"name": "age", "type": "integer", "constraints": {"minimum": 16, "maximum": 99}},
        {"name": "sex", "title": "Sex at birth", "type": "integer", "categories": [1, 2]},
        {"name": "job", "type": "number", "title": "Job"},
    ]
    (tmp_path / "dp.json").write_text(json.dumps({"fields": told}))
    given = ["--from", tmp_path / "dp.json"]
    for more in ([], ["--guess"]):
        assert run("codebook", tmp_path / "t.sav", *given, *more, "-o", tmp_path / "cb.json") == 0
        found = fields(tmp_path / "cb.json")
        assert (found["age"]["title"], found["age"]["missingValues"]) == ("Age in years", [999, ""])
        assert found["age"]["constraints"] == {"minimum": 16, "maximum": 99}
        assert found["sex"]["title"] == "Sex at birth"
        assert found["sex"]["missingValues"] == [{"value": 9, "label": "refused"}, ""]
        assert (found["job"]["title"], found["job"]["type"]) == ("Job", "integer")
        assert found["job"]["categories"][0] == {"value": 1, "label": "none"}


def test_decimals_that_a_dictionary_leaves_open_are_told_with_those_of_the_rows(tmp_path, capsys):
    """Heights of 500 patients have one decimal, and left with three."""
    data, dictionary, book = tmp_path / "t.csv", tmp_path / "redcap.csv", tmp_path / "cb.json"
    data.write_text("height,score\n" + "176.1,2\n160,3\n" * 200, encoding="utf-8")
    dictionary.write_text(
        "Variable / Field Name,Field Type,Text Validation Type OR Show Slider Number,Text Validation Min,"
        "Text Validation Max\nheight,text,number,0,250\nscore,text,integer,0,5\n",
        encoding="utf-8",
    )
    assert run("codebook", data, "--from", dictionary, "-o", book) == 0
    assert "decimals" not in capsys.readouterr().err, "nobody looked at a row"
    assert run("codebook", data, "--from", dictionary, "-o", book, "--guess") == 0
    assert "nearly all have so many at most: 'height' (1). Add 'decimals'" in capsys.readouterr().err
    found = json.loads(book.read_text())
    assert "decimals" not in found["fields"][0], "what rows say is no part of what came with the file"
    found["fields"][0]["decimals"] = 1
    dictionary.with_suffix(".json").write_text(json.dumps(found))
    assert run("codebook", data, "--from", dictionary.with_suffix(".json"), "-o", book, "--guess") == 0
    assert "how many decimals" not in capsys.readouterr().err


def test_rules_of_a_dictionary_come_into_the_codebook_where_their_columns_are_and_hold(tmp_path, capsys):
    data, dictionary, book = tmp_path / "t.csv", tmp_path / "redcap.csv", tmp_path / "cb.json"
    data.write_text("smokes,cigs,ok\n" + "1,12,1\n0,,0\n" * 200, encoding="utf-8")
    dictionary.write_text(
        "Variable / Field Name,Field Type,Text Validation Type OR Show Slider Number,Text Validation Min,"
        "Text Validation Max,Branching Logic (Show field only if...)\n"
        "smokes,yesno,,,,\ncigs,text,integer,0,80,[smokes] = '1'\nok,yesno,,,,[visit][smokes] = '1'\n"
        "gone,yesno,,,,[smokes] = '1'\n",
        encoding="utf-8",
    )
    for guess in ((), ("--guess",)):
        assert run("codebook", data, "--from", dictionary, "-o", book, *guess) == 0
        said = capsys.readouterr().err
        source = {"kind": "file", "name": dictionary.name}
        assert json.loads(book.read_text())["rules"] == [
            {"kind": "askedIf", "column": "cigs", "if": {"smokes": 1}, "source": source}
        ]
        assert "every synthetic row obeys" in said
        assert "When ok are to be asked could not be made a rule" in said
    assert run("synthesize", data, "--codebook", book, "--epsilon", "9", "--out", tmp_path / "out.csv") == 0
    made = pd.read_csv(tmp_path / "out.csv")
    # Missing answers are possible by the codebook, so noise may leave a few.
    assert set(made["smokes"].dropna()) == {0, 1}, "as REDCap stores them"
    assert made["cigs"][made["smokes"] == 0].isna().all()
    capsys.readouterr()
    data.write_text("other\n1\n", encoding="utf-8")
    assert run("codebook", data, "--from", dictionary, "-o", book) == 2
    assert "'redcap.csv' describes none of the table's columns" in capsys.readouterr().err


@pytest.mark.parametrize(
    "case",
    [
        ("t.csv", b"a\n1\n", ("--encoding", "none"), "The encoding 'none' is not known"),
        ("t.csv", b"a\n1\n", ("--delimiter", "xx"), "The delimiter 'xx' cannot separate values"),
        ("t.csv", b"a\n1\n", ("--decimal", "x"), "The decimal mark 'x' is not known"),
        ("t.xlsx", b"PK", (), "is not a whole workbook"),
        ("t.sav", b"x", (), "cannot be read as a file of SPSS"),
        ("t.pdf", b"x", (), "is no table by its ending"),
        ("t.csv", b"a\n1\n", ("--from", "absent.json"), "is not a file here"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, capsys, case):
    name, content, options, text = case
    (tmp_path / name).write_bytes(content)
    for guess in ((), ("--guess",)):
        assert run("codebook", tmp_path / name, *guess, *options, "-o", tmp_path / "cb.json") == 2
        error = capsys.readouterr().err
        assert text in error
        assert "Traceback" not in error
    assert not (tmp_path / "cb.json").exists()


def test_rules_that_the_names_suggest_are_named_as_the_codebook_writes_them(tmp_path, capsys):
    days = pd.date_range("2021-01-01", periods=120).astype(str)
    frame = pd.DataFrame({"Entlassung": days, "Aufnahme": days})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run("codebook", tmp_path / "t.csv", "--guess", "-o", tmp_path / "cb.json") == 0
    said = capsys.readouterr().err
    assert '{"kind": "ascending", "columns": ["Aufnahme", "Entlassung"]}' in said
    assert run("codebook", tmp_path / "t.csv", "-o", tmp_path / "cb.json") == 0
    assert "suggest" not in capsys.readouterr().err  # nobody has said yet that these are dates
    frame["Entlassung"] = list(days[::-1])
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run("codebook", tmp_path / "t.csv", "--guess", "-o", tmp_path / "cb.json") == 0
    assert "suggest" not in capsys.readouterr().err  # half of the rows break it


MIXED = "id;height;weight;price;sex\n" + "".join(
    f"{i};1.{50 + i % 50};{50 + i % 40}.5;{i % 90},{10 + i % 80};{'fm'[i % 2]}\n" for i in range(400)
)
BOTH = (
    "Numbers have a decimal comma in 'price', and a decimal point in 'height', 'weight': one of them is "
    "misread. Add --decimal comma --thousands none, which reads both, or write them alike.\n"
)


def test_a_file_with_decimal_commas_and_points_is_remarked_and_read_right_as_the_remark_says(
    tmp_path, capsys
):
    data, book, out = tmp_path / "t.csv", tmp_path / "cb.json", tmp_path / "o.csv"
    data.write_text(MIXED, encoding="utf-8")
    assert run("codebook", data, "--guess", "-o", book) == 0
    assert BOTH in capsys.readouterr().err
    assert run("codebook", data, "--guess", "-o", book, "--decimal", "comma", "--thousands", "none") == 0
    assert "decimal comma in" not in capsys.readouterr().err
    limits = {name: entry.get("constraints") for name, entry in fields(book).items()}
    assert limits["price"]["minimum"] >= 0
    assert limits["price"]["maximum"] <= 100
    assert limits["height"]["maximum"] <= 2
    assert run("synthesize", data, "--codebook", book, "--epsilon", "20", "--out", out) == 0
    assert "decimal comma in" not in capsys.readouterr().err, "the codebook keeps it"
    made = pd.read_csv(out, sep=";", decimal=",")
    assert made["height"].between(1.5, 2).all()
    assert made["price"].between(0, 100).all()


def test_amounts_in_several_currencies_are_remarked(tmp_path, capsys):
    """Of 5,966 flats 85 cost euros among crowns, and one costs 25 of the other."""
    data, book = tmp_path / "t.csv", tmp_path / "cb.json"
    signs = ["€", *["Kč"] * 29]
    rows = [f"{1 + i % 60} {100 + i % 800} {signs[i % 30]};{5 + i % 70} Kč" for i in range(300)]
    data.write_text("cena;kauce\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = "Amounts in several currencies stand in 'cena': they are read as if they were in one."
    assert run("codebook", data, "--guess", "-o", book) == 0
    assert said in capsys.readouterr().err
    data.write_text(data.read_text(encoding="utf-8").replace("Kč", "€"), encoding="utf-8")
    assert run("codebook", data, "--guess", "-o", book) == 0
    assert "currencies" not in capsys.readouterr().err


def test_points_that_are_taken_for_thousands_beside_decimal_points_are_remarked(tmp_path, capsys):
    """1.234 beside 1.5 would be read as 1234."""
    rows = [
        f"{1 + i % 2}.{i % 10 if i % 3 else 100 + i};{i % 50},5;{i % 40},25;{1 + i % 9}.{100 + i}"
        for i in range(300)
    ]
    data, book, out = tmp_path / "t.csv", tmp_path / "cb.json", tmp_path / "o.csv"
    data.write_text("height;price;cost;people\n" + "\n".join(rows) + "\n", encoding="utf-8")
    limits = {"minimum": 0, "maximum": 10_000}
    height = {"name": "height", "type": "number", "constraints": limits, "bins": 9}
    book.write_text(json.dumps({"fields": [height]}), encoding="utf-8")
    assert run("codebook", data, "--guess", "-o", tmp_path / "guess.json") == 0
    assert "decimal comma in 'price', 'cost', and a decimal point in 'height': one" in capsys.readouterr().err
    make = ("synthesize", data, "--codebook", book, "--epsilon", "1", "--out", out)
    assert run(*make) == 2
    assert "add --decimal comma --thousands none if" in capsys.readouterr().err
    assert run(*make, "--decimal", "comma", "--thousands", "none") == 0
    assert "decimal comma in" not in capsys.readouterr().err


def test_answers_between_commas_are_no_decimals(tmp_path, capsys):
    data = tmp_path / "t.csv"
    data.write_text("height,ticked\n" + '1.5,"1,2"\n1.75,"2,3"\n' * 50, encoding="utf-8")
    assert run("codebook", data, "--guess", "-o", tmp_path / "cb.json") == 0
    assert "decimal comma in" not in capsys.readouterr().err


def test_one_byte_of_one_row_does_not_decide_how_all_texts_are_read(tmp_path, capsys):
    data, book, out = tmp_path / "t.csv", tmp_path / "cb.json", tmp_path / "o.csv"
    town = {"name": "town", "categories": ["Köln", "Ulm", "(other)"], "unknown": "(other)"}
    book.write_text(json.dumps({"fields": [town]}), encoding="utf-8")
    data.write_bytes(b"town\n" + "Köln\nUlm\n".encode() * 50 + b"caf\xe9\n")
    make = ("synthesize", data, "--codebook", book, "--epsilon", "1", "--method", "independent", "--out", out)
    assert run(*make) == 2
    assert "name its encoding (add --encoding cp1252 if it is that" in capsys.readouterr().err
    assert run(*make, "--encoding", "cp1252") == 0
    for unicode in ("utf-16", "utf-16-le", "utf-8-sig"):
        data.write_bytes(("town\n" + "Köln\nUlm\n" * 50).encode(unicode))
        assert run(*make) == 0


def test_a_file_that_says_its_own_encoding_is_read_by_it_with_a_codebook_too(tmp_path, capsys):
    data, book, out = tmp_path / "t.sav", tmp_path / "cb.json", tmp_path / "o.csv"
    labels = {"town": {1.0: "KKKK", 2.0: "Ulm"}}
    pyreadstat.write_sav(pd.DataFrame({"town": [1.0, 2.0] * 50}), data, variable_value_labels=labels)
    content = data.read_bytes()
    assert content.count(b"UTF-8") == content.count(b"KKKK") == 1
    data.write_bytes(content.replace(b"UTF-8", b"CP949").replace(b"KKKK", "서울".encode("cp949")))
    assert run("codebook", data, "-o", book) == 0
    assert "서울" in book.read_text(encoding="utf-8")
    make = ("synthesize", data, "--codebook", book, "--epsilon", "1", "--method", "independent", "--out", out)
    assert run(*make) == 0, capsys.readouterr().err


def test_a_guess_tells_of_rules_that_every_row_keeps_until_the_codebook_says_them(tmp_path, capsys):
    paid = [i * 37 % 90 * 10 for i in range(400)]
    rows = (f"yes,{paid[i]},{paid[i] + i % 7 * 4}\n" if i % 3 else f"no,,{paid[i]}\n" for i in range(400))
    (tmp_path / "t.csv").write_text("works,paid,billed\n" + "".join(rows))
    guess = ["codebook", str(tmp_path / "t.csv"), "--guess", "-o", str(tmp_path / "cb.json")]
    assert main(guess) == 0
    [said] = [line for line in capsys.readouterr().err.splitlines() if "keeps these rules" in line]
    rules = [
        {"kind": "ascending", "columns": ["paid", "billed"]},
        {"kind": "askedIf", "column": "paid", "if": {"works": "yes"}},
    ]
    assert "not. In every row: paid ≤ billed. paid has a value only if works is yes. Those that" in said
    book = json.loads((tmp_path / "cb.json").read_text())
    assert "rules" not in book  # they are read off the rows
    (tmp_path / "own.json").write_text(json.dumps({**book, "rules": rules}))
    assert main([*guess, "--from", str(tmp_path / "own.json")]) == 0
    assert "keeps these rules" not in capsys.readouterr().err


def test_a_guess_tells_the_answers_of_cells_that_hold_several_apart_and_says_so(tmp_path, capsys):
    goods = ["radio", "table", "radio;table", "car;table", "car"]
    rows = "".join(f"{i % 9},{goods[i * 7 % 5]}\n" for i in range(200))
    (tmp_path / "t.csv").write_text("rooms,goods\n" + rows)
    assert main(["codebook", str(tmp_path / "t.csv"), "--guess", "-o", str(tmp_path / "cb.json")]) == 0
    assert "Cells with several answers: 'goods' (3, ';' between them)." in capsys.readouterr().err
    out = tmp_path / "s.csv"
    given = ["synthesize", str(tmp_path / "t.csv"), "--codebook", str(tmp_path / "cb.json"), "--seed", "1"]
    assert main([*given, "--epsilon", "100", "-o", str(out)]) == 0
    read = pd.read_csv(out, dtype=str)
    assert list(read.columns) == ["rooms", "goods"]
    counts = read["goods"].value_counts()
    assert all(30 <= counts[cell] <= 50 for cell in goods)  # of 40 each; noise may make a few other cells


@pytest.mark.parametrize("more", [[], ["--guess"]])
def test_a_delimiter_that_leaves_one_column_is_told_with_what_seems_to_part_the_columns(
    tmp_path, capsys, more
):
    table, book = tmp_path / "t.csv", str(tmp_path / "cb.json")
    table.write_text("age,sex,town\n" + "31,f,Bonn\n" * 20)
    told = "its name holds several commas: if they part the columns, say --delimiter comma."
    assert main(["codebook", str(table), "-o", book, "--delimiter", "semicolon", *more]) == 0
    assert told in capsys.readouterr().err
    assert main(["codebook", str(table), "-o", book, "--delimiter", "comma", *more]) == 0
    assert "one column" not in capsys.readouterr().err
