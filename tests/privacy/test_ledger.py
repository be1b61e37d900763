import math
from dataclasses import replace
from fractions import Fraction

import pytest

from hmpb_core.errors import PlanError, PrivacyError
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho, rho_of
from hmpb_core.privacy.ledger import GENESIS, Entry, Kind, Totals, canonical_json, digest_of, verify
from hmpb_core.privacy.unit import Unit

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


def pure(epsilon, neighbors=REPLACE):
    return Guarantee(epsilon=epsilon, delta=0, currency=Currency.PURE, neighbors=neighbors)


def zcdp(epsilon, neighbors=REPLACE):
    return Guarantee(epsilon=epsilon, delta=1e-9, neighbors=neighbors)


def chain_of(n):
    """A chain of n charges of epsilon 1/10."""
    chain, previous, totals = [], GENESIS, Totals()
    cost = Totals(epsilon=Fraction(1, 10), epsilon_squares=Fraction(1, 100))
    for number in range(1, n + 1):
        totals += cost
        entry = Entry(
            number=number,
            kind=Kind.CHARGE,
            dataset="d",
            release=f"r{number}",
            at="2026-01-01T00:00:00+00:00",
            who="w",
            why="",
            cost=cost,
            totals=totals,
            previous=previous,
        )
        chain.append((entry.body, entry.digest))
        previous = entry.digest
    return chain


def test_ten_pure_tenths_are_exactly_one():
    total = sum((Totals.of(pure(0.1), within=REPLACE, after=Totals()) for _ in range(10)), Totals())
    assert total.epsilon_at(0) == 1
    assert total.fits(Fraction(1), 0.0)
    assert not (total + Totals.of(pure(0.001), within=REPLACE, after=Totals())).fits(Fraction(1), 1e-9)


def test_what_is_counted_besides_adds_up_as_well():
    first = Totals.of(pure(0.5), within=REPLACE, after=Totals()) + Totals(delta=Fraction(1, 2**30))
    total = first + Totals.of(pure(0.25), within=REPLACE, after=first) + Totals(delta=Fraction(1, 2**29))
    assert total.all_rho == (Fraction(1, 4) + Fraction(1, 16)) / 2
    assert total.delta == Fraction(3, 2**30)
    assert total.fits(Fraction(3, 4), 1e-9, survey_delta=3 / 2**30)
    assert not total.fits(Fraction(3, 4), 1e-9, survey_delta=2.9 / 2**30), "surveys went beyond their part"


def test_a_release_that_protects_an_added_person_is_charged_as_it_is_where_the_cap_protects_one():
    assert Totals.of(pure(0.5, ADD), within=ADD, after=Totals()).epsilon == Fraction(1, 2)


def test_rhos_add_up_and_are_converted_once():
    total = Totals.of(zcdp(1.0), within=REPLACE, after=Totals()) + Totals.of(
        zcdp(1.0), within=REPLACE, after=Totals()
    )
    assert total.rho == 2 * Fraction(rho_of(1.0, 1e-9))
    assert float(total.epsilon_at(1e-9)) == pytest.approx(epsilon_of_rho(2 * rho_of(1.0, 1e-9), 1e-9))
    assert float(total.epsilon_at(1e-9)) < 2


def test_pure_and_zcdp_add_up_as_epsilon_and_are_told_as_rho_too():
    total = Totals.of(pure(0.5), within=REPLACE, after=Totals()) + Totals.of(
        zcdp(1.0), within=REPLACE, after=Totals()
    )
    assert float(total.epsilon_at(1e-9)) == pytest.approx(1.5, abs=1e-9)
    assert total.all_rho == Fraction(1, 8) + Fraction(rho_of(1.0, 1e-9))


def test_a_plan_that_is_the_whole_cap_fits_exactly():
    for epsilon in (0.001, 0.1, 1.0, 3.0, 100.0):
        assert Totals.of(zcdp(epsilon), within=REPLACE, after=Totals()).fits(Fraction(repr(epsilon)), 1e-9)
        assert Totals.of(pure(epsilon), within=REPLACE, after=Totals()).fits(Fraction(repr(epsilon)), 0.0)


def test_a_zcdp_release_never_fits_a_cap_of_delta_zero():
    total = Totals.of(zcdp(0.1), within=REPLACE, after=Totals())
    assert not total.fits(Fraction(100), 0.0)
    with pytest.raises(PlanError, match="delta above 0"):
        total.epsilon_at(0.0)


def test_protecting_an_added_person_costs_double_where_the_cap_replaces_one():
    """Replacing is removing and adding: group privacy for two."""
    assert Totals.of(pure(0.5, ADD), within=REPLACE, after=Totals()).epsilon == 1
    assert Totals.of(zcdp(1.0, ADD), within=REPLACE, after=Totals()).rho == 4 * Fraction(rho_of(1.0, 1e-9))


def test_a_replace_one_release_of_an_add_remove_data_set_is_refused():
    with pytest.raises(PlanError, match="Choose 'add-remove'"):
        Totals.of(pure(0.5, REPLACE), within=ADD, after=Totals())


def test_exact_totals_survive_writing_and_reading():
    total = Totals(epsilon=Fraction(1, 3), epsilon_squares=Fraction(1, 9), rho=Fraction(0.1))
    assert Totals.from_dict(total.to_dict()) == total


def test_an_entry_survives_writing_and_reading():
    body, digest = chain_of(1)[0]
    assert Entry.from_body(body).digest == digest


def test_something_else_than_an_entry_is_refused_without_showing_it():
    with pytest.raises(PrivacyError) as refusal:
        Entry.from_body('{"kind": "sentinel-4711"}')
    assert "sentinel" not in str(refusal.value)


def test_canonical_json_is_the_same_for_any_order():
    assert canonical_json({"a": 1, "b": 2}) == canonical_json({"b": 2, "a": 1}) == '{"a":1,"b":2}'


def test_an_honest_chain_has_no_fault():
    assert verify(chain_of(20)) == []
    assert verify([]) == []


@pytest.mark.parametrize("place", range(0, 300, 7))
def test_a_changed_byte_in_a_past_entry_is_found(place):
    chain = chain_of(5)
    body, digest = chain[2]
    place %= len(body)
    changed = body[:place] + chr(ord(body[place]) ^ 1) + body[place + 1 :]
    chain[2] = (changed, digest)
    faults = " ".join(map(str, verify(chain)))
    assert "Entry 3 was changed" in faults
    assert "Entry 4 does not follow" not in faults, "its own digest is as it was"


def test_an_entry_rewritten_with_a_fresh_digest_is_found_by_its_successor():
    chain = chain_of(5)
    cheaper = replace(Entry.from_body(chain[2][0]), cost=Totals())
    chain[2] = (cheaper.body, cheaper.digest)
    faults = " ".join(map(str, verify(chain)))
    assert "Entry 4 does not follow" in faults
    assert "Entry 3 states a total" in faults


def test_a_removed_entry_is_found():
    chain = chain_of(5)
    del chain[2]
    faults = " ".join(map(str, verify(chain)))
    assert "missing" in faults
    assert "does not follow" in faults


def test_swapped_entries_are_found():
    chain = chain_of(5)
    chain[1], chain[2] = chain[2], chain[1]
    assert verify(chain) != []


@pytest.mark.parametrize("parts", [3, 6, 7, 19])
def test_totals_are_never_rounded_down(parts):
    """Of these the nearest float is below the part, and told by it the epsilon would be smaller, too."""
    above = math.nextafter(1 / parts, 1)
    told = Totals(rho=Fraction(1, parts)).epsilon_at(1e-9)
    assert told == Fraction(epsilon_of_rho(above, 1e-9)) > Fraction(epsilon_of_rho(1 / parts, 1e-9))


def test_canonical_json_is_ascii_and_knows_no_number_that_json_has_not():
    assert canonical_json({"wer": "Müller"}) == '{"wer":"M\\u00fcller"}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": math.nan})


def test_an_entry_for_people_has_its_digest():
    entry = Entry.from_body(chain_of(1)[0][0])
    assert entry.to_dict()["digest"] == entry.digest == chain_of(1)[0][1]
    assert entry.to_dict()["number"] == 1


def test_digest_is_sha256():
    assert digest_of(b"abc") == digest_of("abc")
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_unit_is_a_row_or_a_column_with_a_bound():
    assert Unit.parse("row") == Unit(column=None, rows=1)
    assert Unit.parse("a:b:3") == Unit(column="a:b", rows=3)
    assert str(Unit.parse("id:3")) == "id:3"
    assert "at most 3" in str(Unit.parse("id:3").words)
    assert str(Unit.parse("row")) == "row"
    assert str(Unit.parse("row").words) == "one person is one row"
    assert Unit.parse("id:10000").rows == 10_000


def test_several_rows_a_person_need_a_column_that_tells_people_apart():
    with pytest.raises(PlanError, match="3 rows a person need an id column"):
        Unit(column=None, rows=3)
    with pytest.raises(PlanError, match="The unit of protection is '3'"):
        Unit.parse("3")


@pytest.mark.parametrize("text", ["", "id", "id:", ":3", "id:0", "id:-1", "id:x", "id:10001"])
def test_any_other_unit_is_refused(text):
    with pytest.raises(PlanError):
        Unit.parse(text)
