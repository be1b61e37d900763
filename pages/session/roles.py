"""With which roles, k and p micro-aggregation begins on a table, for the pages Anonymize and Compare."""

from __future__ import annotations

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain
from pages.session.choices import AnonymizeChoices

FIRST_QUASI = 3
FIRST_P = 3
FIRST_K = 8


def fit(choices: AnonymizeChoices, codebook: Codebook) -> None:
    """Drop attributes that the codebook does not declare.

    Begin with the first few as quasi-identifiers, and as the sensitive attribute with the last one that has
    enough values for p; of those that the codebook marks as sensitive, where it marks any.
    """
    domain = codebook.domain
    names = domain.names
    if choices.sensitive not in names:
        rich = [name for name in names if _held(domain, name) >= FIRST_P]
        marked = [name for name in rich if name in codebook.sensitive]
        choices.sensitive = (marked or rich or list(names))[-1]
        choices.p = FIRST_P if rich else 2
        # Beyond as many rows as there are values, MAASAE joins classes instead of making new ones.
        choices.k = max(choices.p, min(FIRST_K, _held(domain, choices.sensitive)))
        choices.quasi = [name for name in names if name != choices.sensitive][:FIRST_QUASI]
    choices.quasi = [name for name in choices.quasi if name in names and name != choices.sensitive]


def values_of(domain: Domain, name: str) -> int:
    """How many different values the codebook gives an attribute, missing aside."""
    attribute = domain.attributes[domain.index(name)]
    return attribute.size - attribute.nullable


def _held(domain: Domain, name: str) -> int:
    """How many of them a proposal may count on: what takes the rest of a list may hold no row."""
    attribute = domain.attributes[domain.index(name)]
    return values_of(domain, name) - (isinstance(attribute, Categorical) and bool(attribute.unknown))
