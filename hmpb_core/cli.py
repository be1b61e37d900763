"""The command line: ``hmpb COMMAND``.

Exit codes: 0 done, 1 a bug (of ours, or one that an audit or an attack found), 2 the input or the plan
cannot be used, 3 privacy forbids it, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb

import hmpb_core
from hmpb_core.commands import (
    accuracy,
    anonymize,
    answers,
    app,
    attack,
    audit,
    bench,
    bill,
    charge,
    codebook,
    evaluate,
    fit,
    ledger,
    plan,
    register,
    rehearse,
    release,
    report,
    resample,
    survey,
    synthesize,
)
from hmpb_core.commands.console import remark
from hmpb_core.commands.options import require_other_files
from hmpb_core.errors import CancelledError, HmpbError, InputError, PrivacyError

COMMANDS = (
    codebook,
    bill,
    synthesize,
    evaluate,
    report,
    register,
    plan,
    rehearse,
    survey,
    release,
    ledger,
    answers,
    accuracy,
    fit,
    charge,
    resample,
    anonymize,
    audit,
    attack,
    bench,
    app,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code.

    Whatever happens ends with one sentence. A traceback would say more than that: the text of a foreign
    error can quote a value of the table.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # somebody else's stream
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except (KeyboardInterrupt, CancelledError) as stopped:
        remark(str(stopped) or "Stopped.")  # after a charge it says what became of it
        return 130
    except HmpbError as error:
        remark(f"hmpb: {error}")
        return 3 if isinstance(error, PrivacyError) else 2
    except BrokenPipeError:
        if argv is None:  # the whole process is this command
            _let_go_of_output()
        return 0
    except OSError as error:
        remark(f"hmpb: The system refused a file or a connection: {error.strerror or type(error).__name__}.")
        return 2
    except MemoryError:
        remark("hmpb: The machine has not enough memory for this.")
        return 2
    except Exception as error:  # noqa: BLE001 - the last net: kind and place, never the text
        remark(f"hmpb: A fault of this program ({_kind_and_place(error)}); please report this line.")
        return 1
    return code


def _run(argv: Sequence[str]) -> int:
    try:
        "\0".join(argv).encode()
    except UnicodeEncodeError:
        raise InputError("An argument is not UTF-8 text; rename the file, or type the word again.") from None
    if any("\0" in word for word in argv):
        raise InputError("An argument holds the character NUL; leave it out.")
    args = parser_of_all().parse_args(argv)
    require_other_files(args)
    code: int = args.run(args)
    return code


def _kind_and_place(error: Exception) -> str:
    places = [frame for frame in extract_tb(error.__traceback__) if "hmpb_core" in frame.filename]
    kind = type(error).__name__
    return f"{kind} at {Path(places[-1].filename).name}:{places[-1].lineno}" if places else kind


def _let_go_of_output() -> None:
    """Let Python end without a word about output that nobody takes."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
