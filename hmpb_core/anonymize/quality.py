"""What classes lose and how well they protect: the figures of the paper, class by class and together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize.groups import entropy
from hmpb_core.anonymize.measure import Measure
from hmpb_core.anonymize.partition import Rows, protection


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """One class.

    Attributes:
        n_rows: Number of rows.
        n_values: Number of different sensitive values.
        top_share: Part of the rows with the most frequent sensitive value: how sure an onlooker who
            finds a person's class is of that value.
        average_loss: AVG-IL(G): loss a row and attribute, 0 to 1 (eq. 17).
        attribute_losses: Loss a row, for each quasi-identifier.
        entropy: Ent(G), in bits (eq. 14).
        protection: Ent(G) / IL(G): the class's protection factor, from one row on.
    """

    n_rows: int
    n_values: int
    top_share: float
    average_loss: float
    attribute_losses: tuple[float, ...]
    entropy: float
    protection: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All classes together.

    Attributes:
        avg_il: AVG-IL: mean over classes of their loss a row and attribute (eq. 18); less is better.
        avg_ent: AVG-Ent: mean entropy of the classes, in bits (eq. 19); more is better.
        c_avg: C_AVG: mean class size over k (eq. 20); 1 is the least.
        n_classes: Number of classes.
    """

    avg_il: float
    avg_ent: float
    c_avg: float
    n_classes: int


def class_figures(
    table: Rows, rows: Sequence[int], measures: Sequence[Measure] | None = None
) -> ClassFigures:
    """The figures of one class.

    Args:
        table: The whole table.
        rows: Row numbers of the class.
        measures: How the loss is measured, if not as the table says.
    """
    measures = measures or table.measures
    codes = table.codes[list(rows)]
    counts = np.bincount(table.sensitive[list(rows)])
    losses = tuple(measure.loss(codes[:, i]) for i, measure in enumerate(measures))
    total, bits = math.fsum(losses), entropy(counts)
    return ClassFigures(
        n_rows=len(codes),
        n_values=int(np.count_nonzero(counts)),
        top_share=float(counts.max() / len(codes)),
        average_loss=total / len(codes) / len(measures),
        attribute_losses=tuple(loss / len(codes) for loss in losses),
        entropy=bits,
        protection=protection(bits, total),
    )


def summarize(classes: Sequence[ClassFigures], *, k: int) -> Figures:
    """The figures of all classes.

    Source: [Yang2014, eq. 17 to 20].
    """
    n_rows = sum(one.n_rows for one in classes)
    return Figures(
        avg_il=float(np.mean([one.average_loss for one in classes])),
        avg_ent=float(np.mean([one.entropy for one in classes])),
        c_avg=n_rows / len(classes) / k,
        n_classes=len(classes),
    )
