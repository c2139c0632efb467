"""Pairs are those of a walk over two dictionaries, whatever the pieces of either release."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.tables.artifact.measured import keep_measurements
from starling.tables.earlier.pairs import Side, noise, pairs, terms
from starling.tables.inference.totals import suppression_quantile
from starling.tables.measurements import Measured, offsets
from starling.tables.plan import Geography, GeographyLevel, Piece, Plan, pieces
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.release.plain import plain
from tests.tables.small import small_geography, small_plan

Drawn = list[tuple[Piece, Measured]]


def drawn(plan: Plan, geography: Geography, most: int, seed: int) -> Drawn:
    """Random branches (as stage 1 gives them) and values."""
    rng = np.random.default_rng(seed)
    result = []
    for piece in pieces(plan, geography, most):
        level = plan.levels[piece.level]
        once = np.tile(level.total_only, piece.regions)
        stage1 = np.where(once, 0, rng.integers(0, 30, piece.groups))
        branch = np.searchsorted(np.array(level.thresholds), stage1, side="right").astype(np.int8)
        branch[once] = TOTAL_ONLY
        result.append((piece, Measured(stage1, branch, rng.integers(-50, 50, offsets(branch, SEX_BY_AGE)[-1]))))
    return result


def side(folder: Path, plan: Plan, geography: Geography, measured: Drawn) -> Side:
    keep_measurements(folder, plain(folder), plan, geography, measured)
    return Side(folder, plan, geography)


def groups(
    plan: Plan, geography: Geography, measured: Drawn
) -> Iterator[tuple[tuple[str, ...], tuple[int, list[int], bool]]]:
    """Every group by level, region and iteration: branch, values, whether it is published."""
    for piece, values in measured:
        level = plan.levels[piece.level]
        bar = suppression_quantile(plan, level)
        starts = values.offsets(SEX_BY_AGE).tolist()
        for group in range(piece.groups):
            region, iteration = divmod(group, piece.iterations)
            name = geography.regions[level.geography][piece.first + region]
            branch = int(values.branch[group])
            numbers = values.values[starts[group] : starts[group + 1]].tolist()
            published = branch != 0 or bar is None or sum(numbers) > bar
            yield (str(level.geography), name, level.iterations[iteration].code), (branch, numbers, published)


def worlds() -> tuple[tuple[Plan, Geography], tuple[Plan, Geography]]:
    """Other budgets, one level less, other regions, and one iteration that means other persons."""
    plan = small_plan("rho", suppression=Fraction("0.9"))
    other = small_plan("rho", budget=Fraction(1), geographies=(GeographyLevel.COUNTY,))
    (county,) = other.levels
    changed = replace(county.iterations[1], codes=("1002",))
    other = replace(other, levels=(replace(county, iterations=(county.iterations[0], changed)),))
    return (plan, small_geography(plan, counties=9)), (other, small_geography(other, counties=13))


@pytest.mark.parametrize("most", [1, 4, 7, 1000])
@pytest.mark.parametrize("swapped", [False, True])
def test_pairs_are_those_of_two_dictionaries(tmp_path: Path, most: int, swapped: bool) -> None:
    chosen = worlds()[::-1] if swapped else worlds()
    values = [
        drawn(plan, geography, each, seed)
        for (plan, geography), each, seed in zip(chosen, (most, 6), (1, 2), strict=True)
    ]
    sides = [side(tmp_path / str(at), *chosen[at], values[at]) for at in (0, 1)]
    known = [dict(groups(*chosen[at], values[at])) for at in (0, 1)]
    result = {}
    for pair in pairs(*sides):
        level, geography = pair.one.level, sides[0].geography
        for at in range(len(pair.one.totals)):
            region, iteration = divmod(at, len(pair.iterations))
            code = level.iterations[pair.iterations[iteration]].code
            key = (str(level.geography), geography.regions[level.geography][pair.regions[region]], code)
            assert key not in result
            result[key] = tuple(
                (int(part.branch[at]), int(part.totals[at]), bool(part.published[at]))
                for part in (pair.one, pair.other)
            )
    # Iteration 0002 of the second plan has other codes.
    shared = [key for key in known[0] if key in known[1] and key[2] != "0002"]
    assert result == {
        key: tuple((known[at][key][0], sum(known[at][key][1]), known[at][key][2]) for at in (0, 1)) for key in shared
    }
    assert len(shared) == 9


def test_cells_of_two_branches_meet_in_the_coarser(tmp_path: Path) -> None:
    plan = small_plan("rho")
    geography = small_geography(plan, counties=40)
    sides = [side(tmp_path / str(seed), plan, geography, drawn(plan, geography, 1000, seed)) for seed in (1, 2)]
    seen = set()
    for pair in pairs(*sides):
        for group in range(len(pair.one.totals)):
            branches = int(pair.one.branch[group]), int(pair.other.branch[group])
            common = min(branches)
            if common <= 0:
                continue
            for part, branch in zip((pair.one, pair.other), branches, strict=True):
                merged = part.cells(np.array([group]), branch, common)
                assert merged.shape == (1, SEX_BY_AGE.sizes[common])
                assert merged.sum() == part.totals[group]
                assert len(terms(SEX_BY_AGE, branch, common)) == SEX_BY_AGE.sizes[common]
                assert sum(terms(SEX_BY_AGE, branch, common)) == SEX_BY_AGE.sizes[branch]
            seen.add(branches)
    assert len(seen) == 9


def test_bands_are_merged_by_age() -> None:
    # Of 23 bands, 0 to 4, 5 to 9, 10 to 14 and 15 to 17 are under 18.
    assert terms(SEX_BY_AGE, 3, 1)[0] == 4
    assert terms(SEX_BY_AGE, 2, 1)[0] == 2
    assert terms(SEX_BY_AGE, 1, 1) == [1] * 8


def test_noise_is_that_of_the_plan() -> None:
    plan = small_plan("rho")
    (state, county), stage_noise = plan.levels, plan.stage_noise(plan.levels[0])
    assert (noise(plan, state, TOTAL_ONLY).distribution, noise(plan, state, TOTAL_ONLY).terms) == (
        stage_noise.total_only,
        1,
    )
    assert [noise(plan, county, branch).terms for branch in range(4)] == [1, 8, 18, 46]
    assert noise(plan, state, 3, 4).terms == 4
