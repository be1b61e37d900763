"""The examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import hmpb_core

MODULES = sorted(m.name for m in pkgutil.walk_packages(hmpb_core.__path__, "hmpb_core."))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert done.failed == 0


CENTRAL = (
    "domain.Categorical",
    "domain.Domain",
    "marginal.Marginal",
    "privacy.guarantee.Guarantee",
    "privacy.budget.Shares",
    "privacy.budget.Budget",
    "privacy.accountant.Accountant",
    "privacy.events.Event",
    "stages.similarity.SimilarityMatrix",
    "stages.clustering.Clustering",
    "network.BayesianNetwork",
    "network.ConditionalTable",
    "planning.plan.Plan",
    "model.Model",
    "publishing.release.Release",
    "sources.base.Source",
    "sources.open.open_source",
    "facade.HMPrivBayes",
)


@pytest.mark.parametrize("name", CENTRAL)
def test_a_central_type_shows_how_it_is_used(name: str) -> None:
    assert ">>>" in pkgutil.resolve_name(f"hmpb_core.{name}").__doc__
