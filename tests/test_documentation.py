"""Documents and code name the same things."""

import json
import pkgutil
import re
from pathlib import Path

import pytest
import yaml

import hmpb_core
from hmpb_core.codebook import Codebook
from hmpb_core.rules.declared import KINDS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "examples/README")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
PLACE = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
NAME = re.compile(r"`((?:binary|encoding|stages|learners|graphical|planning|metrics|publishing)\.[\w.]+)`")
CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)(?:, [^\]]+)?\]")


def test_every_cited_paper_is_in_the_references():
    known = set(re.findall(r"\*\*\[([^\]]+)\]\*\*", (ROOT / "docs/references.md").read_text()))
    cited = {
        key
        for folder in ("hmpb_core", "pages", "tests", "benchmarks", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md"} and path != Path(__file__)
        for key in CITATION.findall(path.read_text(encoding="utf-8"))
    }
    assert cited <= known


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_somewhere(document):
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_to_a_heading_finds_it(document):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)", document.read_text(encoding="utf-8"))
    lacking = [
        f"{place}#{anchor}"
        for place, anchor in links
        if anchor not in headings_of(document.parent / place if place else document)
    ]
    assert lacking == []


def headings_of(document):
    """The anchors of a document's headings, as GitHub and Sphinx make them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#{1,3} (.+)$", text, flags=re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def places_of(document):
    """Files and folders that a document names in the repository; HTTP paths and patterns are none."""
    for place in PLACE.findall(document.read_text(encoding="utf-8")):
        if place.partition("/")[0] in TOP | ROOMS:
            yield place


STANDS_FOR = re.compile(r"NAME|CODE|/_app/|secrets\.toml")
"""A name still to be chosen, the folder that only wheels have, and a file that nobody may commit."""
TOP = {path.name for path in ROOT.iterdir() if path.is_dir()}
ROOMS = {path.name for path in (ROOT / "hmpb_core").iterdir() if path.is_dir()}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_a_document_names_is_there(document):
    roots = (ROOT, ROOT / "hmpb_core")
    lacking = [
        place
        for place in places_of(document)
        if not STANDS_FOR.search(place) and not any((root / place).exists() for root in roots)
    ]
    assert lacking == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_function_a_document_names_is_there(document):
    lacking = [name for name in NAME.findall(document.read_text(encoding="utf-8")) if not found(name)]
    assert lacking == []


def found(name):
    """Whether a dotted name leads to a module of the core, or to something in one."""
    try:
        pkgutil.resolve_name(f"hmpb_core.{name}")
    except (AttributeError, ImportError):
        return False
    return True


def test_security_tells_how_many_cases_the_suites_have():
    """It told of 850 long after there were 420."""
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| (codebooks|plans|bundles|tables|arguments) \| (\d+) \|", text, re.MULTILINE))
    files = ("files", "arguments")
    code = "".join(
        (ROOT / "tests" / "fuzz" / f"test_{name}.py").read_text(encoding="utf-8") for name in files
    )
    assert list(map(int, told.values())) == list(map(int, re.findall(r"range\((\d+) \* MORE\)", code)))
    *of_files, arguments = map(int, told.values())
    assert f"# {sum(of_files) + arguments} cases" in text
    assert f"# {40 * sum(of_files) + 20 * arguments:,}" in text


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == hmpb_core.__version__
    assert {"message", "title", "authors"} <= set(citation)


def test_every_decision_is_listed():
    folder = ROOT / "docs/decisions"
    listed = set(re.findall(r"\]\((\d{4}-[^)]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in folder.glob("[0-9]*.md")}


def test_readme_has_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install uv && uv run hmpb app" in text
    assert "pip install uv && uv run pytest" in text


def test_the_rooms_for_newcomers_are_all_of_the_core_s_folders():
    rooms = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## The rooms")[1].split("\n## ")[0]
    named = set(re.findall(r"(\w+)/", rooms))
    assert ROOMS - {"__pycache__", "_app"} <= named


def test_the_example_of_a_codebook_is_one():
    text = (ROOT / "docs/codebook.md").read_text(encoding="utf-8")
    whole, answer = re.findall(r"^```json\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    codebook = Codebook.from_json(whole)
    assert codebook.domain.names == ("sex", "age", "weight", "admitted", "ward")
    assert dict(codebook.unpublished) == {"patient": "identifier"}
    assert Codebook.from_dict({"fields": [json.loads(answer)]}).columns[0].name == "drinks"


def test_each_kind_of_rule_is_documented_as_it_is_written():
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    table, _, _ = text.partition("## The kinds\n")[2].partition("\n## ")
    written = [json.loads(entry) for entry in re.findall(r"`(\{\"kind\".*?\})`(?=[ ,;.])", table)]
    assert {entry["kind"] for entry in written} == set(KINDS)
