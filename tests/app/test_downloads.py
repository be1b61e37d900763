"""What leaves the app carries a zone, and steward-only content is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import NotPrivateError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.publishing.zones import Zone, steward_only
from hmpb_core.sources.simulated import simulated_source
from hmpb_core.synthesis import make_plan
from pages.data.drafts import labelled_codebook
from pages.plan.panels import save_and_load
from pages.run.rehearsal import account_of_result, csv_of_result
from pages.session.state import AppState, Basis, Result, Table

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


def test_a_file_for_the_steward_s_own_shelf_says_so_in_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shared import downloads

    made = {}
    monkeypatch.setattr(downloads.st, "download_button", lambda _, **options: made.update(options))
    downloads.keep_inside(
        "x",
        lambda: steward_only("figures"),
        "report.html",
        "text/html",
        key="k",
        zone=Zone.STEWARD_ONLY,
        help_text="inside",
    )
    assert made["file_name"] == "STEWARD-ONLY-report.html"
    assert made["data"]() == "figures"
    downloads.keep_inside(
        "x", lambda: steward_only("figures"), "r.html", "text/html", key="k", zone=Zone.DECLARED, help_text=""
    )
    with pytest.raises(NotPrivateError):  # a name without the mark never holds what must stay inside
        made["data"]()


@pytest.mark.parametrize(("declared", "zone"), [(True, Zone.DECLARED), (False, Zone.STEWARD_ONLY)])
def test_what_a_rehearsal_makes_of_guesses_that_were_read_off_the_rows_stays_inside(
    monkeypatch: pytest.MonkeyPatch, declared: bool, zone: Zone
) -> None:
    from pages.shared import downloads

    source = {"kind": "guess"} | ({"declared": {"grounds": "risk"}} if declared else {})
    book = Codebook.from_dict(
        {"fields": [FIELD | {"source": source}, {"name": "b", "categories": ["x", "y"]}]}
    )
    data = simulated_source(book.domain, 200, 0.5, np.random.default_rng(1))
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=None, method="independent")
    model, bundle = rehearse(data, book, PlanFile.of(plan, book, None), stand_in="a test")
    table = Table(name="t", content=pd.DataFrame(), basis=Basis.STAND_IN)
    result = Result(
        model=model, rows=model.sample(9, rng=np.random.default_rng(1)), codebook=book, source=table
    )
    assert result.zone is zone
    assert not result.releasable
    made = {}
    monkeypatch.setattr(downloads.st, "download_button", lambda _, **options: made.update(options))
    downloads.download_of(result, "x", lambda: b"rows", "data.csv", "text/csv", key="k")
    assert made["data"]() == b"rows"
    assert made["file_name"].startswith("STEWARD-ONLY-") is not declared
    monkeypatch.setattr(downloads.st, "file_uploader", lambda *_, **__: None)
    save_and_load(AppState(codebook=book), plan, book)
    assert made["data"]() == PlanFile.of(plan, book).to_toml()
    assert made["file_name"].startswith("STEWARD-ONLY-") is not declared, "it follows from the lists"
    page = bundle.files["README.html"].value.decode()
    assert ("says nothing about any person or private table" in page) is declared
    assert ("it stays with the steward" in page) is not declared
    assert ("read off private rows without noise" in page) is not declared
    for content in (csv_of_result(result), account_of_result(result)):
        assert (b"stays with the steward" in content) is not declared
