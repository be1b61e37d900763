"""What a release says of its codebook: checklist and statement answer from the fields' sources."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.errors import NotPrivateError
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Grounds, Origin, Provenance, provenance_of
from hmpb_core.publishing.answers import FAIL, PASS, WARN
from hmpb_core.publishing.checklist import sections
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.findings import surveyed_elsewhere
from hmpb_core.publishing.origins import origins_of, source_words
from hmpb_core.publishing.package import datapackage_of
from hmpb_core.publishing.readme import readme_page
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.release import require_releasable
from hmpb_core.publishing.statement import statement_of
from hmpb_core.publishing.words.catalogue import words_of
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import Zone
from hmpb_core.sources.drafting.codebook_files import fields_of_codebook_file
from hmpb_core.synthesis import make_plan
from tests.publishing.test_release import BOOK, plan_of
from tests.tables import people

NAME = BOOK.domain.names[0]
GUESS = Provenance(origin=Origin.GUESS).declared(Grounds.QUESTIONNAIRE, name="Census 2011")
SURVEY = Provenance(origin=Origin.SURVEY, entry=7)


def record_of(source=None, *, book=BOOK):
    book = replace(book, sources={NAME: source}) if source else book
    return ReleaseRecord(
        title="People",
        plan_file=plan_of(book=book),
        codebook=book,
        rows=10,
        replicates=1,
        made=datetime.now(UTC),
        payment=None,
    )


def answers(record):
    return {item.key: item for _, items in sections(record) for item in items}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (None, {"A2": PASS, "A3": PASS, "X2": PASS}),
        (SURVEY, {"A2": PASS, "A3": WARN, "X2": PASS}),
        (GUESS, {"A2": WARN, "A3": WARN, "X2": WARN}),
    ],
    ids=["declared", "paid survey", "declared guess"],
)
def test_the_checklist_answers_from_the_fields_sources(source, expected):
    found = answers(record_of(source))
    assert {key: found[key].answer for key in expected} == expected


def test_the_data_dictionary_read_as_a_codebook_declares_no_guess(tmp_path):
    undeclared = replace(BOOK, sources={NAME: Provenance(origin=Origin.GUESS)})
    file = tmp_path / "datapackage.json"
    words = dict.fromkeys(("name", "title", "description", "created"), "x")
    for book in (BOOK, replace(BOOK, sources={NAME: GUESS}), undeclared):
        file.write_text(datapackage_of(book, {"data.csv": b""}, **words), "utf-8")
        assert Codebook.read(file).sources == book.sources
        field = fields_of_codebook_file(file)[NAME]
        assert provenance_of(field).origin is (Origin.FILE if book is BOOK else Origin.GUESS)
    with pytest.raises(NotPrivateError, match="was read from the data"):
        require_releasable(plan_of().plan, Codebook.read(file))


def test_a_guess_is_told_in_every_place_whoever_declared_it():
    record = record_of(GUESS)
    statement = json.dumps(statement_of(record))
    assert "without looking at the data" not in statement
    assert f"read off the rows without payment: '{NAME}'" in statement
    assert record.unprotected[0] == f"the codebook (for '{NAME}' read from the table)"
    assert "after the questionnaire 'Census 2011'" in answers(record)["A3a"].detail


@pytest.mark.parametrize("study", [{"method": "noprivacy"}, {"accounting": Accounting.AS_PUBLISHED}])
def test_the_checklist_of_a_plan_for_study_passes_nothing_by_its_noise(study):
    """Without any noise it passed for integer noise of a tested library, and for weights that were paid."""
    plan = make_plan(
        Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE), BOOK.domain, n_rows=None, **study
    )
    record = replace(record_of(), plan_file=PlanFile.of(plan, BOOK))
    found = answers(record)
    assert {found[key].answer for key in ("G1", "G2", "A1", "X4", "I1")} == {FAIL}
    assert answers(record_of())["I1"].answer == PASS
    assert "a plan for study" in record.watermark
    unpaid = "no noise is drawn" if "method" in study else "as in the paper"
    assert unpaid in record.made_by["accounting"]
    assert "a plan for study" not in record_of().watermark


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_rehearsal_names_no_noise_as_its_own(language):
    """It may be seeded, or draw none, and its statement said that no seed exists."""
    rehearsal = replace(record_of(), language=language)
    said = statement_of(rehearsal)["deployment"]["implementation"]["mechanisms"]
    words = words_of(language)
    noises = [words(f"statement.{noise}") for noise in ("laplace", "gaussian")]
    assert said in [words("statement.mechanisms_rehearsal", noise=noise) for noise in noises]
    assert said not in [words("statement.mechanisms", noise=noise) for noise in noises]


def test_the_first_page_promises_no_closeness_that_the_accuracy_sheet_does_not():
    """Rows of which the sheet said that noise hides all were called close to the original's."""
    page = readme_page(record_of(), {"data.csv": Zone.DECLARED})
    assert "is told in accuracy.html" in page
    assert "are close" not in page


def test_a_paid_survey_is_told_with_its_ledger_entry():
    found = answers(record_of(SURVEY))
    assert found["X2"].detail == f"found by a paid survey (ledger no. 7): '{NAME}'"
    assert "or found by a paid survey" in json.dumps(statement_of(record_of(SURVEY)))


def test_a_survey_that_the_tables_ledger_does_not_hold_is_not_called_paid_by_an_entry_of_it(tmp_path):
    """The statement named entry 2 of another ledger; in its own, entry 2 was the release itself."""
    workspace = Workspace(tmp_path / "w", create=True)
    terms = {"unit": Unit.parse("row"), "cap_epsilon": 2.0, "cap_delta": 1e-9}
    dataset = workspace.register(people(50), name="people", **terms)
    guarantee = Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE)
    other, paid = (workspace.charge(dataset, guarantee, details=d) for d in ({}, {"survey": [NAME]}))

    def missing(name, entry):
        book = replace(BOOK, sources={name: Provenance(origin=Origin.SURVEY, entry=entry)})
        return surveyed_elsewhere(workspace, dataset, book)

    assert missing(NAME, paid.number) == ()
    assert missing(NAME, other.number) == missing(NAME, 99) == (NAME,)
    assert missing(BOOK.domain.names[1], paid.number) == (BOOK.domain.names[1],)
    record = replace(record_of(SURVEY), elsewhere=(NAME,))
    assert answers(record)["X2"].answer == WARN
    said = [answers(record)[key].detail for key in ("A3", "A3a", "X2")]
    said += [json.dumps(statement_of(record)), str(dictionary_of(record.codebook, elsewhere=(NAME,)))]
    assert all("ledger of this table does not hold" in text and "7" not in text for text in said[:3])
    assert all("ledger of this table does not hold" in text for text in said)
    assert record.unprotected[0] == "the codebook (declared, or from a survey that was paid for)"


def test_a_codebook_of_declared_fields_says_that_nothing_was_extracted():
    origins = origins_of(Codebook(domain=BOOK.domain))
    assert origins.extraction == "nothing was extracted: no field and no rule is a guess or from a survey"
    assert origins.lines[0].endswith("typed by the steward")


def test_rules_that_were_read_off_the_rows_are_told_with_their_number_and_on_whose_word():
    age = next(a.name for a in BOOK.domain.attributes if isinstance(a, Numeric))
    source = GUESS.to_dict()
    rules = [{"kind": "nonNegative", "column": age, "source": source}, {"kind": "nonNegative", "column": age}]
    book = Codebook.from_dict({**BOOK.to_dict(), "rules": rules})
    found = answers(record_of(book=book))
    assert {key: found[key].answer for key in ("A2", "A3", "X2")} == {"A2": WARN, "A3": WARN, "X2": WARN}
    assert found["X2"].detail == "read off the rows without payment: public rules (1)"
    assert "public rules (1): a guess from the rows, declared after" in found["A3a"].detail
    assert "public rules (1): typed by the steward" in found["A3a"].detail.replace(f"'{NAME}', ", "")
    assert "public rules (1) that were read off the table" in json.dumps(statement_of(record_of(book=book)))
    assert record_of(book=book).unprotected[0] == "the codebook (for public rules (1) read from the table)"


@pytest.mark.parametrize(
    ("origin", "name", "said"),
    [
        (Origin.VOCABULARY, "Yes and no", "公共词表“是与否”"),
        (Origin.VOCABULARY, "A list of our own", "公共词表“A list of our own”"),
        (Origin.TYPED, "Yes and no", "Yes and no"),
    ],
)
def test_a_chinese_bundle_names_public_vocabularies_in_chinese_and_what_somebody_wrote_as_it_is(
    origin, name, said
):
    assert said in source_words(Provenance(origin=origin, name=name), words_of("zh"))
