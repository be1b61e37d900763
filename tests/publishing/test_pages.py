"""The bundle's pages: whatever a name holds, it is text on the page, and turns nothing around."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from hmpb_core.codebook import Codebook
from hmpb_core.planning.feasibility import Verdict
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee, Neighbors
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.accuracy_sheet import Accuracy, ColumnAccuracy, PairAccuracy, accuracy_page
from hmpb_core.publishing.checklist import checklist_page
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.readme import readme_page
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.statement import statement_page
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.publishing.zones import Zone
from hmpb_core.report.html import templates_in, visible
from hmpb_core.synthesis import make_plan

TURNED = "\u202eevil\u202c"
HOSTILE = f"<script>alert(1)</script> \"q\" 'x' & </title></style> {TURNED} عربي\u200f"
BOOK = Codebook.from_dict(
    {
        "fields": [{"name": name, "categories": ["a", "b"]} for name in (HOSTILE, "twin")],
        "rules": [{"kind": "equal", "column": "twin", "to": HOSTILE}],
    }
)
ROOMS = Path(__file__).parents[2] / "hmpb_core"


def record(title=HOSTILE, column=HOSTILE, neighbors=Neighbors.REPLACE_ONE, *, epsilon=1.0):
    guarantee = Guarantee(epsilon=epsilon, neighbors=neighbors)
    plan = make_plan(guarantee, BOOK.domain, n_rows=100, method="independent")
    return ReleaseRecord(
        title=title,
        plan_file=PlanFile.of(plan, BOOK, Unit(column=column, rows=3)),
        codebook=BOOK,
        rows=100,
        replicates=2,
        made=datetime(2026, 1, 2, tzinfo=UTC),
        payment=None,
        stand_in=HOSTILE,
    )


class Read(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


SHEET = Accuracy(
    rows=100,
    people=100,
    drawing=0.1,
    columns=(ColumnAccuracy(name=HOSTILE, values=2, noise=0.1, mean_noise=None),),
    pairs=(PairAccuracy(names=(HOSTILE, HOSTILE), cells=4, noise=0.1, error=0.2, verdict=Verdict.DROWNED),),
    indirect=0,
    lonely=(HOSTILE,),
    smallest=10,
)
PAGES = {
    "checklist.html.j2": checklist_page,
    "statement.html.j2": statement_page,
    "accuracy.html.j2": lambda it: accuracy_page(it, SHEET),
    "readme.html.j2": lambda it: readme_page(it, {HOSTILE: Zone.DECLARED, "data.csv": Zone.DP}),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_name_stays_text(name):
    tame, page = Read(PAGES[name](record("x", "id"))), PAGES[name](record())
    read = Read(page)
    assert read.tags == tame.tags
    assert read.attributes == tame.attributes
    assert "script" not in read.tags
    assert "<script>alert(1)</script> \"q\" 'x' & </title></style>" in read.text


@pytest.mark.parametrize("name", PAGES)
def test_no_name_turns_the_direction_of_the_page(name):
    page = PAGES[name](record())
    assert "\u202e" not in page
    assert "[U+202E]evil[U+202C]" in page
    assert "عربي\u200f" in page, "right-to-left names are read as they are"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_a_rehearsal_says_so_and_calls_nobody(name):
    page = PAGES[name](record())
    assert f'role="note">{ENGLISH("watermark")}<' in page
    assert "default-src 'none'" in page


def test_the_accuracy_page_says_what_every_row_keeps():
    read = Read(accuracy_page(record(), SHEET))
    assert "What every row keeps" in read.text
    assert "twin = <script>" in read.text


def test_every_template_of_the_core_is_tested_for_hostile_names():
    built_of = {"page.html.j2", "table.html.j2"}
    in_test_handout = {"handout.html.j2", "figure.svg.j2"}
    in_test_report = {"report.html.j2", "bars.svg.j2", "map.svg.j2"}  # tests/utility
    found = {path.name for path in ROOMS.rglob("*.j2") if "_app" not in path.parts}
    assert found == set(PAGES) | built_of | in_test_handout | in_test_report


def test_a_page_that_lacks_a_value_is_no_page():
    with pytest.raises(UndefinedError):
        page_of("checklist.html.j2", record())


def test_control_characters_are_shown_and_line_ends_kept():
    assert visible("a\x00b\x1f\n\t") == "a[U+0000]b[U+001F]\n\t"
    assert visible(3) == 3


def test_values_are_escaped_in_every_kind_of_template(tmp_path):
    for name in ("a.html.j2", "a.svg.j2", "a.xml.j2"):
        (tmp_path / name).write_text("<b>{{ value }}</b>")
        assert templates_in(tmp_path).get_template(name).render(value="<i>") == "<b>&lt;i&gt;</b>"


def test_of_a_rehearsal_nobody_is_told_how_to_cite_it_with_a_guarantee():
    page = readme_page(record("A rehearsal", "person"), {"data.csv": Zone.DECLARED})
    assert "How to cite" not in page
    assert "epsilon 1" not in page


@pytest.mark.parametrize(
    ("neighbors", "had"),
    [
        (Neighbors.REPLACE_ONE, "had your data been different"),
        (Neighbors.ADD_REMOVE, "had you not been in the table"),
    ],
)
def test_a_statement_compares_with_the_other_table_that_its_neighbours_name(neighbors, had):
    said = f"is at most 2.72 times as likely as it would be {had}. Delta bounds how often it may be more."
    assert said in statement_page(record("x", "id", neighbors))


@pytest.mark.parametrize(
    ("epsilon", "times"),
    [(0.01, "1.01"), (6.0, "403"), (8.0, "3,000"), (10.0, "23,000"), (20.0, "490,000,000")],
)
def test_a_statement_calls_a_large_limit_what_it_is(epsilon, times):
    """At 10 it promised "nearly as likely", as at 0.1; e^10 is 22,026, a ceiling in two digits."""
    assert f"is at most {times} times as likely" in statement_page(record("x", "id", epsilon=epsilon))
