"""What only the steward knows: typed once, in the statement, the checklist and the bundle."""

import json
import zipfile

import pytest
import yaml

from hmpb_core.cli import main
from hmpb_core.errors import SourceError
from hmpb_core.publishing.answers import HAZARDS, QUESTIONS, UNANSWERED, Answers, Judgement
from hmpb_core.publishing.bundle import read_bundle
from tests.publishing.test_bundle import bundle_of
from tests.tables import people, people_codebook

FULL = Answers(
    curator="Town of Example",
    use="Teaching; not for decisions about districts",
    region="Example",
    purpose="Asked for by schools",
    retention="Ten years, encrypted",
    hazards={key: Judgement("pass", f"done: {key}") for key in HAZARDS},
)


def test_a_bundle_whose_steward_answered_everything_leaves_nothing_open(tmp_path):
    files = bundle_of(tmp_path, people(300), people_codebook(), answers=FULL)
    texts = {name: files[name].decode() for name in files if name.endswith((".html", ".yaml"))}
    assert UNANSWERED not in texts["privacy-statement.html"] + texts["privacy-statement.yaml"]
    assert texts["nist-800-226.html"].count(f"<td>{UNANSWERED}</td>") == 0
    assert not [name for name, text in texts.items() if "TO BE FILLED IN" in text]
    deployment = yaml.safe_load(texts["privacy-statement.yaml"])["deployment"]
    assert deployment["data_curators"] == ["Town of Example"]
    assert deployment["intended_use"] == "Teaching; not for decisions about districts"
    assert "Ten years, encrypted" in deployment["additional_information"]
    assert Answers.from_toml(files["answers.toml"].decode()) == FULL


def test_a_bundle_without_answers_says_what_nobody_answered(tmp_path):
    files = bundle_of(tmp_path, people(300), people_codebook())
    assert files["nist-800-226.html"].decode().count(f"<td>{UNANSWERED}</td>") == len(HAZARDS)
    deployment = yaml.safe_load(files["privacy-statement.yaml"])["deployment"]
    assert deployment["data_product_region"] == UNANSWERED


def test_the_form_reads_back_as_no_answers():
    form = Answers().to_toml()
    assert Answers.from_toml(form) == Answers()
    assert all(question in form for question in (*QUESTIONS.values(), *HAZARDS.values()))
    assert set(Answers().missing) == {*QUESTIONS, *HAZARDS}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= no toml", "no TOML file"),
        ('curator = "x"', "does not start with format"),
        ('format = "hmpb-answers/1"\ncolour = "x"', "'colour', which is no question"),
        ('format = "hmpb-answers/1"\ncurator = 3', "must be a text in quotes"),
        ('format = "hmpb-answers/1"\nhazards = 3', "must be a text in quotes"),
        ('format = "hmpb-answers/1"\n[hazards.G3a]\nwords = "x"', "needs a verdict and words"),
        ('format = "hmpb-answers/1"\n[hazards.G3a]\nverdict = 3', "needs a verdict and words"),
        ('format = "hmpb-answers/1"\n[hazards.G3a]\nverdict = "yes"', "'yes' is not known"),
        ('format = "hmpb-answers/1"\n[hazards.G1]\nverdict = "pass"', "'G1' is no line of the checklist"),
        (f'format = "hmpb-answers/1"\nuse = "{"x" * 2001}"', "more than 2,000 characters"),
    ],
)
def test_answers_that_cannot_be_used_are_refused_in_one_sentence(text, expected):
    with pytest.raises(SourceError, match=expected):
        Answers.from_toml(text)


def test_the_command_line_takes_the_form_and_puts_it_into_the_bundle(tmp_path, capsys):
    table, book, plan = tmp_path / "people.csv", tmp_path / "cb.json", tmp_path / "plan.toml"
    people(300).to_csv(table, index=False)
    book.write_text(people_codebook().to_json())
    workspace, form = str(tmp_path / "w"), tmp_path / "answers.toml"
    data = [str(table), "--codebook", str(book), "--workspace", workspace]
    assert main(["register", *data, "--cap", "2", "--unit", "row"]) == 0
    assert main(["plan", "--codebook", str(book), "--epsilon", "1", "-o", str(plan)]) == 0
    assert main(["answers", "-o", str(form)]) == 0
    form.write_text(form.read_text().replace('curator = ""', 'curator = "Town of Example"'))
    out = tmp_path / "out.zip"
    capsys.readouterr()
    release = ["release", *data, "--plan", str(plan), "--out", str(out), "--yes"]
    assert main([*release, "--answers", str(tmp_path / "absent.toml")]) == 2
    assert main([*release, "--answers", str(form)]) == 0
    assert "Questions that only you can answer, and have not: 15" in capsys.readouterr().out
    with zipfile.ZipFile(out) as bundle:
        assert "Town of Example" in bundle.read("privacy-statement.html").decode()
    assert main(["accuracy", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "hmpb-accuracy/1"
    assert "accuracy.html" in read_bundle(out.read_bytes())
