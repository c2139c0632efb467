"""What a preview of cross tables says is so: no shares cost less than its bound, and leaving a table out saves what it says."""

import re
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

from starling.privacy.distributions.deviations import normal_deviations
from starling.tables.analysis import TablesRelease
from starling.tables.plan import Plan, describe, read_regions
from starling.tables.plan.residuals import variances
from starling.tables.preview import preview
from starling.tables.preview.cross import CrossPreview, preview_cross
from starling.tables.preview.described import PlanCosts, overview_json
from tests.tables.plan.stated_cross import WEIGHED, WHOLE
from tests.tables.plan.test_custom_grammar_refused import NONE, changed

EVEN: dict[str, Any] = {"regions.rows": [["w0", "ta"], ["w1", "ta"], ["w2", "tb"], ["w3", "tb"]]}
"""Two wards in each town."""


def previewed(plan: Plan) -> CrossPreview:
    """The cross tables of a plan that has them."""
    cross = preview_cross(plan)
    assert cross is not None
    return cross


def one_way(margins: dict[str, int]) -> Plan:
    """The total and tables of one column, each with its margin."""
    stated = [{"within": within, "table": [name] if name else []} for name, within in margins.items()]
    return Plan.of(
        changed(
            {"regions": NONE, "tables.cross": 1, "tables.add": NONE, "tables.leave-out": NONE}
            | {"tables.margins": stated},
            WHOLE,
        )
    )


@pytest.mark.parametrize("margins", [(20, 20, 20, 20), (40, 8, 20, 20), (5, 30, 9, 14), (50, 4, 30, 30)])
def test_the_bound_is_the_least_that_brute_force_finds(margins: tuple[int, ...]) -> None:
    names = ("", "sex", "age", "school")
    plan = one_way(dict(zip(names, margins, strict=True)))
    cells = (1, 2, 3, 3)
    most = [
        ((margin - 1 / (2 * size)) / normal_deviations(Fraction(1, 20))) ** 2
        for margin, size in zip(margins, cells, strict=True)
    ]
    # With s of the total, the noise of every other part follows: its table has no slack.
    of_total = np.linspace(1e-4, 1, 200_001)[:-1] * min(most[0], *(4 * most[1], *(9 * each for each in most[2:])))
    rho = 1 / (2 * of_total)
    for size, largest in zip((2, 3, 3), most[1:], strict=True):
        p = (size - 1) / size
        rho += p / (2 * (largest - of_total / size**2) / p)
    bound, budget = previewed(plan).bound, float(plan.cost.amount)
    assert bound is not None
    assert bound <= rho.min() * (1 + 1e-9)
    assert bound >= rho.min() * 0.999
    assert rho.min() * (1 - 1e-9) <= budget <= rho.min() * 1.0011


@pytest.mark.parametrize("whole", [WHOLE, WEIGHED], ids=["margins", "weights"])
def test_no_shares_give_it_for_less_than_the_bound(whole: dict[str, Any]) -> None:
    plan = Plan.of(changed(EVEN, whole))
    assert plan.cross is not None
    cross, shape = previewed(plan), plan.cross_shape
    assert cross.bound is not None
    assert 0.999 * float(plan.cost.amount) < cross.bound < 1.000001 * float(plan.cost.amount)
    reached = np.array(variances(shape, plan.cross.shares))
    largest = reached if whole is WEIGHED else np.array(_largest(plan))
    generator = np.random.default_rng(2)
    shares = np.array([[float(each) for each in level] for level in plan.cross.shares])
    for _ in range(200):
        other = shares * generator.lognormal(0, generator.choice([0.003, 0.1, 1]), shares.shape)
        exact = tuple(tuple(map(Fraction, level.tolist())) for level in other)
        assert other.sum() * (np.array(variances(shape, exact)) / largest).max() >= cross.bound * (1 - 1e-9)


def _largest(plan: Plan) -> list[list[float]]:
    """The largest variances by the margins of WHOLE, one by one."""
    normal, ninety = normal_deviations(Fraction(1, 20)), normal_deviations(Fraction(1, 10))
    within = [[(40, ninety)] * 3 + [(12, normal), (40, ninety)], [(each, normal) for each in (9, 20, 20, 12, 20)]]
    cells = (1, 2, 3, 6, 18)
    return [
        [((each - 1 / (2 * size)) / z) ** 2 for (each, z), size in zip(level, cells, strict=True)] for level in within
    ]


def test_what_leaving_a_table_out_saves_is_what_the_plan_without_it_costs() -> None:
    plan = Plan.of(changed(EVEN, WHOLE))
    saved = dict(previewed(plan).savings)
    assert set(saved) == {"everybody", "sex", "age", "sex by age", "sex by age by school"}
    without: dict[str, dict[str, Any]] = {
        "sex": {"tables.leave-out": [["school"], ["sex"]]},
        "everybody": {"tables.leave-out": [["school"], []], "tables.margins[3]": NONE},
        "sex by age": {"tables.add": [["school", "age", "sex"]], "tables.margins[1]": NONE},
        "sex by age by school": {"tables.add": [["sex", "age"]]},
    }
    for name, changes in without.items():
        cost = Plan.of(changed(EVEN | changes, WHOLE)).cost.amount
        assert abs(saved[name] - (1 - float(cost / plan.cost.amount))) < 1e-5
    assert max(saved.values()) > 0.1


def test_where_regions_differ_in_number_no_bound_is_stated() -> None:
    plan = Plan.of(WHOLE)
    assert previewed(plan).bound is None
    assert "is not known: regions of a level differ" in str(preview(plan, read_regions(plan)))


@pytest.mark.parametrize("records", [1, 3])
def test_tables_stand_with_cells_deviation_margin_and_part(records: int) -> None:
    plan = Plan.of(changed(EVEN | {"records": {"of-a-person": records, "person": "id"}}, WEIGHED))
    assert plan.cross is not None
    cross, regions = previewed(plan), read_regions(plan)
    assert abs(sum(each.part for each in cross.tables) - 1) < 1e-12
    assert [each.cells for each in cross.tables] == [2, 4, 6, 12, 36, 4, 8, 12, 24, 72]
    reached = [each for level in variances(plan.cross_shape, plan.cross.shares) for each in level]
    assert [each.standard_deviation for each in cross.tables] == [records * sqrt(each) for each in reached]
    sizes = [1, 2, 3, 6, 18] * 2
    assert all(
        each.margin == 1.96 * each.standard_deviation + 1 / (2 * size)
        for each, size in zip(cross.tables, sizes, strict=True)
    )
    shown, costs = preview(plan, regions), PlanCosts(describe(plan, regions))
    for text in (str(shown), str(costs)):
        assert "sex by age by school" in text
        assert re.search(r"No other shares give this for less than rho 0\.(4999|5)\.", text)
        assert "cells" in text
    assert shown.as_json()["groups"] == 180 == describe(plan, regions).groups
    listed: dict[str, Any] = overview_json(describe(plan, regions))
    names = ["everybody", "sex", "age", "sex by age", "sex by age by school"]
    assert [each["name"] for each in listed["tables"]] == 2 * names
    assert listed["least_rho"] == cross.bound
    (section,) = shown.sections()
    assert section.tables[0].rows == tuple(cross.rows())


def test_a_margin_is_half_the_width_of_the_widest_interval_that_is_released(cross_release: TablesRelease) -> None:
    for each in previewed(cross_release.plan).tables:
        rows = cross_release.rows(each.name.replace(" ", "_"), region_type=each.level).to_pylist()
        assert max(row["upper"] - row["lower"] for row in rows) / 2 == pytest.approx(each.margin)
