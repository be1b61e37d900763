"""Values to codes and back."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hmpb_core.binary import BinaryEncoding
from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode, encode_table, scattered
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.grid import Pieces
from tests.datasets import data_file

AGE = Numeric(name="age", minimum=17, maximum=90, bins=16, integer=True)
PAY = Numeric(name="pay", minimum=0, maximum=10, bins=4, nullable=True)
DAY = Numeric(name="day", minimum=0, maximum=20_000, bins=4, integer=True, kind="date", format="%m/%d/%Y")
SEX = Categorical(name="sex", categories=("f", "m"), nullable=True)
GRADE = Categorical(name="grade", categories=(1, 2, 3), ordered=True)


def book(*attributes, missing=("", "?")):
    return Codebook(domain=Domain(attributes), missing_values=missing)


def codes_of(attribute, values, **options):
    return encode(pd.DataFrame({attribute.name: values}), book(attribute, **options))[:, 0].tolist()


def test_categories_are_coded_in_their_declared_order():
    assert codes_of(SEX, ["m", "f", " m "]) == [1, 0, 1]
    assert codes_of(GRADE, ["3", "1", "2.0"[:1]]) == [2, 0, 1]


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, 3, 2], dtype="int8"),
        pd.array([1.0, 3.0, 2.0], dtype="float32"),
        pd.array([1.0, 3.0, 2.0], dtype="Float32"),
        pd.array([1, 3, 2], dtype="Int64"),
        pd.array(["1", "3", "2"], dtype="str"),
        pd.Categorical([1, 3, 2], categories=[3, 2, 1]),
        np.array([1, "3", 2.0], dtype=object),
    ],
    ids=["int8", "float32", "Float32", "Int64", "str", "categorical", "mixed"],
)
def test_a_category_is_found_whatever_type_the_column_has(values):
    assert codes_of(GRADE, values) == [0, 2, 1]


@pytest.mark.parametrize("odd", [".a", "x", None, 7.5])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_one_value_of_another_type_changes_the_code_of_no_other_row(kind, odd):
    """A missing value with a code of its own makes texts of a Stata column, whose floats have 32 bits."""
    tenths = Categorical(name="t", categories=(1.1, 2.2, 3, 4.5), nullable=True, unknown="")
    values = np.array([1.1, 2.2, 3.0, 4.5], dtype="float32").astype(kind)
    column = pd.Series([*values.tolist(), odd])
    assert codes_of(tenths, values) == [0, 1, 2, 3]
    assert codes_of(tenths, column, missing=("", ".a")) == [0, 1, 2, 3, 4]


def test_numbers_fall_into_equal_width_bins_closed_below():
    # 0..10 in four bins of 2.5: 2.5 begins the second bin, 10 belongs to the last.
    assert codes_of(PAY, [0, 2.49, 2.5, 7.5, 10]) == [0, 0, 1, 3, 3]


def test_numbers_outside_the_range_are_clipped_to_it():
    assert codes_of(PAY, [-5, 1e300, float("inf"), "-inf"]) == [0, 3, 3, 0]


def test_a_missing_value_gets_the_last_code_where_it_is_allowed():
    assert codes_of(SEX, ["f", None, "", "?", float("nan"), pd.NA]) == [0, 2, 2, 2, 2, 2]
    assert codes_of(PAY, ["1", None, "?", ""]) == [0, 4, 4, 4]


def test_a_listed_category_is_not_missing_though_its_text_means_missing():
    attribute = Categorical(name="c", categories=("", "x"), nullable=True)
    assert codes_of(attribute, ["", "x", None]) == [0, 1, 2]


def test_unknown_categories_fold_where_the_codebook_says_so():
    into_other = Categorical(name="c", categories=("a", "other"), unknown="other")
    into_missing = Categorical(name="c", categories=("a", "b"), nullable=True, unknown="")
    assert codes_of(into_other, ["a", "zzz", "other"]) == [0, 1, 1]
    assert codes_of(into_missing, ["a", "zzz", ""]) == [0, 2, 2]


@pytest.mark.parametrize("code", ["999", "999.0"])
@pytest.mark.parametrize(
    "values", [["999.0", "5"], ["999", "5"], [999.0, 5.0], [999, 5], ["+999.00", "5.0"]], ids=str
)
def test_a_missing_code_of_numbers_is_found_however_it_is_written(code, values):
    assert codes_of(PAY, values, missing=(code,)) == [4, 2]
    listed = Categorical(name="g", categories=(4, 5), nullable=True)
    assert codes_of(listed, values, missing=(code,)) == [2, 1]
    fine = Numeric(name="f", minimum=0, maximum=9, integer=True, learned=True, nullable=True)
    table = encode_table(pd.DataFrame({"f": values}), book(fine, missing=(code,)))
    assert table.fine[0].positions[table.fine[0].rows].tolist() == [10, 5]


def test_a_missing_code_of_texts_is_this_text_alone():
    plz = Categorical(name="plz", categories=("01067", "1067"), nullable=True, unknown="1067")
    assert codes_of(plz, ["0999", "999", "01067"], missing=("999",)) == [1, 2, 0]


@pytest.mark.parametrize(
    ("kind", "minimum", "maximum"),
    [("yearmonth", 11, 500), ("date", -719_163, 0), ("date", 0, 2_932_897), ("datetime", 0, 10**12)],
)
def test_bounds_that_no_calendar_writes_are_refused(kind, minimum, maximum):
    with pytest.raises(DomainError, match="outside the years 1 to 9999"):
        Numeric(name="x", minimum=minimum, maximum=maximum, integer=True, kind=kind)


@pytest.mark.parametrize(
    ("kind", "minimum", "maximum", "texts"),
    [
        ("yearmonth", 12, 9999 * 12 + 11, ["0001-01", "9999-12"]),
        ("date", -719_162, 2_932_896, ["0001-01-01", "9999-12-31"]),
    ],
)
def test_the_whole_calendar_can_be_declared_and_comes_back(kind, minimum, maximum, texts):
    whole = Numeric(name="x", minimum=minimum, maximum=maximum, integer=True, kind=kind)
    assert [whole.text(minimum), whole.text(maximum)] == texts
    assert codes_of(whole, texts) == [0, 15]


def test_an_empty_cell_is_missing_whatever_marks_the_codebook_names():
    nullable = Categorical(name="c", categories=("a", "b"), nullable=True)
    years = Numeric(name="c", minimum=0, maximum=10, bins=2, nullable=True)
    for attribute, values, expected in ((nullable, ["a", "", "?"], [0, 2, 2]), (years, ["1", ""], [0, 2])):
        frame = pd.DataFrame({"c": values})
        assert encode(frame, book(attribute, missing=("?",)))[:, 0].tolist() == expected
    required = Categorical(name="c", categories=("a", "b"))
    with pytest.raises(SourceError, match="'c' has values that are not among"):
        encode(pd.DataFrame({"c": ["a", ""]}), book(required, missing=("?",)))


@pytest.mark.parametrize("kind", ["equal", "edges", "learned", "date"])
def test_values_that_cannot_be_read_count_as_missing_where_the_codebook_says_so(kind):
    known = {
        "equal": {"minimum": 0, "maximum": 10, "bins": 2},
        "edges": {"minimum": 0, "maximum": 10, "edges": (0, 5, 10)},
        "learned": {"minimum": 0, "maximum": 10, "bins": 2, "learned": True, "integer": True},
        "date": {"minimum": 0, "maximum": 10, "bins": 2, "kind": "date"},
    }[kind]
    attribute = Numeric(name="c", nullable=True, unknown="", **known)
    one, nine = ("1970-01-02", "1970-01-10") if kind == "date" else ("1", "9.0")
    frame = pd.DataFrame({"c": [one, "T", nine, "?", "", "5;5", None, "nan"]})
    codebook = book(attribute, missing=("?",))
    assert encode(frame, codebook)[:, 0].tolist() == [0, 2, 1, 2, 2, 2, 2, 2]
    again = Codebook.from_dict(json.loads(codebook.to_json())).domain.attributes[0]
    assert (again.unknown, again.size) == ("", 3)
    if kind == "learned":
        fine = encode_table(frame, codebook).fine[0]
        assert fine.positions[fine.rows].tolist() == [1, 11, 9, 11, 11, 11, 11, 11]


def test_folding_unknown_categories_does_not_swallow_missing_values():
    attribute = Categorical(name="c", categories=("a", "other"), unknown="other")
    with pytest.raises(SourceError, match="'c' has"):
        codes_of(attribute, ["a", "?"])


def test_all_columns_that_do_not_fit_are_named_at_once():
    fields = [{"name": name, "categories": ["a"]} for name in ("x", "y", "z")]
    table = pd.DataFrame({"x": ["a", "b"], "y": ["a", "a"], "z": ["c", "a"]})
    with pytest.raises(SourceError, match=r"^'x' has .* do not fit their entries either: 'z'\.$"):
        encode_table(table, Codebook.from_dict({"fields": fields}))


@pytest.mark.parametrize(
    ("attribute", "values", "text"),
    [
        (SEX, ["f", "sentinel-9731"], "'sex' has values that are not among its 2 declared categories"),
        (GRADE, [1, None], "'grade' has missing values, but the codebook says it is required"),
        (AGE, [20, "sentinel-9731"], "'age' has values that are not numbers"),
        (AGE, ["0-4", "85+"], "or declare categories instead, in order where they are bands such as 0-4"),
        (AGE, [20, None], "'age' has missing values, but the codebook says it is required"),
        (AGE, ["20", ""], "'age' has missing values, but the codebook says it is required"),
        (AGE, ["20", "", "old"], "'age' has values that are not numbers"),
        (AGE, ["20", "?"], "'age' has missing values, but the codebook says it is required"),  # by its code
        (DAY, ["27/08/1996", "01/02/1996"], "'day' has values that are no date written as %m/%d/%Y"),
        (PAY, ["1,5", "2"], "'pay' has values that are not numbers"),
        (PAY, [pd.Timestamp("2020-01-01")], "'pay' has values that are not numbers"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_without_being_shown(attribute, values, text):
    with pytest.raises(SourceError, match=text) as refused:
        codes_of(attribute, values)
    assert "sentinel" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_number_at_a_declared_edge_is_in_the_bin_above_it():
    edges = Numeric(name="age", minimum=0, maximum=99, integer=True, edges=(0, 15, 18, 99))
    assert codes_of(edges, [0, 14, 15, 17, 18, 98, 99]) == [0, 0, 1, 1, 2, 2, 2]


def test_names_below_titles_are_told_from_columns_that_are_not_there():
    frame = pd.DataFrame([["Table 1", ""], [" sex", "age"], ["f", "20"]], columns=["x", "y"])
    with pytest.raises(SourceError, match="a later line of the file has them all"):
        encode(frame, book(SEX, AGE))
    with pytest.raises(SourceError, match="add the column or remove it"):
        encode(frame, book(SEX, AGE, GRADE))
    assert encode(frame.set_axis(["sex", "age"], axis=1)[2:], book(SEX, AGE)).tolist() == [[0, 0]]
    also = pd.DataFrame([["sex", "age"], ["f", "20"]], columns=["sex", "age"])
    with pytest.raises(SourceError, match="'sex' has values that are not among"):
        encode(also, book(SEX, AGE))


def test_five_absent_columns_are_all_named():
    attributes = [Categorical(name=f"c{i}", categories=("a",)) for i in range(5)]
    with pytest.raises(SourceError, match="lacks 'c0', 'c1', 'c2', 'c3', 'c4', which the codebook"):
        encode(pd.DataFrame({"other": [1]}), book(*attributes))


def test_absent_columns_are_named_five_at_most():
    attributes = [Categorical(name=f"c{i}", categories=("a",)) for i in range(7)]
    with pytest.raises(
        SourceError, match="lacks 'c0', 'c1', 'c2', 'c3', 'c4' and 2 more, which the codebook"
    ):
        encode(pd.DataFrame({"other": [1]}), book(*attributes))


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([["f", "m"]], columns=["sex", "sex"])
    with pytest.raises(SourceError, match="two columns of one name"):
        encode(frame, book(SEX))


def test_columns_are_found_by_name_and_undeclared_ones_left_out():
    frame = pd.DataFrame({"x": [9], "grade": [2], "sex": ["m"]})
    assert encode(frame, book(SEX, GRADE)).tolist() == [[1, 1]]


def test_a_decoded_number_lies_inside_its_bin():
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(4), 500)[:, None].astype(np.int32)
    values = decode(codes, Domain((PAY,)), rng)["pay"].to_numpy(dtype=float)
    assert (values >= codes[:, 0] * 2.5).all()
    assert (values <= (codes[:, 0] + 1) * 2.5).all()
    # Uniform inside the bin: mean of 500 draws from [0, 2.5) within 5 standard errors of 1.25.
    assert abs(values[:500].mean() - 1.25) < 5 * 2.5 / np.sqrt(12 * 500)


def test_decoded_integers_reach_every_whole_number_of_the_bin():
    # 1..99 in 16 bins of 6.125: the first bin is [1, 7.125), whole numbers 1 to 7; the last 93 to 99.
    hours = Numeric(name="h", minimum=1, maximum=99, bins=16, integer=True)
    codes = np.repeat([0, 15], 400)[:, None].astype(np.int32)
    values = decode(codes, Domain((hours,)), np.random.default_rng(5))["h"]
    assert str(values.dtype) == "Int64"
    assert set(values[:400]) == set(range(1, 8))
    assert set(values[400:]) == set(range(93, 100))


def test_decoded_columns_have_the_type_the_codebook_declares():
    real = Categorical(name="real", categories=(0.5, 1))
    codes = np.array([[0, 0, 0, 0, 0], [1, 4, 2, 1, 1]], dtype=np.int32)
    frame = decode(codes, Domain((AGE, PAY, SEX, GRADE, real)), np.random.default_rng(0))
    assert [str(dtype) for dtype in frame.dtypes] == ["Int64", "Float64", "str", "Int64", "Float64"]
    assert frame.isna().to_numpy().tolist() == [[False] * 5, [False, True, True, False, False]]
    assert frame["grade"].tolist() == [1, 2]
    assert frame["real"].tolist() == [0.5, 1.0]


words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
categoricals = st.builds(
    lambda values, nullable: Categorical(name="x", categories=tuple(values), nullable=nullable),
    st.lists(words, min_size=1, max_size=6, unique=True)
    | st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True),
    st.booleans(),
)
numerics = st.builds(
    lambda low, width, bins, integer, nullable: Numeric(
        name="x", minimum=low, maximum=low + width, bins=bins, integer=integer, nullable=nullable
    ),
    st.integers(-2_000_000, 2_000_000),
    st.integers(1, 3_000_000),
    st.integers(1, 64),
    st.booleans(),
    st.booleans(),
)
cut = st.builds(
    lambda low, widths, resolution, nullable: Numeric(
        name="x",
        minimum=low,
        maximum=low + sum(widths),
        nullable=nullable,
        edges=tuple(low + sum(widths[:i]) for i in range(len(widths) + 1)),
        resolution=resolution,
    ),
    st.integers(-1000, 1000),
    st.lists(st.integers(1, 90), min_size=1, max_size=6),
    st.sampled_from([None, 0.25, 0.01]),
    st.booleans(),
)
days = st.builds(
    lambda low, width, kind, pieces: Numeric(
        name="x",
        minimum=low + 12 * (kind == "yearmonth"),  # no month before the year 1 can be declared
        maximum=low + 12 * (kind == "yearmonth") + width,
        integer=True,
        kind=kind,
        bins=5,
        learned=True,
        pieces=Pieces((0, 3, 4), (0, 1, 2), (1.0, 1.0, 1.0), width + 1) if pieces else None,
    ),
    st.integers(0, 10_000),
    st.integers(12, 4000),
    st.sampled_from(["date", "datetime", "time", "year", "yearmonth", "duration"]),
    st.booleans(),
)


def test_a_declared_resolution_is_kept_on_the_way_out():
    price = Numeric(name="x", minimum=0, maximum=100, bins=7, resolution=0.05)
    codes = np.arange(7, dtype=np.int32).repeat(50)[:, None]
    values = decode(codes, Domain((price,)), np.random.default_rng(0))["x"].to_numpy(dtype=float)
    assert (values == np.round(np.round(values / 0.05) * 0.05, 2)).all()
    assert encode(pd.DataFrame({"x": values}), book(price)).tolist() == codes.tolist()


@example(4, 29, 0.5, 14, 0)  # 7.5 lies on an edge that is rounded to a little more
@given(
    st.integers(-320, 320),
    st.integers(1, 40),
    st.sampled_from([0.5, 1, 2, 5]),
    st.integers(1, 20),
    st.integers(0, 2**32 - 1),
)
def test_every_code_of_a_declared_resolution_comes_back_as_a_multiple_of_it(eighths, width, step, bins, seed):
    first = step * eighths / 8
    attribute = Numeric(name="x", minimum=first, maximum=first + step * width, bins=bins, resolution=step)
    codes = np.arange(attribute.n_bins, dtype=np.int32)[:, None]
    values = decode(codes, Domain((attribute,)), np.random.default_rng(seed))
    assert (values["x"] % step == 0).all()
    assert encode(values, book(attribute)).tolist() == codes.tolist()


def test_fine_positions_are_those_of_the_values_and_missing_has_its_own():
    age = Numeric(name="age", minimum=17, maximum=90, integer=True, learned=True, nullable=True)
    table = encode_table(pd.DataFrame({"age": ["17", "90", "?", "300", "18.0"]}), book(age, missing=("?",)))
    column = table.fine[0]
    assert column.positions[column.rows].tolist() == [0, 73, 74, 73, 1]
    assert "73" not in repr(table)


def test_a_stand_in_s_codes_are_scattered_inside_their_bins():
    age = Numeric(name="age", minimum=0, maximum=99, bins=10, integer=True, learned=True, nullable=True)
    codes = np.random.default_rng(1).integers(11, size=(500, 1)).astype(np.int32)
    column = scattered(codes, Domain((age,)), np.random.default_rng(2)).fine[0]
    places = column.positions[column.rows]
    assert ((places == 100) == (codes[:, 0] == 10)).all()
    inside = places < 100
    assert np.abs(places[inside] - (codes[inside, 0] + 0.5) * 9.9).max() <= 5.5


@given(categoricals | numerics | cut | days, st.integers(0, 2**32 - 1), st.booleans())
def test_decoding_and_encoding_again_gives_the_same_codes(attribute, seed, as_text):
    rng = np.random.default_rng(seed)
    codes = rng.integers(attribute.size, size=(40, 1)).astype(np.int32)
    frame = decode(codes, Domain((attribute,)), rng)
    if as_text:  # the way through a csv file
        frame = frame.astype(object).where(frame.notna(), "").map(str)
    missing = () if isinstance(attribute, Categorical) and "" in attribute.categories else ("",)
    assert (encode(frame, book(attribute, missing=missing)) == codes).all()


@given(
    st.floats(-1e6, 1e6),
    st.floats(0.01, 1e6),
    st.integers(1, 40),
    st.integers(0, 2**32 - 1),
)
def test_an_integer_range_with_broken_bounds_decodes_inside_its_bounds(low, width, bins, seed):
    high = low + width
    if np.floor(high) < np.ceil(low):
        return
    attribute = Numeric(name="x", minimum=low, maximum=high, bins=bins, integer=True)
    rng = np.random.default_rng(seed)
    codes = np.arange(attribute.size, dtype=np.int32)[:, None]
    values = decode(codes, Domain((attribute,)), rng)["x"].to_numpy(dtype=float)
    assert values.min() >= low
    assert values.max() <= high
    again = encode(pd.DataFrame({"x": values}), book(attribute))
    assert (abs(again - codes) <= 1).all()  # a bound that is no whole number may move a value by one bin


# The papers' binary encoding


def test_bits_are_written_most_significant_first():
    encoding = BinaryEncoding(Domain.of_sizes([16, 2, 5, 1]))
    assert encoding.widths == (4, 1, 3, 1)
    assert encoding.encode(np.array([[10, 1, 4, 0]], dtype=np.int32)).tolist() == [
        [1, 0, 1, 0, 1, 1, 0, 0, 0],
    ]
    assert encoding.bit_domain.names == ("x0:0", "x0:1", "x0:2", "x0:3", "x1", "x2:0", "x2:1", "x2:2", "x3")
    assert set(encoding.bit_domain.sizes) == {2}


@given(st.lists(st.integers(1, 70), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_bits_read_back_give_the_codes(sizes, seed):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(size, size=30) for size in sizes], axis=1).astype(np.int32)
    encoding = BinaryEncoding(Domain.of_sizes(sizes))
    bits = encoding.encode(codes)
    assert set(np.unique(bits)) <= {0, 1}
    assert (encoding.decode(bits, rng) == codes).all()


@given(st.lists(st.integers(1, 70), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_any_bits_decode_into_the_domain(sizes, seed):
    rng = np.random.default_rng(seed)
    encoding = BinaryEncoding(Domain.of_sizes(sizes))
    bits = rng.integers(2, size=(30, sum(encoding.widths))).astype(np.int32)
    codes = encoding.decode(bits, rng)
    assert (codes >= 0).all()
    assert (codes < np.array(sizes)).all()


def test_a_bit_pattern_beyond_the_domain_is_drawn_from_the_attributes_valid_rows():
    encoding = BinaryEncoding(Domain.of_sizes([5]))
    bits = np.array([[1, 1, 1]] * 3000 + [[0, 1, 0]] * 1 + [[1, 0, 0]] * 3, dtype=np.int32)
    drawn = encoding.decode(bits, np.random.default_rng(1))[:3000, 0]
    assert set(drawn) == {2, 4}
    # One quarter of the valid rows hold 2: within 5 standard errors.
    assert abs((drawn == 2).mean() - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 3000)


def test_bit_patterns_that_are_all_beyond_the_domain_are_drawn_uniformly():
    bits = np.ones((3000, 3), dtype=np.int32)
    drawn = BinaryEncoding(Domain.of_sizes([5])).decode(bits, np.random.default_rng(1))[:, 0]
    assert (abs(np.bincount(drawn, minlength=5) / 3000 - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 3000)).all()


# The papers' tables


@pytest.mark.parametrize(
    ("name", "attributes", "bits"), [("adult", 15, 52), ("big5", 57, 175)], ids=["Adult", "Big5"]
)
def test_the_papers_number_of_binary_attributes_follows_from_the_codebook(name, attributes, bits):
    domain = Codebook.read(data_file(f"{name}.codebook.json")).domain
    assert len(domain) == attributes
    assert len(BinaryEncoding(domain).bit_domain) == bits


def test_the_raw_adult_codebook_takes_missing_values():
    codebook = Codebook.read(data_file("adult_raw.codebook.json"))
    frame = pd.read_csv(data_file("adult_test.csv"), dtype=str, nrows=2000)
    missing = (frame["workclass"] == "?").to_numpy()
    index = codebook.domain.index("workclass")
    codes = encode(frame, codebook)[:, index]
    assert missing.any()
    assert ((codes == codebook.domain.sizes[index] - 1) == missing).all()
