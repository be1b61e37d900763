"""What a wheel of this project holds, and what it does once installed."""

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """A wheel built from this tree, by the build backend that pyproject.toml names."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def sources(folder, pattern):
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern) if path.is_file()}


def test_wheel_holds_every_module_of_the_core(names):
    assert sources("hmpb_core", "*.py") | sources("hmpb_core", "*.j2") | {"hmpb_core/py.typed"} <= names


def test_wheel_holds_the_app_below_the_package(names):
    shipped = sources("pages", "*.py") | sources("assets", "*")
    shipped |= {name for name in ("app.py", "serve.py", ".streamlit/config.toml") if (ROOT / name).is_file()}
    shipped = {name for name in shipped if "__pycache__" not in name}
    assert {f"hmpb_core/_app/{name}" for name in shipped} <= names


def test_wheel_holds_nothing_else(names):
    outside = {name for name in names if not name.startswith("hmpb_core/") and ".dist-info/" not in name}
    unwanted = {name for name in names if "__pycache__" in name or "secrets" in name}
    assert outside | unwanted == set()


def test_wheel_has_the_console_script_and_the_licence(wheel, names):
    info = "hmpb-0.1.0.dist-info"
    assert f"{info}/licenses/LICENSE" in names
    with zipfile.ZipFile(wheel) as archive:
        assert "hmpb = hmpb_core.cli:main" in archive.read(f"{info}/entry_points.txt").decode()
        assert "License-Expression: Apache-2.0" in archive.read(f"{info}/METADATA").decode()


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """Run Python in an empty folder with the wheel's files first on the path, as an install has them."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)

    def run(code, *arguments):
        start = f"import sys; sys.path.insert(0, {str(site)!r}); sys.argv[0] = 'hmpb'; {code}"
        command = [sys.executable, "-P", "-c", start, *arguments]
        return subprocess.run(
            command, cwd=site.parent, capture_output=True, text=True, check=False, timeout=120
        )

    return site, run


def test_installed_wheel_runs_its_own_command_line(installed):
    site, run = installed
    done = run(
        "import hmpb_core; print(hmpb_core.__file__); from hmpb_core.cli import main; main()", "--help"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(site))
    assert "usage: hmpb" in done.stdout


def test_installed_wheel_prices_a_plan(installed):
    code = "from hmpb_core.cli import main; sys.exit(main())"
    _, run = installed
    done = run(code, "bill", "--rows", "45222", "--attributes", "52", "--epsilon", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert {"nominal", "total", "stages"} <= set(json.loads(done.stdout))


def test_installed_wheel_finds_the_app_and_its_settings(installed):
    site, run = installed
    done = run("from hmpb_core.commands.app import entry_script; print(entry_script())")
    assert done.returncode == 0, done.stderr
    entry = Path(done.stdout.strip())
    assert entry.parent == site / "hmpb_core" / "_app"
    assert (entry.parent / ".streamlit" / "config.toml").is_file()


APP = ("streamlit", "plotly", "pyvis", "reportlab", "babel")
WITHOUT_APP = f"sys.modules.update(dict.fromkeys({APP!r})); "


def test_the_wheel_asks_for_the_app_only_where_it_is_wanted(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("hmpb-0.1.0.dist-info/METADATA").decode()
    wanted = [line.split(" ", 1)[1] for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    for package in APP:
        named = [line for line in wanted if line.startswith(package)]
        assert any("extra == 'app'" in line for line in named)
        assert all("extra ==" in line for line in named)
    always = {line.split(">")[0] for line in wanted if "extra" not in line}
    assert always & set(APP) == set()
    assert {"jinja2", "numpy", "opendp", "pandas"} <= always


def test_core_and_command_line_work_without_the_app(installed, tmp_path):
    code = (
        f"{WITHOUT_APP}"
        "import pkgutil, importlib, hmpb_core; "
        "names = [m.name for m in pkgutil.walk_packages(hmpb_core.__path__, 'hmpb_core.')"
        " if '_app' not in m.name and m.name != 'hmpb_core.report.handout_pdf']; "
        "[importlib.import_module(name) for name in names]; "
        "from hmpb_core.cli import main; sys.exit(main())"
    )
    _, run = installed
    (tmp_path / "people.csv").write_text("smokes\n" + "no\nyes\n" * 50)
    fields = [{"name": "smokes", "categories": ["no", "yes"]}]
    (tmp_path / "cb.json").write_text(json.dumps({"fields": fields}))
    files = (str(tmp_path / "people.csv"), "--codebook", str(tmp_path / "cb.json"))
    done = run(code, "synthesize", *files, "--epsilon", "1", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "data.csv").read_text().startswith("smokes\n")


def test_bundle_pages_are_made_from_the_templates_in_the_wheel(installed):
    site, run = installed
    code = (
        "from pathlib import Path; import hmpb_core; from hmpb_core.report.html import templates_in; "
        "room = Path(hmpb_core.__file__).parent / 'publishing' / 'templates'; "
        "print(templates_in(room).get_template('page.html.j2').filename)"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(site))


def test_the_app_without_its_packages_says_what_to_install(installed):
    _, run = installed
    done = run(f"{WITHOUT_APP}from hmpb_core.cli import main; sys.exit(main())", "app")
    assert done.returncode == 2
    [said] = done.stderr.splitlines()
    assert "pip install 'hmpb[app]'" in said


def test_no_run_time_dependency_is_under_a_copyleft_licence_or_needs_a_compiler():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert not any("minepy" in requirement for requirement in settings["project"]["dependencies"])
    assert not any("minepy" in str(requirement) for requirement in settings["dependency-groups"]["dev"])
