"""A survey of a table, from its charge to the codebook and the command line."""

import itertools
import json
import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import BudgetExceededError, DomainError, PlanError, PrivacyError, SourceError
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.ledger import Kind as EntryKind
from hmpb_core.privacy.ledger import Totals, digest_of
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Origin
from hmpb_core.publishing import survey as survey_room
from hmpb_core.publishing.findings import SURVEYS, findings_of
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey, surveyed
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows
from hmpb_core.survey.cells import (
    N_CELLS,
    N_KINDS,
    NUMBER_CELLS,
    WORD_CELLS,
    YEAR_CELLS,
    Kind,
    count,
)
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.findings import Look
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.sketches import Sketch, sketch_of
from hmpb_core.survey.words import WORDS
from tests.survey.cases import BESIDE_127, ONE, TABLE, ZERO, by_name, look
from tests.thorough import THOROUGH


@pytest.fixture(scope="module")
def registered(tmp_path_factory):
    """A workspace with the table in it; registering it takes seconds."""
    folder = tmp_path_factory.mktemp("survey") / "w"
    Workspace(folder, create=True).register(
        TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    return folder


@pytest.fixture
def workspace(registered, tmp_path):
    return Workspace(shutil.copytree(registered, tmp_path / "w"))


@THOROUGH
def test_a_tenth_of_epsilon_finds_every_common_category_and_bounds_that_hold_all_but_strays(workspace):
    draft = draft_from_header(list(TABLE.columns))
    commit = prepare_survey(TABLE, draft, workspace, epsilon=0.1)
    assert commit.columns == ("punkte", "einkommen", "diagnose", "gebiet", "aufnahme")
    schema, charge, _ = carry_out_survey(commit, workspace)
    found = {f["name"]: f for f in schema["fields"]}
    codes = [c["value"] for c in found["diagnose"]["categories"][:4]]
    assert codes == ["E11", "I10", "J44", "M54"]
    assert found["diagnose"]["unknown"] == "(other)"
    assert found["gebiet"]["categories"] == ["Nord", "Ost", "Süd", "West", "(other)"]
    assert found["punkte"]["type"] == "integer"
    assert found["einkommen"]["decimals"] == 2
    for name in ("punkte", "einkommen"):
        bounds, values = found[name]["constraints"], TABLE[name].astype(float)
        outside = (values < bounds["minimum"]) | (values > bounds["maximum"])
        assert outside.mean() < 0.02
    assert found["punkte"]["constraints"]["minimum"] == 0
    assert found["punkte"]["constraints"]["maximum"] in BESIDE_127
    assert found["aufnahme"]["constraints"] in (
        {"minimum": "01.01.1994", "maximum": "31.12.1996"},
        {"minimum": "01.01.1993", "maximum": "31.12.1997"},  # where noise hides more than a hundredth
    )
    assert found["aufnahme"]["format"] == "%d.%m.%Y"
    assert found["notiz"]["publish"] is False
    source = {"kind": "survey", "entry": charge.number}
    assert all(found[name]["source"] == source for name in commit.columns)
    assert "Kanarienvogel" not in json.dumps(schema)
    book = Codebook.from_dict({"fields": [found["diagnose"], found["punkte"], found["einkommen"]]})
    assert not book.undeclared
    assert book.sources["diagnose"].origin is Origin.SURVEY


def test_a_survey_tells_its_progress_while_it_counts_and_while_it_adds_noise(workspace):
    commit = prepare_survey(TABLE, draft_from_header(list(TABLE.columns)), workspace, epsilon=0.1)
    told = []
    carry_out_survey(commit, workspace, progress=lambda done, message: told.append((done, message)))
    parts = [done for done, _ in told]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert {message for _, message in told} == {"counting", "finding"}
    assert max(np.diff(parts)) <= 0.2, "no part of the work is as silent as a fifth of the whole"


def test_a_survey_is_charged_once_and_exactly(workspace):
    draft = draft_from_header(["gebiet", "punkte"])
    commit = prepare_survey(TABLE, draft, workspace, epsilon=0.1)
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER]
    _, charge, _ = carry_out_survey(commit, workspace)
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER, EntryKind.CHARGE, EntryKind.COMPLETE]
    [dataset] = workspace.datasets()
    assert dataset.totals == Totals(rho=commit.guarantee.total, delta=Fraction(1e-10) / 2)
    assert float(dataset.spent) == pytest.approx(0.1, rel=1e-9)
    assert charge.totals == dataset.totals
    assert (charge.who, charge.details["survey"]) == (whoami(), ["gebiet", "punkte"])
    assert workspace.verify() == []


def test_what_a_survey_found_is_kept_for_the_table_and_only_as_it_was_found(workspace):
    draft = draft_from_header(["gebiet", "punkte"])
    assert findings_of(workspace, TABLE) == {}
    schema, charge, _ = carry_out_survey(prepare_survey(TABLE, draft, workspace, epsilon=0.1), workspace)
    found = {f["name"]: f for f in schema["fields"]}
    assert findings_of(workspace, TABLE) == found
    kept = workspace.folder / SURVEYS / f"{charge.release}.json"
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert workspace.entries()[-1].details["artefacts"] == {"findings": digest_of(kept.read_bytes())}
    carry_out_survey(prepare_survey(TABLE, draft, workspace, epsilon=0.05), workspace)
    assert findings_of(workspace, TABLE) == found, "what cost less knows less"
    again, _, _ = carry_out_survey(
        prepare_survey(TABLE, draft_from_header(["punkte"]), workspace, epsilon=0.2), workspace
    )
    assert findings_of(workspace, TABLE) == {**found, "punkte": again["fields"][0]}
    kept.write_text(kept.read_text().replace("Nord", "Niemand"))
    changed = findings_of(workspace, TABLE)
    assert changed["punkte"] == again["fields"][0]
    assert "Niemand" not in json.dumps(changed), "what was changed is not paid for"
    kept.unlink()
    assert findings_of(workspace, TABLE) == changed
    assert workspace.verify() == []


def test_a_charge_is_kept_when_the_survey_fails_and_nothing_of_the_table_gets_out(workspace, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("Kanarienvogel")

    monkeypatch.setattr(survey_room, "count", broken)
    commit = prepare_survey(TABLE, draft_from_header(["gebiet"]), workspace, epsilon=0.1)
    with pytest.raises(PrivacyError) as caught:
        carry_out_survey(commit, workspace)
    assert "Kanarienvogel" not in str(caught.value)
    assert "the charge stays, and nothing was learned" in str(caught.value)
    assert caught.value.__cause__ is None
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER, EntryKind.CHARGE, EntryKind.FAIL]


@pytest.mark.parametrize(
    ("schema", "options", "error", "sentence"),
    [
        (["gebiet"], {"epsilon": 3}, BudgetExceededError, "a further release of the data set"),
        (["gebiet"], {"epsilon": 0.1, "delta": 1e-7}, BudgetExceededError, "left for the data set"),
        (["gebiet", "fehlt"], {"epsilon": 0.1}, SourceError, "lacks 'fehlt'"),
        (
            {"fields": [{"name": "gebiet", "categories": ["a"]}]},
            {"epsilon": 0.1},
            PlanError,
            "nothing to survey",
        ),
        ({"fields": [3]}, {"epsilon": 0.1}, SourceError, "no list of 'fields' with names"),
        (["gebiet"], {"epsilon": 0}, PlanError, "epsilon is 0"),
    ],
)
def test_what_can_be_refused_is_refused_before_anything_is_charged(
    schema, options, error, sentence, workspace
):
    draft = draft_from_header(schema) if isinstance(schema, list) else schema
    with pytest.raises(error, match=sentence):
        prepare_survey(TABLE, draft, workspace, **options)
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER]


@pytest.mark.parametrize("first", ["Atlantis", "Elsewhere"])
def test_texts_that_were_found_beside_a_list_stand_in_an_order_that_tells_of_no_row(tmp_path, first):
    rows = pd.DataFrame({"country": [first, *["DE", "FR", "DE", "Elsewhere", "Atlantis"] * 400], "x": "a"})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    commit = prepare_survey(rows, draft_from_header(["country", "x"]), workspace, epsilon=5)
    found, _, _ = carry_out_survey(commit, workspace)
    assert found["fields"][0]["categories"][-3:] == ["Atlantis", "Elsewhere", "(other)"]


@pytest.mark.parametrize("one", ["7", "NA", "."])
def test_what_a_guess_read_off_the_rows_is_in_no_field_that_a_survey_bought(tmp_path, one):
    scores = [one, *map(str, np.arange(1999) % 40)]
    rows = pd.DataFrame({"score": scores, "town": ["Ulm", "Linz"] * 1000})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    found, _, _ = carry_out_survey(
        prepare_survey(rows, draft_from_rows(rows), workspace, epsilon=5), workspace
    )
    assert Codebook.from_dict(found).undeclared == frozenset()
    assert found["missingValues"] == [""]
    assert not any("missingValues" in entry for entry in found["fields"])


def test_missing_codes_that_came_with_the_file_hold_for_a_field_that_is_still_open(tmp_path):
    rows = pd.DataFrame({"score": [*map(str, np.arange(1900) % 40), *["-9"] * 100]})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    draft = draft_from_header(["score"], {"score": {"name": "score", "missingValues": ["-9", ""]}})
    found, _, _ = carry_out_survey(prepare_survey(rows, draft, workspace, epsilon=5), workspace)
    assert found["fields"][0]["missingValues"] == ["-9", ""]
    assert found["fields"][0]["constraints"]["minimum"] == 0


def test_missing_codes_of_all_fields_are_missing_to_each(tmp_path):
    """A code with the word "value" in it is a text as any other."""
    rows = pd.DataFrame({"town": ["Ulm", "Linz", "no value", "?"] * 500})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    codes = ["no value", {"value": "?", "label": "refused"}]
    draft = {**draft_from_header(["town"]), "missingValues": codes}
    commit = prepare_survey(rows, draft, workspace, epsilon=5)
    found, charge, _ = carry_out_survey(commit, workspace, who="Ada", why="a first look")
    assert (charge.who, charge.why) == ("Ada", "a first look")
    assert found["missingValues"] == codes
    assert found["fields"][0]["categories"][:-1] == ["Linz", "Ulm"]
    assert "missingValues" not in found["fields"][0]


def test_which_of_equal_values_comes_first_decides_nothing():
    # True == 1 == 1.0 in Python, and Decimal("1.10") == Decimal("1.1"): each row is what it is.
    rows = [1, True, 1.0, Decimal("1.1"), Decimal("1.10"), "1"]
    before = by_name(count(pd.Series(rows, dtype=object), frozenset(), with_texts=True))
    for order in itertools.islice(itertools.permutations(rows), 0, None, 13):
        assert by_name(count(pd.Series(order, dtype=object), frozenset(), with_texts=True)) == before


def test_what_noise_hides_stays_open():
    assert field_of({"name": "x"}, Look(sketch=None, texts={})) is None
    assert field_of({"name": "x"}, look(kind=Kind.WHOLE)) is None
    assert field_of({"name": "x"}, look()) is None
    assert sketch_of(Noisy(counts=np.full(N_KINDS, 3.0), sd=2.0)) is None


def test_only_beside_open_fields_does_a_survey_ask_whether_vocabularies_fit():
    fields = draft_from_header(["sex", "age", "country", "x"])["fields"]
    assert surveyed(fields) == ["sex", "age", "country", "x"]
    assert surveyed(fields[:3]) == []


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["3.0", "17.0"], {"type": "number", "multipleOf": 1}),
        (["3.00", "17.00"], {"type": "number", "multipleOf": 1, "written": 2}),
        (["3.00", "17.50", "9.25"], {"type": "number", "decimals": 2, "written": 2}),
        (["3", "17.5", "9.2"], {"type": "number", "decimals": 1, "written": "shortest"}),
        (["3.0", "17.5", "9.2"], {"type": "number", "decimals": 1}),
        (["3", "17"], {"type": "integer"}),
        (["9/4/2012", "12/30/2013"], {"type": "date", "format": "%-m/%-d/%Y"}),
        (["09/04/2012", "12/30/2013"], {"type": "date", "format": "%m/%d/%Y"}),
        (["7.8.1996", "12.11.1998"], {"type": "date", "format": "%-d.%-m.%Y"}),
        (["7.8.1996 9:30"], {"type": "datetime", "format": "%-d.%-m.%Y %-H:%M", "multipleOf": 60}),
    ],
    ids=str,
)
def test_numbers_and_dates_of_a_survey_are_written_as_in_the_file(texts, says):
    counted = count(pd.Series(texts * 200), frozenset({""}), with_texts=False)
    sketch = sketch_of(Noisy(counts=counted.kinds.astype(float), sd=2.0))
    field = field_of(
        {"name": "x"},
        Look(sketch=sketch, cells=Noisy(counts=counted.cells[:N_CELLS] * 1.0, sd=2.0), texts={}),
    )
    told = {
        key: field[key] for key in ("type", "format", "multipleOf", "decimals", "written") if key in field
    }
    assert told == says
    book = Codebook.from_dict({"fields": [field]})
    assert (encode(pd.DataFrame({"x": texts}), book) >= 0).all()


@pytest.mark.parametrize(("text", "written"), [("5", "shortest"), ("5.0", None)])
def test_few_whole_numbers_that_noise_hides_are_written_in_the_likelier_way(text, written):
    counted = count(pd.Series(["2.5"] * 900 + [text] * 60), frozenset({""}), with_texts=False)
    sketch = sketch_of(Noisy(counts=counted.kinds.astype(float), sd=25.0))
    assert (sketch.kind, sketch.written) == (Kind.ONE_DECIMAL, written)


def test_years_alone_are_whole_numbers_whatever_noise_says_of_their_decimals():
    field = field_of({"name": "model"}, look([(YEAR_CELLS[95], 990.0)], kind=Kind.ONE_DECIMAL))
    assert field["type"] == "integer"
    assert not {"decimals", "written"} & set(field)


def test_a_column_of_which_only_zeros_stand_out_is_no_column_of_thousands():
    sketch = Sketch(kind=Kind.WHOLE, rows=950.0, step=1000)
    zeros = look([(NUMBER_CELLS[ZERO], 900.0)], kind=Kind.WHOLE)
    zeros.sketch = sketch
    field = field_of({"name": "x"}, zeros)
    assert (field["constraints"], "multipleOf" in field) == ({"minimum": 0, "maximum": 1}, False)


def test_a_text_that_many_numbers_have_is_a_missing_code():
    numbers = look([(NUMBER_CELLS[ONE + 3], 900.0)], kind=Kind.WHOLE, texts={"k. A.": 90.0})
    field = field_of({"name": "x"}, numbers)
    assert field["missingValues"] == ["k. A.", ""]
    assert field["type"] == "integer"
    words = [(WORD_CELLS[WORDS.index("NA")], 90.0), (WORD_CELLS[WORDS.index("unknown")], 60.0)]
    public = look([(NUMBER_CELLS[ONE + 3], 850.0), *words], kind=Kind.WHOLE)
    assert field_of({"name": "x"}, public)["missingValues"] == ["NA", "unknown", ""]


def test_notes_and_keys_are_left_unpublished_and_cost_no_second_look(tmp_path):
    n = 20_000
    table = pd.DataFrame(
        {"vermerk": [f"Akte {i} liegt vor" for i in range(n)], "kurz": [f"X{i}Q" for i in range(n)]}
    )
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        table, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    schema, _, _ = carry_out_survey(
        prepare_survey(table, {"fields": [{"name": "vermerk"}, {"name": "kurz"}]}, workspace, epsilon=0.5),
        workspace,
    )
    assert [(f["role"], f["publish"]) for f in schema["fields"]] == [("text", False), ("identifier", False)]


def test_the_command_line_registers_surveys_and_asks(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    TABLE[["gebiet", "punkte"]].to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out]
    assert main(survey) == 2
    assert main([*survey, "--yes"]) == 0
    assert "2 of 2 fields found; ledger entry 2" in capsys.readouterr().out
    assert Codebook.read(out).domain.names == ("gebiet", "punkte")


def test_a_survey_names_the_columns_in_which_it_found_no_number_but_0_and_1(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    few = np.where(np.arange(len(TABLE)) < 20, 52_000 + np.arange(len(TABLE)), 0)
    TABLE[["punkte"]].assign(erbe=few.astype(str)).to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main(survey) == 0
    assert "No number but 0 and 1 was found in 'erbe'." in capsys.readouterr().err


def with_a_hidden_column(folder):
    """A table with a column that three rows fill, its draft, a codebook to come, and a workspace."""
    data, draft, out = (str(folder / name) for name in ("t.csv", "draft.json", "book.json"))
    hidden = pd.Series([""] * len(TABLE)).where(TABLE.index > 2, "7")
    TABLE[["punkte"]].assign(selten=hidden).to_csv(data, index=False)
    assert main(["codebook", data, "-o", draft]) == 0
    return data, draft, out, ["--workspace", str(folder / "w")]


def test_columns_of_which_noise_hides_everything_stay_open_or_are_left_out(tmp_path, capsys):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main(survey) == 0
    assert "Noise hid what is in 'selten'." in capsys.readouterr().err
    with pytest.raises(DomainError):
        Codebook.read(out)
    assert main([*survey, "--leave-out"]) == 0
    assert "They are not published" in capsys.readouterr().err
    assert Codebook.read(out).domain.names == ("punkte",)


def test_a_column_that_a_guess_left_out_is_asked_and_then_left_out_by_the_stewards_word(tmp_path):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    schema = json.loads(Path(draft).read_text())
    schema["fields"][1] = {"name": "selten", "publish": False, "source": {"kind": "guess"}}
    Path(draft).write_text(json.dumps(schema))
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main(survey) == 0
    assert Codebook.read(out).undeclared == {"selten"}, "noise hid what it holds"
    assert main([*survey, "--leave-out"]) == 0
    assert Codebook.read(out).public


def test_columns_are_surveyed_anew_alone_and_what_noise_hides_then_stays_as_it_was(tmp_path, capsys):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    options = [*work, "-o", out, "--yes", "--leave-out"]
    assert main(["survey", data, "--codebook", draft, "--epsilon", "0.1", *options]) == 0
    found = Codebook.read(out).domain
    assert found.names == ("punkte",)
    again = ["survey", data, "--codebook", out, *options, "--epsilon", "0.001", "--only"]
    assert main([*again, "punkte", "selten"]) == 0
    said = capsys.readouterr()
    assert "1 left as an earlier survey found them ('punkte')" in said.out
    assert "Noise hid what is in 'selten'. They are not published." in said.err
    assert Codebook.read(out).domain == found
    assert main([*again, "nobody"]) == 2
    assert "no field 'nobody'" in capsys.readouterr().err


def test_later_surveys_find_texts_and_the_steward_hears_of_lists_that_are_mostly_other(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    work = ["--workspace", str(tmp_path / "w")]
    shares = [0.3, *[0.7 / 40] * 40]
    many = np.random.default_rng(3).choice([f"branch {i}" for i in range(41)], 6000, p=shares)
    pd.DataFrame({"industry": many}).to_csv(data, index=False)
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "4", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "-o", out, "--yes"]
    assert main([*survey, "--epsilon", "0.2"]) == 0
    assert "Most rows will leave as '(other)' in 'industry' (about 7" in capsys.readouterr().err
    again = ["survey", data, "--codebook", out, *work, "-o", out, "--yes", "--only", "industry"]
    assert main([*again, "--epsilon", "3"]) == 0
    assert "(other)" not in capsys.readouterr().err
    (industry,) = json.loads(Path(out).read_text())["fields"]
    assert len(industry["categories"]) == 42


def test_rules_of_columns_that_a_survey_leaves_out_go_with_them(tmp_path, capsys):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    schema = json.loads(Path(draft).read_text())
    kept = {"kind": "nonNegative", "column": "punkte"}
    schema["rules"] = [kept, {"kind": "askedIf", "column": "selten", "if": {"punkte": {"above": 3}}}]
    Path(draft).write_text(json.dumps(schema))
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main([*survey, "--leave-out"]) == 0
    assert "Rules that name 'selten' are taken out" in capsys.readouterr().err
    assert json.loads(Path(out).read_text())["rules"] == [kept]
    assert Codebook.read(out).domain.names == ("punkte",)


def test_fields_that_stay_as_their_names_suggest_are_counted_apart_and_named(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    empty = pd.Series([""] * len(TABLE)).where(TABLE.index > 2, "CH")
    TABLE[["punkte"]].assign(country=empty, nationality=empty).to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "1 of 3 fields found, 2 left as their names suggest ('country', 'nationality'); ledger" in said


def test_rare_bands_in_a_column_called_age_are_said_to_be_hidden_and_are_no_numbers(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    few = TABLE.iloc[:6000]
    bands = pd.Series(range(len(few))) % 17 * 5
    few[["punkte"]].assign(age=[f"{low}-{low + 4}" for low in bands]).to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) == 0
    said = capsys.readouterr()
    assert "1 of 2 fields found; ledger" in said.out
    assert "Noise hid what is in 'age'. Leave them out with 'publish': false; or declare them" in said.err
    with pytest.raises(DomainError):
        Codebook.read(out)


def test_a_survey_of_a_table_that_was_registered_otherwise_names_the_remedy(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    TABLE[["gebiet", "punkte"]].head(50).to_csv(data, index=False, header=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft, "--no-header"]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) != 0
    assert "or read otherwise" in capsys.readouterr().err


def test_a_person_of_many_rows_counts_with_a_wider_threshold(tmp_path):
    table = pd.DataFrame({"person": np.arange(40_000) // 2, "gebiet": ["Nord", "Ost"] * 20_000})
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        table,
        name="t",
        unit=Unit.parse("person:2"),
        cap_epsilon=2,
        cap_delta=1e-9,
        survey_delta=1e-10,
        neighbors=Neighbors.ADD_REMOVE,
    )
    commit = prepare_survey(table, draft_from_header(["person", "gebiet"]), workspace, epsilon=0.2)
    assert commit.columns == ("gebiet",)
    schema, _, _ = carry_out_survey(commit, workspace)
    assert schema["fields"][1]["categories"] == ["Nord", "Ost", "(other)"]
