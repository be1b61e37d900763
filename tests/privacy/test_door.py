"""Nothing of the table gets past the door: with the door shut, two tables give one and the same model.

The door here answers without looking: noise alone, the same for both tables. Whatever then differs
between two runs has come by another way, unpaid. This checks what no sample of noise can: that the
model is a function of what was paid for, for every method whose output may be released, and it finds the
published method's leak.
"""

import json

import numpy as np
import pytest

from hmpb_core import pipeline
from hmpb_core.domain import Categorical, Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.planning import account as account_room
from hmpb_core.planning.methods import Accounting, methods_under
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import make_plan

DOMAIN = Domain(
    tuple(
        Categorical(name=f"x{i}", categories=tuple(range(size)), ordered=bool(i % 2))
        for i, size in enumerate([2, 3, 5, 9, 2, 40])
    )
)


class ShutDoor(Accountant):
    """Charges, and answers with made-up values that no table has a part in."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.answers = np.random.default_rng(17)
        self.questions = []

    def measure(self, marginal, **options):
        real = super().measure(marginal, **options)
        self.questions.append((marginal.attributes, marginal.counts.shape, real.scale))
        weights = self.answers.dirichlet(np.full(marginal.counts.size, 0.3)) * 400
        counts = weights.reshape(marginal.counts.shape) + self.answers.normal(size=marginal.counts.shape) * 3
        return NoisyMarginal(attributes=real.attributes, counts=counts, noise=real.noise, scale=real.scale)

    def measure_pairs(self, values, **options):
        _, sd = super().measure_pairs(values, **options)
        self.questions.append(("pairs", values.shape, sd))
        return self.answers.random(values.shape) * 0.5, sd

    def select(self, scores, **options):
        super().select(scores, **options)
        self.questions.append(("select", len(scores)))
        return int(self.answers.integers(len(scores)))


def codes(seed, n_rows):
    """Tables as different as can be: skewed, with other dependences for each seed."""
    rng = np.random.default_rng(seed)
    columns = [rng.choice(size, n_rows, p=rng.dirichlet(np.full(size, 0.5))) for size in DOMAIN.sizes]
    columns[4] = columns[seed % 4] % 2
    columns[3] = columns[5] % 9 if seed % 2 else columns[3]
    return np.stack(columns, axis=1).astype(np.int32)


def run(monkeypatch, table, *, method, currency, neighbors, accounting="sound", n_public=400):
    monkeypatch.setattr(account_room, "Accountant", ShutDoor)
    guarantee = guarantee_of(currency, 2.0, None, neighbors, accounting=accounting)
    plan = make_plan(
        guarantee,
        DOMAIN,
        n_rows=n_public,
        method=method,
        accounting=Accounting(accounting),
        clusters=2,
    )
    account = account_room.accountant_for(plan, DOMAIN)
    model = pipeline.fit(
        MemorySource(table, DOMAIN),
        plan,
        accountant=account,
        rng=np.random.default_rng(3),
    )
    return account.questions, model.to_dict(), model


SOUND = [
    (spec.name, currency.value, neighbors.value)
    for spec in methods_under(Accounting.SOUND)
    if spec.releasable
    for currency in spec.currencies
    for neighbors in spec.neighbors
]


@pytest.mark.parametrize(("method", "currency", "neighbors"), SOUND)
def test_a_sound_model_knows_of_its_table_what_passed_the_door_and_nothing_else(
    monkeypatch, method, currency, neighbors
):
    options = {"method": method, "currency": currency, "neighbors": neighbors}
    # Under add-remove the number of rows is private too.
    other_rows = 400 if neighbors == "replace-one" else 263
    one = run(monkeypatch, codes(1, 400), **options)
    other = run(monkeypatch, codes(2, other_rows), **options)
    assert one[0] == other[0]  # it even asks the same questions
    assert json.dumps(one[1]) == json.dumps(other[1])
    assert one[2].n_rows == other[2].n_rows
    for ours, theirs in zip(one[2].tables, other[2].tables, strict=True):
        assert ours.family == theirs.family
        assert (ours.probabilities == theirs.probabilities).all()
        assert ours.noise_sd == theirs.noise_sd
    drawn = [model.sample_codes(rng=np.random.default_rng(5)) for _, _, model in (one, other)]
    assert (drawn[0] == drawn[1]).all()


def test_the_published_method_lets_the_risk_weights_past_the_door(monkeypatch):
    options = {"method": "hmprivbayes", "currency": "pure", "neighbors": "replace-one"}
    one = run(monkeypatch, codes(1, 400), **options, accounting="as-published")
    other = run(monkeypatch, codes(2, 400), **options, accounting="as-published")
    assert one[1]["weights"] != other[1]["weights"]
    assert one[2].bill.unpaid
