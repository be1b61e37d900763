"""Guarantees and costs in words: never epsilon alone, always delta, per whom and which neighbours."""

from __future__ import annotations

import math

from hmpb_core.planning.bill import Bill
from hmpb_core.privacy.guarantee import Guarantee
from pages.words.catalogue import Markdown, number, one_in, sentences, t


def guarantee_line(guarantee: Guarantee) -> Markdown:
    """The guarantee in one line."""
    return t(
        "common.guarantee.line",
        epsilon=number(guarantee.epsilon),
        delta=delta_words(guarantee),
        neighbors=t(f"common.neighbors.{guarantee.neighbors}"),
    )


def delta_words(guarantee: Guarantee) -> Markdown:
    """Delta in words."""
    if guarantee.delta == 0:
        return t("common.guarantee.no_delta")
    return t("common.guarantee.delta", delta=one_in(guarantee.delta))


def guarantee_words(guarantee: Guarantee) -> Markdown:
    """What the guarantee means for a person, in words before numbers."""
    ratio = math.exp(guarantee.epsilon)
    text = t(
        "common.guarantee.person",
        ratio=ratio_words(ratio),
        delta=delta_words(guarantee),
        epsilon=number(guarantee.epsilon),
        neighbors=t(f"common.neighbors.{guarantee.neighbors}"),
    )
    return Markdown(sentences(text, t(f"common.guarantee.band.{band(guarantee.epsilon)}")))


def ratio_words(ratio: float) -> str:
    """A ratio of likelihoods; a large one rounded up to two digits: it is a ceiling."""
    if ratio < 1e4 or math.isinf(ratio):
        return number(ratio)
    step = 10.0 ** (math.floor(math.log10(ratio)) - 1)
    return number(math.ceil(ratio / step) * step)


def band(epsilon: float) -> str:
    """NIST SP 800-226's bands, by the limit on the privacy loss."""
    return "low" if epsilon <= 1 else "middle" if epsilon <= 20 else "high"


def total_words(bill: Bill) -> Markdown:
    """What a bill comes to, in words."""
    if bill.total is None:
        return t("common.bill.none")
    factor = bill.total / bill.nominal
    key = "more" if factor > 1.001 else "exact"
    return t(
        f"common.bill.{key}",
        total=number(bill.total, 4),
        nominal=number(bill.nominal),
        factor=number(factor, 4),
        delta=delta_words(bill.guarantee),
        neighbors=t(f"common.neighbors.{bill.guarantee.neighbors}"),
    )
