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
from hmpb_core.publishing.origins import origins_of
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import WATERMARK, ReleaseRecord


def statement_of(record: ReleaseRecord) -> dict[str, Any]:
    """Give the statement as plain values."""
    plan = record.plan_file.plan
    guarantee = plan.guarantee
    parameters: dict[str, float] = {"epsilon": float(guarantee.epsilon)}
    if guarantee.currency is Currency.ZCDP:
        parameters |= {"delta": guarantee.delta, "rho": float(guarantee.total)}
    answers = record.answers
    tuning, why = answers.judged("X1")
    statement = {
        "status": "Draft",
        "registry_authors": [answers.fact("curator")],
        "tier": 3,
        "deployment": {
            "name": record.title,
            "data_curators": [answers.fact("curator")],
            "intended_use": answers.fact("use"),
            "data_product_type": "Synthetic data",
            "data_product_region": answers.fact("region"),
            "description": f"{record.replicates} synthetic table(s) of {record.rows} rows and the noisy "
            "model they were drawn from.",
            "publication_date": record.date,
            "dp_flavor": {
                "name": record.flavour,
                "data_domain": f"Tables over the {len(record.codebook.domain)} attributes of the codebook, "
                f"with {origins_of(record.codebook).domain}.",
                "unprotected_quantities": "; ".join(record.unprotected),
            },
            "privacy_loss": {
                "privacy_unit": str(record.unit.words),
                "privacy_unit_description": f"Adjacent tables: {record.neighbors}.",
                "privacy_parameters": parameters,
                "privacy_parameters_description": _composition(record),
            },
            "model": {
                "model_name": "Central",
                "actors": "The curator holds the table and is trusted. Readers of the release are not.",
                "release_type": "One release",
                "release_type_description": "Static table. All releases of it are charged to one lifetime "
                "cap.",
                "access_type": "Non-interactive",
            },
            "accounting": {
                "post_processing": "Consistency of the noisy tables, clustering, sampling of rows.",
                "composition": "The whole plan was charged before any noise was drawn. "
                + ", ".join(f"{stage.value} {float(share):.4g}" for stage, share in plan.shares.items())
                + " of the budget.",
            },
            "implementation": {
                "pre_processing_eda_hyperparameter_tuning": (
                    f"Domain: {origins_of(record.codebook).extraction}. The plan was fixed before the table "
                    f"was read. Tuning was public, privately selected or charged: {tuning}"
                    + (f" ({why})." if why else ".")
                ),
                "mechanisms": _mechanisms(record),
                "justification": answers.fact("purpose"),
            },
            "additional_information": f"Retention: {answers.fact('retention')}. "
            f"Made by hmpb {hmpb_core.__version__}, method {plan.method}, "
            f"accounting {plan.accounting.value}, learner {plan.spec.learner}.",
        },
    }
    return {"rehearsal": WATERMARK, **statement} if record.rehearsal else statement


def statement_page(record: ReleaseRecord) -> str:
    """Give the statement for people."""
    return page_of(
        "statement.html.j2",
        record,
        shares=[
            (stage.value, f"{float(share):.4g}") for stage, share in record.plan_file.plan.shares.items()
        ],
        composition=_composition(record),
        mechanisms=_mechanisms(record),
        fields=_flat(statement_of(record)),
    )


def statement_yaml(record: ReleaseRecord) -> str:
    """Give the statement as the registry's YAML."""
    return yaml.safe_dump(statement_of(record), sort_keys=False, allow_unicode=True, width=math.inf)


def _composition(record: ReleaseRecord) -> str:
    if record.payment is None:
        return f"A rehearsal on {record.stand_in}: nothing was charged, because nothing private was touched."
    dataset = record.payment.dataset
    delta = f" at delta {power_of_ten(dataset.cap_delta)}" if dataset.totals.rho else ""
    text = (
        "All releases of this data set together, this one included: epsilon "
        f"{float(dataset.spent):.6g}{delta} ({dataset.neighbors.value} neighbours)."
    )
    if record.payment.show_left:
        text += f" The lifetime cap is epsilon {float(dataset.cap_epsilon):g}."
    return text + " Releases made without this ledger are not covered."


def _mechanisms(record: ReleaseRecord) -> str:
    pure = record.plan_file.plan.guarantee.currency is Currency.PURE
    noise = "discrete Laplace noise" if pure else "discrete Gaussian noise"
    return (
        f"Counts: {noise} on integers. Choices: the exponential mechanism or a noisy maximum. Samplers of "
        "the "
        "OpenDP library, seeded by the operating system; no seed exists. Integer noise leaves no "
        "floating-point trace. "
        "Batch release: no third party can trigger or time a query."
    )


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append(
                (prefix + name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
            )
    return rows
