"""Estimates of questions to a released grid: they grow with what is asked, and real runs visit no more than they say."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.answers import regions, work
from starling.places.answers.questions import Count, CountHexagons, CountPolygons, FindHotspots
from starling.places.answers.rectangles import Counts, CumulativeGrid
from starling.places.answers.regions import Shares
from starling.places.answers.released import ReleasedGrid
from starling.places.answers.work import Sizes
from starling.places.arrays import Float64
from starling.places.generate.noise import normal as normal_noise
from starling.places.mechanism.table import mechanism_of
from starling.places.plan.grid import Grid
from starling.places.postprocess import Estimate, estimate
from starling.places.typical import errors, likely_hotspots, ranking, typical_errors
from tests.places.plans import plan

SIZES = Sizes(Grid((Fraction(0), Fraction(0), Fraction(64), Fraction(32)), 32, 64, "degrees"), 500, 10, 1000, 1000)
RECTANGLE = (Fraction(0), Fraction(0), Fraction(9), Fraction(9))
RING = ((Fraction(1), Fraction(1)), (Fraction(5), Fraction(1)), (Fraction(5), Fraction(3)))
WIDER = (*RING, (Fraction(0), Fraction(30)))
QUESTIONS: dict[str, tuple[Any, Any]] = {
    "rectangles": (Count(rectangles=(RECTANGLE,)), Count(rectangles=(RECTANGLE,) * 2)),
    "typical": (Count(rectangles=(RECTANGLE,)), Count(rectangles=(RECTANGLE,), typical=True)),
    "regions": (CountPolygons(regions=(((RING,),),)), CountPolygons(regions=(((RING,),),) * 2)),
    "corners": (CountPolygons(regions=(((RING,),),)), CountPolygons(regions=(((RING * 2,),),))),
    "extent": (CountPolygons(regions=(((WIDER[:3],),),)), CountPolygons(regions=(((WIDER[1:],),),))),
    "typical regions": (CountPolygons(regions=(((RING,),),)), CountPolygons(regions=(((RING,),),), typical=True)),
    "k": (FindHotspots(k=500), FindHotspots(k=501)),
    "side": (FindHotspots(k=1, side=2), FindHotspots(k=1, side=1)),
    "chance": (FindHotspots(k=1, chance=False), FindHotspots(k=1)),
}
"""By what grows: less and more."""


def steps(question: Any, sizes: Sizes = SIZES) -> int:
    return int(question.work(SimpleNamespace(sizes=sizes)).steps)


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_estimate_grows_with_each_choice_and_size(name: str) -> None:
    less, more = QUESTIONS[name]
    assert steps(less) < steps(more)
    wide = replace(SIZES.grid, rows=64)
    for larger in (replace(SIZES, boxes=600), replace(SIZES, grid=wide)):
        assert steps(more) < steps(more, larger)


def test_an_estimate_of_hexagons_grows() -> None:
    h3 = pytest.importorskip("h3", reason="needs the extra h3")
    one, two = (h3.latlng_to_cell(9, 9, each) for each in (3, 2))
    assert steps(CountHexagons(cells=(one,))) < steps(CountHexagons(cells=(one, one)))
    assert steps(CountHexagons(cells=(one,))) < steps(CountHexagons(cells=(two,)))


@pytest.mark.slow
def test_a_large_grid_is_not_measured_again_and_a_sparse_one_has_no_table() -> None:
    wide = Sizes(replace(SIZES.grid, rows=1 << 20, columns=1 << 20), 740_704, 0, 1000, 1000)
    assert wide.grid.sparse
    assert steps(Count(rectangles=(RECTANGLE,) * 1000), wide) < 10**10


class Counter:
    """What real runs visit: cells measured again, rectangles counted, cells of shares, invented squares."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        count, shares, of, normal = CumulativeGrid.count, regions.cell_shares, estimate, normal_noise

        def counted(table: CumulativeGrid, rectangles: Float64) -> Counts:
            self.steps += len(rectangles)
            return count(table, rectangles)

        def shared(region: Any, shape: tuple[int, int]) -> Shares:
            found = shares(region, shape)
            self.steps += found.share.size * work.PER_SHARE
            return found

        def estimated(method: str, measured: Any, purpose: Any) -> Estimate:
            found = of(method, measured, purpose)
            self.steps += int(np.prod(found.shape)) * work.PER_CELL_AGAIN
            return found

        def invented(many: int, seed: int, number: int) -> Float64:
            self.steps += many * work.PER_DRAW
            return normal(many, seed, number)

        patch.setattr(CumulativeGrid, "count", counted)
        patch.setattr(regions, "cell_shares", shared)
        patch.setattr("starling.places.answers.sure.cell_shares", shared)
        patch.setattr(errors, "estimate", estimated)
        patch.setattr(ranking, "normal", invented)


GRID = {"box": ["0", "0", "64", "64"], "crs": "plain", "crs_name": "cells", "rows": 64, "columns": 64}
PLAN = plan({"grid": GRID}, {"method": {"name": "quadtree"}})
MEASURED = mechanism_of(PLAN).method.draw(np.random.default_rng(2).poisson(1.0, (64, 64)).astype(np.int64))
POINTS = estimate(PLAN.method, MEASURED).grid()
OWN = Sizes(PLAN.grid, len(estimate(PLAN.method, MEASURED).leaves), errors.RERUNS, ranking.DRAWS, ranking.RIVALS)
ENDS = st.tuples(*(st.fractions(0, 64, max_denominator=4) for _ in range(4))).map(
    lambda each: (*sorted(each[:2]), *sorted(each[2:]))
)


def counted(rectangles: list[tuple[Fraction, ...]]) -> tuple[tuple[Fraction, Fraction, Fraction, Fraction], ...]:
    return tuple((x0, y0, x1, y1) for x0, x1, y0, y1 in rectangles)


@pytest.mark.examples(8)
@settings(deadline=None, max_examples=25)
@given(st.lists(ENDS, min_size=1, max_size=9), st.booleans(), st.integers(1, 150), st.integers(1, 5))
def test_real_runs_visit_no_more_than_is_estimated(
    ends: list[tuple[Fraction, ...]], typical: bool, k: int, side: int
) -> None:
    """Rectangles, the same as regions, and hotspots, each on a grid that was just opened."""
    query, visited = counted(ends), 0
    rings = tuple((((x0, y0), (x1, y0), (x1, y1), (x0, y1)),) for x0, y0, x1, y1 in query)
    of_regions = CountPolygons(regions=tuple((each,) for each in rings), units="cells", typical=typical)
    for question in (
        Count(rectangles=query, typical=typical),
        of_regions,
        FindHotspots(k=k, side=side, chance=typical),
    ):
        grid = ReleasedGrid(PLAN.grid, POINTS, [(MEASURED, 1)])
        with pytest.MonkeyPatch.context() as patch:
            run = Counter(patch)
            if isinstance(question, FindHotspots):
                likely_hotspots(PLAN, grid, k, side) if typical else grid.hotspots(k, side)
            else:
                question.of(grid)
                if typical:
                    typical_errors(PLAN, grid, question.of)
        assert run.steps <= steps(question, OWN)
        visited += run.steps
    assert visited
