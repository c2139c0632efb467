"""The parameters that privacy.json states are enough to recompute cost and error."""

import json
from fractions import Fraction
from typing import Any

import pytest

from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.tables.artifact.public_plan import bounds, parameters, particulars, product
from starling.tables.plan.census_levels import STATES
from starling.tables.plan.census_records import census_records
from tests.tables.small import small_geography, small_plan, with_records


def stated(**options: Any) -> dict[str, Any]:
    """As a reader of the file gets them."""
    plan = small_plan("rho", **options)
    loaded: dict[str, Any] = json.loads(json.dumps(parameters(plan, small_geography(plan))))
    return loaded


def test_every_choice_of_the_plan_is_stated() -> None:
    result = stated(suppression=Fraction("0.9"), allow_negative=False)
    assert result["stage_1_fraction"] == "1/10"
    assert result["suppression_chance"] == "9/10"
    assert result["negative_counts_published"] is False
    assert result["max_race_codes"] == 2
    assert result["states"] == ["01"]
    assert result["confidence"] == "19/20"
    assert [level["measurements"] for level in result["levels"]] == [
        "data/measurements/state-2.parquet",
        "data/measurements/county-2.parquet",
    ]


def test_noise_follows_from_budget_and_stability() -> None:
    state, county = stated()["levels"]
    for level in (state, county):
        share = Fraction(level["budget"]["rho"]) / level["stability"]
        stage_noise = {name: Fraction(distribution["sigma_squared"]) for name, distribution in level["noise"].items()}
        assert stage_noise == {
            "total_only": 1 / (2 * share),
            "stage_1": 1 / (2 * share / 10),
            "stage_2": 1 / (2 * share * 9 / 10),
        }
        distribution = DiscreteGaussian(stage_noise["stage_2"])
        assert level["margins_of_error"]["totals_by_branch"] == [
            margin(distribution, "0.05", n) for n in (1, 8, 18, 46)
        ]
    assert (state["regions"], state["iterations"], county["regions"], county["iterations"]) == (1, 3, 2, 2)


def test_suppression_is_stated_below_the_state_alone() -> None:
    state, county = stated(suppression=Fraction("0.9"))["levels"]
    assert state["suppressed_up_to"] is None
    assert county["suppressed_up_to"] > 0
    assert stated()["levels"][1]["suppressed_up_to"] is None


def test_bounds_are_those_of_the_sensitivities() -> None:
    plan = small_plan("rho")
    text = bounds(plan)
    assert text["race_codes_of_a_person"] == census_records(plan).max_race_codes
    assert text["groups_of_a_person"] == {level.name: level.stability for level in plan.levels}
    assert particulars(plan, small_geography(plan)).name == "tables"


@pytest.mark.parametrize(
    ("states", "puerto_rico", "expected"),
    [
        (frozenset({"02", "01"}), False, "Alabama, Alaska"),
        (frozenset(STATES), True, "United States, Puerto Rico"),
        (frozenset(), True, "Puerto Rico"),
    ],
)
def test_the_registry_learns_whom_it_is_about(states: frozenset[str], puerto_rico: bool, expected: str) -> None:
    plan = with_records(small_plan(), states=states, puerto_rico=puerto_rico)
    assert product(plan).region == expected


def test_the_registry_learns_what_was_done_to_the_numbers() -> None:
    done = product(small_plan(suppression=Fraction("0.99"), allow_negative=False)).post_processing
    assert "noise alone exceeds with chance 0.01" in done
    assert "Negative numbers are published as 0" in done
    assert "Negative" not in product(small_plan()).post_processing
