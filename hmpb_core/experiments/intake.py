"""Files of the papers' data sets, taken one by one, under the names the experiments read or the sources'."""

from __future__ import annotations

from pathlib import Path

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.experiments.data import FILES, GIVEN, forget_tables
from hmpb_core.publishing.files import write_whole
from hmpb_core.sources.files import read_table

ADULT = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"]
ADULT += ["relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"]
ADULT += ["salary"]
BIG5 = ["race", "age", "engnat", "gender", "hand", "source", "country"]
BIG5 += [f"{trait}{number}" for trait in "ENACO" for number in range(1, 11)]
COLUMNS = {"adult_train.csv": ADULT, "adult_test.csv": ADULT, "big5.csv": BIG5}
AT_THE_SOURCE = {"adult.data": "adult_train.csv", "adult.test": "adult_test.csv", "data.csv": "big5.csv"}
"""What the UCI repository and the Open-Source Psychometrics Project call the files."""


def wanted_files() -> tuple[str, ...]:
    """Names of all files that the experiments read."""
    return tuple(dict.fromkeys(name for table, names in FILES.items() if table != GIVEN for name in names))


def take_file(folder: Path, name: str, content: bytes) -> str:
    """Check that a file is what its name says, and put it where the experiments find it.

    Adult's files may be the UCI repository's own: without a header, and the test file with a remark above
    and a full stop after each class.

    Args:
        folder: Where the experiments look.
        name: The file's name, the experiments' or the source's.
        content: Its bytes.

    Returns:
        The name under which it was kept.

    Raises:
        SourceError: it is none of the files, lacks their columns, or the folder cannot be written.
        DomainError: a codebook declares something impossible.
    """
    own = AT_THE_SOURCE.get(name, name)
    if own not in wanted_files():
        raise SourceError(
            "{file!r} is none of the files of the papers' data sets; give one of {allowed}.",
            file=name,
            allowed=(*wanted_files(), *AT_THE_SOURCE),
        )
    if own.endswith(".json"):
        Codebook.from_json(content.decode("utf-8-sig", errors="replace"))
    else:
        content = _with_header(content) if name in ("adult.data", "adult.test") else content
        if list(read_table(content, name=own).columns) != COLUMNS[own]:
            raise SourceError(
                "{file!r} does not have the columns of its data set; give the file as its source has it.",
                file=name,
            )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        raise SourceError("The folder of the papers' data sets cannot be written.") from None
    write_whole(folder / own, content)
    forget_tables()
    return own


def _with_header(content: bytes) -> bytes:
    lines = content.decode("utf-8", errors="replace").splitlines()
    rows = [line.strip().removesuffix(".") for line in lines if line.strip() and not line.startswith("|")]
    return "\n".join([",".join(ADULT), *(row.replace(", ", ",") for row in rows), ""]).encode()
