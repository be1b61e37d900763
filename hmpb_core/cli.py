"""The command line: ``hmpb COMMAND``.

Exit codes: 0 done, 1 a bug (of ours, or one that an audit or an attack found), 2 the input or the plan
cannot be used, 3 privacy forbids it, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import NoReturn

import hmpb_core
from hmpb_core.commands import COMMANDS
from hmpb_core.commands.console import remark
from hmpb_core.errors import CancelledError, HmpbError, InputError, PrivacyError


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code.

    Whatever happens ends with one sentence. A traceback would say more than that: the text of a foreign
    error can quote a value of the table.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed from the start, as for a service
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
        with suppress(AttributeError):  # somebody else's stream
            getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        return _code(sys.argv[1:] if argv is None else argv)
    finally:
        if argv is None:
            _let_go()


def _code(argv: Sequence[str]) -> int:
    try:
        code = _run(argv)
        _give_out()
    except (KeyboardInterrupt, CancelledError) as stopped:
        remark(str(stopped) or "Stopped.")  # after a charge it says what became of it
        return 130
    except HmpbError as error:
        remark(f"hmpb: {error}")
        return 3 if isinstance(error, PrivacyError) else 2
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
    asked = next((word for word in argv if not word.startswith("-")), "")  # hmpb itself takes no values
    try:
        args = _parser((asked,)).parse_args(argv)
    except SystemExit:  # help was asked for, or the words were wrong
        _give_out()
        raise
    from hmpb_core.commands.options import require_other_files  # loads in a while, unlike the help

    require_other_files(args)
    code: int = args.run(args)
    return code


def _kind_and_place(error: Exception) -> str:
    places = [frame for frame in extract_tb(error.__traceback__) if "hmpb_core" in frame.filename]
    kind = type(error).__name__
    return f"{kind} at {Path(places[-1].filename).name}:{places[-1].lineno}" if places else kind


def _give_out() -> None:
    """Write out what was said. That nobody reads on (``| head``) is no error; a full disk is one."""
    with suppress(BrokenPipeError):
        sys.stdout.flush()


def _let_go() -> None:
    """Where the output cannot be written, let Python say no word of it when the process ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose refusals are one sentence: the list of all options would stand above it."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the options are explained, and end."""
        self.exit(2, f"{self.prog}: {message}; '{self.prog} --help' explains what it takes.\n")


def parser_of_all() -> argparse.ArgumentParser:
    """Give the parser of every command."""
    return _parser(COMMANDS)


def _parser(loaded: Collection[str]) -> argparse.ArgumentParser:
    """Give the parser of some commands; the others have their names and lines in it, and no options."""
    parser = _Parser(
        prog="hmpb",
        description="Differentially private synthetic tables by the HMPrivBayes method.",
        epilog="example:\n  hmpb app\n\nEvery command explains itself: hmpb COMMAND --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hmpb {hmpb_core.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        if name in loaded:
            import_module(f"hmpb_core.commands.{name}").add(commands)
        else:
            commands.add_parser(name, help=summary)
    return parser


if __name__ == "__main__":
    sys.exit(main())
