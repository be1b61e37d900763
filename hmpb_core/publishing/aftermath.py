"""What is said, and noted in the ledger, when a run fails after it was charged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hmpb_core.errors import CancelledError, HmpbError, PrivacyError, Sentence
from hmpb_core.privacy.ledger import Entry
from hmpb_core.publishing.workspace import Workspace


@contextmanager
def on_record(workspace: Workspace, charge: Entry, *, makes_a_bundle: bool = True) -> Iterator[None]:
    """Note a failure in the ledger, say that it was charged, and let nothing of the table out in an error.

    Args:
        workspace: Where it was charged.
        charge: The charge.
        makes_a_bundle: Whether a release was bought; else a survey or a measurement of fit.
    """
    try:
        yield
    except HmpbError as error:
        raise _after_charge(workspace, charge, error, error.sentence, makes_a_bundle) from None
    except KeyboardInterrupt as error:
        raise _after_charge(workspace, charge, error, Sentence("Stopped."), makes_a_bundle) from None
    except Exception as error:  # noqa: BLE001 - a backend's text may hold a row value
        kind = Sentence("It failed ({kind}).", {"kind": type(error).__name__})
        raise _after_charge(workspace, charge, error, kind, makes_a_bundle) from None


def _after_charge(
    workspace: Workspace, charge: Entry, error: BaseException, reason: Sentence, makes_a_bundle: bool
) -> HmpbError:
    """Give the error of a run that was charged: what is paid, where the bundle is, what to do."""
    bundle = workspace.release_path(charge)
    if not str(reason):
        reason = Sentence("Stopped.")
    file = f"{bundle.parent.name}/{bundle.name}"
    if bundle.is_file():
        told = Sentence(
            "{reason} But the release was charged (entry {number} of the ledger) and its bundle is whole: it "
            "is {file!r} in the workspace. Copy it from there; do not release again.",
            {"reason": reason, "number": charge.number, "file": file},
        )
    elif not makes_a_bundle:
        told = Sentence(
            "{reason} It was charged (entry {number} of the ledger), the charge stays, and nothing was "
            "learned. Try a smaller table of your own before you buy it again, which is charged again.",
            {"reason": reason, "number": charge.number},
        )
    elif isinstance(error, KeyboardInterrupt | CancelledError):
        told = Sentence(
            "{reason} The release was charged (entry {number} of the ledger), the charge stays, and no "
            "bundle was made: {file!r} is not in the workspace. Another release is charged again.",
            {"reason": reason, "number": charge.number, "file": file},
        )
    else:
        told = Sentence(
            "{reason} The release was charged (entry {number} of the ledger), the charge stays, and no "
            "bundle was made: {file!r} is not in the workspace. Rehearse the plan to find the cause before "
            "another release, which is charged again.",
            {"reason": reason, "number": charge.number, "file": file},
        )
    if not bundle.is_file():
        with suppress(HmpbError):  # a ledger that cannot be written to must not hide what happened
            workspace.fail(charge, reason=type(error).__name__)
    if isinstance(error, HmpbError):
        return type(error)(told.template, **told.values)
    kind = CancelledError if isinstance(error, KeyboardInterrupt) else PrivacyError
    return kind(told.template, **told.values)
