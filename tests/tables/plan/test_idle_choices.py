"""A choice of a plan is refused as idle exactly where no table of a release depends on it: searched over small Census plans.

test_custom_grammar_refused.py has the same of plans of declared records, a row a refusal.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, islice, product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

from starling.errors import PlanError
from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import Distribution
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Geography, GeographyLevel, Iteration, Level, Plan, Variants
from starling.tables.plan.combined_stages import variance
from starling.tables.plan.idle_choices import LARGEST
from starling.tables.plan.variants import noise_of
from starling.tables.postprocess import tabulate
from tests.tables.plan.invented import GEOGRAPHIES, census_folder, config, key
from tests.tables.small import small_geography, small_plan, written

STATE, COUNTY = GeographyLevel.STATE, GeographyLevel.COUNTY
FAMILIES = {
    1: (Iteration("0009", "all", "ethnicity", 1, alone=False, total_only=False, coarse_only=False, codes=("1000", "1001")),),
    2: tuple(
        Iteration(f"000{at}", f"group {at}", "ethnicity", 2, alone=False, total_only=False, coarse_only=False, codes=(code,))
        for at, code in enumerate(("1000", "1001"))
    ),
}  # fmt: skip
CHOICES: dict[str, dict[str, Any]] = {
    "publication.suppression": {"suppression": Fraction(9, 10)},
    "publication.add-up": {"add_up": True},
    "publication.totals": {"both_stages": True},
    "publication.intervals": {"given_published": True},
}


def plans() -> Iterator[Plan]:
    """State and county, regional and detailed groups, in every combination; with detail, and as totals alone."""
    every = list(product((STATE, COUNTY), FAMILIES))
    subsets = chain.from_iterable(combinations(every, size) for size in range(1, 5))
    for levels, total_only in product(subsets, (False, True)):
        named = {
            family: tuple(replace(each, total_only=total_only) for each in iterations)
            for family, iterations in FAMILIES.items()
        }
        base = small_plan("rho", budget=Fraction(1, 200))
        yield replace(
            base,
            levels=tuple(
                Level(geography, family, Fraction(1, 200), (5, 10, 20), named[family], 2)
                for geography, family in levels
            ),
            definitions=replace(base.definitions, iterations=tuple(each for one in named.values() for each in one)),
        )


def chosen(plan: Plan, choices: tuple[str, ...]) -> Plan:
    """The plan with these of `CHOICES`."""
    values = {name: value for choice in choices for name, value in CHOICES[choice].items()}
    suppression = values.pop("suppression", Fraction(0))
    return replace(plan, suppression=suppression, variants=Variants(**values))


def released(plan: Plan, geography: Geography) -> list[pa.Table]:
    generator = np.random.default_rng(1)

    def noise(_: Distribution, size: int | tuple[int, ...], **__: object) -> np.ndarray:
        return np.rint(generator.normal(0, 8, size)).astype(np.int64)

    with mock.patch("starling.tables.mechanism.draw", noise):
        drawn = SafeTab(plan, geography).draw(written(plan, geography, 9))
    return [each for part in tabulate(plan, geography, drawn) for each in (part.t1, part.t2)]


def same(one: pa.Table, other: pa.Table, name: str) -> bool:
    """Whether two tables agree.

    Totals that add up are rounded, and their intervals computed, in another way, also where no total moves: that is no effect.
    """
    if name != "publication.add-up":
        return bool(one == other)
    return bool((abs(one["count"].to_numpy() - other["count"].to_numpy()) <= 1).all())


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_choice_is_idle_exactly_where_no_table_depends_on_it(step: int) -> None:
    """Of every plan, or of every third."""
    compared = {(name, idle): 0 for name in CHOICES for idle in (False, True)}
    for plan in islice(plans(), 0, None, step):
        geography = small_geography(plan, counties=12)
        tables: dict[tuple[str, ...], list[pa.Table]] = {(): released(plan, geography)}
        for choices in chain.from_iterable(combinations(CHOICES, size) for size in range(1, 4)):
            try:
                with_choices = chosen(plan, choices)
            except PlanError:  # They exclude one another.
                continue
            tables[choices] = released(with_choices, geography)
            idle = {problem.field for problem in with_choices.records.idle_choices(with_choices)}
            assert idle <= {*choices}
            for name in choices:
                without = tables[tuple(each for each in choices if each != name)]
                unchanged = all(same(one, other, name) for one, other in zip(tables[choices], without, strict=True))
                assert (name in idle) == unchanged, (name, choices, [each.name for each in plan.levels])
                compared[name, unchanged] += 1
    assert all(compared.values()), compared


def test_a_census_folder_may_state_a_chance_that_leaves_nothing_out_and_a_plan_file_does_not(tmp_path: Path) -> None:
    off = {key(geography, level): 0 for geography in GEOGRAPHIES for level in (1, 2) if geography != "USA"}
    folder = census_folder(tmp_path, config(**off))
    plan = Plan.load(folder)
    assert plan.suppression
    values = plan.values("definitions")
    assert "suppression" not in values["publication"]
    values["publication"]["suppression"] = "0.5"
    with pytest.raises(PlanError, match=r"publication\.suppression would leave nothing out"):
        Plan.of({**values, "definitions": str(folder)})


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_noise_of_totals_that_add_up_has_a_variance(measure: Measure) -> None:
    """Least squares divide by it; that of a group which spends more than may be spent can be 0 in doubles."""
    assert variance(noise_of(measure, Fraction(LARGEST)))
    assert not variance(noise_of(measure, Fraction(LARGEST + 1)))
