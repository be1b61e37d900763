"""The handout of each edition, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence

from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.report.figures import gauge, twin_icons
from hmpb_core.report.handout import Handout, Section
from pages.explain.standing import standing
from pages.explain.subject import (
    SHORT_RATES,
    Promise,
    agreement,
    at_most,
    full_promise,
    gauge_sentence,
    give_or_take,
    icon_counts,
    icons_sentence,
    interval_rows,
    mark_columns,
    marks,
    person_sentences,
)
from pages.session.choices import Edition, ExplainChoices
from pages.words.catalogue import language, number, plain, sentences, with_percent
from pages.words.guarantee import band

FILES = ("readme", "data", "dictionary", "accuracy", "statement", "ledger", "model", "plan", "checksums")


def handout(promise: Promise, choices: ExplainChoices, dataset: RegisteredDataset | None = None) -> Handout:
    """Make the handout of the chosen edition.

    Args:
        promise: The promise.
        choices: The page's choices.
        dataset: The ledger's data set that is spoken of.
    """
    first, limits = person_sentences(promise, addressed=choices.edition is Edition.PERSON)
    makers = {Edition.PERSON: _person, Edition.DECIDER: _decider, Edition.ANALYST: _analyst}
    return Handout(
        language=language(),
        title=plain(f"explain.handout.title.{choices.edition}"),
        lead=first,
        sections=(
            *makers[choices.edition](promise, choices, standing(promise, dataset).totals),
            Section(heading=plain("explain.handout.limits"), paragraphs=(limits, _unpaid(promise))),
        ),
        footer=full_promise(promise),
    )


def _unpaid(promise: Promise) -> str:
    if not promise.unpaid:
        return plain("explain.handout.ceiling")
    return plain("explain.unpaid", item=promise.unpaid)


def _person(promise: Promise, choices: ExplainChoices, totals: Sequence[float]) -> tuple[Section, ...]:
    del totals
    sections: list[Section] = []
    for baseline in dict.fromkeys((choices.baseline, 50, 1)):
        without, with_person, of = icon_counts(promise, baseline)
        sentence = icons_sentence(without, with_person, of)
        if promise.loss.rho is not None and not sections:
            sentence = sentences(sentence, plain("explain.person.ratio_note"))
        sections.append(
            Section(
                heading=plain(f"explain.handout.icons_{baseline}"),
                paragraphs=(sentence,),
                figure=twin_icons(
                    without=without,
                    with_person=with_person,
                    of=of,
                    labels=(
                        plain("explain.person.without", n=number(without), of=number(of)),
                        plain("explain.person.with", n=number(with_person), of=number(of)),
                    ),
                    description=sentence,
                ),
            )
        )
    return tuple(sections)


def _decider(promise: Promise, choices: ExplainChoices, totals: Sequence[float]) -> tuple[Section, ...]:
    right = at_most(promise.loss.accuracy)
    head = mark_columns(choices)
    rows = tuple(
        (what, asked, given, plain("explain.decider.met" if met else "explain.decider.not_met"))
        for what, asked, given, met in marks(promise, choices, totals)
    )
    return (
        Section(
            heading=plain("explain.decider.gauge"),
            paragraphs=(
                gauge_sentence(promise),
                plain(f"explain.band.{band(promise.loss.epsilon)}"),
            ),
            figure=gauge(
                accuracy=promise.loss.accuracy,
                labels=(plain("explain.decider.coin"), right, plain("explain.decider.beyond")),
                description=gauge_sentence(promise),
            ),
        ),
        Section(
            heading=plain("explain.decider.marks"), paragraphs=(agreement(choices),), table=(head, *rows)
        ),
    )


def _analyst(promise: Promise, choices: ExplainChoices, totals: Sequence[float]) -> tuple[Section, ...]:
    del choices, totals
    sections = []
    if promise.noise is not None:
        head = tuple(plain(f"explain.analyst.column.{name}") for name in ("count", "low", "high", "relative"))
        rows = tuple(
            (f"{count:,}", number(low, 4), number(high, 4), give_or_take(part))
            for count, low, high, part in interval_rows(promise.noise)
        )
        sections.append(
            Section(
                heading=plain("explain.analyst.landing"),
                paragraphs=(plain("explain.analyst.landing_note"),),
                table=(head, *rows),
            )
        )
    rates = tuple(
        (with_percent(f"{100 * rate:g}"), at_most(promise.loss.caught(rate))) for rate in SHORT_RATES
    )
    sections.append(
        Section(
            heading=plain("explain.analyst.roc"),
            table=((plain("explain.analyst.column.rate"), plain("explain.analyst.column.caught")), *rates),
        )
    )
    files = tuple((plain(f"explain.files.{name}.path"), plain(f"explain.files.{name}.use")) for name in FILES)
    sections.append(
        Section(
            heading=plain("explain.analyst.files"),
            table=((plain("explain.analyst.column.file"), plain("explain.analyst.column.use")), *files),
        )
    )
    return tuple(sections)
