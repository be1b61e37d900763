"""Every choice of a plan as an option: one table for the command line, Python and the plan file.

Kind, choices and default are read off ``Plan`` and ``Guarantee``; only what a person needs besides
stands here: the option's name and its help.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hmpb_core.errors import PlanError
from hmpb_core.planning.methods import METHOD_NAMES, Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import DEFAULT_DELTA, Currency, Guarantee, Neighbors


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of a plan, as a person makes it.

    Attributes:
        field: Its field of ``Plan``, or of ``Guarantee``.
        name: Its name on the command line.
        help: What it decides.
        kind: What its values are: int, float, str, an enumeration, or ``Shares``.
        choices: The values allowed, where they are few.
        default: What holds where nothing is said; None leaves it to a public rule.
        parameter: Its name in Python, as a parameter of ``HMPrivBayes``; None where it has none.
        aliases: Further names on the command line.
        metavar: What stands for its value in the help.
        required: Whether it must be said.
    """

    field: str
    name: str
    help: str
    kind: Any
    choices: tuple[str, ...]
    default: Any
    parameter: str | None
    aliases: tuple[str, ...] = ()
    metavar: str | None = None
    required: bool = False

    @property
    def words(self) -> str:
        """Its help, with the default."""
        return self.help if self.default is None or self.required else f"{self.help} ({self.default})"

    def read(self, value: Any) -> Any:
        """Give a value in its kind; None stays None.

        Raises:
            PlanError: it is not allowed, or no number where one is needed.
        """
        if value is None and not self.required:
            return None
        name = self.parameter or self.name
        if self.choices:
            if value not in self.choices:
                raise PlanError(
                    "{option} is {value!r}; choose one of {choices}.",
                    option=name,
                    value=value,
                    choices=tuple(self.choices),
                )
            return self.kind(value)
        if self.kind is Shares:
            if not isinstance(value, str | Shares):
                raise PlanError(
                    "The shares are of the type {kind}; give Shares, or a text such as 'structure=0.3'.",
                    kind=type(value).__name__,
                )
            return Shares.parse(value) if isinstance(value, str) else value
        if self.kind is str:
            return str(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PlanError("{option} is {value!r}; it must be a number.", option=name, value=value)
        if self.kind is int and isinstance(value, float) and not value.is_integer():
            raise PlanError("{option} is {value!r}; it must be a whole number.", option=name, value=value)
        return int(value) if self.kind is int else value


UNIT_FIELDS = ("person", "rows_per_person")

WITHOUT_OPTION = {
    "guarantee": "its fields have options of their own",
    "n_vectors": "k1 equals k unless a plan file says otherwise",
    "weights": "one number an attribute: they are set in a plan file, or on the dashboard",
    "person": "follows the unit of protection, 'COLUMN:m'",
    "declared_rows": "what the rule for the shares was given: whoever makes the plan says it",
    "rows_per_person": "follows the unit of protection; a parameter in Python, where there is no unit",
}
"""Fields of a plan that are no option of the command line, and why."""


def _option(holder: type, field: str, name: str, words: str, **more: Any) -> Option:
    declared = next(entry for entry in fields(holder) if entry.name == field)
    hint = get_type_hints(holder)[field]
    if get_origin(hint) in (Union, UnionType):  # None leaves the choice to a public rule
        hint = next(part for part in get_args(hint) if part is not type(None))
    choices: tuple[str, ...] = ()
    kind: Any = hint
    if get_origin(hint) is Literal:
        choices, kind = get_args(hint), str
    elif isinstance(hint, type) and issubclass(hint, StrEnum):
        choices = tuple(member.value for member in hint)
    default = None if declared.default is MISSING else declared.default
    given = {"default": default, "parameter": field, "choices": choices, **more}
    return Option(field=field, name=name, help=words, kind=kind, **given)


OPTIONS = (
    _option(
        Guarantee,
        "epsilon",
        "epsilon",
        "bound on the privacy loss, for the whole table",
        required=True,
        default=1.0,
    ),
    _option(
        Guarantee,
        "delta",
        "delta",
        "probability with which the bound may fail (zcdp only; 1e-9)",
        default=None,
    ),
    _option(
        Guarantee,
        "currency",
        "guarantee",
        f"currency of the losses ({Currency.ZCDP}; {Accounting.AS_PUBLISHED}: always {Currency.PURE})",
        parameter="guarantee",
        default=None,
    ),
    _option(Guarantee, "neighbors", "neighbors", "which two tables must be hard to tell apart"),
    _option(
        Plan,
        "accounting",
        "accounting",
        f"{Accounting.SOUND}: every stage paid in full; {Accounting.AS_PUBLISHED}: the paper itself, "
        "never releasable",
        aliases=("profile",),
    ),
    _option(Plan, "method", "method", "which method runs", choices=METHOD_NAMES),
    _option(Plan, "learner", "learner", "what finds the networks (chosen by the method)"),
    _option(
        Plan, "encoding", "representation", "attributes as codes, or cut into bits (chosen by the method)"
    ),
    _option(Plan, "similarity", "similarity", "what tells how strongly two attributes hang together"),
    _option(
        Plan,
        "clusters",
        "clusters",
        "number of clusters (chosen by a public rule)",
        metavar="K",
        parameter="n_clusters",
    ),
    _option(
        Plan,
        "max_parents",
        "parents",
        "largest number of parents (chosen by a public rule)",
        metavar="L",
    ),
    _option(
        Plan,
        "gamma",
        "gamma",
        "strength of the risk weights, -20 to 20; 0 for uniform noise, below 0 less noise for attributes of "
        "much risk entropy",
        metavar="G",
    ),
    _option(
        Plan,
        "eta",
        "eta",
        "pruning of candidate pairs, 0 to 1 (chosen by the accounting)",
        default=None,
    ),
    _option(Plan, "sigma", "sigma", "width of the affinity in the spectral clustering"),
    _option(
        Plan,
        "shares",
        "shares",
        "shares of 'one-way', 'similarity', 'structure' and 'conditional', sum 1; those that are left out "
        "share the rest (chosen by a public rule)",
        metavar="STAGE=SHARE,..",
    ),
    _option(
        Plan,
        "target",
        "target",
        "the attribute that matters most: its pairs get twice the budget of others (none); for naive-bayes "
        "the class (the codebook's last attribute)",
        metavar="NAME",
    ),
    _option(Plan, "rows", "rows", "rows to write (as many as the table has)", metavar="N", parameter=None),
)
"""Every option, in the order of the help."""


def option(name: str) -> Option:
    """Give an option by its name on the command line."""
    return next(entry for entry in OPTIONS if entry.name == name)


def guarantee_of(
    currency: str | None,
    epsilon: float,
    delta: float | None,
    neighbors: str | None,
    *,
    accounting: str | None = Accounting.SOUND,
) -> Guarantee:
    """Make a guarantee from plain values; what is None follows the accounting.

    Raises:
        PlanError: a value is not allowed.
    """
    chosen = option("guarantee").read(currency)
    if chosen is None:
        chosen = Currency.PURE if accounting == Accounting.AS_PUBLISHED else Currency.ZCDP
    delta = option("delta").read(delta)
    if delta is None:
        delta = 0.0 if chosen is Currency.PURE else DEFAULT_DELTA
    return Guarantee(
        epsilon=option("epsilon").read(epsilon),
        delta=delta,
        currency=chosen,
        neighbors=option("neighbors").read(neighbors) or Neighbors.REPLACE_ONE,
    )
