"""A plan: what it costs, which noise it draws, and which plans are none (rows 33, 36, 38)."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.groups.plan import Plan
from starling.groups.plan.choices import default_method
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_EVENT, ADD_REMOVE_MEMBER
from tests.groups.worlds import world


def test_levels_share_the_budget_and_histograms_have_sensitivity_2(tmp_path: Path) -> None:
    plan = world(tmp_path, more='method = "h"')
    assert plan.cost == Epsilon(Fraction(1))
    assert [plan.noise(level) for level in range(3)] == [(DiscreteLaplace(Fraction(6)),)] * 3
    assert [part.cost for part in plan.guarantee.parts] == [Epsilon(Fraction(1, 3))] * 3


def test_uneven_splits_are_exact(tmp_path: Path) -> None:
    plan = world(tmp_path, more='method = "h"\nsplit = ["0.1", "0.3", "0.6"]')
    assert plan.cost == Epsilon(Fraction(1))
    assert [each.scale for level in range(3) for each in plan.noise(level) if isinstance(each, DiscreteLaplace)] == [
        20, Fraction(20, 3), Fraction(10, 3),
    ]  # fmt: skip


def test_zcdp_of_histograms(tmp_path: Path) -> None:
    plan = world(tmp_path, budget='rho = "3/7"', more='method = "h"', quantity=4)
    assert plan.cost == Rho(Fraction(3, 7))
    assert plan.noise(0) == (DiscreteGaussian(Fraction(7)),)


def test_the_relation_names_what_is_protected(tmp_path: Path) -> None:
    assert world(tmp_path).relation == ADD_REMOVE_MEMBER
    assert str(world(tmp_path, unit="event").relation) == "add or remove one event of an existing group"
    assert world(tmp_path, "events", groups="").relation == ADD_REMOVE_EVENT


def test_a_title_is_no_choice_and_all_else_is(tmp_path: Path) -> None:
    plan = world(tmp_path)
    assert replace(plan, title="Other", group="flat", member="man").digest == plan.digest
    assert replace(plan, largest=5).digest != plan.digest
    assert world(tmp_path, budget='epsilon = "2"').digest != plan.digest


def changed(plan: Plan, **values: object) -> None:
    replace(plan, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({"largest": 1 << 25}, "cells, regions of all levels times sizes, beyond"),
        ({"groups": -1}, "could leave 64 bits"),
        ({"groups": 1 << 40, "largest": 1 << 22}, "could leave 64 bits"),
        ({"quantity": 5}, "give 1 <= quantity <= largest"),
        ({"unit": "event", "kind": "persons"}, "register is missing"),
        ({"totals": "region"}, "which the regions do not add up to"),
    ],
)
def test_what_cannot_be_is_refused_by_public_facts(values: dict[str, object], cause: str, tmp_path: Path) -> None:
    plan = world(tmp_path)
    with pytest.raises(PlanError, match=cause):
        changed(plan, **values)


def test_noise_that_could_leave_64_bits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="sums could leave 64 bits"):
        world(tmp_path, budget='epsilon = "1/9999999999999999"')


def test_persons_protect_members_and_events_events(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="is not that of persons"):
        world(tmp_path, "persons", unit="event")
    with pytest.raises(PlanError, match="is not that of events"):
        world(tmp_path, "events", unit="member")


def test_the_default_is_what_has_less_noise() -> None:
    assert default_method(2, "epsilon") == default_method(2, "rho") == "h"
