"""Exact comparisons of a synthetic table with the real one: for the steward's eyes only.

Nothing here adds noise. Figures like these, shown beside a generator, leak rows
[ReconSyn]; publishing never imports this room.
"""

from hmpb_core.metrics.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
