"""A run that several owners make together, in the ledger of one of them: charged before its counts leave.

Nobody is in two owners' tables, so what the joint run promises to the readers of its output it promises to
each owner's people: each owner's ledger is charged the whole guarantee, once.
"""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.errors import NotPrivateError, typed
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.privacy.ledger import Entry
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.sources.locations import PrivateTable

TITLE = "joint run"


@dataclass(frozen=True, slots=True, kw_only=True)
class JointCommit:
    """A joint run's charge that passed every check and waits for the steward's word.

    Attributes:
        guarantee: What the joint run promises.
        before: The owner's data set now.
        after: The data set as it will stand.
    """

    guarantee: Guarantee
    before: RegisteredDataset
    after: RegisteredDataset

    @property
    def lines(self) -> list[str]:
        """What is said before anything is charged."""
        delta = f", delta {typed(self.guarantee.delta)}" if self.guarantee.delta else ""
        return [
            f"Data set     {self.before.name}; {self.before.unit.words}",
            "Charged      a run that several owners make together; nothing is looked at here",
            f"In total     epsilon {self.guarantee.epsilon:g}{delta}, {self.guarantee.currency.value}, "
            f"{self.guarantee.neighbors.value}",
            f"Left of cap  epsilon {max(0.0, float(self.after.left)):.6g} of "
            f"{float(self.before.cap_epsilon):g} after this",
            "This cannot be undone: the charge stays even if the joint run is never made.",
        ]


def prepare_joint(table: PrivateTable, workspace: Workspace, guarantee: Guarantee) -> JointCommit:
    """Check everything that can be checked before anything is charged.

    Args:
        table: The owner's table, in memory or in an engine.
        workspace: Where it is registered.
        guarantee: What the joint run promises to the readers of its output.

    Raises:
        PrivacyError: the table is not registered.
        NotPrivateError: the table protects persons, and joint runs protect rows.
        BudgetExceededError: the cap does not admit it.
    """
    dataset = workspace.find(table)
    if dataset.unit.column is not None:
        raise NotPrivateError(
            "The data set {name!r} protects persons with several rows, and a joint run protects rows; bring "
            "a table of one row a person to it, and register that.",
            name=dataset.name,
        )
    return JointCommit(guarantee=guarantee, before=dataset, after=dataset.after(guarantee))


def charge_joint(
    commit: JointCommit, workspace: Workspace, *, who: str | None = None, why: str = ""
) -> Entry:
    """Charge a joint run, and note that nothing of it is kept here.

    Args:
        commit: What was prepared.
        workspace: Its workspace.
        who: Who charges.
        why: Which run, with whom.

    Raises:
        BudgetExceededError: meanwhile somebody else took what was left; nothing is charged.
    """
    charge = workspace.charge(
        commit.before, commit.guarantee, who=who or whoami(), why=why, details={"title": TITLE}
    )
    workspace.complete(charge, artefacts={})
    return charge
