"""The container image: only what has a hash, from a base with a digest, and everything the app needs."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LISTS = {name: ROOT / "tools" / "image" / f"{name}.txt" for name in ("requirements", "build")}


def pinned(name):
    """The requirements of a list, each with its hashes."""
    text = LISTS[name].read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(Requirement(line.split(" --hash=")[0]), line.split(" --hash=")[1:]) for line in lines]


def key(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def declared():
    """What the image has to hold: the project's dependencies and those of the extras app and auth."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    texts = [*project["dependencies"], *extras["app"], *extras["auth"]]
    return [wanted for wanted in map(Requirement, texts) if wanted.name != "hmpb"]


def test_every_package_is_pinned_by_version_and_hashes_and_no_host_is_named():
    for name, path in LISTS.items():
        for wanted, hashes in pinned(name):
            assert re.fullmatch(r"==[^*]+", str(wanted.specifier)), wanted
            assert hashes, wanted
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", text.strip()) for text in hashes)
        assert "//" not in path.read_text(encoding="utf-8")
        assert "index" not in path.read_text(encoding="utf-8")


def test_the_list_holds_what_the_project_declares():
    versions = {key(wanted.name): str(wanted.specifier)[2:] for wanted, _ in pinned("requirements")}
    lacking = [str(w) for w in declared() if not w.specifier.contains(versions.get(key(w.name), "0"))]
    assert not lacking, "make tools/image/requirements.txt again: its first lines say how"
    # what signing in needs, from the extra of an extra
    assert {"authlib", "httpx"} <= set(versions)


def test_the_list_is_of_the_date_that_the_tests_run_with():
    """The date, not the versions: an index shows new files late, so one date gives two answers for weeks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    first = LISTS["requirements"].read_text(encoding="utf-8").splitlines()[0]
    assert f"versions of {project['tool']['uv']['exclude-newer']} " in first, (
        "make tools/image/requirements.txt again: its first lines say how"
    )


def test_the_base_is_named_by_its_digest_and_a_tag_alone_is_refused():
    (default,) = re.findall(r"^ARG BASE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert re.fullmatch(r"python:3\.12\.\d+-slim-bookworm@sha256:[0-9a-f]{64}", default), "a tag can change"
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${BASE}"}
    [check] = re.findall(r"^RUN (case .*)$", DOCKERFILE, re.MULTILINE)
    for base, code in (("python:3.12-slim", 1), (f"python:3.12-slim@sha256:{'a' * 64}", 0), ("", 1)):
        done = subprocess.run(["sh", "-c", check], env={"BASE": base}, capture_output=True, check=False)
        assert done.returncode == code


def test_nothing_is_installed_without_a_hash():
    for line in re.findall(r"pip --python .*", DOCKERFILE):
        assert " install" not in line or "--require-hashes" in line or "--no-index" in line


def test_the_copied_files_build_the_wheel_of_the_whole_tree(tmp_path):
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"^COPY (?!--from)(.*)", DOCKERFILE, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert f"!{source}" in allowed
            target = tmp_path / "source" / source
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(ROOT / source, target)
    wheels = [
        built(folder, tmp_path / name) for name, folder in (("image", tmp_path / "source"), ("tree", ROOT))
    ]
    assert wheels[0] == wheels[1]
    assert any(name.endswith("templates/page.html.j2") for name in wheels[0])


def built(folder, out):
    """The names in the wheel that a folder builds."""
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    out.mkdir()
    subprocess.run([sys.executable, "-c", code, str(out)], cwd=folder, check=True, capture_output=True)
    [path] = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if not name.endswith("/RECORD")}
