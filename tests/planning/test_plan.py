"""A plan: refuses contradictions, survives being written down."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.facade import guarantee_of
from hmpb_core.planning.methods import METHOD_NAMES, METHODS, Accounting, default_shares
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.synthesis import make_plan

DOMAIN = Domain.of_sizes([2, 3, 4])
ZCDP = guarantee_of("zcdp", 1.0, None, "replace-one")
PURE = guarantee_of("pure", 1.0, None, "replace-one")
THIRDS = Shares(
    one_way_tables=Fraction(1, 3),
    similarity=Fraction(1, 3),
    structure=Fraction(1, 6),
    conditional_tables=Fraction(1, 6),
)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_plan_written_as_plain_values_is_read_back_the_same(method: str) -> None:
    plan = make_plan(ZCDP, DOMAIN, n_rows=100, method=method, rows=7, gamma=-0.5, weights={"x0": 2.0})
    assert Plan.from_dict(plan.to_dict()) == plan


def test_shares_that_no_decimal_can_write_survive() -> None:
    plan = make_plan(ZCDP, DOMAIN, n_rows=100, shares=THIRDS)
    assert Plan.from_dict(plan.to_dict()).shares == THIRDS


@pytest.mark.parametrize("method", METHOD_NAMES)
@pytest.mark.parametrize("n_rows", [None, 2, 50_000])
def test_default_shares_sum_to_one_exactly(method: str, n_rows: int | None) -> None:
    shares = default_shares(
        method, Accounting.SOUND, domain=DOMAIN, guarantee=ZCDP, n_rows=n_rows, clusters=None
    )
    assert sum((share for _, share in shares.items()), Fraction(0)) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clusters": 0}, "clusters is 0"),
        ({"max_parents": 0}, "parents is 0"),
        ({"eta": 1.5}, "eta is 1.5"),
        ({"sigma": 0.0}, "sigma is 0"),
        ({"gamma": float("nan")}, "gamma is nan"),
        ({"rows": 0}, "rows is 0"),
        ({"rows_per_person": 0}, "rows per person is 0"),
        ({"similarity": "cosine"}, "cosine"),
        ({"accounting": Accounting.AS_PUBLISHED}, "pure"),
    ],
)
def test_an_impossible_choice_is_refused_by_name(options: dict[str, object], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        make_plan(ZCDP, DOMAIN, n_rows=100, **options)  # type: ignore[arg-type]


def test_the_published_accounting_refuses_other_methods_and_tvd() -> None:
    refused = {
        "as-published": {"method": "jtree"},
        "'mic'": {"similarity": "tvd"},
        "by 'mic'": {"similarity": "mi"},
    }
    for words, options in refused.items():
        with pytest.raises(PlanError, match=words):
            make_plan(PURE, DOMAIN, n_rows=100, accounting=Accounting.AS_PUBLISHED, **options)  # type: ignore[arg-type]


def test_a_plan_with_an_unknown_entry_is_refused() -> None:
    values = make_plan(ZCDP, DOMAIN, n_rows=100).to_dict() | {"seed": 3}
    with pytest.raises(PlanError, match="seed"):
        Plan.from_dict(values)


def test_a_method_that_would_have_to_read_a_private_number_of_rows_cannot_be_written_down() -> None:
    row = METHODS["privbayes", Accounting.SOUND][0]
    with pytest.raises(AssertionError, match="privbayes would have to read a private number of rows"):
        replace(row, neighbors=tuple(Neighbors))


def test_a_plan_file_writes_delta_as_people_type_it() -> None:
    book = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a", "b"]}]})
    plan = make_plan(ZCDP, book.domain, n_rows=100)
    text = PlanFile.of(plan, book).to_toml()
    assert "delta = 1e-9\n" in text
    assert PlanFile.from_toml(text).plan == plan


def test_a_share_for_bins_to_be_learned_is_refused_where_there_are_none() -> None:
    """Half of the budget would go to one-way tables that PrivBayes does nothing with."""
    shares = Shares.from_weights(one_way_tables=2, similarity=0, structure=1, conditional_tables=1)
    guarantee = guarantee_of("zcdp", 1.0, 1e-9, "replace-one")
    numbers = [{"name": name, "type": "number", "bins": "learned"} for name in ("x", "y")]
    for field in numbers:
        field["constraints"] = {"minimum": 0, "maximum": 9}
    learned = Codebook.from_dict({"fields": numbers}).domain

    plan = make_plan(guarantee, learned, n_rows=100, method="privbayes", shares=shares)
    assert plan.shares == shares
    with pytest.raises(PlanError, match="measures them for learned bins alone"):
        make_plan(guarantee, Domain.of_sizes([3, 4]), n_rows=100, method="privbayes", shares=shares)


def test_a_plan_fits_its_codebook_whether_or_not_that_names_what_is_never_published() -> None:
    """The app's download leaves them out, and `hmpb` refused a plan that was made beside it."""
    fields = [{"name": "sex", "categories": ["f", "m"]}, {"name": "eats", "categories": ["a", "b"]}]
    left_out = {"name": "note", "role": "text", "publish": False}
    books = [Codebook.from_dict({"fields": told}) for told in (fields, [*fields, left_out])]
    plan = make_plan(ZCDP, books[0].domain, n_rows=100)
    for book in books:
        assert all(PlanFile.of(plan, book).is_for(other) for other in books)
    before = replace(PlanFile.of(plan, books[1]), codebook=sha256(books[1].to_json().encode()).hexdigest())
    assert before.is_for(books[1]), "files written when such columns were counted too"
    made_up = {"name": "note", "role": "identifier", "publish": False, "regenerated": "[A-Z]{3}"}
    other = Codebook.from_dict({"fields": [*fields, made_up]})
    assert not PlanFile.of(plan, books[0]).is_for(other), "what is made up anew does leave"
