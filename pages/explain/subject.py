"""What the page Explain speaks about: the limit, the noise it means, and both in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hmpb_core.errors import HmpbError
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.methods import DEFAULT_METHOD, Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.report.landing import CountNoise, count_noise
from pages.session.choices import ExplainChoices
from pages.session.state import AppState
from pages.words.catalogue import many, number, one_in, plain, sentences, with_percent
from pages.words.errors import sentence
from pages.words.guarantee import neighbors_words, ratio_words, unit_words

COUNTS = (20, 200, 2000)
PEOPLE = (1, 2, 3, 4, 6, 10)
RELEASES = 12
RATES = tuple(i / 40 for i in range(41))
SHORT_RATES = (0.001, 0.01, 0.05, 0.1, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What is promised, to whom, and what it means for counts.

    Attributes:
        loss: The limit for the people looked at.
        single: The limit for one person.
        neighbors: The neighbour relation.
        people: How many people are looked at.
        unpaid: What the bill names that no limit covers; empty for nothing.
        noise: Noise on one cell of a published table; None where there is no codebook.
        guarantee: What a ledger would charge; None where the plan could not be charged.
        attacked: The plan that an attack is measured on; None where its noise is not that of its limit.
        unit: Who counts as one.
    """

    loss: PrivacyLoss
    single: PrivacyLoss
    neighbors: Neighbors
    people: int
    unpaid: str
    noise: CountNoise | None
    guarantee: Guarantee | None
    attacked: Plan | None = None
    unit: Unit = ROW

    def after(self, releases: int) -> float:
        """Epsilon after several releases of this size: epsilons add up, or rhos do."""
        if self.single.rho is None:
            return self.single.epsilon * releases
        return epsilon_of_rho(self.single.rho * releases, self.single.delta)


_SHARES = Shares.from_weights(one_way_tables=3, similarity=1, structure=1, conditional_tables=5)
"""The shares of a limit that is spoken of without a plan: most of it goes to the conditional tables."""


def promise_of(session: AppState, dataset: RegisteredDataset | None = None) -> Promise | None:
    """Read what the page speaks about; None where nothing is protected.

    Args:
        session: The session.
        dataset: The ledger's data set that is spoken of: says who counts as one.

    Raises:
        PlanError: the plan cannot run.
    """
    choices = session.explain
    unit = dataset.unit if dataset else session.unit or ROW
    plan = replace(session.plan, person=unit.column, rows_per_person=unit.rows)
    if choices.follow:
        if plan.spec.protection == "none":
            return None
        bill = bill_of_plan(plan, domain=session.codebook.domain if session.codebook else None)
        single = PrivacyLoss.of(plan.guarantee)
        if plan.accounting is Accounting.AS_PUBLISHED:
            single = PrivacyLoss(epsilon=bill.total or 0.0)
        unpaid = "; ".join(map(sentence, bill.unpaid))
    else:
        plan = replace(
            plan,
            method=DEFAULT_METHOD,
            accounting=Accounting.SOUND,
            similarity="auto",
            guarantee=_own(choices, plan.guarantee.neighbors),
            shares=_SHARES,
        )
        single, unpaid = PrivacyLoss.of(plan.guarantee), ""
    return Promise(
        loss=single.for_group(choices.people),
        single=single,
        neighbors=plan.guarantee.neighbors,
        people=choices.people,
        unpaid=unpaid,
        noise=_noise(session, plan),
        guarantee=None if unpaid else plan.guarantee,
        attacked=plan if plan.spec.releasable and not unpaid else None,
        unit=unit,
    )


def _own(choices: ExplainChoices, neighbors: Neighbors) -> Guarantee:
    pure = choices.currency is Currency.PURE
    return Guarantee(
        epsilon=choices.epsilon,
        delta=0.0 if pure else 10.0**-choices.delta_digits,
        currency=choices.currency,
        neighbors=neighbors,
    )


def _noise(session: AppState, plan: Plan) -> CountNoise | None:
    if session.codebook is None:
        return None
    try:
        return count_noise(plan, session.codebook.domain, session.public_rows)
    except HmpbError:
        return None


def out_of(share: float, of: int) -> int:
    """Write a ceiling as a whole number of ``of``, rounded up, as a ceiling must be."""
    return min(of, math.ceil(share * of - 1e-9))


_NEARLY_ALL = 0.999


def at_most(share: float) -> str:
    """Write a ceiling as percent, never rounded to certainty."""
    return plain("explain.nearly_all") if share > _NEARLY_ALL else with_percent(f"{100 * share:.1f}")


def at_most_words(share: float) -> str:
    """Write a ceiling for a sentence: at most so much, or over what is nearly all."""
    return at_most(share) if share > _NEARLY_ALL else plain("explain.at_most", share=at_most(share))


def delta_words(loss: PrivacyLoss) -> str:
    """Write delta for people."""
    return one_in(loss.delta)


def full_promise(promise: Promise) -> str:
    """The promise in full: epsilon, delta, per whom, neighbours, for what in total."""
    full = plain(
        "explain.full",
        epsilon=number(promise.single.epsilon, 4),
        delta=delta_words(promise.single),
        neighbors=neighbors_words(promise.neighbors, promise.unit),
        unit=unit_words(promise.unit),
    )
    if promise.people == 1:
        return full
    return sentences(
        full, plain("explain.full_many", people=promise.people, epsilon=number(promise.loss.epsilon, 4))
    )


def person_sentences(promise: Promise, *, addressed: bool = True) -> tuple[str, str]:
    """What the limit means, and what it does not do.

    Args:
        promise: The promise.
        addressed: Speak to the person, not about one.
    """
    whom = "many" if promise.people > 1 else "one" if addressed else "other"
    first = plain(
        f"explain.person.means_{whom}.{promise.neighbors}",
        ratio=ratio_words(promise.loss.ratio),
        people=promise.people,
    )
    if promise.loss.delta:
        first = sentences(first, plain("common.guarantee.beyond", cases=many(1 / promise.loss.delta)))
    return first, plain("explain.person.limits" if addressed else "explain.person.limits_other")


def icon_counts(promise: Promise, baseline: int) -> tuple[int, int, int]:
    """Marks without, marks with, and marks in all: tens for the even chance, a thousand for the rare."""
    of = 100 if baseline == 50 else 1000
    without = baseline * of // 100
    return without, max(without, out_of(promise.loss.caught(baseline / 100), of)), of


def icons_sentence(without: int, with_person: int, of: int) -> str:
    """Say what the marks count."""
    counts = {"without": without, "with_person": with_person, "of": of}
    return plain("explain.person.icons_sentence", **{name: number(n) for name, n in counts.items()})


def gauge_sentence(promise: Promise) -> str:
    """Say how often the best attacker is right, and about whom."""
    one = "" if promise.people == 1 else "_many"
    right = at_most_words(promise.loss.accuracy)
    return plain(f"explain.decider.gauge_sentence{one}", right=right, people=promise.people)


def give_or_take(part: float) -> str:
    """Write half the width of an interval as a part of what it is around."""
    return with_percent(f"± {number(100 * part)}")


def interval_rows(noise: CountNoise) -> list[tuple[int, float, float, float]]:
    """For each count its 90 % noise interval, and half its width as a part of the count."""
    rows = []
    for count in COUNTS:
        low, high = noise.interval(count)
        rows.append((count, low, high, (high - low) / 2 / count))
    return rows


def agreed(choices: ExplainChoices) -> bool:
    """Whether somebody wrote down who agreed the marks, and when; their starting values nobody agreed."""
    return bool(choices.agreed_by.strip() and choices.agreed_on.strip())


def mark_columns(choices: ExplainChoices) -> tuple[str, ...]:
    """The headings of the table of marks: a mark is called agreed only where it was."""
    value = "set" if agreed(choices) else "proposed"
    return tuple(plain(f"explain.decider.column.{name}") for name in ("mark", value, "given", "met"))


def agreement(choices: ExplainChoices) -> str:
    """Who agreed the marks and when, or that nobody did, for a place that knows no Markdown."""
    if not agreed(choices):
        return plain("explain.decider.not_agreed")
    return plain("explain.decider.agreed", who=choices.agreed_by.strip(), day=choices.agreed_on.strip())


def marks(
    promise: Promise, choices: ExplainChoices, totals: Sequence[float]
) -> list[tuple[str, str, str, bool]]:
    """The acceptance marks: what is asked, what was set, what the plan gives, and whether it meets it.

    Args:
        promise: The promise.
        choices: What was set.
        totals: Epsilon of the data set after 1, 2, ... releases of this size.
    """
    right = promise.loss.accuracy
    life = totals[choices.releases - 1]
    rows = [
        (
            plain("explain.decider.mark_right"),
            with_percent(str(choices.most_right)),
            at_most(right),
            right <= choices.most_right / 100,
        ),
        (
            plain("explain.decider.mark_life", releases=choices.releases),
            number(choices.most_epsilon),
            number(life, 4),
            life <= choices.most_epsilon,
        ),
    ]
    if promise.noise is not None:
        half = promise.noise.interval(0)[1]
        rows.insert(
            1,
            (
                plain("explain.decider.mark_error"),
                f"± {choices.most_error}",
                f"± {number(half)}",
                half <= choices.most_error,
            ),
        )
    return rows
