"""The report as plain values, for JSON."""

from __future__ import annotations

import math
from typing import Any

import hmpb_core
from hmpb_core.metrics.agreement import Agreement, SetError
from hmpb_core.metrics.propensity import Propensity
from hmpb_core.metrics.values import QUANTILES
from hmpb_core.utility.conclusion import conclude
from hmpb_core.utility.glance import glance
from hmpb_core.utility.report import UtilityReport
from hmpb_core.utility.words.catalogue import words_of

FORMAT = "hmpb-utility-report/1"
_ORDERS = {1: "one_way", 2: "two_way", 3: "three_way"}


def to_dict(report: UtilityReport, language: str = "en") -> dict[str, Any]:
    """Give the report as plain values: numbers of six digits, None for what is not a number.

    Args:
        report: The report.
        language: Language of the headline; the keys are English.
    """
    words = words_of(language)
    conclusion = conclude(report)
    content = {
        "format": FORMAT,
        "zone": "steward-only",
        "version": hmpb_core.__version__,
        "headline": conclusion.headline(words),
        "avoid_columns": list(conclusion.columns),
        "avoid": [list(worst.names) for worst in conclusion.avoid],
        "avoid_values": list(conclusion.values),
        "fast": report.fast,
        "real_rows": report.n_real,
        "synthetic_rows": report.n_synthetic,
        "attributes": list(report.domain.names),
        "seconds": report.seconds,
        "sampled_rows": dict(report.sampled),
        "glance": [
            {
                "figure": figure.key,
                **dict(figure.values),
                "synthetic": figure.synthetic,
                "second_sample": figure.second,
                "times": figure.times,
                "subsample": figure.subsample,
                "real_rows": figure.rows,
            }
            for figure in glance(report)
        ],
        "agreement": {_ORDERS[found.size]: _agreement(found) for found in report.agreement},
        "quantiles": list(QUANTILES),
        "columns": {column.name: column.to_dict() for column in report.columns},
        "dependence": [
            {
                "attributes": list(pair.names),
                "measure": pair.measure.value,
                "real": pair.real,
                "synthetic": pair.synthetic,
                "second_sample": pair.second,
                "times": pair.times,
                "subsample": report.subsample_of(pair.times),
            }
            for pair in report.dependence
        ],
        "propensity": {
            **_propensity(report.telling_apart),
            "second_sample": _propensity(report.telling_apart_second),
        },
        "prediction": [
            {
                "target": found.target,
                "train_rows": found.n_train,
                "test_rows": found.n_test,
                "synthetic": dict(found.synthetic),
                "second_sample": dict(found.second),
                "real_rows_as_good": dict(found.rows),
            }
            for found in report.predictions
        ],
        "not_predicted": dict(report.not_predicted),
        "groups": _groups(report),
        "clipping": [
            {
                "column": cut.name,
                "below": cut.below,
                "above": cut.above,
                "mean_shift_sd": cut.mean_shift_sd,
                "sd_ratio": cut.sd_ratio,
            }
            for cut in report.clipping
        ],
    }
    result: dict[str, Any] = _finite(content)
    return result


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "mean": found.mean,
        "second_sample": found.second,
        "times": found.times,
        "subsample": found.subsample,
        "drawing": found.drawing,
        "noise_and_model": found.noise,
        "drawing_share_of_squares": found.from_drawing,
        "k_marginal": found.k_marginal,
        "k_marginal_second_sample": found.k_marginal_second,
        "tables": found.n_sets,
        "worst": [_set(worst) for worst in found.sets],
    }


def _set(worst: SetError) -> dict[str, Any]:
    return {
        "attributes": list(worst.names),
        "error": worst.error,
        "second_sample": worst.second,
        "times": worst.times,
        "subsample": worst.subsample,
    }


def _propensity(found: Propensity) -> dict[str, Any]:
    return {"pmse": found.pmse, "pmse_ratio": found.ratio, "auc": found.auc, "rows": found.n_rows}


def _groups(report: UtilityReport) -> dict[str, Any]:
    found = report.groups
    return {
        "classes": [
            {
                "low": of.low,
                "high": of.high,
                "cells": of.cells,
                "relative_error": of.relative_error,
                "second_sample": of.second_error,
                "bias": of.bias,
                "vanished": of.lost,
                "vanished_second_sample": of.second_lost,
            }
            for of in found.classes
        ],
        "vanished": found.n_vanished,
        "largest_vanished": [
            {"attributes": list(gone.names), "values": list(gone.values), "real_rows": gone.count}
            for gone in found.vanished
        ],
        "invented": found.invented,
        "invented_second_sample": found.second_invented,
    }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
