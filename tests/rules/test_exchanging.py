"""Values that change places within their codes, so that numbers and dates never fall."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from hmpb_core.domain import Domain, Numeric
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.exchanging import exchanged
from hmpb_core.rules.obeying import obedient_rows

NAMES = ("net", "gross")


def domain_of(*names: str) -> Domain:
    return Domain(tuple(Numeric(name=name, minimum=0, maximum=40, bins=4) for name in names))


def rules_of(domain: Domain, *columns: str) -> Rules:
    return Rules.read([{"kind": "ascending", "columns": list(columns)}], domain)


def codes_of(frame: pd.DataFrame) -> np.ndarray:
    return np.minimum(frame.fillna(0).to_numpy() // 10, 3).astype(np.int32)


def moved(frame: pd.DataFrame, *columns: str, seed: int = 0) -> pd.DataFrame:
    domain = domain_of(*frame.columns)
    rules = rules_of(domain, *(columns or frame.columns)).items
    rng = np.random.default_rng(seed)
    return exchanged(frame.copy(), codes_of(frame), rules=rules, domain=domain, rng=rng)


def drawn(rows: int, seed: int = 1) -> pd.DataFrame:
    """Two numbers in one code or in neighbouring ones, each drawn inside its own."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, rows)
    codes = np.stack([first, first + rng.integers(0, 2, rows)], axis=1)
    return pd.DataFrame(10 * codes + rng.integers(0, 10, (rows, 2)), columns=NAMES)


def test_nearly_all_rows_keep_the_order_and_every_code_keeps_its_values():
    frame = drawn(2000)
    after = moved(frame)
    assert (frame["net"] > frame["gross"]).mean() > 0.2
    assert (after["net"] > after["gross"]).mean() < 0.01
    assert (codes_of(after) == codes_of(frame)).all()
    for name in NAMES:
        assert Counter(after[name]) == Counter(frame[name])


def test_rows_that_keep_the_order_stay_as_they_are_where_nobody_needs_their_values():
    frame = drawn(2000)
    kept = frame[frame["net"] <= frame["gross"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(moved(kept), kept)
    assert (moved(frame) == frame).all(axis=1).mean() > 0.5


@pytest.mark.parametrize("seed", range(5))
def test_the_only_exchange_that_helps_is_found(seed):
    """Net 8 stands beside 5: of the others only 4 may be at most 5, and leaves a row that 8 may have."""
    frame = pd.DataFrame({"net": [8, 4, 7, 6, 14], "gross": [5, 9, 7, 6, 17]})
    assert moved(frame, seed=seed)["net"].tolist() == [4, 8, 7, 6, 14]


def test_values_of_other_codes_and_missing_ones_stay_where_they_are():
    frame = pd.DataFrame({"net": [8.0, 14.0, np.nan], "gross": [5.0, 19.0, 29.0]})
    pd.testing.assert_frame_equal(moved(frame), frame)


def test_of_three_columns_one_without_a_value_lets_the_others_keep_their_order():
    frame = pd.DataFrame({"a": [9.0, 1.0], "b": [np.nan, 2.0], "c": [4.0, 9.5]})
    assert moved(frame)["c"].tolist() == [9.5, 4.0]


def test_a_column_that_another_rule_decides_is_left_to_it():
    domain = domain_of("a", "b", "c")
    rules = Rules.read(
        [{"kind": "ascending", "columns": ["a", "b"]}, {"kind": "equal", "column": "b", "to": "c"}], domain
    )
    frame = pd.DataFrame({"a": [9, 1], "b": [4, 9], "c": [4, 9]})
    after = exchanged(
        frame.copy(), codes_of(frame), rules=rules.items, domain=domain, rng=np.random.default_rng(0)
    )
    pd.testing.assert_frame_equal(after, frame)


def test_obedient_rows_have_the_values_that_were_drawn():
    """Drawn again inside their codes, the means would part by about two of the ten steps of a code."""
    frame = drawn(4000)
    domain = domain_of(*NAMES)
    rng = np.random.default_rng(3)

    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        return codes_of(drawn(n, int(rng.integers(1e9))))

    def values(codes: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
        return pd.DataFrame(10 * codes + rng.integers(0, 10, codes.shape), columns=NAMES)

    rows = obedient_rows(rules_of(domain, *NAMES), domain, 4000, draw=draw, values=values, rng=rng)
    assert (rows["net"] <= rows["gross"]).all()
    for name in NAMES:
        inside = rows[name] % 10
        assert inside.mean() == pytest.approx(4.5, abs=0.25)
    assert frame.mean().to_numpy() == pytest.approx(rows.mean().to_numpy(), abs=0.6)
