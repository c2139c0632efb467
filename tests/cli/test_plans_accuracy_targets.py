"""What a plan's accuracy targets cost, as text and for machines."""

import json
from fractions import Fraction

from starling.cli import plans
from starling.tables.plan import AccuracyTarget, describe, prices
from tests.tables.plan.priced import promising_plan
from tests.tables.small import small_plan


def test_a_plan_shows_what_its_targets_cost_and_which_is_costly() -> None:
    plan = promising_plan(
        "rho", [[AccuracyTarget("cell", 10), AccuracyTarget("bare total", 40)], [AccuracyTarget("cell", 30)]]
    )
    found = prices(plan)
    text = plans.plan_text(describe(plan), found, None)
    assert "STATE detailed   cell within 10" in text
    assert "nothing: another binds" in text
    assert "The costliest is STATE detailed, cell within 10: within 12 instead would save" in text
    assert "Solved again" not in text
    machine = json.loads(json.dumps(plans.plan_json(describe(plan), found, Fraction(3, 2))))
    assert machine["margins_scaled_by"] == "3/2"
    assert [each["binds"] for each in machine["accuracy_targets"]] == [True, False, True]
    assert machine["accuracy_targets"][0]["relaxed"]["within"] == 12
    assert "targets" not in plans.plan_text(describe(small_plan()), (), None)


def test_a_plan_without_a_single_costliest_target_names_none() -> None:
    plan = promising_plan("rho", [[AccuracyTarget("cell", 10), AccuracyTarget("bare total", 10)], []])
    assert "The costliest" not in plans.plan_text(describe(plan), prices(plan), None)
