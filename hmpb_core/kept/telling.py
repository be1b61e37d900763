"""What makes a rule that every row keeps worth telling to the steward."""

from __future__ import annotations

from hmpb_core.errors import DomainError
from hmpb_core.rules.consistency import require_consistent
from hmpb_core.rules.kinds import Rule
from hmpb_core.rules.reading import View

ROWS, PART = 20, 0.05
"""Rows, and part of those that tell, that would break a rule if its columns came together by chance."""
START = 1000
"""Rows that part most pairs of columns, which spares a look at all of them."""


def fits(rule: Rule, view: View) -> bool:
    """Say whether a codebook may have the rule.

    Args:
        rule: The rule.
        view: The table with its columns' attributes.
    """
    try:
        rule.check(view.attributes)
        require_consistent([rule], view.attributes)
    except DomainError:
        return False
    return True
