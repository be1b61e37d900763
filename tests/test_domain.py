"""What a domain accepts, counts and refuses."""

import math

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.declared import MAX_ATTRIBUTE_SIZE
from hmpb_core.decoding import decode
from hmpb_core.domain import MAX_ATTRIBUTES, Categorical, Domain, Numeric
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError
from hmpb_core.texts import text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (" 1 ", "1"),
        (1.5, "1.5"),
        (-0.0, "0"),
        (True, "True"),
        ("", ""),
        (" a b ", "a b"),
    ],
)
def test_a_whole_float_an_integer_and_a_padded_text_are_one_category(value, text):
    assert text_of(value) == text


def test_a_nullable_attribute_has_one_code_more_and_it_is_the_last():
    required = Categorical(name="x", categories=("a", "b"))
    nullable = Categorical(name="x", categories=("a", "b"), nullable=True)
    assert (required.size, nullable.size) == (2, 3)
    assert nullable.labels == ("a", "b", "(missing)")
    assert required.labels == ("a", "b")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"categories": ()}, "lists no categories; list at least one"),
        ({"categories": ("a", " a")}, "lists a category twice"),
        ({"categories": (1, 1.0)}, "lists a category twice"),
        (
            {"categories": ("a",), "unknown": "b"},
            "folds unknown values into a category that it does not list",
        ),
        (
            {"categories": ("a",), "unknown": ""},
            "folds unknown values into the missing value but is required",
        ),
        ({"categories": tuple(range(MAX_ATTRIBUTE_SIZE + 1))}, "at most 4096 are allowed"),
    ],
)
def test_impossible_categories_are_refused_with_their_reason(arguments, text):
    with pytest.raises(DomainError, match=text):
        Categorical(name="x", **arguments)


def test_a_number_folds_what_cannot_be_read_into_the_missing_value_or_nowhere():
    allowed = {"name": "x", "minimum": 0, "maximum": 1}
    assert Numeric(**allowed, unknown="", nullable=True).size == 17
    with pytest.raises(DomainError, match="into the missing value but is required"):
        Numeric(**allowed, unknown="")
    with pytest.raises(DomainError, match="cannot be read into 'T', but lists no categories"):
        Numeric(**allowed, unknown="T", nullable=True)


@pytest.mark.parametrize("name", ["", "   ", "\t"])
def test_a_name_of_blanks_is_refused(name):
    with pytest.raises(DomainError, match="empty name"):
        Categorical(name=name, categories=("a",))


def test_the_largest_allowed_attribute_is_allowed():
    assert Categorical(name="x", categories=tuple(range(MAX_ATTRIBUTE_SIZE))).size == MAX_ATTRIBUTE_SIZE


def test_a_range_that_is_empty_is_told_as_its_values_are_written():
    """Two days were the range 1.57792e9 to 1.57784e9."""
    limits = {"minimum": "2020-01-02", "maximum": "2020-01-01"}
    fields = [{"name": "x", "type": kind, "constraints": limits} for kind in ("date", "datetime")]
    told = ["2020-01-02 to 2020-01-01", "2020-01-02T00:00:00 to 2020-01-01T23:59:59"]
    for field, words in zip(fields, told, strict=True):
        with pytest.raises(DomainError, match=f"has the range {words}; its minimum must be"):
            Codebook.from_dict({"fields": [field]})
    with pytest.raises(DomainError, match="has the range 12345678 to 12345677; its minimum must be"):
        Numeric(name="x", minimum=12_345_678, maximum=12_345_677)


@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 1), (2, 1), (math.nan, 1), (0, math.nan), (-math.inf, 1), (0, math.inf), (0, 10**400)],
)
def test_a_range_that_is_empty_or_endless_is_refused(low, high):
    with pytest.raises(DomainError, match="minimum must be a finite number below its maximum"):
        Numeric(name="x", minimum=low, maximum=high)


@pytest.mark.parametrize(
    "more",
    [
        {"listed": (1.0,)},
        {"listed": (2.0, 1.0)},
        {"listed": (1.0, 1.0)},
        {"listed": (-1.0, 1.0)},
        {"listed": (1.0, 10.0)},
        {"listed": (1.0, 2.5), "integer": True},
    ],
    ids=str,
)
def test_a_list_that_is_none_of_the_numbers_declared_is_refused(more):
    with pytest.raises(DomainError, match="two or more different numbers of its type, in order"):
        Numeric(name="x", minimum=0, maximum=9, learned=True, **more)


def test_a_list_and_another_grid_exclude_each_other():
    for more in ({"resolution": 0.5}, {"kind": "date", "integer": True}):
        with pytest.raises(DomainError, match="leave out the list, or that"):
            Numeric(name="x", minimum=0, maximum=9, listed=(1.0, 2.0), learned=True, **more)
    with pytest.raises(DomainError, match="4097 codes"):
        Numeric(name="x", minimum=0, maximum=9999, listed=tuple(range(4097)), learned=True)


def test_bins_of_equal_width_hold_listed_values_alone():
    listed = (0.5, 0.75, 3.0, 9.0)
    book = Codebook(domain=Domain((Numeric(name="x", minimum=0, maximum=9, listed=listed, bins=3),)))
    rates = pd.DataFrame({"x": [*listed] * 50})
    codes = encode(rates, book)
    drawn = decode(codes, book.domain, np.random.default_rng(0))
    assert book.domain.sizes == (3,)
    assert set(drawn["x"]) == set(listed)
    assert (encode(drawn, book) == codes).all()


@pytest.mark.parametrize("bins", [0, -3])
def test_fewer_than_one_bin_is_refused(bins):
    with pytest.raises(DomainError, match=f"asks for {bins} bins; ask for at least 1"):
        Numeric(name="x", minimum=0, maximum=1, bins=bins)


def test_an_integer_attribute_never_has_more_bins_than_values():
    assert Numeric(name="x", minimum=1, maximum=5, bins=16, integer=True).n_bins == 5
    assert Numeric(name="x", minimum=1, maximum=99, bins=16, integer=True).n_bins == 16
    assert Numeric(name="x", minimum=1, maximum=5, bins=16).n_bins == 16


def test_an_integer_range_that_holds_no_whole_number_is_refused():
    with pytest.raises(DomainError, match="holds no whole number; widen it"):
        Numeric(name="x", minimum=0.2, maximum=0.8, integer=True)


def test_bins_are_labelled_by_their_edges():
    attribute = Numeric(name="x", minimum=0, maximum=10, bins=4, nullable=True)
    assert attribute.width == 2.5
    assert attribute.labels == ("[0, 2.5)", "[2.5, 5)", "[5, 7.5)", "[7.5, 10]", "(missing)")
    assert attribute.ordered


@pytest.mark.parametrize(
    ("low", "high", "bins", "labels"),
    [
        (17, 90, 16, ("17–21", "22–26", "27–30")),
        (0, 4, 16, ("0", "1", "2")),
        (1, 99, 16, ("1–7", "8–13", "14–19")),
        (0.5, 9.5, 3, ("1–3", "4–6", "7–9")),
    ],
)
def test_bins_of_whole_numbers_are_labelled_by_the_numbers_that_fall_in_them(low, high, bins, labels):
    attribute = Numeric(name="age", minimum=low, maximum=high, bins=bins, integer=True)
    assert attribute.labels[:3] == labels
    codebook = Codebook(domain=Domain((attribute,)), missing_values=())
    numbers = range(math.ceil(low), math.floor(high) + 1)
    codes = encode(pd.DataFrame({"age": list(numbers)}), codebook)[:, 0]
    for number, code in zip(numbers, codes, strict=True):
        first, _, last = attribute.labels[code].partition("–")
        assert int(first) <= number <= int(last or first)


def test_a_domain_counts_the_cells_of_a_table():
    domain = Domain.of_sizes([2, 3, 5])
    assert domain.names == ("x0", "x1", "x2")
    assert domain.shape([2, 0]) == (5, 2)
    assert domain.cells([0, 1, 2]) == 30
    assert domain.cells([]) == 1
    assert len(domain) == 3


def test_an_unknown_name_is_answered_with_the_declared_ones():
    with pytest.raises(DomainError, match="'y' is not in the codebook; it declares x0, x1"):
        Domain.of_sizes([2, 2]).index("y")
    assert Domain.of_sizes([2, 2]).index("x1") == 1


def test_a_domain_without_attributes_is_refused():
    with pytest.raises(DomainError, match="declares no attribute"):
        Domain(())


def test_a_domain_with_one_name_twice_is_refused():
    attribute = Categorical(name="x", categories=("a",))
    with pytest.raises(DomainError, match="declares 'x' twice"):
        Domain((attribute, attribute))


def test_a_domain_with_too_many_attributes_is_refused():
    with pytest.raises(DomainError, match=f"at most {MAX_ATTRIBUTES}"):
        Domain.of_sizes([2] * (MAX_ATTRIBUTES + 1))


def test_bins_of_times_of_day_begin_on_whole_seconds():
    day = {"minimum": 7 * 3600 + 15, "maximum": 19 * 3600 + 14, "bins": 16, "kind": "time"}
    labels = Numeric(name="at", integer=True, **day).labels
    assert labels[:2] == ("[07:00:15, 07:45:15)", "[07:45:15, 08:30:15)")
    assert not any("." in label for label in labels)


@pytest.mark.parametrize(("digits", "written"), [(17, 6.199999809265137), (15, 6.19999980926514), (0, 6.2)])
def test_numbers_of_single_precision_are_stored_in_their_digits_and_inside_their_bounds(digits, written):
    wage = Numeric(name="wage", minimum=0, maximum=6.3, resolution=0.1, digits=digits)
    assert wage.stored(np.array([6.2, 6.3, 0.5, 6.2])).tolist() == [written, 6.3, 0.5, written]
    assert float(np.float32(6.3)) > 6.3  # what 32 bits make of the bound lies beyond it


def test_whole_numbers_and_dates_have_no_precision_to_declare():
    for more in ({"integer": True}, {"kind": "date", "integer": True}, {"kind": "time"}):
        with pytest.raises(DomainError, match="declares a precision, but holds whole numbers"):
            Numeric(name="x", minimum=1, maximum=9, digits=17, **more)
