"""Plans, their accuracy targets and previews, as text and for machines; none can open records."""

import json
from fractions import Fraction

import pytest

from starling.tables.plan import AccuracyTarget, describe, prices
from starling.tables.preview import preview
from starling.tables.preview.described import PlanCosts, overview_json
from tests.tables.plan.priced import promising_plan
from tests.tables.small import small_geography, small_plan


def test_text_of_a_plan_states_cost_relation_and_noise() -> None:
    plan = small_plan("rho")
    text = str(PlanCosts(describe(plan, small_geography(plan))))
    assert "one person (add or remove one person)" in text
    assert "rho 4, under the replace-one adjacency rho 8" in text
    assert "7, each measured, empty or not" in text
    assert "STATE detailed" in text
    assert "sigma of the discrete Gaussian" in text
    assert "scale of the discrete Laplace" in str(PlanCosts(describe(small_plan())))


def test_json_of_a_plan_is_exact() -> None:
    plan = small_plan(budget=Fraction(1, 3))
    found = json.loads(json.dumps(overview_json(describe(plan))))
    assert found["cost"] == {
        "add-remove": {"epsilon": "2/3", "decimal": "0.666667"},
        "replace-one": {"epsilon": "4/3", "decimal": "1.333334"},
    }
    assert found["puerto_rico"] is None
    assert found["groups"] is None
    level = found["levels"][0]
    assert Fraction(level["noise"]["total_only"]["scale"]) == 3 * level["stability"]
    assert level["thresholds"] == [5, 10, 20]


def test_preview_tells_the_margins_that_the_release_will_have() -> None:
    plan = small_plan(suppression=Fraction("0.99"))
    seen = preview(plan, small_geography(plan), sizes=(0, 7, 1000))
    text = str(seen)
    machine = json.loads(json.dumps(seen.as_json()))
    level = machine["levels"][1]
    assert machine["confidence"] == 0.95
    assert [branch["cells"] for branch in level["branches"]] == [1, 8, 18, 46]
    assert [size["persons"] for size in level["sizes"]] == [0, 7, 1000]
    assert sum(level["sizes"][1]["branch_probabilities"]) == pytest.approx(1)
    for branch in level["branches"]:
        assert f"± {branch['total']['margin']}" in text
    assert level["suppressed_up_to"] > 0
    assert machine["levels"][0]["suppressed_up_to"] is None
    assert "·23" in text


def test_a_plan_of_totals_alone_can_be_previewed() -> None:
    plan = small_plan()
    only = [level for level in preview(plan).levels if level.total is not None]
    assert only
    assert str(preview(plan)).count("STATE detailed") == 2


def test_a_plan_shows_what_its_targets_cost_and_which_is_costly() -> None:
    plan = promising_plan(
        "rho", [[AccuracyTarget("cell", 10), AccuracyTarget("bare total", 40)], [AccuracyTarget("cell", 30)]]
    )
    found = prices(plan)
    text = str(PlanCosts(describe(plan), found))
    assert "STATE detailed   cell within 10" in text
    assert "nothing: another binds" in text
    assert "The costliest is STATE detailed, cell within 10: within 12 instead would save" in text
    assert "Solved again" not in text
    machine = json.loads(json.dumps(PlanCosts(describe(plan), found, Fraction(3, 2)).as_json()))
    assert machine["margins_scaled_by"] == "3/2"
    assert [each["binds"] for each in machine["accuracy_targets"]] == [True, False, True]
    assert machine["accuracy_targets"][0]["relaxed"]["within"] == 12
    assert "targets" not in str(PlanCosts(describe(small_plan())))


def test_a_plan_without_a_single_costliest_target_names_none() -> None:
    plan = promising_plan("rho", [[AccuracyTarget("cell", 10), AccuracyTarget("bare total", 10)], []])
    assert "The costliest" not in str(PlanCosts(describe(plan), prices(plan)))
