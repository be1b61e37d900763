"""What is loaded when: the first word of the package must not cost a second."""

import subprocess
import sys

import pytest

import hmpb_core


def loaded_by(code, names):
    """Which of some modules a fresh Python has loaded after a line of code."""
    line = f"import sys; {code}; print(*(n for n in {names!r} if n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = ["opendp", "pandas", "sklearn", "scipy", "networkx", "streamlit", "plotly", "reportlab", "jinja2"]


LOW = (
    "hmpb_core",
    "hmpb_core.errors",
    "hmpb_core.domain",
    "hmpb_core.merging",
    "hmpb_core.privacy.guarantee",
    "hmpb_core.privacy.budget",
    "hmpb_core.planning.advice",
    "hmpb_core.planning.plan",
)


@pytest.mark.parametrize("module", LOW)
def test_the_lower_rooms_load_nothing_heavy(module):
    assert loaded_by(f"import {module}", HEAVY) == set()


def test_the_command_line_loads_nothing_of_the_app():
    code = "import hmpb_core.cli, hmpb_core.publishing.bundle, hmpb_core.report.handout"
    assert loaded_by(code, ["streamlit", "plotly", "pyvis", "reportlab", "babel"]) == set()


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_version_and_the_list_of_commands_load_nothing_heavy(word):
    code = f"from hmpb_core.cli import main\ntry: main([{word!r}])\nexcept SystemExit: pass\nimport sys"
    assert loaded_by(code, [*HEAVY, "numpy"]).isdisjoint([*HEAVY, "numpy"])  # what it says is there as well


@pytest.mark.parametrize(
    "words",
    [
        ["bill", "--rows", "100", "--attributes", "5", "--epsilon", "1"],
        ["answers", "--help"],
        ["app", "--help"],
        ["audit", "--help"],
        ["bench", "--help"],
    ],
    ids=" ".join,
)
def test_a_command_that_reads_no_table_waits_for_no_pandas(words):
    code = f"from hmpb_core.cli import main\ntry: main({words})\nexcept SystemExit: pass\nimport sys"
    assert loaded_by(code, ["pandas", "pyarrow"]).isdisjoint(["pandas", "pyarrow"])


def test_a_survey_reads_no_date_before_it_has_a_table():
    code = (
        "import hmpb_core.dates as dates\n"
        "def read_value(*_): print('read')\n"
        "dates.read_value = read_value\n"
        "import hmpb_core.survey.dates"
    )
    assert loaded_by(code, []) == set()


def test_a_name_that_nobody_exports_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hmpb_core.nothing
