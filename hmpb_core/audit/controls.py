"""What is known to leak more than it claims: an audit that does not convict it proves nothing.

Two doors draw 0.9 of the noise that they charge for, and one stage is the paper's own: its noise on the
similarities of d attributes claims eps1 and costs floor(d/2) eps1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import hmpb_core.stages.similarity as similarity_room
from hmpb_core.audit.evidence import LossMeasure, shown
from hmpb_core.audit.findings import Finding, Kind
from hmpb_core.audit.mechanisms import Array, Mechanism, plenty, weigh
from hmpb_core.audit.pipelines import Way, replay_finding, worlds
from hmpb_core.audit.replay import Recorder
from hmpb_core.planning.account import accountant_for
from hmpb_core.planning.methods import Accounting
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.sensitivity import mutual_information_sensitivity
from hmpb_core.synthesis import make_plan

TOO_LITTLE = 0.9
PUBLISHED_ATTRIBUTES = 4
PUBLISHED_ROWS = 50
PUBLISHED_EPSILON = 6.0


class TooLittleNoise(Accountant):
    """Draws 0.9 of the noise that it charges for."""

    def _calibrate(self, *arguments: Any) -> float:
        return TOO_LITTLE * super()._calibrate(*arguments)


class TooLittleNoiseRecorded(TooLittleNoise, Recorder):
    """The same, with all acts kept."""


def too_little_noise(mechanism: Mechanism, *, runs: int, level: float) -> Finding:
    """A mechanism with 0.9 of its noise, held to the claim of the right one."""
    found = shown(*mechanism.draw(TooLittleNoise, runs), mechanism.measure, level=level)
    return Finding(
        kind=Kind.CONTROL,
        name=f"{mechanism.name}, {TOO_LITTLE:g} of its noise",
        currency=mechanism.currency,
        neighbors=mechanism.neighbors,
        measure=mechanism.measure,
        claimed=mechanism.claimed,
        low=found.low,
        level=level,
        runs=found.runs,
    )


def too_little_noise_replayed(way: Way, *, attributes: int) -> Finding:
    """A whole pipeline with 0.9 of its noise."""
    found = replay_finding(way, runs=1, attributes=attributes, door=TooLittleNoiseRecorded)
    return replace(
        found, kind=Kind.CONTROL, name=f"{way.name} replayed, {TOO_LITTLE:g} of its noise", fault=""
    )


def published_stage_one(*, runs: int, level: float) -> Finding:
    """The paper's noise on the similarities, held to the epsilon that the paper names.

    One person is in every pair, so that all d(d-1)/2 values move at once [Zhang2022, section 3.2].
    """
    both = worlds(PUBLISHED_ATTRIBUTES, PUBLISHED_ROWS, Neighbors.REPLACE_ONE)
    guarantee = Guarantee(epsilon=PUBLISHED_EPSILON, delta=0.0, currency=Currency.PURE)
    plan = make_plan(guarantee, both[0].domain, n_rows=PUBLISHED_ROWS, accounting=Accounting.AS_PUBLISHED)
    pairs = similarity_room.pairs_of(PUBLISHED_ATTRIBUTES)
    exact = [similarity_room.mic_values(world, pairs) for world in both]
    account = accountant_for(plan, both[0].domain)
    similarity_room.published_similarity(both[0], account)
    act = account.entries[0]
    assert act.scale is not None
    seen: list[Array] = []
    for values in exact:  # the same act many times over in one call: drawing is quicker
        many = Accountant(account.budget, events=[plenty(Stage.SIMILARITY, act.loss)])
        noisy, _ = many.measure_pairs(
            np.tile(values, runs),
            n_attributes=PUBLISHED_ATTRIBUTES,
            sensitivity=mutual_information_sensitivity(PUBLISHED_ROWS, has_binary_side=True),
            stage=Stage.SIMILARITY,
            loss=act.loss,
            what=act.what,
            scale_per_value=act.scale,
        )
        seen.append(weigh(noisy.reshape(runs, -1), exact[0], exact[1], act.scale, Currency.PURE))
    found = shown(seen[0], seen[1], LossMeasure.EPSILON, level=level)
    return Finding(
        kind=Kind.CONTROL,
        name="the published stage 1, at its nominal epsilon",
        currency=Currency.PURE,
        neighbors=Neighbors.REPLACE_ONE,
        measure=LossMeasure.EPSILON,
        claimed=float(plan.guarantee.total * plan.shares.similarity),
        low=found.low,
        level=level,
        runs=found.runs,
    )
