"""The bundle's files, read by the tools that readers have."""

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import duckdb
import networkx as nx
import numpy as np
import openpyxl
import pandas as pd
import pytest
import yaml

from hmpb_core.codebook import Codebook
from hmpb_core.dates import write_value
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.errors import SourceError
from hmpb_core.planning.methods import METHOD_NAMES, METHODS, Accounting
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing import bundle as bundle_room
from hmpb_core.publishing.answers import UNANSWERED
from hmpb_core.publishing.bundle import contents_of, read_bundle
from hmpb_core.publishing.checklist import sections
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.package import schema_of, slug
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.tables import CsvForm, as_meant, csv_of, harmless
from hmpb_core.publishing.words.catalogue import ENGLISH, LANGUAGES, words_of
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import Zone
from hmpb_core.sources.files import read_table
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.simulated import simulated
from hmpb_core.synthesis import make_plan
from tests.datasets import data_file
from tests.tables import people, people_codebook

PURE = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
HOSTILE = Codebook.from_dict(
    {
        "fields": [
            {"name": "=cmd|' /C calc'!A0", "categories": ["=1+1", "+2", "-3", "@x", "a=b", 'say "hi", you']},
            {"name": "number", "categories": [-1, 0, 1], "constraints": {"required": True}},
            {"name": "<script>alert(1)</script>", "categories": ["<b>", "&", "\tx"]},
            {"name": "share", "type": "number", "constraints": {"minimum": -1, "maximum": 1}},
        ]
    }
)


def bundle_of(tmp_path, table, book, guarantee=PURE, method="independent", **options):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="people & co", unit=Unit.parse("row"), cap_epsilon=5.0, cap_delta=1e-9)
    plan = make_plan(guarantee, book.domain, n_rows=None, method=method)
    commit = prepare(table, book, PlanFile.of(plan, book), workspace, **options)
    path = carry_out(commit, workspace).path
    return read_bundle(path.read_bytes())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return bundle_of(tmp_path_factory.mktemp("b"), people(500), people_codebook(), replicates=2)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {a.name: rng.choice([str(c) for c in a.categories], 300) for a in HOSTILE.domain.attributes[:3]}
    ).assign(share=rng.uniform(-1, 1, 300))
    return bundle_of(tmp_path_factory.mktemp("h"), table, HOSTILE)


def unpack(files, folder):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def validated(folder):
    """Frictionless in a process of its own: its import warns, and warnings are errors here."""
    done = subprocess.run(
        [sys.executable, "-m", "frictionless", "validate", "datapackage.json", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout)


def test_the_bundle_validates_with_frictionless(files, tmp_path):
    report = validated(unpack(files, tmp_path))
    assert report["valid"], report
    assert report["stats"]["tasks"] == 2


def test_a_codebook_of_hostile_names_validates_with_frictionless(hostile, tmp_path):
    report = validated(unpack(hostile, tmp_path))
    assert report["valid"], report


def test_frictionless_would_notice_a_wrong_value(files, tmp_path):
    folder = unpack(files, tmp_path)
    (folder / "data.csv").write_bytes(files["data.csv"].replace(b"yes", b"perhaps"))
    assert not validated(folder)["valid"]


def test_pandas_and_duckdb_read_the_right_types(files, tmp_path):
    folder = unpack(files, tmp_path)
    for read, name in ((pd.read_csv, "data.csv"), (pd.read_parquet, "data.parquet")):
        types = read(folder / name).dtypes.astype(str).str.lower().to_dict()
        assert types["age"] == "int64"
        assert types["town"] == "str"
    for name in ("data.csv", "data.parquet"):
        rows = duckdb.sql(f"DESCRIBE SELECT * FROM '{folder / name}'").fetchall()
        assert {row[0]: row[1] for row in rows}["age"] == "BIGINT"


def test_csv_and_parquet_hold_the_same_rows(files):
    csv = pd.read_csv(io.BytesIO(files["data.csv"]), dtype=str, keep_default_na=False)
    parquet = pd.read_parquet(io.BytesIO(files["data.parquet"]))
    assert (
        csv.to_numpy().tolist()
        == parquet.astype(object).where(parquet.notna(), "").astype(str).to_numpy().tolist()
    )


def test_a_spreadsheet_takes_no_cell_of_the_csv_for_a_formula(hostile):
    """Cells go into a workbook as a spreadsheet would type them: none becomes a formula."""
    table = pd.read_csv(io.BytesIO(hostile["data.csv"]), keep_default_na=False)
    sheet = openpyxl.Workbook().active
    sheet.append(list(table.columns))
    for row in table.itertuples(index=False):
        sheet.append(list(row))
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    assert table["number"].dtype == "int64"
    assert table.columns[0].startswith("'=")


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", " =1", "＝1", "- 1", "- -a"])
def test_a_text_that_would_run_gets_an_apostrophe(text):
    assert harmless(text) == "'" + text


def test_words_for_yes_and_no_run_nothing_and_decide_the_encoding():
    field = {"name": "smokes", "type": "boolean", "trueValues": ["=1+1", "да"], "falseValues": ["-1", "0"]}
    schema = {"fields": [field], "reading": {"encoding": "cp1252"}}
    book, rows = Codebook.from_dict(schema), pd.DataFrame({"smokes": pd.array([True, False], "boolean")})
    written = csv_of(rows, CsvForm.of(book)).decode()
    assert written.splitlines() == ["smokes", "'=1+1", "-1"]
    back = as_meant(pd.read_csv(io.StringIO(written), dtype=str), book)
    assert encode(back, book).tolist() == [[1], [0]]
    assert schema_of(book)["fields"][0]["trueValues"] == ["'=1+1"], "as the file has it"
    field["trueValues"] = ["да"]
    assert CsvForm.of(Codebook.from_dict(schema)).dialect.encoding == "utf-8"


def test_negative_codes_that_are_told_apart_come_back_as_themselves():
    """The file held '-9, which its own codebook refused."""
    book = Codebook.from_dict(
        {
            "fields": [
                {"name": "k", "categories": [3, 4], "missingValues": ["-9", "n.a."], "missingApart": True}
            ]
        }
    )
    rows = decode(np.array([[0], [2], [3]], dtype=np.int32), book.domain, np.random.default_rng(0))
    assert csv_of(rows, CsvForm.of(book)).decode().split() == ["k", "3", "-9", "n.a."]
    old = as_meant(pd.DataFrame({"k": ["3", "'-9"]}), book)  # as it was written before
    assert encode(old, book)[:, 0].tolist() == [0, 2]


@pytest.mark.parametrize("pattern", ["", "clock", "days", "1h 30m"])
def test_lengths_of_time_below_zero_leave_as_they_are(pattern):
    field = {"name": "t", "type": "duration", "format": pattern, "bins": 2, "multipleOf": 60}
    ends = {
        "minimum": write_value(-7200, "duration", pattern),
        "maximum": write_value(7200, "duration", pattern),
    }
    book = Codebook.from_dict({"fields": [{**field, "constraints": ends}]})
    rows = decode(np.zeros((50, 1), dtype=np.int32), book.domain, np.random.default_rng(0))
    table = pd.read_csv(io.BytesIO(csv_of(rows, CsvForm.of(book))), dtype=str)
    assert table["t"].str.startswith("-").mean() > 0.9
    assert (encode(table, book) == 0).all()


@pytest.mark.parametrize("value", [-1, -1.5, "a=1", "1-2", "+", "+/-", "-   -", "", None])
def test_anything_else_stays_as_it_is(value):
    assert harmless(value) == value


def test_missing_values_stay_empty_in_the_csv():
    book = people_codebook()
    frame = pd.DataFrame({n: [None] for n in book.domain.names})
    assert csv_of(frame).decode().splitlines()[1] == ",,,,"


def test_parquet_keeps_texts_as_they_are(hostile):
    values = set(pd.read_parquet(io.BytesIO(hostile["data.parquet"])).iloc[:, 0].dropna())
    assert values <= {"=1+1", "+2", "-3", "@x", "a=b", 'say "hi", you'}
    assert values & {"=1+1", "+2", "-3", "@x"}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", ["README.html", "privacy-statement.html", "nist-800-226.html"])
def test_pages_run_nothing_and_fetch_nothing(hostile, name):
    text = hostile[name].decode()
    tags = Tags()
    tags.feed(text)
    names = {tag for tag, _ in tags.seen}
    assert not names & {"script", "iframe", "img", "link", "object", "form"}
    assert not [a for _, attrs in tags.seen for a in attrs if a in {"src", "href"} or a.startswith("on")]
    assert ("html", {"lang": "en"}) in tags.seen
    assert "default-src 'none'" in text


def test_the_readme_names_every_file_with_its_zone(files):
    text = files["README.html"].decode()
    assert not [name for name in files if name != "README.html" and f"<td>{name}</td>" not in text]
    assert "<td></td>" not in text, "every file has its words"
    assert "data dictionary: types" in text
    assert "people &amp; co" in text


def test_the_readme_says_in_words_how_the_rows_were_made(files):
    text = files["README.html"].decode()
    assert "Method: each column by itself (independent)" in text
    assert "every stage is paid in full (sound)" in text


def test_every_method_accounting_and_learner_has_words_in_every_language():
    codes = {f"method.{name}" for name in METHOD_NAMES} | {f"accounting.{one.value}" for one in Accounting}
    codes |= {f"learner.{spec.learner}" for specs in METHODS.values() for spec in specs}
    assert not [(name, code) for name in LANGUAGES for code in codes if not words_of(name).has(code)]


def test_the_statement_is_yaml_with_the_registrys_fields(files):
    statement = yaml.safe_load(files["privacy-statement.yaml"])
    deployment = statement["deployment"]
    assert statement["tier"] == 3
    assert deployment["data_product_type"] == "Synthetic data"
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}
    assert deployment["dp_flavor"]["name"] == "Pure DP"
    assert "number of rows" in deployment["dp_flavor"]["unprotected_quantities"]
    assert "epsilon 1 (replace-one" in deployment["privacy_loss"]["privacy_parameters_description"]


def test_small_numbers_are_numbers_in_yaml(tmp_path):
    table = people(300)
    book = people_codebook()
    zcdp = bundle_of(tmp_path, table, book, Guarantee(epsilon=1.0, delta=1e-9))
    parameters = yaml.safe_load(zcdp["privacy-statement.yaml"])["deployment"]["privacy_loss"]
    assert parameters["privacy_parameters"]["delta"] == 1e-9


def test_graphml_and_json_tell_the_same_networks(tmp_path):
    guarantee = Guarantee(epsilon=5.0, delta=0, currency=Currency.PURE)
    files = bundle_of(tmp_path, people(3000), people_codebook(), guarantee, "privbayes")
    graph = nx.read_graphml(io.BytesIO(files["model/networks.graphml"]))
    told = {
        (parent, family["child"])
        for network in json.loads(files["model/networks.json"])["networks"]
        for family in network
        for parent in family["parents"]
    }
    assert set(graph.edges) == told != set()


def test_graphml_survives_hostile_names(hostile):
    nodes = ET.fromstring(hostile["model/networks.graphml"]).iter(
        "{http://graphml.graphdrawing.org/xmlns}node"
    )
    assert [node.get("id") for node in nodes] == list(HOSTILE.domain.names)


def test_the_checklist_leaves_to_the_steward_what_only_people_know():
    record = ReleaseRecord(
        title="t",
        plan_file=PlanFile.of(
            make_plan(PURE, people_codebook().domain, n_rows=None), people_codebook(), Unit.parse("row")
        ),
        codebook=people_codebook(),
        rows=1,
        replicates=1,
        made=datetime.now(UTC),
        payment=None,
    )
    items = {item.key: item.answer for _, section in sections(record) for item in section}
    unanswered = {key for key, answer in items.items() if answer == UNANSWERED}
    assert unanswered >= {"G3a", "G7", "U1", "D2", "D3", "X1"}
    assert {key for key in items if not key.endswith("a")} == {
        *(f"G{i}" for i in range(1, 9)),
        *(f"A{i}" for i in range(1, 7)),
        *(f"U{i}" for i in range(1, 7)),
        *(f"I{i}" for i in range(1, 5)),
        *(f"D{i}" for i in range(1, 6)),
        *(f"X{i}" for i in range(1, 7)),
    }


# Plans as files


def test_a_plan_survives_writing_and_reading():
    book = people_codebook()
    plan = make_plan(
        Guarantee(epsilon=0.7), book.domain, n_rows=None, weights={"age": 0.5}, clusters=3, rows=10
    )
    for unit in (None, Unit.parse("row"), Unit.parse("id:3")):
        file = PlanFile.of(plan, book, unit)
        again = PlanFile.from_toml(file.to_toml())
        assert again == file
        assert again.to_toml() == file.to_toml()
        assert again.plan.rows_per_person == (unit.rows if unit else 1)


def test_a_plan_states_every_choice():
    file = PlanFile.of(make_plan(PURE, people_codebook().domain, n_rows=None), people_codebook())
    text = file.to_toml()
    for name in (
        "unit",
        "method",
        "accounting",
        "similarity",
        "clusters",
        "max_parents",
        "eta",
        "sigma",
        "gamma",
    ):
        assert f"\n{name} = " in text
    for name in ("rows", "neighbors", "epsilon", "currency", "structure", "codebook_sha256"):
        assert f"\n{name} = " in text


# Rehearsals


def rehearsed(accounting=Accounting.SOUND, method="independent", seed=1):
    book = people_codebook()
    plan = make_plan(PURE, book.domain, n_rows=None, method=method, accounting=accounting)
    codes = simulated(book.domain, 500, 0.5, np.random.default_rng(1))
    source = MemorySource(codes, book.domain)
    _, bundle = rehearse(source, book, PlanFile.of(plan, book), stand_in="a simulated table", seed=seed)
    content = bundle.zipped()
    return read_bundle(content)


def test_a_rehearsal_is_watermarked_in_every_page_and_by_its_file_names():
    files = rehearsed()
    assert "data.csv" not in files
    assert "rehearsal-data.csv" in files
    for name in ("README.html", "privacy-statement.html", "nist-800-226.html", "privacy-statement.yaml"):
        assert ENGLISH("watermark") in files[name].decode()
    assert json.loads(files["ledger-extract.json"])["entries"] == []


def test_a_rehearsal_can_be_repeated():
    assert rehearsed()["model/tables.json"] == rehearsed()["model/tables.json"]


def test_each_table_of_the_model_has_a_line_in_its_file():
    text = rehearsed()["model/tables.json"].decode()
    for table in json.loads(text)["tables"]:
        [line] = [line for line in text.splitlines() if f'"child": "{table["child"]}"' in line]
        assert json.loads(line.strip().rstrip(",")) == table


@pytest.mark.parametrize("method", ["noprivacy"])
def test_what_can_never_be_released_can_be_rehearsed(method):
    assert "rehearsal-data.csv" in rehearsed(Accounting.AS_PUBLISHED, method)


def test_what_is_made_from_a_paid_model_names_its_charge(tmp_path, monkeypatch):
    """Every file of a release is declared, or paid for by the entry of its charge."""
    from hmpb_core.publishing import bundle as bundle_room

    seen = {}
    real = contents_of

    def spy(model, record, tables, **options):
        seen.clear()  # the trial before the charge makes a bundle too
        seen.update(real(model, record, tables, **options))
        return dict(seen)

    monkeypatch.setattr(bundle_room, "contents_of", spy)
    files = bundle_of(tmp_path, people(300), people_codebook())
    entry = json.loads(files["ledger-extract.json"])["entries"][0]["digest"]
    assert {item.zone for item in seen.values()} == {Zone.DECLARED, Zone.DP}
    assert {item.entry for item in seen.values() if item.zone is Zone.DP} == {entry}
    declared = {name for name, item in seen.items() if item.zone is Zone.DECLARED}
    assert declared == {"answers.toml", "plan.toml", "reproduce.py", "model/codebook.json"}


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_a_simulated_table_depends_as_strongly_as_asked(strength):
    """Two binary attributes of a group agree with probability (1 + strength^2) / 2."""
    from hmpb_core.domain import Domain

    domain = Domain.of_sizes([2] * 6)
    codes = simulated(domain, 40_000, strength, np.random.default_rng(3))
    agree = (codes[:, 0] == codes[:, 3]).mean()
    apart = (codes[:, 0] == codes[:, 1]).mean()
    assert agree == pytest.approx((1 + strength**2) / 2, abs=0.02)
    assert apart == pytest.approx(0.5, abs=0.02)


def test_names_are_made_to_fit_the_standard():
    assert slug("People & Co. 2024!") == "people-co.-2024"
    assert slug("漢字") == "data"


@pytest.mark.slow
def test_the_bundle_of_adult_validates_and_opens(tmp_path):
    book = Codebook.read(data_file("adult_raw.codebook.json"))
    table = read_table(data_file("adult_train.csv"))
    files = bundle_of(tmp_path, table, book, Guarantee(epsilon=1.0), "privbayes")
    report = validated(unpack(files, tmp_path / "b"))
    assert report["valid"], report
    rows = pd.read_csv(io.BytesIO(files["data.csv"]))
    assert len(rows) == len(table)
    assert encode(rows, book).shape == (len(table), 15)
    types = {
        row[0]: row[1]
        for row in duckdb.sql(f"DESCRIBE SELECT * FROM '{tmp_path / 'b' / 'data.csv'}'").fetchall()
    }
    assert types["age"] == types["capital-gain"] == "BIGINT"
    assert types["salary"] == "VARCHAR"


# Several rows a person


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """The bundle of a table with one to six rows a person, of which at most three are used."""
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(400), 1 + np.arange(400) % 6))
    table = people(len(rows)).assign(id=rows)
    book, workspace = people_codebook(), Workspace(tmp_path_factory.mktemp("v") / "w", create=True)
    workspace.register(table, name="visits", unit=Unit.parse("id:3"), cap_epsilon=5.0, cap_delta=1e-9)
    commit = prepare(table, book, PlanFile.of(make_plan(PURE, book.domain, n_rows=None), book), workspace)
    return commit, read_bundle(carry_out(commit, workspace).path.read_bytes())


def test_a_bundle_says_what_it_left_out_and_counts_rows_where_a_person_may_have_several(visits, files):
    _, found = visits
    for name in ("README.html", "accuracy.html", "nist-800-226.html"):
        assert "Of a person with more than 3 rows that many" in found[name].decode()
        assert "Of a person with more than" not in files[name].decode()
    assert "No two rows belong together" in found["README.html"].decode()
    assert "the number of rows that are used" in found["privacy-statement.html"].decode()
    assert "the number of rows of the table" in files["privacy-statement.html"].decode()
    unused = [line for line in json.loads(found["accuracy.json"])["do_not_use"] if line.startswith("Groups")]
    assert not any("people" in line for line in unused)


def test_the_model_of_a_bundle_has_the_noise_of_its_persons_when_it_is_run_again(visits):
    commit, found = visits
    assert model_of_bundle(found).plan == commit.plan_file.plan
    assert model_of_bundle(found).plan.rows_per_person == 3


@pytest.mark.parametrize("error", [SourceError("SPSS cannot hold these rows."), OverflowError("too large")])
def test_a_table_that_came_from_spss_leaves_as_such_a_file_too(error, tmp_path, monkeypatch):
    book = replace(people_codebook(), file_format="spss")
    files = bundle_of(tmp_path / "one", people(300), book)
    (tmp_path / "data.sav").write_bytes(files["data.sav"])
    rows = pd.read_parquet(io.BytesIO(files["data.parquet"]))
    assert np.array_equal(encode(read_table(tmp_path / "data.sav"), book), encode(rows, book))
    assert "data.sav" in files["README.html"].decode()

    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(bundle_room, "rows_as", refuse)
    files = bundle_of(tmp_path / "two", people(300), book)
    assert "data.sav" not in files  # and what was paid for is there all the same
    assert "data.csv" in files
