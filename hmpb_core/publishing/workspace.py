"""The steward's folder: which data sets there are, what they may spend and what they have spent.

WORKSPACE/ledger.sqlite      every entry, hash-chained
WORKSPACE/releases/ID.zip    every bundle, also where it could not be written elsewhere
"""

from __future__ import annotations

import getpass
import json
import os
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.errors import PlanError, PrivacyError, Sentence, SourceError
from hmpb_core.privacy.guarantee import MAX_DELTA, MAX_EPSILON, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Entry, Kind, Totals
from hmpb_core.privacy.unit import Unit
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.files import require_space, require_writable
from hmpb_core.publishing.near_copies import kept_of, near_among
from hmpb_core.publishing.receipts import Receipts, bundle_faults
from hmpb_core.publishing.store import LedgerStore, LedgerTransaction
from hmpb_core.sources.identity import Compared, compared, is_sum, names_of, sum_of
from hmpb_core.sources.locations import PrivateTable

LEDGER_FILE = "ledger.sqlite"
RELEASES = "releases"
FORMAT = "hmpb-ledger/1"
NAMED, SUMMED = 0.15, 0.55
"""Parts of the time after which a table in memory that is registered has its fingerprint, and its sum."""


class Workspace:
    """A folder with a ledger. Safe to use from many threads and processes at once.

    Args:
        folder: The folder.
        create: Make it where it is not there yet.

    Raises:
        SourceError: it is not a workspace.
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.folder = Path(folder)
        if create:
            require_no_lost_ledger(self.folder)
            try:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError:
                raise SourceError(
                    "The workspace {folder!r} cannot be made; choose a folder you may write to.",
                    folder=self.folder.name,
                ) from None
        self._store = LedgerStore(self.folder / LEDGER_FILE, create=create)
        with suppress(OSError):  # also a folder that somebody else made
            self.folder.chmod(0o700)
        with self._store.reading() as book:
            self._key = book.setting("key") or b""

    def register(
        self,
        table: PrivateTable,
        *,
        name: str,
        unit: Unit,
        cap_epsilon: float,
        cap_delta: float,
        survey_delta: float = 0.0,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        who: str | None = None,
        why: str = "",
        progress: Progress = silent,
    ) -> RegisteredDataset:
        """Register a data set: its unit of protection and lifetime cap, once.

        Args:
            table: The private table, in memory or in an engine.
            name: The steward's name for it.
            unit: The unit of protection.
            cap_epsilon: What all releases together may cost.
            cap_delta: The delta at which the cap holds.
            survey_delta: The part of it that the thresholds of surveys may spend; 0 buys no texts but the
                words of public lists.
            neighbors: The relation in which costs are kept.
            who: Who registers it.
            why: For what purpose.
            progress: Called with the part done so far.

        Raises:
            PlanError: the cap is impossible, or the content or the name is registered already.
        """
        require_cap(cap_epsilon, cap_delta)
        if not 0 <= survey_delta <= cap_delta / 2:
            raise PlanError(
                "The part of the delta for surveys is {part:g}; it lies between 0 and half of the cap's "
                "{delta:g}.",
                part=survey_delta,
                delta=cap_delta,
            )
        self.require_whole()
        progress(0.0, "recognising")
        own = compared(table, self._key)
        others = names_of(own, self._key)
        content = next(others)
        known = self.datasets()
        names = {content, *(others if known else ())}
        _require_new(known, names)  # at once: what follows reads the whole table
        summed = content
        if not is_sum(content):
            progress(NAMED, "recognising")
            summed = sum_of(own, self._key)
        names.add(summed)
        _require_new(known, names, name)
        progress(SUMMED, "recognising")
        near = [dataset.id for dataset in self._near(own, names)]
        kept = kept_of(own, self._key)
        with self._store.writing() as book:
            _require_new(self._datasets(book), names, name)
            entry = book.append(
                Kind.REGISTER,
                dataset=uuid.uuid4().hex,
                who=who or whoami(),
                why=why,
                details={
                    "name": name,
                    "unit": {"column": unit.column, "rows": unit.rows},
                    "neighbors": neighbors.value,
                    "cap_epsilon": str(Fraction(repr(float(cap_epsilon)))),
                    "cap_delta": repr(float(cap_delta)),
                    **({"survey_delta": repr(float(survey_delta))} if survey_delta else {}),
                    "fingerprint": content,
                    "digest": summed,
                    **({"near": near} if near else {}),
                },
            )
            book.keep_sketch(entry.dataset, kept)
            return RegisteredDataset.of(entry, Totals())

    def find(self, table: PrivateTable) -> RegisteredDataset:
        """Give the data set with this content, whichever engine it was registered by.

        Raises:
            PrivacyError: it is not registered.
        """
        known = self.datasets()
        own = compared(table, self._key)
        for name in names_of(own, self._key) if known else ():
            for dataset in known:
                if name in (dataset.fingerprint, dataset.digest):
                    return dataset
        if isinstance(table, pd.DataFrame) and any(is_sum(dataset.fingerprint) for dataset in known):
            summed = sum_of(own, self._key)
            for dataset in known:
                if summed == dataset.fingerprint:
                    return dataset
        raise PrivacyError(
            "This table is not registered in the workspace (or was changed since, or read otherwise); a "
            "release needs a lifetime cap. Run 'hmpb register' first, with the options that the file was "
            "read with before, such as --no-header, or with its codebook."
        )

    def near_copies(self, table: PrivateTable) -> list[RegisteredDataset]:
        """Give the data sets whose tables are nearly this one: a column more or less, a few cells changed.

        Two caps on one table's people add up. The tool can only warn: it compares keyed digests of rows.
        """
        known = self.datasets()
        if not known:
            return []
        own = compared(table, self._key)
        names = set(names_of(own, self._key))
        if isinstance(table, pd.DataFrame) and any(is_sum(dataset.fingerprint) for dataset in known):
            names.add(sum_of(own, self._key))
        return self._near(own, names)

    def _near(self, table: Compared, own: set[str]) -> list[RegisteredDataset]:
        with self._store.reading() as book:
            sketches = book.sketches()
            known = self._datasets(book)
        others = {
            dataset.id: sketches[dataset.id]
            for dataset in known
            if not own & {dataset.fingerprint, dataset.digest} and dataset.id in sketches
        }
        near = near_among(table, others, self._key)
        return [dataset for dataset in known if dataset.id in near]

    def datasets(self) -> list[RegisteredDataset]:
        """All data sets, the first registered first."""
        with self._store.reading() as book:
            return self._datasets(book)

    def charge(
        self,
        dataset: RegisteredDataset,
        guarantee: Guarantee,
        *,
        who: str | None = None,
        why: str = "",
        details: Mapping[str, Any] | None = None,
        delta: float = 0.0,
    ) -> Entry:
        """Pay the whole cost of a release, or of a survey of this delta, before any noise is drawn.

        Reading what is spent, checking the cap and writing the charge are one transaction:
        no two releases can both take what is left.

        Raises:
            BudgetExceededError: the cap would be broken; nothing is charged.
            PrivacyError: the ledger or a bundle was changed; nothing is charged.
        """
        self.require_whole()
        with self._store.writing() as book:
            last = book.last(dataset.id)
            if last is None:
                raise PrivacyError(
                    "The data set is not registered in this workspace; run 'hmpb register' first."
                )
            registered = next(e for e in book.entries(kind=Kind.REGISTER) if e.dataset == dataset.id)
            now = RegisteredDataset.of(registered, last.totals)
            now.after(guarantee, delta=delta)  # refuses what would break the cap
            return book.append(
                Kind.CHARGE,
                dataset=dataset.id,
                release=uuid.uuid4().hex,
                who=who or whoami(),
                why=why,
                cost=replace(
                    Totals.of(guarantee, within=now.neighbors, after=now.totals), delta=Fraction(delta)
                ),
                details={"guarantee": guarantee.to_dict(), **(details or {})},
            )

    def complete(self, charge: Entry, *, artefacts: Mapping[str, str]) -> Entry:
        """Note that a release is written, with the digest of each of its files."""
        return self._finish(Kind.COMPLETE, charge, {"artefacts": dict(artefacts)})

    def fail(self, charge: Entry, *, reason: str) -> Entry:
        """Note that a run failed. Its charge stays.

        Args:
            charge: The run's charge.
            reason: The kind of the error: never its text.
        """
        return self._finish(Kind.FAIL, charge, {"reason": reason})

    def after(self, charge: Entry) -> RegisteredDataset:
        """Give a charge's data set as it stood right after it."""
        dataset = next(known for known in self.datasets() if known.id == charge.dataset)
        return replace(dataset, totals=charge.totals)

    def release_path(self, charge: Entry) -> Path:
        """Where the workspace keeps the bundle of a release."""
        return self.folder / RELEASES / f"{charge.release}.zip"

    def require_room(self, size: int = 0) -> None:
        """Refuse a release whose bundle could not be kept.

        Args:
            size: About how many bytes it will have.

        Raises:
            SourceError: ``releases/`` cannot be written to, or its disk is full.
        """
        folder = self.folder / RELEASES
        with suppress(OSError):
            folder.mkdir(exist_ok=True, mode=0o700)
        require_writable(folder)
        require_space(folder, size)

    def entries(self, dataset: RegisteredDataset | None = None, *, newest: int | None = None) -> list[Entry]:
        """All entries, or those of one data set, or only its newest ones; oldest first."""
        with self._store.reading() as book:
            return book.entries(dataset=dataset.id if dataset else None, newest=newest)

    def verify(self, *, against: Receipts | None = None, contents: bool = True) -> list[Sentence]:
        """Recompute the whole ledger and look at every bundle; give what is wrong, a sentence each.

        Args:
            against: What is known from outside of the workspace: an export, receipts.
            contents: Whether to read every bundle, or only to ask whether it was charged.
        """
        bundles = sorted((self.folder / RELEASES).glob("*.zip"))  # before the entries: one may be written now
        try:
            with self._store.reading() as book:
                faults = book.faults()
                entries = [] if faults else book.entries()
        except PrivacyError as error:
            return [error.sentence]
        if not faults:
            faults += bundle_faults(bundles, entries, contents=contents)
            faults += against.faults(entries) if against else []
        return faults

    def require_whole(self) -> None:
        """Refuse to go on with a ledger that ``verify`` rejects.

        Raises:
            PrivacyError: something was changed.
        """
        for fault in self.verify(contents=False):
            raise PrivacyError(
                "The ledger or a bundle was changed by hand, so nothing more can be charged or released: "
                "{fault} Run 'hmpb ledger --verify' and restore the workspace from a copy.",
                fault=fault,
            )

    def to_dict(self) -> dict[str, Any]:
        """Give all data sets with their entries as plain values, fingerprints left out."""
        with self._store.reading() as book:
            values = []
            for dataset in self._datasets(book):
                entries = book.entries(dataset=dataset.id)
                values.append({**dataset.to_dict(), "entries": [readable(entry) for entry in entries]})
        return {"format": FORMAT, "datasets": values}

    def export(self) -> dict[str, Any]:
        """Give everything, and the exact text under each digest: enough to verify the chain elsewhere."""
        chain = [{"body": entry.body, "digest": entry.digest} for entry in self.entries()]
        return {**self.to_dict(), "chain": chain}

    def _finish(self, kind: Kind, charge: Entry, details: Mapping[str, Any]) -> Entry:
        # The next bundle shows this entry's digest: without random bytes in it, whoever guesses the rest
        # would learn when the run on the private rows ended.
        salt = uuid.uuid4().hex
        with self._store.writing() as book:
            return book.append(
                kind,
                dataset=charge.dataset,
                release=charge.release,
                who=charge.who,
                why="",
                details={**details, "salt": salt},
            )

    def _datasets(self, book: LedgerTransaction) -> list[RegisteredDataset]:
        found = []
        for entry in book.entries(kind=Kind.REGISTER):
            last = book.last(entry.dataset)
            found.append(RegisteredDataset.of(entry, last.totals if last else Totals()))
        return found


def require_cap(cap_epsilon: float, cap_delta: float) -> None:
    """Refuse an impossible cap.

    Raises:
        PlanError: it is none.
    """
    if not 0 < cap_epsilon <= MAX_EPSILON:
        raise PlanError(
            "The cap is epsilon {epsilon:g}; it must lie above 0 and at most {highest:g}.",
            epsilon=cap_epsilon,
            highest=MAX_EPSILON,
        )
    if not 0 <= cap_delta <= MAX_DELTA:
        raise PlanError(
            "The cap's delta is {delta:g}; it must lie between 0 and {highest:g}.",
            delta=cap_delta,
            highest=MAX_DELTA,
        )


def require_no_lost_ledger(folder: Path) -> None:
    """Refuse to begin a new ledger beside the bundles of another.

    Raises:
        PrivacyError: there are bundles and no ledger.
    """
    if not (folder / LEDGER_FILE).exists() and any((folder / RELEASES).glob("*.zip")):
        raise PrivacyError(
            "The workspace {folder!r} holds bundles but has lost its ledger; restore it from a copy. A new "
            "ledger would forget what was charged.",
            folder=folder.name,
        )


def readable(entry: Entry) -> dict[str, Any]:
    """Give an entry for people: its cost also as floats, without what was read off the rows."""
    values = json.loads(entry.body)
    for private in ("fingerprint", "digest", "near"):
        values["details"].pop(private, None)
    values["digest"] = entry.digest
    values["epsilon"] = float(entry.cost.epsilon)
    values["rho"] = float(entry.cost.rho)
    return dict(values)


def whoami() -> str:
    """The name under which this process runs."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _require_new(known: Sequence[RegisteredDataset], names: Collection[str], name: str | None = None) -> None:
    """Refuse a table that is registered, and a name that another one has."""
    for dataset in known:
        if dataset.fingerprint in names or dataset.digest in names:
            raise PlanError(
                "This table is registered already, as {name!r} with the unit '{unit}' and the cap "
                "{cap:g}; unit and cap are set once.",
                name=dataset.name,
                unit=str(dataset.unit),
                cap=float(dataset.cap_epsilon),
            )
        if dataset.name == name:
            raise PlanError("Another table is registered as {name!r}; give this one another name.", name=name)
