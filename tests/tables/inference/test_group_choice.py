"""Which groups add up to the people with given values: those whose sum has the least noise, of any family that can say it."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.tables.inference.group_choice import choose_groups
from starling.tables.inference.totals import deviation_of
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.detail import TOTAL_ONLY

VALUES = {"sex": ["F", "M"], "hair": ["b", "r", "w"]}
FAMILIES: dict[str, list[str]] = {"everybody": [], "sex": ["sex"], "hair": ["hair"], "both": ["sex", "hair"]}
REGIONS = {
    "column": "town",
    "levels": ["state", "town"],
    "rows": [["t1", "s1"], ["t2", "s1"], ["t3", "s2"]],
}


def plan(budgets: dict[str, str], *, regions: bool = False) -> Plan:
    places: list[dict[str, Any]] = [{"regions": name} for name in ("state", "town")] if regions else [{}]
    return Plan.of(
        {
            "title": "Towns",
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
            "records": {"of-a-person": 1},
            "publication": {"negative-counts": True},
            "regions": REGIONS if regions else None,
            "columns": [{"name": name, "values": values} for name, values in VALUES.items()],
            "groups": [{"name": name, "columns": FAMILIES[name]} for name in budgets],
            "levels": [
                {**place, "groups": name, "budget": budget} for place in places for name, budget in budgets.items()
            ],
        }
    )


BUDGETS = st.dictionaries(st.sampled_from([*FAMILIES]), st.sampled_from(["0.1", "1", "5"]), min_size=1)
WANTED = st.fixed_dictionaries(
    {}, optional={name: st.lists(st.sampled_from(v), min_size=1, unique=True) for name, v in VALUES.items()}
)


@pytest.mark.examples(20)
@given(budgets=BUDGETS, wanted=WANTED)
def test_the_sum_of_least_variance_is_chosen_among_all_that_say_it(
    budgets: dict[str, str], wanted: dict[str, list[str]]
) -> None:
    output = plan(budgets)
    regions = read_regions(output, None)
    sums = {}
    for level in output.levels:
        columns = FAMILIES[level.iterations[0].kind]
        if wanted.keys() <= set(columns):
            sets = [wanted.get(name, VALUES[name]) for name in columns]
            codes = {
                f"{level.iterations[0].kind}: {', '.join(each) or 'everybody'}" for each in product(*map(sorted, sets))
            }
            sums[frozenset(codes)] = len(codes) * deviation_of(output, level, TOTAL_ONLY) ** 2
    if not sums:
        with pytest.raises(ParameterError):
            choose_groups(output, regions, wanted)
        return
    chosen = choose_groups(output, regions, wanted)
    assert sums[frozenset(chosen.codes)] == min(sums.values())


def test_regions_are_chosen_by_the_name_of_their_level() -> None:
    output = plan({"sex": "1"}, regions=True)
    regions = read_regions(output, None)
    assert choose_groups(output, regions, {"sex": "F", "town": "t2"}).regions == ("t2",)
    assert choose_groups(output, regions, {"sex": "F", "state": ["s1", "s2"]}).regions == ("s1", "s2")
    assert choose_groups(output, regions, {"sex": "F"}).level.geography == "state", (
        "two regions have less noise than three"
    )


@pytest.mark.parametrize(
    "wanted", [{"sex": "X"}, {"hair": "b", "sex": "F"}, {"shoes": "1"}, {"town": "t9"}, {"town": "t1", "state": "s1"}]
)
def test_what_no_group_says_is_refused(wanted: dict[str, str]) -> None:
    output = plan({"sex": "1"}, regions=True)
    with pytest.raises(ParameterError):
        choose_groups(output, read_regions(output, None), wanted)
