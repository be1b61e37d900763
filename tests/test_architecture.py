"""The rules of the tree, run as tests: style, types, and which room may import which."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "hmpb_core"
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
GENERATORS = {"default_rng", "SeedSequence", "PCG64"}


def run_tool(*command: str) -> None:
    """Run a checker from this environment and fail with everything it said."""
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}", pytrace=False)


def exists(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def contracts() -> list[dict[str, object]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return settings["tool"]["importlinter"]["contracts"]


def rooms_of(contract: dict[str, object]) -> list[str]:
    return [
        room
        for key, value in contract.items()
        if key.endswith(("modules", "importers")) and isinstance(value, list)
        for room in value
        if room.startswith(("hmpb_core.", "pages.")) and "*" not in room
    ]


def test_ruff_finds_no_fault():
    run_tool("-m", "ruff", "check", ".")


def test_code_is_formatted_by_ruff():
    run_tool("-m", "ruff", "format", "--check", ".")


@pytest.mark.slow
def test_core_and_app_pass_strict_mypy():
    run_tool("-m", "mypy", "--show-traceback")


def test_every_room_a_contract_names_is_there():
    named = {room for contract in contracts() for room in rooms_of(contract)}
    assert {room for room in named if not exists(room)} == set()


def test_rooms_are_entered_by_their_doors_only():
    run_tool("-c", LINT_IMPORTS, "--config", "pyproject.toml", "--no-cache")


def test_streamlit_is_imported_by_the_app_alone():
    app = {"app.py", "serve.py"}
    faults = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("hmpb_core", "benchmarks", "tools")
        for path in sorted(ROOT.joinpath(folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if "streamlit" in modules_of(node)
    ]
    faults += [path.name for path in ROOT.glob("*.py") if path.name not in app]
    assert faults == []


def modules_of(node):
    """The packages that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").partition(".")[0]}
    return set()


def test_a_page_is_small_functions_and_one_call():
    """Nothing of a page is worked out where it could be read as a global of the script."""
    faults = {}
    for path in sorted((ROOT / "pages").glob("*/page.py")):
        *body, last = ast.parse(path.read_text(encoding="utf-8")).body
        calls = [f"{path.parent.name}:{node.lineno}" for node in body if makes_something(node)]
        if calls or ast.unparse(last) not in ("page(state())", "page()"):
            faults[path.parent.name] = calls
    assert faults == {}


def makes_something(node):
    """Whether a statement at a module's top calls anything; a constant or a function does not."""
    if isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom):
        return False
    return not isinstance(node, ast.Assign | ast.Expr) or any(
        isinstance(part, ast.Call) for part in ast.walk(node)
    )


def core_functions():
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path.relative_to(ROOT), node


def defaults_of(function):
    positional = [*function.args.posonlyargs, *function.args.args]
    given = function.args.defaults
    yield from zip(positional[len(positional) - len(given) :], given, strict=True)
    yield from zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)


def test_no_function_of_the_core_has_a_seed_of_its_own():
    """A default seed makes noise and samples repeatable by whoever reads the source."""
    faults = [
        f"{path}:{function.lineno} {function.name}({argument.arg}=...)"
        for path, function in core_functions()
        for argument, default in defaults_of(function)
        if argument.arg in {"rng", "seed", "random_state"}
        and default is not None
        and not (isinstance(default, ast.Constant) and default.value is None)
    ]
    assert faults == []


def test_no_generator_of_the_core_starts_from_a_number_written_in_the_source():
    faults = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(CORE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in GENERATORS
        and any(isinstance(value, ast.Constant) and isinstance(value.value, int) for value in node.args)
    ]
    assert faults == []
