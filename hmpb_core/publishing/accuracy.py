"""The accuracy sheet: what readers may count on, worked out from a bundle's own files and nothing else.

Whoever changes the private table under a fixed release gets the same sheet, because the sheet never sees
the table: the noise on every paid table, the noisy one-way shares and the codebook are all it knows.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.merging import THRESHOLD
from hmpb_core.planning.feasibility import USABLE, WEAK, Verdict
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.privacy.ledger import digest_of
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.accuracy_sheet import Accuracy, ColumnAccuracy, PairAccuracy, accuracy_page
from hmpb_core.publishing.known_noise import INTERVAL, ONE_SIDED, KnownNoise
from hmpb_core.publishing.mean_accuracy import mean_interval
from hmpb_core.publishing.model_files import MEASUREMENTS, PaidModel, model_of_bundle
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.rules.consistency import decided, in_order
from hmpb_core.rules.deciding import Follows
from hmpb_core.several_answers import in_whole_cells
from hmpb_core.stages.one_way import FEW_UNSEEN, for_the_rest

DRAWN = 50_000
"""Rows drawn from the model to see how the values of two columns go together."""


def accuracy_of(files: Mapping[str, bytes], *, rows: int) -> Accuracy:
    """Work the sheet out from a bundle's files.

        noise on a cell of a smaller table, summed from a larger one: sd sqrt(cells of one / cells of other)
        several tables over the same columns: 1 / sd^2 adds up
        expected error of a pair: 1/2 sum_cells min(mean size of the noise, share in the model)

        values whose own table shows at most 2 sd: by the column's own tables alone

    The tables that the rows are drawn from were made to agree with each other, which lowers the noise
    further: the intervals are upper ones, as far as noise goes.

    Args:
        files: The bundle's files by path: the plan, the codebook and the paid model.
        rows: Rows of the synthetic table.

    Raises:
        SourceError: the bundle holds no list of measurements.
    """
    try:
        tables = json.loads(files["model/tables.json"])
        acts = json.loads(files[MEASUREMENTS])["acts"]
    except KeyError:
        raise SourceError(
            "The bundle does not list its measurements; it was made by an older version, so no accuracy "
            "sheet can be made of it."
        ) from None
    model = model_of_bundle(files)
    domain, people = model.domain, model.n_rows
    laplace = model.plan.guarantee.currency is Currency.PURE
    sizes = {name: len(shares) for name, shares in tables["one_way"].items()}
    known = KnownNoise(acts, sizes, laplace=laplace)
    shares = {name: np.array(tables["one_way"].get(name, [1.0])) for name in domain.names}
    rng = np.random.default_rng(_seed_of(files))
    drawn = model.sample_codes(DRAWN, rng=rng)
    mended = in_whole_cells(drawn, domain, rng)
    together = _pair_shares(mended, domain)
    taken_away, follows = _taken_away(model), _decided(model)
    unlisted = _mapped_by_the_model(model)
    constant = {attribute.name for attribute in domain.attributes if _is_constant(attribute)}

    def of_pair(first: str, second: str) -> PairAccuracy | None:
        sd, half = known.sd((first, second)), known.half((first, second))
        if sd is None or half is None:
            return None
        level = sd / people * (1 / math.sqrt(2) if laplace else math.sqrt(2 / math.pi))
        error = 0.5 * float(np.minimum(together(first, second), level).sum())
        return PairAccuracy(
            names=(first, second),
            cells=len(shares[first]) * len(shares[second]),
            noise=half / people,
            error=error,
            verdict=_verdict(error),
        )

    repeats = {a.name for a in domain.attributes if isinstance(a, Categorical) and a.repeats}
    free = [n for n in domain.names if n not in constant and n not in unlisted and n not in repeats]
    pairs = [pair for names in itertools.combinations(free, 2) if (pair := of_pair(*names)) is not None]
    mapped = {n: of_pair(source, n) for n, (source,) in unlisted.items() if not constant & {n, source}}
    d = len(domain) - len(constant)
    related = {name for pair in pairs for name in pair.names}
    typical = statistics.median(pair.noise for pair in pairs) if pairs else None
    return Accuracy(
        rows=rows,
        people=people,
        drawing=INTERVAL * math.sqrt(0.25 / rows),
        columns=tuple(
            _of_rule(attribute)
            if attribute.name in follows
            else _column(
                attribute,
                known,
                shares[attribute.name],
                people,
                taken_away.get(attribute.name, ()),
                moved=_moved(drawn[:, index], mended[:, index]),
            )
            for index, attribute in enumerate(domain.attributes)
        ),
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.error, pair.names))),
        indirect=d * (d - 1) // 2 - len(pairs),
        lonely=tuple(name for name in domain.names if name not in related.union(follows, constant, repeats))
        if d > 1
        else (),
        follows=tuple(follows.items()),
        by_chance=tuple(n for n, pair in mapped.items() if pair is None or pair.verdict is Verdict.DROWNED),
        unit=Unit(column=model.plan.person, rows=model.plan.rows_per_person if model.plan.person else 1),
        smallest=None if typical is None else math.ceil(2 * typical * people),
    )


def accuracy_files(record: ReleaseRecord, files: Mapping[str, bytes]) -> dict[str, str]:
    """Give the sheet for people and for programs, by path in the bundle."""
    sheet = accuracy_of(files, rows=record.rows)
    return {
        "accuracy.html": accuracy_page(record, sheet),
        "accuracy.json": json.dumps(sheet.to_dict(), ensure_ascii=False, indent=1) + "\n",
    }


def _seed_of(files: Mapping[str, bytes]) -> int:
    """A number that the released model alone decides, so that the same bundle has the same sheet."""
    return int(digest_of(files["model/tables.json"])[:15], 16)


def _pair_shares(codes: Codes, domain: Domain) -> Callable[[str, str], NDArray[np.float64]]:
    """Give a function from two columns to their shares among rows drawn from the model, always the same."""

    def shares(first: str, second: str) -> NDArray[np.float64]:
        a, b = domain.index(first), domain.index(second)
        columns = domain.sizes[b]
        cells = np.bincount(codes[:, a] * columns + codes[:, b], minlength=domain.sizes[a] * columns)
        return cells / len(codes)

    return shares


def _taken_away(model: PaidModel) -> dict[str, list[int]]:
    """Codes of missing values, and of the category for unlisted ones, that no row can have."""
    if model.plan.spec.encoding == "bits":
        return {}
    found = {}
    for table in model.tables:
        attribute = model.domain.attributes[table.family.child]
        codes = [code for code in for_the_rest(attribute) if not table.probabilities[..., code].any()]
        found[attribute.name] = codes
    return found


def _decided(model: PaidModel) -> dict[str, tuple[str, ...]]:
    """The columns that declared rules decide, each with those that decide it."""
    wholly = {
        str(rule.target): tuple(name for name in rule.columns if name != rule.target)
        for rule in decided(model.rules.items, model.rules.attributes)
    }
    return wholly | _mapped_by_the_model(model)


def _mapped_by_the_model(model: PaidModel) -> dict[str, tuple[str]]:
    """The columns that follow by pairs which nobody listed: their own noisy tables are not what rows hold."""
    return {
        rule.column: (rule.source,)
        for rule in in_order(model.rules.items)
        if isinstance(rule, Follows) and rule.values is None
    }


def _of_rule(attribute: Attribute) -> ColumnAccuracy:
    """Of a column that a rule decides no noisy table says how near the rows come."""
    return ColumnAccuracy(
        name=attribute.name,
        values=attribute.size,
        noise=None,
        mean_noise=None,
        is_number=_is_number(attribute),
        follows=True,
    )


def _is_constant(attribute: Attribute) -> bool:
    """Whether every row has the one category that is declared, whatever noise says."""
    return isinstance(attribute, Categorical) and attribute.size == 1


def _is_number(attribute: Attribute) -> bool:
    return isinstance(attribute, Numeric) and attribute.kind == "number"


def _column(
    attribute: Attribute,
    known: KnownNoise,
    shares: NDArray[np.float64],
    people: int,
    taken_away: Sequence[int],
    *,
    moved: float,
) -> ColumnAccuracy:
    """How well a column is known; its shares may have ``moved`` as cells of several answers were mended."""
    name = attribute.name
    if isinstance(attribute, Categorical) and attribute.repeats:  # its values are partly another column's
        return ColumnAccuracy(
            name=name, values=attribute.size - 1, noise=None, mean_noise=None, repeats=attribute.repeats
        )
    sd, half = known.sd((name,)), known.half((name,))
    mean = None
    if sd is not None and isinstance(attribute, Numeric) and _is_number(attribute):
        cell_sd = known.first_look(name)
        mean = mean_interval(
            attribute, shares, code_sd=sd, cell_sd=sd if cell_sd is None else cell_sd, people=people
        )
    return ColumnAccuracy(
        name=name,
        values=attribute.size,
        noise=0.0 if _is_constant(attribute) else None if half is None else half / people + moved,
        rare_noise=_rare_noise(name, known, shares, people),
        mean_noise=mean,
        is_number=_is_number(attribute),
        hidden=tuple((attribute.labels[code], _most_hidden(name, known, people)) for code in taken_away)
        if known.alone_sd(name)
        else (),
    )


def _moved(drawn: NDArray[np.int32], mended: NDArray[np.int32]) -> float:
    """By how much the share of a code changes at most."""
    size = int(max(drawn.max(), mended.max())) + 1
    before, after = np.bincount(drawn, minlength=size), np.bincount(mended, minlength=size)
    return float(np.abs(before - after).max()) / len(drawn)


def _most_hidden(name: str, known: KnownNoise, people: int) -> float:
    """Largest share of the rows that a value may have which a look at the column took for noise.

        min(2 sd, 3 % of the rows) + 1.645 sd

    the count that was taken for noise at most, and what noise took off it 19 times in 20 at most.
    """
    sd = (known.alone_sd(name) or 0.0) / people
    return min(1.0, min(THRESHOLD * sd, FEW_UNSEEN) + ONE_SIDED * sd)


def _rare_noise(name: str, known: KnownNoise, shares: NDArray[np.float64], people: int) -> float | None:
    """What the column's own tables alone know of its rare values: larger tables measured them together."""
    sd, half = known.alone_sd(name), known.alone_half(name)
    if not sd or half is None or np.count_nonzero(shares * people <= THRESHOLD * sd) < 2:
        return None
    return half / people


def _verdict(error: float) -> Verdict:
    if error <= USABLE:
        return Verdict.USABLE
    return Verdict.WEAK if error <= WEAK else Verdict.DROWNED
