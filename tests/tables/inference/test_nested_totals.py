"""The variance of any weighted sum of numbers that were made to add up is that of the dense system, draw by draw; and intervals hold."""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space

from starling.privacy.distributions.probability_mass import probability_mass
from starling.release.intervals import Value, total
from starling.release.shared_noise import Linked
from starling.tables.inference.combined import standard_deviation
from starling.tables.inference.nested_totals import NestedTotals
from starling.tables.inference.totals import stage1_share, unrounded_deviation
from starling.tables.inference.trees import Estimated, least_squares, rounded_below, whole
from starling.tables.plan import Plan
from starling.tables.plan.detail import TOTAL_ONLY
from tests.tables.inference.dense import Floats
from tests.tables.inference.test_consistency import COUNTY, ITERATIONS, STATE, TRACT, USA, build, plan_of

PARTS = {code: [code] for code in ("0002", "0003", "0004", "0005", "0006")} | {"0001": ["0002", "0003"]}
"""The iterations that add up to each."""
SINGLE = (build("0006", 2, "1004"),)


@dataclass(frozen=True)
class World:
    """A plan of a family and of iterations alone, regions, and the branch of each group."""

    plan: Plan
    regions: dict[str, tuple[str, ...]]
    branches: dict[int, Any]

    @property
    def nested(self) -> NestedTotals:
        geography: Any = SimpleNamespace(regions=self.regions)
        return NestedTotals(self.plan, geography, self.branches.__getitem__, lambda level: (str(level.geography),))

    def tracts_of(self, geography: str) -> Floats:
        """Which tracts each region is made of."""
        width = {str(USA): 0, STATE: 2, COUNTY: 5, TRACT: 11}[geography]
        return np.array(
            [
                [float(not width or tract.startswith(region)) for tract in self.regions[TRACT]]
                for region in self.regions[geography]
            ]
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Chains with and without states and counties; one member of the family may end above the lowest level."""
    counties = [f"{state}{county:03d}" for state in ("01", "02") for county in range(1, draw(st.integers(2, 4)))]
    tracts = [f"{county}{tract:06d}" for county in counties for tract in range(1, draw(st.integers(2, 4)))]
    regions: dict[str, tuple[str, ...]] = {
        USA: ("1",),
        STATE: ("01", "02"),
        COUNTY: tuple(counties),
        TRACT: tuple(tracts),
    }
    middle = draw(st.sampled_from([(STATE, COUNTY), (COUNTY,), (STATE,), ()]))
    family, first, second, *others = ITERATIONS
    if draw(st.booleans()):
        second = replace(second, total_only=True)
    plan = plan_of((family, first, second, *others, *SINGLE), (USA, *middle, TRACT))
    plan = replace(plan, variants=replace(plan.variants, add_up=True, both_stages=draw(st.booleans())))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    branches = {}
    for index, level in enumerate(plan.levels):
        shape = len(regions[level.geography]), len(level.iterations)
        branches[index] = random.integers(0, len(plan.detail.branches) - 1, shape).astype(np.int8)
        for column, each in enumerate(level.iterations):
            if each.total_only:
                branches[index][:, column] = TOTAL_ONLY
    return World(plan, regions, branches)


def groups_of(world: World) -> list[tuple[int, int, int]]:
    """All groups, as level, region and column."""
    return [
        (index, region, column)
        for index, level in enumerate(world.plan.levels)
        for region, column in product(range(len(world.regions[level.geography])), range(len(level.iterations)))
    ]


def dense_variance(world: World, weights: dict[tuple[int, int, int], list[int]]) -> float:
    """The same from the coefficient of every draw, by one dense least-squares system."""
    plan, groups = world.plan, groups_of(world)
    free = [code for code in PARTS if code != "0001"]
    # A family whose member is not tabulated somewhere adds up where it is; below, the sum is a count of its own.
    below = _below_the_family(plan)
    free += ["0001"] if below else []
    design, variances = [], []
    for index, region, column in groups:
        level = plan.levels[index]
        code = level.iterations[column].code
        parts = [code] if level.geography in below and code == "0001" else PARTS[code]
        tracts = world.tracts_of(level.geography)[region]
        design.append(np.concatenate([tracts * (each in parts) for each in free]))
        kind = int(world.branches[index][region, column])
        variances.append(unrounded_deviation(plan, level, kind) ** 2)
    matrix, spread = np.array(design), np.array(variances)
    if below:
        # What the sum is below the family is, all together, its members in each region of the lowest level of the family.
        lowest = [each for each in _steps(plan) if each not in below][-1]
        held = world.tracts_of(lowest)
        ties = [
            np.concatenate([row * {"0002": 1, "0003": 1, "0001": -1}.get(each, 0) for each in free]) for row in held
        ]
        matrix = matrix @ null_space(np.array(ties))
    weighted = matrix.T / spread
    estimates = matrix @ np.linalg.pinv(weighted @ matrix) @ weighted
    on_totals = np.zeros(len(groups))
    for place, each in weights.items():
        on_totals += np.mean(each) * estimates[groups.index(place)]
    variance = 0.0
    for at, (index, region, column) in enumerate(groups):
        level, kind = plan.levels[index], int(world.branches[index][region, column])
        share = float(stage1_share(plan, level, kind))
        size = plan.detail.sizes[max(kind, 0)]
        own = np.array(weights.get((index, region, column), [0] * size), dtype=float)
        drawn = on_totals[at] * (1 - share) + own - own.mean()
        noise = plan.noise(level, total_only=kind == TOTAL_ONLY)
        variance += float(drawn @ drawn) * standard_deviation(noise) ** 2
        if share:
            variance += (on_totals[at] * share * standard_deviation(plan.stage_noise(level).stage1)) ** 2
    return variance


def _steps(plan: Plan) -> list[str]:
    return list(dict.fromkeys(level.geography for level in plan.levels))


def _below_the_family(plan: Plan) -> list[str]:
    codes: dict[str, set[str]] = defaultdict(set)
    for level in plan.levels:
        codes[level.geography] |= {each.code for each in level.iterations}
    return [step for step in _steps(plan) if not {"0001", "0002", "0003"} <= codes[step]]


def value_of(world: World, nested: NestedTotals, weights: dict[tuple[int, int, int], list[int]]) -> Value:
    parts = []
    for (index, region, column), each in weights.items():
        level = world.plan.levels[index]
        place = str(level.geography), world.regions[level.geography][region], level.iterations[column].code
        parts.append(Value(Fraction(0), cells={Linked(*nested.group(*place)): tuple(map(Fraction, each))}))
    return total(parts)


@pytest.mark.examples(20)
@given(worlds(), st.data())
def test_any_sum_has_the_variance_of_the_dense_system(world: World, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(groups_of(world)), min_size=1, max_size=8, unique=True))
    weights = {}
    for index, region, column in chosen:
        size = world.plan.detail.sizes[max(int(world.branches[index][region, column]), 0)]
        alike = data.draw(st.booleans())
        one = st.integers(-2, 2)
        weights[index, region, column] = (
            [data.draw(one)] * size if alike else data.draw(st.lists(one, min_size=size, max_size=size))
        )
    value = value_of(world, world.nested, weights)
    assert value.standard_deviation**2 == pytest.approx(dense_variance(world, weights), rel=1e-6, abs=1e-6)
    assert "at most" not in repr(value)


@pytest.mark.examples(10)
@given(worlds())
def test_what_adds_up_errs_by_nothing(world: World) -> None:
    nested = world.nested
    for code in ("0001", "0004", "0006"):
        for above, below in zip(_steps(world.plan), _steps(world.plan)[1:], strict=False):
            parts: dict[tuple[int, int, int], list[int]] = {}
            for index, level in enumerate(world.plan.levels):
                columns = [column for column, each in enumerate(level.iterations) if each.code == code]
                if level.geography in (above, below) and columns:
                    for region in range(len(world.regions[level.geography])):
                        size = world.plan.detail.sizes[max(int(world.branches[index][region, columns[0]]), 0)]
                        parts[index, region, columns[0]] = [1 if level.geography == above else -1] * size
            value = value_of(world, nested, parts)
            assert value.standard_deviation == value.margin() == 0


@pytest.mark.statistical
def test_intervals_of_unions_hold() -> None:
    """10,000 trees, published in whole persons: 95 % within 6 standard errors, a false alarm in 10^9. A margin 8 % too narrow would hold
    92.9 %, and be found with a chance above 0.999; adding deviations as if they were one would hold all."""
    random = np.random.default_rng(4)
    trees = 10_000
    plan = replace(plan_of(SINGLE, (USA, STATE, COUNTY)), gamma=Fraction(1, 2))
    parents = [np.zeros(3, dtype=np.int64), np.repeat(np.arange(3), 8)]
    levels = []
    for level in plan.levels:
        listed = probability_mass(plan.noise(level))
        shape = dict[str, int]({USA: 1, STATE: 3, COUNTY: 24})[level.geography], trees
        drawn = random.choice(np.arange(-listed.last, listed.last + 1), shape, p=listed.mass / listed.mass.sum())
        levels.append(Estimated(drawn.astype(float), np.full(shape, listed.variance)))
    nation, states, counties = (each.count for each in least_squares(levels, parents))
    top = whole(nation)
    middle = rounded_below(states, top, parents[0])
    errors = rounded_below(counties, middle, parents[1])
    world = World(
        plan,
        {
            "USA": ("1",),
            "STATE": ("01", "02", "03"),
            "COUNTY": tuple(f"0{1 + each // 8}{each:03d}" for each in range(24)),
        },
        {index: np.zeros((len(parent), 1), dtype=np.int8) for index, parent in enumerate([np.zeros(1), *parents])},
    )
    for union in ([0], [*range(5)], [*range(4), *range(8, 15)], [*range(23)]):
        value = value_of(world, world.nested, {(2, county, 0): [1] for county in union})
        error = errors[union].sum(axis=0)
        assert np.mean(np.abs(error) <= value.margin()) > 0.95 - 6 * (0.95 * 0.05 / trees) ** 0.5
        assert float(error.std()) == pytest.approx(value.standard_deviation, rel=6 * (2 * trees) ** -0.5 + 0.02)
