"""A figure of fit that was paid for: right on average, charged once, and of known noise."""

import itertools
import json

import numpy as np
import pytest

from hmpb_core.cli import main
from hmpb_core.errors import BudgetExceededError, PlanError, SourceError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.privacy.ledger import Kind
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.fit import carry_out_fit, prepare_fit
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.locations import open_table
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook

BOOK = people_codebook()
TABLE = people(2000)


@pytest.fixture
def released(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="people", unit=Unit.parse("row"), cap_epsilon=5.0, cap_delta=1e-9)
    plan = make_plan(Guarantee(epsilon=1.0), BOOK.domain, n_rows=2000, method="independent")
    done = carry_out(prepare(TABLE, BOOK, PlanFile.of(plan, BOOK), workspace), workspace)
    return workspace, read_bundle(done.bundle), done


def exact(released_rows):
    """The distances by brute force."""
    domain = BOOK.domain
    sources = [open_source(frame, BOOK) for frame in (TABLE, released_rows)]
    pairs = list(itertools.combinations(range(len(domain)), 2))
    first, second = ([t.counts / 2000 for t in source.marginals(pairs)] for source in sources)
    return [0.5 * np.abs(a - b).sum() for a, b in zip(first, second, strict=True)]


def test_the_bought_distances_are_the_exact_ones_with_the_noise_that_is_told(released):
    workspace, files, done = released
    commit = prepare_fit(TABLE, files, workspace, epsilon=3.0)
    fit = carry_out_fit(commit, workspace)
    errors = np.array(fit.pairs) - np.array(exact(done.rows[0]))
    assert np.all(np.abs(errors) < 6 * fit.noise_sd)
    assert np.std(errors) > 0
    assert abs(fit.mean - np.mean(exact(done.rows[0]))) < 3 * fit.mean_interval
    assert fit.mean_interval == pytest.approx(commit.expected_interval)


def test_a_bundle_that_was_not_released_from_the_table_is_told_before_anything_is_paid(released):
    workspace, files, _ = released
    assert not any("right bundle" in line for line in prepare_fit(TABLE, files, workspace, epsilon=0.1).lines)
    other = TABLE.iloc[:300]
    workspace.register(other, name="other", unit=Unit.parse("row"), cap_epsilon=5.0, cap_delta=1e-9)
    assert any("right bundle" in line for line in prepare_fit(other, files, workspace, epsilon=0.1).lines)


def test_it_is_charged_once_and_noted(released):
    workspace, files, _ = released
    before = workspace.datasets()[0].spent
    fit = carry_out_fit(prepare_fit(TABLE, files, workspace, epsilon=0.1), workspace)
    kinds = [entry.kind for entry in workspace.entries()]
    assert kinds == [Kind.REGISTER, Kind.CHARGE, Kind.COMPLETE, Kind.CHARGE, Kind.COMPLETE]
    assert workspace.datasets()[0].spent > before
    assert fit.entry == workspace.entries()[3].number
    assert workspace.verify() == []


def test_what_the_cap_does_not_admit_is_refused_before_the_charge(released):
    workspace, files, _ = released
    with pytest.raises(BudgetExceededError):
        prepare_fit(TABLE, files, workspace, epsilon=90.0)
    with pytest.raises(PlanError):
        prepare_fit(TABLE, files, workspace, epsilon=-1.0)
    rehearsal = {name: content for name, content in files.items() if name != "data.parquet"}
    with pytest.raises(SourceError, match="rehearsal"):
        prepare_fit(TABLE, rehearsal, workspace, epsilon=0.1)
    assert len(workspace.entries()) == 3


def test_the_command_line_writes_what_may_be_published(released, tmp_path, capsys):
    workspace, _, done = released
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    out = tmp_path / "fit.json"
    words = ["fit", str(done.path), str(tmp_path / "people.csv"), "--workspace", str(workspace.folder)]
    words += ["--epsilon", "0.1", "-o", str(out)]
    assert main(words) == 2, "nobody can answer here"
    assert main([*words, "--yes"]) == 0
    assert "points on average" in capsys.readouterr().out
    assert json.loads(out.read_text())["format"] == "hmpb-fit/1"
    assert main([*words, "--yes"]) == 2, "the file is there already"
    assert len(workspace.entries()) == 5


def test_the_fit_of_a_table_that_stays_in_an_engine_is_that_of_memory(released, tmp_path):
    workspace, files, done = released
    TABLE.to_parquet(tmp_path / "t.parquet", index=False)
    outside = open_table(str(tmp_path / "t.parquet"), engine="duckdb").table
    commit = prepare_fit(outside, files, workspace, epsilon=3.0)
    assert commit.before.id == workspace.datasets()[0].id
    fit = carry_out_fit(commit, workspace)
    errors = np.array(fit.pairs) - np.array(exact(done.rows[0]))
    assert np.all(np.abs(errors) < 6 * fit.noise_sd)
    assert 6 * fit.noise_sd < 0.2
