"""``--parties DIR``: a folder in which every file is the table of one owner."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import remark
from hmpb_core.commands.options import reading_from
from hmpb_core.errors import InputError, SourceError, typed
from hmpb_core.planning.methods import DEFAULT_METHOD
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.shares import NoiseShares
from hmpb_core.sources.files import ENDINGS, read_table
from hmpb_core.sources.open import open_source
from hmpb_core.sources.parties import PartySource, Trust, guarantees


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """What the folder holds.

    Attributes:
        source: All parties' rows.
        registered: The name under which a workspace knows one of the tables; None where it knows none.
        trust: What the parties trust.
        count: Number of parties.
        shares: Who adds noise; None where the aggregator does.
    """

    source: PartySource = field(repr=False)
    registered: str | None
    trust: Trust
    count: int
    shares: NoiseShares | None

    def account(self, guarantee: Guarantee, *, may_leave: bool) -> dict[str, Any]:
        """Say who the parties are, what they trust and what is guaranteed against whom.

        Args:
            guarantee: The plan's guarantee.
            may_leave: Whether the output may, once everybody has charged it; else there is nothing to charge.
        """
        values: dict[str, Any] = {"count": self.count, "trust": self.trust.value}
        if self.shares is not None:
            values["withheld"] = self.shares.withheld
            values["noise_over_plan"] = self.shares.excess
        values["guaranteed"] = guarantees(guarantee, self.shares)
        values["played_by"] = "one process, which read all tables"
        values["each_owner_charges"] = guarantee.to_dict() if may_leave else None
        return values


def say_charges(guarantee: Guarantee) -> None:
    """Say what each owner has to charge to its own ledger: a joint run has none."""
    delta = f" --delta {typed(guarantee.delta)}" if guarantee.delta else ""
    more = " --guarantee pure" if guarantee.currency is Currency.PURE else delta
    if guarantee.neighbors is not Neighbors.REPLACE_ONE:
        more += f" --neighbors {guarantee.neighbors.value}"
    remark(
        "Several owners have no ledger together, and nothing was charged. Each of them charges its own, "
        f"before its counts leave: hmpb charge TABLE --workspace W --epsilon {guarantee.epsilon:g}{more}"
    )


def add_party_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of several owners."""
    parser.add_argument(
        "--parties", metavar="DIR", help="in place of DATA: a folder, each file one owner's rows"
    )
    parser.add_argument(
        "--trust",
        choices=[trust.value for trust in Trust],
        help="aggregator: it adds the noise to exact sums; shares: every owner adds a part (aggregator)",
    )
    parser.add_argument(
        "--withheld",
        type=int,
        metavar="T",
        help="with --trust shares: so many owners may withhold their noise, and the rest is enough (0)",
    )


def parties_from(
    args: argparse.Namespace, codebook: Codebook, registered: Callable[[pd.DataFrame], str | None]
) -> Parties | None:
    """Open the folder that the options name; None where they name a single table.

    With shares, a plan that names no learner gets ``additive``: it asks for sums alone.

    Args:
        args: The options; ``learner`` may be set.
        codebook: The owners' one codebook.
        registered: Gives the name under which a workspace knows a table.

    Raises:
        InputError: the options contradict each other.
        SourceError: the folder does not hold at least two tables that fit the codebook.
    """
    if args.parties is None:
        if args.data is None:
            raise InputError("Name the private table, or a folder of several owners' tables with --parties.")
        if args.trust is not None or args.withheld is not None:
            raise InputError(
                "--trust and --withheld are for several owners; name their folder with --parties."
            )
        return None
    if args.data is not None:
        raise InputError("Name one table, or a folder of several owners' tables with --parties, not both.")
    trust = Trust(args.trust or Trust.AGGREGATOR)
    if args.withheld is not None and trust is Trust.AGGREGATOR:
        raise InputError("--withheld is for --trust shares: an aggregator adds all of the noise itself.")
    files = _files(Path(args.parties))
    shares = None
    if trust is Trust.SHARES:
        shares = NoiseShares(parties=len(files), withheld=args.withheld or 0)
        _require_sums(args)
    names = []
    sources = []
    for file in files:
        try:
            frame = read_table(file, reading=reading_from(args))
            sources.append(open_source(frame, codebook))
        except SourceError as error:
            raise SourceError(
                "The owner's table {file!r} cannot be used: {reason}", file=file.name, reason=str(error)
            ) from None
        names.append(registered(frame))
    return Parties(
        source=PartySource(sources, rules=codebook.rules, shares=shares),
        registered=next((name for name in names if name), None),
        trust=trust,
        count=len(files),
        shares=shares,
    )


def _files(folder: Path) -> list[Path]:
    try:
        found = sorted(
            path
            for path in folder.iterdir()
            if path.is_file() and not path.name.startswith(".") and path.name.lower().endswith(ENDINGS)
        )
    except OSError:
        raise SourceError(
            "The folder {folder!r} cannot be read; check the path.", folder=str(folder)
        ) from None
    if len(found) < 2:
        raise SourceError(
            "The folder {folder!r} holds fewer than two tables; put each owner's rows into its own file.",
            folder=str(folder),
        )
    return found


def _require_sums(args: argparse.Namespace) -> None:
    """Refuse what cannot be asked as sums over rows, and choose a learner that asks nothing else."""
    if args.neighbors not in (None, Neighbors.REPLACE_ONE.value):
        raise InputError(
            "--trust shares needs 'replace-one' neighbours: each owner's number of rows is public."
        )
    method = args.method or DEFAULT_METHOD
    if args.replicates is not None:
        raise InputError("Replicates repeat the noise of one table, not of shares; leave --replicates out.")
    if method == "independent":
        return
    if args.guarantee == Currency.PURE.value:
        raise InputError(
            "Under the guarantee 'pure' noise in shares is for the method 'independent'; choose it, or "
            "'zcdp'."
        )
    if method != DEFAULT_METHOD or args.learner not in (None, "additive"):
        raise InputError(
            "--trust shares can only ask for sums over rows; use the method 'hmprivbayes' with the learner "
            "'additive', or the method 'independent'."
        )
    if args.learner is None:
        remark("Noise in shares: the learner is 'additive', which selects nothing and asks for sums alone.")
        args.learner = "additive"
