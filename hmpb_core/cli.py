"""The command line: ``hmpb COMMAND``.

Exit codes: 0 done, 1 a bug, 2 the input or the plan cannot be used, 3 privacy forbids it,
130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import hmpb_core
from hmpb_core.commands import (
    anonymize,
    app,
    bill,
    codebook,
    evaluate,
    ledger,
    plan,
    register,
    rehearse,
    release,
    resample,
    survey,
    synthesize,
)
from hmpb_core.commands.console import remark
from hmpb_core.errors import CancelledError, HmpbError, PrivacyError

COMMANDS = (
    codebook,
    bill,
    synthesize,
    evaluate,
    register,
    plan,
    rehearse,
    survey,
    release,
    ledger,
    resample,
    anonymize,
    app,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code."""
    args = parser_of_all().parse_args(argv)
    try:
        code: int = args.run(args)
    except (KeyboardInterrupt, CancelledError):
        remark("Stopped.")
        return 130
    except HmpbError as error:
        remark(f"hmpb: {error}")
        return 3 if isinstance(error, PrivacyError) else 2
    except BrokenPipeError:
        return 0
    return code


def parser_of_all() -> argparse.ArgumentParser:
    """Give the parser of every command."""
    parser = argparse.ArgumentParser(
        prog="hmpb",
        description="Differentially private synthetic tables by the HMPrivBayes method.",
        epilog="example:\n  hmpb app\n\nEvery command explains itself: hmpb COMMAND --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hmpb {hmpb_core.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
