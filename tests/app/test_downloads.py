"""What leaves the app carries a zone, and steward-only content is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hmpb_core.errors import NotPrivateError
from hmpb_core.publishing.zones import Zone
from pages.data.drafts import labelled_codebook

PAGES = Path(__file__).parents[2] / "pages"
FIELD = {"name": "town", "categories": ["sentinel-town"]}


def test_every_download_goes_through_the_one_way_out() -> None:
    users = [
        path.name
        for path in PAGES.rglob("*.py")
        if re.search(r"\bdownload_button\(", path.read_text("utf-8"))
    ]
    assert users == ["downloads.py"]


def test_a_codebook_with_a_guess_stays_with_the_steward() -> None:
    guessed = labelled_codebook({"fields": [FIELD | {"declared": False}]})
    assert guessed.zone is Zone.STEWARD_ONLY
    assert "sentinel" not in repr(guessed)
    assert labelled_codebook({"fields": [FIELD]}).zone is Zone.DECLARED


def test_steward_only_content_is_refused_by_the_button(monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shared import downloads

    made = {}
    monkeypatch.setattr(downloads.st, "download_button", lambda _, **options: made.update(options))
    guessed = {"fields": [FIELD | {"declared": False}]}
    downloads.download("x", lambda: labelled_codebook(guessed), "codebook.json", "text/plain", key="k")
    with pytest.raises(NotPrivateError) as refusal:
        made["data"]()
    assert "sentinel" not in str(refusal.value)
