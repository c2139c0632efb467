"""Questions to a released grid: each answers as the method of the grid does, and what would keep a server busy is refused."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers.questions import (
    MOST_CORNERS,
    MOST_HEXAGONS,
    MOST_HOTSPOTS,
    MOST_RECTANGLES,
    MOST_REGIONS,
    Count,
    CountHexagons,
    CountPolygons,
    FindHotspots,
    Ring,
)
from starling.places.answers.released import ReleasedGrid
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.singular import of_cells
from starling.places.plan.grid import Grid
from starling.privacy.distributions.discrete import DiscreteLaplace

LEVEL = Fraction(4, 5)
GRID = Grid((Fraction(0), Fraction(0), Fraction(8), Fraction(4)), 4, 8, "degrees")
CELLS = np.random.default_rng(3).poisson(9.0, GRID.shape).astype(np.int64)
SQUARE: Ring = ((Fraction(1), Fraction(1)), (Fraction(5, 2), Fraction(1)), (Fraction(5, 2), Fraction(3)))
RECTANGLE = (Fraction(1, 2), Fraction(0), Fraction(3), Fraction(2))


def measured() -> MeasuredTree:
    return of_cells((4, 8), CELLS.reshape(-1), DiscreteLaplace(Fraction(2)))


@pytest.fixture
def grid() -> ReleasedGrid:
    return ReleasedGrid(GRID, CELLS.astype(np.float64), [(measured(), 1)])


@pytest.mark.parametrize("together", [False, True])
def test_each_answers_as_the_method_of_the_grid(grid: ReleasedGrid, *, together: bool) -> None:
    region = {"type": "MultiPolygon", "coordinates": [[[[float(x), float(y)] for x, y in SQUARE]]]}
    query = np.array([RECTANGLE], dtype=np.float64)
    pairs = [
        (
            Count(rectangles=(RECTANGLE,), level=LEVEL, together=together),
            grid.count(query, "cells", LEVEL, together=together),
        ),
        (
            CountPolygons(regions=(((SQUARE,),),), level=LEVEL, together=together),
            grid.count_polygons([region], "degrees", LEVEL, together=together),
        ),
    ]
    for question, wanted in pairs:
        result = question.of(grid)
        assert result.counts.tolist() == wanted.counts.tolist()
        assert result.lower is not None
        assert wanted.lower is not None
        assert result.lower.tolist() == wanted.lower.tolist()


@pytest.mark.parametrize(
    ("least", "too_many", "field"),
    [
        (
            lambda: Count(rectangles=(RECTANGLE,)),
            lambda: Count(rectangles=(RECTANGLE,) * (MOST_RECTANGLES + 1)),
            "rectangles",
        ),
        (
            lambda: CountPolygons(regions=(((SQUARE,),),)),
            lambda: CountPolygons(regions=(((SQUARE,),),) * (MOST_REGIONS + 1)),
            "regions",
        ),
        (
            lambda: CountPolygons(regions=(((SQUARE * (MOST_CORNERS // 3),),),)),
            lambda: CountPolygons(regions=(((SQUARE * (MOST_CORNERS // 3 + 1),),),)),
            "corners",
        ),
        (lambda: CountHexagons(cells=("a",)), lambda: CountHexagons(cells=("a",) * (MOST_HEXAGONS + 1)), "cells"),
        (lambda: FindHotspots(k=MOST_HOTSPOTS), lambda: FindHotspots(k=MOST_HOTSPOTS + 1), "k"),
        (lambda: FindHotspots(k=1), lambda: FindHotspots(k=0), "k"),
        (lambda: FindHotspots(k=1, level=LEVEL), lambda: FindHotspots(k=1, level=Fraction(1)), "level"),
        (
            lambda: Count(rectangles=(RECTANGLE,), level=LEVEL),
            lambda: Count(rectangles=(RECTANGLE,), level=Fraction(0)),
            "level",
        ),
        (lambda: Count(rectangles=(RECTANGLE,)), lambda: Count(rectangles=()), "rectangles"),
    ],
)
def test_what_may_be_asked_at_once_is_bounded(
    least: Callable[[], object], too_many: Callable[[], object], field: str
) -> None:
    least()
    with pytest.raises(ParameterError, match=f"question.{field} "):
        too_many()
