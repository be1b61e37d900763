"""The experiments by name: a new one is a module here and a line below."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.experiments.base import Experiment
from hmpb_core.experiments.fig4 import FIG4
from hmpb_core.experiments.fig5 import FIG5
from hmpb_core.experiments.fig6 import FIG6
from hmpb_core.experiments.maasae import MAASAE
from hmpb_core.experiments.naive_bayes import NAIVE_BAYES
from hmpb_core.experiments.scale import SCALE
from hmpb_core.experiments.speed import SPEED
from hmpb_core.experiments.table1 import TABLE1

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (TABLE1, FIG4, FIG5, FIG6, *NAIVE_BAYES, *MAASAE, SPEED, SCALE)
}
