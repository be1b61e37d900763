"""Documents and code name the same things."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
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


def test_every_decision_is_listed():
    folder = ROOT / "docs/decisions"
    listed = set(re.findall(r"\]\((\d{4}-[^)]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in folder.glob("[0-9]*.md")}


def test_readme_has_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install uv && uv run hmpb app" in text
    assert "pip install uv && uv run pytest" in text
