"""The interface for Python: what the package exports, and the reference that tells of it."""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import grimp

import hmpb_core
from hmpb_core import errors
from tests.thorough import THOROUGH

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "api"
NOT_AN_INTERFACE = ("hmpb_core.cli", "hmpb_core.commands.", "hmpb_core._app")


def test_the_exported_names_are_sorted_and_each_is_there():
    assert list(hmpb_core.__all__) == sorted(hmpb_core.__all__)
    for name in hmpb_core.__all__:
        assert getattr(hmpb_core, name).__name__ == name
        assert name in dir(hmpb_core)


def test_whatever_the_package_imports_for_its_readers_it_exports():
    """A name that type checkers see is one that runs, and the other way round."""
    tree = ast.parse(Path(hmpb_core.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("hmpb_core")
        for alias in node.names
    }
    assert imported == set(hmpb_core.__all__)


def test_every_error_can_be_caught_by_a_name_of_the_package():
    kinds = {
        name
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and issubclass(kind, errors.HmpbError)
    }
    assert kinds <= set(hmpb_core.__all__)


def test_every_module_of_the_core_is_in_the_reference_once():
    listed = [
        module
        for page in REFERENCE.glob("*.md")
        for module in re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8"))
    ]
    modules = {
        module.name
        for module in pkgutil.walk_packages(hmpb_core.__path__, "hmpb_core.")
        if not module.ispkg and not module.name.startswith(NOT_AN_INTERFACE)
    }
    assert set(listed) == modules
    assert len(listed) == len(modules)


def test_no_page_of_the_reference_imports_from_one_below_it():
    contents = (REFERENCE / "index.md").read_text(encoding="utf-8").split(":maxdepth: 1")[1].split("```")[0]
    order = contents.split()
    place = {
        module: order.index(name)
        for name in order
        for module in re.findall(
            r"automodule:: (\S+)", (REFERENCE / f"{name}.md").read_text(encoding="utf-8")
        )
    }
    graph = grimp.build_graph("hmpb_core")
    upward = [
        (module, imported)
        for module in place
        for imported in graph.find_modules_directly_imported_by(module)
        if place.get(imported, -1) > place[module]
    ]
    assert upward == []


@THOROUGH
def test_the_documentation_builds_without_a_warning(tmp_path):
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "read")]
    done = subprocess.run(
        [sys.executable, *command, str(ROOT / "docs"), str(tmp_path / "pages")],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "pages" / "api" / "privacy.html").is_file()


def test_the_documentation_fetches_nothing():
    text = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert "intersphinx" not in text
    assert "http" not in text
