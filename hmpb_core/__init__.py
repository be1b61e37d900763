"""Differentially private synthetic tables by the HMPrivBayes method.

The names in ``__all__`` are the interface for Python: they keep to semantic versions. ``HMPrivBayes`` is the
method in one object; step by step it is ``Codebook``, ``make_plan``, ``open_source`` and ``synthesize``.

Example:
    >>> from hmpb_core import Codebook, Guarantee, bill_of_plan, make_plan
    >>> codebook = Codebook.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]},
    ...                                           {"name": "coughs", "categories": ["no", "yes"]}]})
    >>> plan = make_plan(Guarantee(epsilon=1.0), codebook.domain, n_rows=1000)
    >>> round(bill_of_plan(plan, domain=codebook.domain).total, 6)
    1.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hmpb_core.errors import (
    BudgetExceededError,
    CancelledError,
    DomainError,
    HmpbError,
    InputError,
    NotPrivateError,
    PlanError,
    PrivacyError,
    SourceError,
)

if TYPE_CHECKING:
    from hmpb_core.codebook import Codebook
    from hmpb_core.combining import combine
    from hmpb_core.facade import HMPrivBayes, draft_codebook
    from hmpb_core.model import Model
    from hmpb_core.pipeline import synthesize
    from hmpb_core.planning.bill import Bill, bill_of_plan
    from hmpb_core.planning.methods import Accounting
    from hmpb_core.planning.plan import Plan
    from hmpb_core.privacy.budget import Shares
    from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
    from hmpb_core.privacy.unit import Unit
    from hmpb_core.replication import replicates
    from hmpb_core.sources.base import TableSource
    from hmpb_core.sources.files import read_table
    from hmpb_core.sources.open import open_source
    from hmpb_core.synthesis import make_plan
    from hmpb_core.unmeasured import possible_tables

__version__ = "0.1.0"

__all__ = [
    "Accounting",
    "Bill",
    "BudgetExceededError",
    "CancelledError",
    "Codebook",
    "Currency",
    "DomainError",
    "Guarantee",
    "HMPrivBayes",
    "HmpbError",
    "InputError",
    "Model",
    "Neighbors",
    "NotPrivateError",
    "Plan",
    "PlanError",
    "PrivacyError",
    "Shares",
    "SourceError",
    "TableSource",
    "Unit",
    "bill_of_plan",
    "combine",
    "draft_codebook",
    "make_plan",
    "open_source",
    "possible_tables",
    "read_table",
    "replicates",
    "synthesize",
]

_HOMES = {
    "Accounting": "planning.methods",
    "Bill": "planning.bill",
    "Codebook": "codebook",
    "Currency": "privacy.guarantee",
    "Guarantee": "privacy.guarantee",
    "HMPrivBayes": "facade",
    "Model": "model",
    "Neighbors": "privacy.guarantee",
    "Plan": "planning.plan",
    "Shares": "privacy.budget",
    "TableSource": "sources.base",
    "Unit": "privacy.unit",
    "bill_of_plan": "planning.bill",
    "combine": "combining",
    "draft_codebook": "facade",
    "make_plan": "synthesis",
    "open_source": "sources.open",
    "possible_tables": "unmeasured",
    "read_table": "sources.files",
    "replicates": "replication",
    "synthesize": "pipeline",
}
"""Where the exported names live that may need pandas or OpenDP: loaded when they are asked for."""


def __getattr__(name: str) -> Any:
    """Load what needs pandas and OpenDP only when it is asked for: a plan needs neither."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Name what the package exports."""
    return sorted({*globals(), *__all__})
