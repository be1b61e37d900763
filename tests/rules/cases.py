"""What tests of public rules share: a domain, rules of every kind, rows of a model that knows nothing."""

import numpy as np

from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.rules.obeying import obedient_rows

DOMAIN = Domain(
    (
        Numeric(name="age", minimum=0, maximum=99, integer=True, bins=7),
        Categorical(name="marital", categories=("never married", "married", "widowed"), nullable=True),
        Categorical(name="school", categories=("none", "primary", "upper")),
        Categorical(name="years", categories=(0, 8, 12, 16), ordered=True),
        Numeric(name="from", minimum=0, maximum=50, bins=5, nullable=True),
        Numeric(name="until", minimum=10, maximum=60, bins=5, nullable=True),
        Numeric(name="wages", minimum=-5, maximum=95, bins=4),
        Numeric(name="other", minimum=0, maximum=20, bins=3),
        Numeric(name="total", minimum=0, maximum=100, bins=9, nullable=True),
        Categorical(name="works", categories=("no", "yes")),
        Categorical(name="copy", categories=("upper", "primary", "none", "else"), nullable=True),
    )
)
YEARS = {"none": 0, "primary": 8, "upper": 12}
ALL = [
    {"kind": "follows", "column": "years", "from": "school", "values": YEARS},
    {"kind": "ascending", "columns": ["from", "until"]},
    {"kind": "sum", "column": "total", "parts": ["wages", "other"]},
    {"kind": "implies", "if": {"age": {"below": 15}}, "then": {"marital": "never married"}},
    {"kind": "forbidden", "if": {"school": "none", "works": "yes"}},
    {"kind": "nonNegative", "column": "wages"},
    {"kind": "askedIf", "column": "until", "if": {"works": "yes"}},
    {"kind": "equal", "column": "copy", "to": "school"},
]


def evenly(domain):
    """A model that knows nothing: every code of every attribute as likely as the next."""
    return lambda n, rng: np.stack([rng.integers(size, size=n) for size in domain.sizes], axis=1).astype(
        np.int32
    )


def rows_of(rules, n_rows=2000, domain=DOMAIN, draw=None, seed=0):
    return obedient_rows(
        rules,
        domain,
        n_rows,
        draw=draw or evenly(domain),
        values=lambda codes, rng: decode(codes, domain, rng),
        rng=np.random.default_rng(seed),
    )


def require_inside(frame, domain):
    for attribute in domain.attributes:
        column = frame[attribute.name]
        if isinstance(attribute, Numeric):
            assert column.dropna().between(attribute.minimum, attribute.maximum).all()
        else:
            assert set(column.dropna()) <= set(attribute.categories)
        assert attribute.nullable or not column.isna().any()


SMOKES = Categorical(
    name="smokes",
    categories=("false", "true"),
    boolean=True,
    spellings=(("nein", "false"), ("ja", "true")),
)
BAND = Categorical(name="band", categories=("none", "some"))
MISSING = Domain(
    (
        Categorical(name="arm", categories=("drug", "placebo", "?"), nullable=True, apart=("?",)),
        Categorical(name="given", categories=("drug", "placebo", "?", "!"), nullable=True, apart=("?", "!")),
        Numeric(name="dose", minimum=0, maximum=9, integer=True, nullable=True, bins=2),
    )
)
