"""The privacy statement: the DP Deployments Registry's fields, filled from the plan and the ledger.

Source: opendp/deployments-registry-data, the fields of tiers 1 to 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import yaml

import hmpb_core
from hmpb_core.privacy.guarantee import Currency, power_of_ten
from hmpb_core.publishing.answers import UNANSWERED
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord


def statement_of(record: ReleaseRecord) -> dict[str, Any]:
    """Give the statement as plain values, in the record's language; its keys are the registry's."""
    words, plan = record.words, record.plan_file.plan
    guarantee = plan.guarantee
    parameters: dict[str, float] = {"epsilon": float(guarantee.epsilon)}
    if guarantee.currency is Currency.ZCDP:
        parameters |= {"delta": guarantee.delta, "rho": float(guarantee.total)}
    origins = record.origins
    verdict, why = record.answers.judged("X1")
    tuning = {"extraction": origins.extraction, "verdict": words(f"answer.{verdict}"), "why": why}
    statement = {
        "status": words("statement.status"),
        "registry_authors": [_fact(record, "curator")],
        "tier": 3,
        "deployment": {
            "name": record.heading,
            "data_curators": [_fact(record, "curator")],
            "intended_use": _fact(record, "use"),
            "data_product_type": words("statement.product"),
            "data_product_region": _fact(record, "region"),
            "description": words("statement.description", tables=record.replicates, rows=record.rows),
            "publication_date": record.date,
            "dp_flavor": {
                "name": record.flavour,
                "data_domain": words(
                    "statement.domain", attributes=len(record.codebook.domain), domain=origins.domain
                ),
                "unprotected_quantities": words("list.semicolon").join(record.unprotected),
            },
            "privacy_loss": {
                "privacy_unit": record.unit_words,
                "privacy_unit_description": words("statement.adjacent", neighbors=record.neighbors),
                "privacy_parameters": parameters,
                "privacy_parameters_description": _composition(record),
            },
            "model": {
                "model_name": words("statement.model"),
                "actors": words("statement.actors"),
                "release_type": words("statement.release"),
                "release_type_description": words("statement.static"),
                "access_type": words("statement.access"),
            },
            "accounting": {
                "post_processing": words("statement.post_processing"),
                "composition": words(
                    "statement.charged",
                    shares=words("list.comma").join(
                        words("statement.stage_share", stage=stage, share=share)
                        for stage, share in _shares(record)
                    ),
                ),
            },
            "implementation": {
                "pre_processing_eda_hyperparameter_tuning": words(
                    "statement.tuning_why" if why else "statement.tuning", **tuning
                ),
                "mechanisms": _mechanisms(record),
                "justification": _fact(record, "purpose"),
            },
            "additional_information": words(
                "statement.information",
                retention=_fact(record, "retention"),
                version=hmpb_core.__version__,
                **record.made_by,
            ),
        },
    }
    return {"rehearsal": record.watermark, **statement} if record.rehearsal else statement


def statement_page(record: ReleaseRecord) -> str:
    """Give the statement for people."""
    return page_of(
        "statement.html.j2",
        record,
        meaning=_meaning(record),
        shares=_shares(record),
        composition=_composition(record),
        mechanisms=_mechanisms(record),
        fields=_flat(statement_of(record), record.words("list.comma")),
    )


def statement_yaml(record: ReleaseRecord) -> str:
    """Give the statement as the registry's YAML, in English."""
    statement = statement_of(record.in_english)
    return yaml.safe_dump(statement, sort_keys=False, allow_unicode=True, width=math.inf)


def _fact(record: ReleaseRecord, name: str) -> str:
    """The steward's answer, as it was written, or that there is none."""
    fact = record.answers.fact(name)
    return record.words(f"answer.{UNANSWERED}") if fact == UNANSWERED else fact


def _meaning(record: ReleaseRecord) -> str:
    """What the limit means for a reader who is in the table: also a large one, which is hardly any."""
    words, guarantee = record.words, record.plan_file.plan.guarantee
    said = [words(f"statement.means_{guarantee.neighbors}", ratio=_times(math.exp(guarantee.epsilon)))]
    said += [words("statement.beyond")] if guarantee.delta else []
    return words("list.blank").join((*said, words("statement.limits")))


def _times(ratio: float) -> str:
    """A ratio of likelihoods in three digits; a large one rounded up to two: it is a ceiling."""
    if ratio < 1000:
        return f"{ratio:.3g}"
    step = 10.0 ** (math.floor(math.log10(ratio)) - 1)
    return f"{math.ceil(ratio / step) * step:,.0f}"


def _shares(record: ReleaseRecord) -> list[tuple[str, str]]:
    """What each stage got of the budget; where marks were set, what their checks got of it, too."""
    words, whole = record.words, record.plan_file.plan.guarantee.total
    part = 1 if record.chosen is None else 2 * record.ran.guarantee.total / whole
    told = [(words(f"stage.{stage}"), float(part * share)) for stage, share in record.ran.shares.items()]
    if record.chosen is not None:
        told.append((words("stage.checks"), float(1 - part)))
    return [(stage, f"{share:.4g}") for stage, share in told]


def _composition(record: ReleaseRecord) -> str:
    words = record.words
    if record.payment is None:
        return words(record.rehearsed("statement.rehearsal"), stand_in=record.ran_on)
    dataset = record.payment.dataset
    delta = words("statement.at_delta", delta=power_of_ten(dataset.cap_delta)) if dataset.totals.rho else ""
    spent = words(
        "statement.spent",
        spent=float(dataset.spent),
        delta=delta,
        relation=words(f"relation.{dataset.neighbors}"),
    )
    cap = [words("statement.cap", cap=float(dataset.cap_epsilon))] if record.payment.show_left else []
    return words("list.blank").join([spent, *cap, words("statement.others")])


def _mechanisms(record: ReleaseRecord) -> str:
    pure = record.plan_file.plan.guarantee.currency is Currency.PURE
    noise = record.words("statement.laplace" if pure else "statement.gaussian")
    return record.words(f"statement.mechanisms{'_rehearsal' if record.rehearsal else ''}", noise=noise)


def _flat(values: Mapping[str, Any], comma: str, prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, comma, f"{prefix}{name}.")
        else:
            rows.append(
                (prefix + name, comma.join(map(str, value)) if isinstance(value, list) else str(value))
            )
    return rows
