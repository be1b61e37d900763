"""A bundle's pages in the steward's language; what programs read stays as it is."""

import re
import string
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import numpy as np
import pytest

from hmpb_core.catalogue import Phrase
from hmpb_core.codebook import Codebook
from hmpb_core.dialect import CsvDialect
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Grounds, Origin, Provenance
from hmpb_core.publishing.accuracy_sheet import Accuracy, ColumnAccuracy
from hmpb_core.publishing.answers import HAZARDS, Answers, Judgement
from hmpb_core.publishing.bundle import contents_of, read_bundle
from hmpb_core.publishing.readme import dialect_words
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.words.catalogue import ENGLISH, words_of
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.simulated import simulated_source
from hmpb_core.synthesis import fit_source, make_plan
from tests.tables import people, people_codebook
from tests.thorough import sample

ZCDP = Guarantee(epsilon=1.0, delta=1e-9)
PURE = Guarantee(epsilon=25.0, delta=0.0, currency=Currency.PURE)
PRIVATE_ROWS = Guarantee(epsilon=0.05, delta=1e-7, neighbors=Neighbors.ADD_REMOVE)
BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 79}, "bins": 8},
            {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 20000}},
            {
                "name": "at",
                "type": "datetime",
                "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2020-03-31T00:00:00"},
            },
            {"name": "clock", "type": "time", "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"}},
            {"name": "smokes", "categories": ["no", "yes"], "labels": {"no": "never"}},
            {"name": "ok", "type": "boolean"},
            {"name": "grade", "categories": ["a", "b", "c"], "categoriesOrdered": True},
            {"name": "town", "categories": [f"t{i}" for i in range(16)]},
        ],
        "missingValues": [""],
        "rules": [
            {"kind": "follows", "column": "ok", "from": "smokes", "values": {"no": "false", "yes": "true"}}
        ],
        "dialect": {"delimiter": ";", "decimal": ",", "encoding": "utf-8-sig", "lines": "\r\n"},
    }
)
GUESS = Provenance(origin=Origin.GUESS)
SOURCES = {
    "age": GUESS.declared(Grounds.QUESTIONNAIRE, name="Zensus", by="A. B."),
    "pay": GUESS.declared(Grounds.RISK),
    "at": Provenance(origin=Origin.FILE, name="t.sav"),
    "clock": Provenance(origin=Origin.VOCABULARY, name="ISO"),
    "smokes": Provenance(origin=Origin.TYPED, name="form"),
    "grade": Provenance(origin=Origin.SURVEY, entry=7),
}
ANSWERED = Answers(
    curator="市政府", use="教学", region="某地", purpose="研究", retention="十年",
    hazards={key: Judgement("warn", "已核实。") for key in HAZARDS},
)  # fmt: skip
PAGES = ("README.html", "accuracy.html", "privacy-statement.html", "nist-800-226.html")
OWN_NAMES = (
    "Guidelines for Evaluating Differential Privacy Guarantees",
    "DP Deployments Registry",
    "Data Package",
    "Table Schema",
    "NIST SP 800-226",
)


class Read(HTMLParser):
    """The texts of a page, each by itself, and its language."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.language, self._style = [], "", False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self._style = tag == "style"
        if tag == "html":
            self.language = dict(attrs)["lang"]

    def handle_endtag(self, tag):
        self._style = False

    def handle_data(self, data):
        if not self._style and data.strip():
            self.texts.append(data.strip())


def english_of(page):
    """What of a page is English: four Latin words one after the other, names of its own left out."""
    found = []
    for text in Read(page).texts:
        bare = re.sub("|".join(map(re.escape, OWN_NAMES)), "N", text)
        found += re.findall(r"[A-Za-z]{2,}(?:[ ,.;:'-]+[A-Za-z]{2,}){3,}", bare)
    return found


def rehearsed(language, guarantee, *, unit=None, book=BOOK, method="hmprivbayes", **options):
    """The files of a rehearsal's bundle, always the same rows."""
    source = simulated_source(book.domain, 400, 0.7, np.random.default_rng(5), book.rules)
    file = PlanFile.of(make_plan(guarantee, book.domain, n_rows=400, method=method), book)
    file = file.under(unit or Unit.parse("row"))
    record = ReleaseRecord(
        title=Phrase("title.rehearsal"),
        plan_file=file,
        codebook=book,
        rows=50,
        replicates=2,
        made=datetime(2026, 1, 2, tzinfo=UTC),
        payment=None,
        stand_in=Phrase("stand_in.simulated", {"strength": 0.7}),
        language=language,
        **options,
    )
    model = fit_source(source, file.plan, seed=11)
    rows = tuple(model.sample(50, rng=np.random.default_rng(n)) for n in range(2))
    return {path: item.value for path, item in contents_of(model, record, rows).items()}


CASES = {
    "zcdp": (ZCDP, {}),
    "several rows a person": (ZCDP, {"unit": Unit.parse("pid:4"), "answers": ANSWERED}),
    "guesses and surveys": (PURE, {"book": replace(BOOK, sources={**BOOK.sources, **SOURCES})}),
    "a survey": (ZCDP, {"book": replace(BOOK, sources={**BOOK.sources, "grade": SOURCES["grade"]})}),
    "little budget": (PRIVATE_ROWS, {"method": "independent"}),
}


@pytest.fixture(scope="module", params=sample(CASES, 2))
def both(request):
    guarantee, options = CASES[request.param]
    return [rehearsed(language, guarantee, **options) for language in ("en", "zh")]


def test_the_pages_for_people_are_chinese_to_the_last_sentence(both):
    _, chinese = both
    for path in PAGES:
        page = chinese[path].decode()
        assert Read(page).language == "zh"
        assert english_of(page) == [], path
        assert f'role="note">{words_of("zh")("watermark")}<' in page


def test_the_look_for_english_finds_it(both):
    english, _ = both
    for path in PAGES:
        page = english[path].decode()
        assert Read(page).language == "en"
        assert english_of(page)


def test_nothing_that_programs_read_changes_with_the_language(both):
    english, chinese = both
    assert english.keys() == chinese.keys()
    differing = {path for path in english if english[path] != chinese[path]}
    assert differing == set(PAGES)


def test_a_paid_bundle_has_the_language_that_was_asked_for(tmp_path):
    table, book = people(300), people_codebook()
    workspace = Workspace(tmp_path, create=True)
    workspace.register(table, name="人们", unit=Unit.parse("row"), cap_epsilon=5.0, cap_delta=1e-9)
    plan = make_plan(ZCDP, book.domain, n_rows=None, method="independent")
    commit = prepare(table, book, PlanFile.of(plan, book), workspace, language="zh", show_left=True)
    files = read_bundle(carry_out(commit, workspace).path.read_bytes())
    for path in PAGES:
        page = files[path].decode()
        assert Read(page).language == "zh"
        assert english_of(page) == [], path
    assert "隐私损失上限：epsilon 1" in files["README.html"].decode()
    assert "All releases of this data set together" in files["privacy-statement.yaml"].decode()


def test_what_fails_in_the_chosen_language_fails_before_the_charge(tmp_path, monkeypatch):
    def refuse(record, zones):
        assert record.language == "zh"
        raise RuntimeError

    monkeypatch.setattr("hmpb_core.publishing.bundle.readme_page", refuse)
    table, book = people(300), people_codebook()
    workspace = Workspace(tmp_path, create=True)
    workspace.register(table, name="p", unit=Unit.parse("row"), cap_epsilon=5.0, cap_delta=1e-9)
    plan = PlanFile.of(make_plan(ZCDP, book.domain, n_rows=None, method="independent"), book)
    with pytest.raises(Exception, match="nothing was charged"):
        prepare(table, book, plan, workspace, language="zh")


def holes(text):
    """The holes, but for words that are chosen by a number: not every language has both."""
    parsed = string.Formatter().parse(text)
    return {(name, spec) for _, name, spec, _ in parsed if name is not None and "|" not in spec}


def test_both_languages_say_the_same_things_with_the_same_holes():
    english, chinese = ENGLISH.texts, words_of("zh").texts
    assert english.keys() == chinese.keys()
    assert [key for key in english if holes(english[key]) != holes(chinese[key])] == []
    assert [key for key, text in chinese.items() if key.split(".")[0] != "list" and not text.strip()] == []


def test_chinese_texts_are_chinese_but_for_signs_and_names():
    """What is alike in both languages is a sign, a number, or a file's name."""
    english, chinese = ENGLISH.texts, words_of("zh").texts
    alike = {key for key in english if english[key] == chinese[key] and re.search("[a-z]{3}", english[key])}
    alike -= {f"method.{name}" for name in ("hmprivbayes", "privbayes", "privscbn", "jtree")}
    assert alike == {"why.G2_pure", "why.G8", "why.U6", "statement.stage_share"}


def test_the_unit_is_said_as_everywhere_else():
    for unit in (Unit.parse("row"), Unit.parse("id:3")):
        key = "unit.row" if unit.column is None else "unit.person"
        assert ENGLISH(key, column=unit.column, rows=unit.rows) == str(unit.words)


def test_a_dialect_is_said_in_chinese():
    dialect = CsvDialect(delimiter="\t", decimal=",", encoding="cp1252", lines="\r\n", quotes="texts")
    said = dialect_words(dialect, words_of("zh"))
    assert said == "制表符分隔、小数点用“,”、cp1252、行尾为 CRLF、文本加引号"


def test_what_noise_hides_is_said_in_chinese():
    column = ColumnAccuracy(name="甲", values=3, noise=None, mean_noise=None, hidden=(("(missing)", 0.04),))
    sheet = Accuracy(
        rows=10, people=10, drawing=0.1, columns=(column,), pairs=(), indirect=0, lonely=(), smallest=None
    )
    words = words_of("zh")
    assert "甲 中“缺失”的占比：噪声掩盖了它，因此没有一行取此值；它最多可能占 4 个百分点。" in sheet.avoid(
        words
    )
    assert column.share_words(words) == "没有单独测量"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "The share of (missing) in these 2 columns, where noise hid it, so no row has it; it may be up "
            "to what stands beside each: a (4 points), b (1.5 points).",
        ),
        (
            "zh",
            "以下 2 列中“缺失”的占比：噪声掩盖了它，因此没有一行取此值；它最多可能占各列名后所示的比例："
            "a（4 个百分点）、b（1.5 个百分点）。",
        ),
    ],
)
def test_a_value_that_noise_hides_in_several_columns_is_said_in_one_line(language, said):
    columns = [
        ColumnAccuracy(name=name, values=3, noise=None, mean_noise=None, hidden=(("(missing)", most),))
        for name, most in (("a", 0.04), ("b", 0.015))
    ]
    sheet = Accuracy(
        rows=10,
        people=10,
        drawing=0.1,
        columns=tuple(columns),
        pairs=(),
        indirect=0,
        lonely=(),
        smallest=None,
    )
    assert [line for line in sheet.avoid(words_of(language)) if "missing" in line or "缺失" in line] == [said]


def test_a_language_that_nobody_wrote_is_english():
    assert words_of("xx").language == "en"
