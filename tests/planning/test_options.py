"""One table of a plan's choices: command line, Python and plan file follow it."""

import argparse
import inspect
from dataclasses import fields

import pytest

from hmpb_core.cli import parser_of_all
from hmpb_core.commands.options import add_plan_options
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.facade import HMPrivBayes
from hmpb_core.planning.methods import Accounting, spec_of
from hmpb_core.planning.options import OPTIONS, WITHOUT_OPTION, option
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.synthesis import plan_of_options
from tests.tables import people, people_codebook

DOMAIN = Domain.of_sizes([2, 3, 4])


def test_every_field_of_a_plan_has_its_option_or_a_reason_to_have_none():
    held = {entry.name for entry in fields(Plan)} | {entry.name for entry in fields(Guarantee)}
    optional = {entry.field for entry in OPTIONS}
    assert optional | set(WITHOUT_OPTION) == held
    assert not optional & set(WITHOUT_OPTION)


def test_every_option_stands_on_the_command_line_under_its_name_and_aliases():
    parser = argparse.ArgumentParser()
    add_plan_options(parser)
    shown = {name for action in parser._actions for name in action.option_strings}
    wanted = {f"--{n}" for entry in OPTIONS for n in (entry.name, *entry.aliases) if entry.name != "rows"}
    assert shown - {"-h", "--help"} == wanted


def test_the_spelling_of_the_command_line_stays():
    line = "plan --codebook c -o p --epsilon 2 --delta 1e-8 --guarantee zcdp --neighbors add-remove"
    line += " --profile sound --method independent --similarity tvd --clusters 2 --parents 3 --gamma 0"
    line += " --eta 0.5 --sigma 1 --shares one-way=1 --rows 9"
    args = parser_of_all().parse_args(line.split())
    given = {
        "epsilon": 2.0,
        "guarantee": "zcdp",
        "accounting": "sound",
        "parents": 3,
        "rows": 9,
        "gamma": 0.0,
    }
    assert {name: getattr(args, name) for name in given} == given


def test_every_parameter_of_the_estimator_is_an_option_with_the_same_default():
    own = {"seed", "rows_per_person"}
    parameters = inspect.signature(HMPrivBayes).parameters
    named = {entry.parameter: entry for entry in OPTIONS if entry.parameter}
    assert set(parameters) - own == set(named)
    for name, entry in named.items():
        default = parameters[name].default
        assert default is None or default == entry.default, name


def test_what_is_left_out_is_what_a_plan_holds_by_itself():
    plan = plan_of_options({"epsilon": 1.0}, DOMAIN, n_rows=100)
    for entry in OPTIONS:
        if entry.default is not None and not entry.required:
            holder = plan if hasattr(plan, entry.field) else plan.guarantee
            assert getattr(holder, entry.field) == entry.default, entry.name


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("clusters", "3", "n_clusters is '3'; it must be a number"),
        ("clusters", 2.5, "it must be a whole number"),
        ("clusters", True, "it must be a number"),
        ("similarity", "pearson", "similarity is 'pearson'; choose one of auto, mic, mi, tvd"),
        ("accounting", "loose", "choose one of sound, as-published"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_wherever_it_comes_from(name, value, words):
    with pytest.raises(PlanError, match=words):
        plan_of_options({"epsilon": 1.0, name: value}, DOMAIN, n_rows=100)
    with pytest.raises(PlanError, match=words):
        HMPrivBayes(**{option(name).parameter: value}).fit(people(100), people_codebook())


@pytest.mark.parametrize("clusters", [4, 99])
def test_more_clusters_than_attributes_are_refused(clusters):
    with pytest.raises(PlanError, match="only 3 attributes"):
        plan_of_options({"epsilon": 1.0, "clusters": clusters}, DOMAIN, n_rows=100)
    assert plan_of_options({"epsilon": 1.0, "clusters": 3}, DOMAIN, n_rows=100).clusters == 3


def test_the_papers_clusters_are_of_bits():
    given = {"epsilon": 1.0, "accounting": "as-published", "clusters": 5}
    assert plan_of_options(given, DOMAIN, n_rows=100).clusters == 5  # 1 + 2 + 2 bits
    with pytest.raises(PlanError, match="only 5 attributes"):
        plan_of_options({**given, "clusters": 6}, DOMAIN, n_rows=100)


def test_of_a_method_with_one_learner_none_is_named_that_cannot_be_typed() -> None:
    with pytest.raises(PlanError, match="no learner 'additive' but one of its own; leave it out"):
        spec_of("privbayes", Accounting.SOUND, learner="additive")
    with pytest.raises(PlanError, match="choose one of adaptive"):
        spec_of("hmprivbayes", Accounting.SOUND, learner="jtree")
