"""Rows in any number: parts together are what one draw is, and files are there whole or not at all."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.planning.methods import Accounting
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.publishing import parts, row_files
from hmpb_core.publishing.parts import ChunkedDraw, in_threads
from hmpb_core.publishing.row_files import folder_out, require_workers, write_rows
from hmpb_core.publishing.tables import csv_of
from hmpb_core.sources.open import open_source
from hmpb_core.stages.sampling import Part, sample_codes
from hmpb_core.synthesis import fit_source, make_plan
from tests.tables import people, people_codebook

LOOSE = Guarantee(epsilon=5.0)


def fitted(book, guarantee=LOOSE, **options):
    source = open_source(people(), book)
    plan = make_plan(guarantee, book.domain, n_rows=source.n_rows, **options)
    return fit_source(source, plan, seed=1)


@pytest.fixture(scope="module")
def model():
    return fitted(people_codebook())


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(parts, "CHUNK_ROWS", 100)
    monkeypatch.setattr(row_files, "FILE_CHUNKS", 3)


def drawn(model, n_rows, seed=7):
    draw = ChunkedDraw.of(model, n_rows, rng=np.random.default_rng(seed))
    return pd.concat(in_threads(draw.chunk, draw.chunks), ignore_index=True)


def test_what_fits_a_chunk_is_the_models_own_draw(model):
    whole = model.sample(250, rng=np.random.default_rng(7))
    pd.testing.assert_frame_equal(drawn(model, 250), whole)


def test_many_chunks_are_as_many_rows_as_asked_for_and_repeat(model, small_chunks, monkeypatch):
    first = drawn(model, 1037)
    assert len(first) == 1037
    monkeypatch.setattr(parts, "_cores", lambda: 1)
    pd.testing.assert_frame_equal(drawn(model, 1037), first)  # whatever the number of cores
    assert not drawn(model, 1037, seed=8).equals(first)


@pytest.mark.parametrize(("name", "folder"), [("rows.csv", False), ("rows.parquet", False), ("rows", True)])
def test_files_hold_the_rows_of_all_chunks(model, small_chunks, tmp_path, name, folder):
    out = tmp_path / "new" / name
    write_rows(out, model, 1037, rng=np.random.default_rng(7), folder=folder)
    expected = drawn(model, 1037)
    if name.endswith("csv"):
        assert out.read_bytes() == csv_of(expected)
    else:
        pd.testing.assert_frame_equal(pd.read_parquet(out), expected)
    assert sorted(path.name for path in out.parent.iterdir()) == [name]
    if folder:
        found = sorted(out.iterdir())
        assert [path.name for path in found] == [f"part-{i:05d}.parquet" for i in range(4)]
        assert [pq.read_metadata(path).num_rows for path in found] == [285, 282, 282, 188]


def test_one_chunk_is_the_same_csv_as_ever(model, tmp_path):
    write_rows(tmp_path / "rows.csv", model, 50, rng=np.random.default_rng(7))
    assert (tmp_path / "rows.csv").read_bytes() == csv_of(model.sample(50, rng=np.random.default_rng(7)))


def test_a_folder_of_parts_is_replaced_and_no_other_folder(model, small_chunks, tmp_path):
    out = tmp_path / "rows"
    for rows in (900, 200):
        write_rows(out, model, rows, rng=np.random.default_rng(7), folder=True)
    assert len(pd.read_parquet(out)) == 200
    (out / "notes.txt").write_text("mine")
    with pytest.raises(SourceError, match="holds other files than Parquet parts"):
        write_rows(out, model, 200, rng=np.random.default_rng(7), folder=True)
    assert sorted(path.name for path in out.iterdir()) == ["notes.txt", "part-00000.parquet"]


@pytest.mark.parametrize(("name", "folder"), [("rows.csv", False), ("rows.parquet", False), ("rows", True)])
def test_a_draw_that_fails_leaves_what_was_there(model, tmp_path, monkeypatch, name, folder):
    monkeypatch.setattr(parts, "CHUNK_ROWS", 100)
    out = tmp_path / name
    write_rows(out, model, 100, rng=np.random.default_rng(7), folder=folder)
    before = (out / "part-00000.parquet" if folder else out).read_bytes()
    real, calls = parts.draw_rows, []

    def failing(*args, **kwargs):
        calls.append(1)
        if len(calls) > 3:
            raise RuntimeError("no more")
        return real(*args, **kwargs)

    monkeypatch.setattr(parts, "draw_rows", failing)
    with pytest.raises(RuntimeError, match="no more"):
        write_rows(out, model, 2000, rng=np.random.default_rng(7), folder=folder)
    assert (out / "part-00000.parquet" if folder else out).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


def one_after_another(work, count):
    """Workers that do everything twice, the last first, as a Spark whose executors were lost may do."""
    for number in reversed(range(count)):
        work(number)
    return (pickle.loads(pickle.dumps(work))(number) for number in range(count))


def test_parts_are_the_same_bytes_whoever_draws_them_in_whatever_order_and_however_often(
    model, small_chunks, tmp_path
):
    for rows in (1037, 40):  # of many chunks, and of one
        for name, workers in (("here", None), ("there", one_after_another)):
            rng = np.random.default_rng(7)
            write_rows(tmp_path / name, model, rows, rng=rng, folder=True, workers=workers)
        here, there = ({p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("here", "there"))
        assert here == there
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "there"), drawn(model, rows))


def test_what_a_lost_worker_left_unfinished_is_no_part(model, small_chunks, tmp_path):
    def lost(work, count):
        (work.folder / ".part-00000.parquet.0123").write_text("half")
        return (work(number) for number in range(count))

    write_rows(tmp_path / "rows", model, 350, rng=np.random.default_rng(7), folder=True, workers=lost)
    assert sorted(p.name for p in (tmp_path / "rows").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]


def test_parts_that_this_machine_does_not_see_or_another_version_would_draw_are_refused(
    model, small_chunks, tmp_path
):
    def elsewhere(work, count):
        return iter(range(count))

    with pytest.raises(SourceError, match="where this machine does not see them"):
        write_rows(tmp_path / "r", model, 350, rng=np.random.default_rng(7), folder=True, workers=elsewhere)

    def older(work, count):
        return (replace(work, version="0.0.9")(number) for number in range(count))

    with pytest.raises(SourceError, match=r"version 0\.0\.9 of hmpb"):
        write_rows(tmp_path / "r", model, 350, rng=np.random.default_rng(7), folder=True, workers=older)
    with pytest.raises(SourceError, match=r"version 0\.0\.9 of hmpb"):
        require_workers(older, tmp_path / "new" / "r")
    require_workers(one_after_another, tmp_path / "new" / "r")
    assert not list(tmp_path.iterdir())


def test_only_a_few_chunks_wait_for_the_writer():
    made = []
    given = in_threads(made.append, 50)
    next(given)
    assert len(made) <= parts.MOST_WORKERS + 2
    given.close()


def test_a_slash_at_the_end_means_a_folder_of_parts(tmp_path):
    assert folder_out(f"{tmp_path}/new/")
    assert not folder_out(f"{tmp_path}/new")
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match="is a file"):
        folder_out(f"{tmp_path}/file/")


TABLES = [
    ConditionalTable(family=Family(child=0), probabilities=np.array([0.137, 0.863]), noise_sd=1.0),
    ConditionalTable(
        family=Family(child=1, parents=(0,)),
        probabilities=np.array([[0.513, 0.251, 0.236], [0.007, 0.1, 0.893]]),
        noise_sd=1.0,
    ),
]
JOINT = TABLES[0].probabilities[:, None] * TABLES[1].probabilities
SIZES = Domain.of_sizes([2, 3])


def counts_of(codes):
    return np.bincount(codes[:, 0] * 3 + codes[:, 1], minlength=6).reshape(2, 3)


def in_parts(rng, *, of, rows, shared):
    seed = int(rng.integers(2**63))
    return sum(
        counts_of(
            sample_codes(TABLES, SIZES, rows, rng, part=Part(index=k, of=of, seed=seed) if shared else None)
        )
        for k in range(of)
    )


def test_parts_together_hit_expected_numbers_as_one_draw_does():
    rng = np.random.default_rng(5)

    def miss(**how):
        return np.mean([np.abs(in_parts(rng, **how) - 8000 * JOINT).mean() for _ in range(40)])

    whole, together = miss(of=1, rows=8000, shared=False), miss(of=8, rows=1000, shared=True)
    apart = miss(of=8, rows=1000, shared=False)
    assert together == pytest.approx(whole, rel=0.35)
    assert apart > 1.7 * together


def test_each_part_by_itself_is_right_on_average():
    rng = np.random.default_rng(6)
    for index in (0, 2):
        total = np.zeros((2, 3))
        for _ in range(1000):
            part = Part(index=index, of=3, seed=int(rng.integers(2**63)))
            total += counts_of(sample_codes(TABLES, SIZES, 7, rng, part=part))
        assert total / 7000 == pytest.approx(JOINT, abs=0.022)


def test_a_method_that_pays_for_every_row_draws_no_more_however_many_parts(small_chunks):
    pure = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
    letter = {"method": "naive-bayes", "accounting": Accounting.AS_PUBLISHED, "target": "smokes"}
    model = fitted(people_codebook(), pure, **letter)
    with pytest.raises(PlanError, match="rows were paid for"):
        ChunkedDraw.of(model, model.plan.rows + 1, rng=np.random.default_rng(1))


def test_rules_hold_in_every_part_and_what_follows_is_alike_in_all(small_chunks):
    rules = [
        {"kind": "follows", "column": "coughs", "from": "town"},
        {"kind": "implies", "if": {"age": {"below": 33}}, "then": {"smokes": "no"}},
    ]
    model = fitted(Codebook.from_dict(people_codebook().to_dict() | {"rules": rules}))
    rows = drawn(model, 1500)
    assert model.rules.broken_rows(rows) == (0, 0)
    assert (rows.groupby("town")["coughs"].nunique() == 1).all()
    assert (rows.smokes[rows.age < 33] == "no").all()
