"""What the tree must not hold."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOWNLOAD_ADDRESS = re.compile(rb"https?://\S+/(simple|packages)/")


def files_of_the_tree():
    """Everything git tracks, or would track: new files count before they are committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: this rule is about the repository")
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_file_names_a_path_of_this_machine():
    here = [str(ROOT).encode() + b"/", str(Path.home()).encode() + b"/."]
    assert [path for path in files_of_the_tree() if any(place in path.read_bytes() for place in here)] == []


def test_no_file_records_where_packages_are_downloaded_from():
    assert [path for path in files_of_the_tree() if DOWNLOAD_ADDRESS.search(path.read_bytes())] == []


def test_no_lock_file_secret_or_ledger_is_tracked():
    unwanted = re.compile(r"(uv\.lock|poetry\.lock|package-lock\.json|secrets\.toml|\.env|.*\.sqlite.*)")
    assert [path for path in files_of_the_tree() if unwanted.fullmatch(path.name)] == []


def test_no_file_is_larger_than_three_megabytes():
    assert [path for path in files_of_the_tree() if path.stat().st_size > 3_000_000] == []
