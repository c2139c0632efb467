"""A release of points as analysts open it: its plan, its grids, its measurements."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling.errors import ParameterError, PlanError
from starling.places.analysis import PlacesRelease
from starling.places.answers.questions import MOST_CORNERS, MOST_HOTSPOTS, MOST_RECTANGLES, MOST_REGIONS, Count
from starling.places.answers.released import ReleasedGrid
from starling.places.plan import METHODS
from starling.places.publish import release
from starling.places.typical import typical_errors
from starling.release.payment import PaymentOptions
from tests.places.plans import SLICED, plan, write_world


def opened(folder: Path, *changes: dict[str, object]) -> PlacesRelease:
    records = write_world(folder)
    created = release(plan(*changes), records, folder / "out", payment=PaymentOptions(unvalidated=True))
    result = starling.open_release(created.folder)
    assert isinstance(result, PlacesRelease)
    return result


def test_a_release_gives_its_grid_and_answers(tmp_path: Path) -> None:
    result = opened(tmp_path)
    assert result.plan.digest == plan().digest
    assert result.grid().shape == (2, 4)
    whole = np.array([[0.0, 0.0, 4.0, 2.0]])
    answer = result.count(whole)
    assert answer.counts[0] == pytest.approx(result.grid().sum())
    assert (answer.lower, answer.upper) == (result.released().count(whole).lower, result.released().count(whole).upper)
    assert result.count(np.array([[-1.0, 0.0, 3.0, 2.0]]), "box").counts == pytest.approx(answer.counts)
    assert result.count(whole, intervals=False).lower is None
    # The index of sure intervals is made once.
    assert result.released() is result.released()


@pytest.mark.series(3)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_headline_is_the_number_of_all_released_points(method: str, tmp_path: Path) -> None:
    result = opened(tmp_path, {"method": {"name": method}})
    rows, columns = result.plan.grid.shape
    answers = result.count([[0, 0, columns, rows]])
    headline = result.headline()
    assert headline is not None
    assert headline.number == f"{answers.counts[0]:z,.0f}"
    report = (result.folder / "report.html").read_text()
    assert f">{headline.number}<" in report
    assert headline.interval in report


def test_boxes_and_the_map_are_those_of_a_slice(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    for name in result.plan.slice_names:
        boxes, points = result.boxes(name)
        assert points.sum() == pytest.approx(result.grid(name).sum())
        assert (boxes[:, 1] - boxes[:, 0]) @ (boxes[:, 3] - boxes[:, 2]) == 8
        shown = result.map(name)
        assert shown.title == f"Pickups, {name}"
        assert [each.name for each in shown.slices] == [name]
        assert (shown.slices[0].grid == result.grid(name)).all()
        assert shown.grid == result.plan.grid
    assert [each.name for each in result.map(typical=False).slices] == list(result.plan.slice_names)


def test_a_map_of_many_slices_has_no_typical_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = opened(tmp_path, SLICED)
    assert all(each.experience is not None for each in result.map().slices)
    monkeypatch.setattr("starling.places.analysis.MOST_TYPICAL", 1)
    assert all(each.experience is None for each in result.map().slices)
    assert result.map("January").slices[0].experience is not None


def test_slices_are_named(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    points = result.table("cells")["points"].to_numpy()
    assert result.grid("February").reshape(-1).tolist() == points[8:].tolist()
    for name, problem in ((None, "is missing, and the release has several"), ("March", "is not in the plan")):
        with pytest.raises(ParameterError, match=f"slice {problem}; name one of January, February"):
            result.grid(name)
    assert result.plot()._repr_html_() == result.plot("January")._repr_html_(), "the first, as of areas and flows"


FINE: dict[str, object] = {
    "grid": {"rows": 1 << 13, "columns": (1 << 13) + 2},
    "method": {"name": "adaptive"},
    "privacy": {"epsilon": "50"},
}


def test_a_sparse_release_answers_from_its_boxes(tmp_path: Path) -> None:
    """At epsilon 50 a count is off by 3 or more with a chance below 10^-9, where it has a fiftieth of it by .4."""
    result = opened(tmp_path, FINE)
    assert starling.verify(result.folder).findings == ()
    rows, columns = result.plan.grid.shape
    assert {path.name for path in (result.folder / "data").iterdir()} == {"boxes.parquet", "boxes.csv"}
    _, points = result.boxes()
    query = np.array([[0.0, 0.0, columns, rows], [0.0, 0.0, columns / 2, rows], [columns / 2, 0.0, columns, rows]])
    answer = result.count(query)
    assert answer.counts[0] == pytest.approx(points.sum())
    assert answer.counts[1] + answer.counts[2] == pytest.approx(answer.counts[0])
    assert answer.lower is not None
    assert result.released().minus(found_again(result)).count(query).counts == pytest.approx(np.zeros(3), abs=1e-9)
    shown = result.map()
    assert shown.slices[0].grid.sum() == pytest.approx(points.sum())
    assert shown.fold * max(shown.slices[0].grid.shape) >= columns
    for refused in (result.grid, lambda: result.released().table):
        with pytest.raises(ParameterError, match="sparse"):
            refused()


def found_again(found: PlacesRelease) -> ReleasedGrid:
    """The release once more, as if its noise were drawn anew."""
    other = starling.open_release(found.folder)
    assert isinstance(other, PlacesRelease)
    return other.released()


@pytest.mark.parametrize("method", [name for name in METHODS if name != "adaptive"])
def test_what_needs_every_cell_is_refused_on_a_sparse_grid(method: str) -> None:
    with pytest.raises(PlanError, match=r"method\.name looks at every cell"):
        plan(FINE, {"method": {"name": method}})


def test_rectangles_are_told_as_json(tmp_path: Path) -> None:
    result = opened(tmp_path)
    rectangles: Any = [[0, 0, 4, 2], [0.5, 0, "3/2", 1.25]]
    described: Any = result.tell({"kind": "count", "rectangles": rectangles})
    here = result.count(np.array([[0, 0, 4, 2], [0.5, 0, 1.5, 1.25]], dtype=np.float64))
    assert [each["points"] for each in described] == here.counts.tolist()
    assert here.lower is not None
    assert [each["lower"] for each in described] == here.lower.tolist()
    assert [each["clipped"] for each in described] == [False, False]
    assert result.tell({"kind": "rows", "table": "cells", "most": 1}) is not None


SQUARE: Any = [[[[0, 0], [2, 0], [2, 2], [0, 2]]]]


def test_polygons_are_told_with_typical_errors_as_the_release_has_them(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    corner = [[[[0.5, 0.25], [3, 0.25], [3, 2]]], [[[0, 1], [0.25, 1], [0.25, "3/2"]]]]
    query: Any = {"kind": "count_polygons", "units": "cells", "slice": "February", "regions": [SQUARE, corner]}
    described: Any = result.tell({**query, "level": "0.8", "together": True, "typical": True})
    grid = result.released("February")
    drawn = [
        {"type": "MultiPolygon", "coordinates": SQUARE},
        {"type": "MultiPolygon", "coordinates": [*corner[:1], [[[0, 1], [0.25, 1], [0.25, 1.5]]]]},
    ]
    here = grid.count_polygons(drawn, "cells", Fraction(4, 5), together=True)
    assert here.upper is not None
    assert [each["points"] for each in described] == here.counts.tolist()
    assert [each["upper"] for each in described] == here.upper.tolist()
    typical = typical_errors(result.plan, grid, lambda asks: asks.count_polygons(drawn, "cells"))
    assert typical is not None
    assert [each["typical_error"] for each in described] == typical.tolist()
    with pytest.raises(ParameterError, match="rings that cross"):
        result.tell({**query, "regions": [[SQUARE[0], SQUARE[0]]]})


def test_a_slice_less_another_is_told_as_compare_counts_it(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    query: Any = {"kind": "count", "rectangles": [[0, 0, 4, 2], [1, 0, 3, 1]], "slice": "February", "minus": "January"}
    described: Any = result.tell({**query, "typical": True})
    one, two = result.released("February"), result.released("January")
    here = one.minus(two).count([[0, 0, 4, 2], [1, 0, 3, 1]])
    assert here.lower is not None
    assert [(each["points"], each["lower"]) for each in described] == list(zip(here.counts, here.lower, strict=True))
    errors = [
        typical_errors(result.plan, of, lambda asks: asks.count([[0, 0, 4, 2], [1, 0, 3, 1]])) for of in (one, two)
    ]
    assert [each["typical_error"] for each in described] == np.sqrt(
        sum(each * each for each in errors if each is not None)
    ).tolist()
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other", SLICED)
    question = Count(
        rectangles=((Fraction(0), Fraction(0), Fraction(4), Fraction(2)),), slice="February", minus="January"
    )
    difference = one.minus(other.released("January")).count([[0, 0, 4, 2]])
    assert result.answers(question, other).counts.tolist() == difference.counts.tolist()
    with pytest.raises(ParameterError, match="compared with itself"):
        result.answers(replace(question, minus="February"), result)
    for wrong in ({"minus": "February"}, {"minus": "March"}):
        with pytest.raises(ParameterError):
            result.tell({**query, **wrong})


def test_what_a_page_draws_is_of_the_slices_that_are_chosen(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    for minus in (None, "January"):
        drawn = result.shaded("February", minus)
        other = 0 if minus is None else result.grid(minus)
        assert np.array_equal(drawn.cells, result.grid("February") - other)
        assert drawn.signed == (minus is not None)
        assert [each.max() for each in drawn.scale[:2]] == [result.grid(each).max() for each in result.plan.slice_names]
    assert np.array_equal(result.shaded("February").hotspots, result.first_squares("February").boxes)
    assert result.first_squares("February", chance=True).chance is not None


def test_hexagons_are_told(tmp_path: Path) -> None:
    h3 = pytest.importorskip("h3", reason="the extra `test` installs it")
    result = opened(tmp_path)
    cells = [h3.latlng_to_cell(1, 0.5, resolution) for resolution in (2, 3)]
    described: Any = result.tell({"kind": "count_hexagons", "cells": cells})
    assert [each["points"] for each in described] == result.released().count_hexagons(cells).counts.tolist()


def test_hotspots_are_told_with_marks_and_chances(tmp_path: Path) -> None:
    result = opened(tmp_path, SLICED)
    query: Any = {"kind": "find_hotspots", "k": 3, "slice": "January", "level": "0.9"}
    described: Any = result.tell(query)
    here = result.hotspots(3, 1, Fraction(9, 10), "January")
    assert here.sure is not None
    assert here.chance is not None
    ends = ("first_row", "end_row", "first_column", "end_column")
    assert [[each[name] for name in ends] for each in described] == here.boxes.tolist()
    assert [(each["points"], each["sure"]) for each in described] == list(zip(here.counts, here.sure, strict=True))
    assert [each["chance"] for each in described] == [None if np.isnan(each) else each for each in here.chance.tolist()]
    quick: Any = result.tell({**query, "chance": False})
    assert quick == [{name: value for name, value in each.items() if name != "chance"} for each in described]


@pytest.mark.series(3)
@pytest.mark.parametrize(
    "said",
    [
        {"kind": "count_polygons", "regions": []},
        {"kind": "count_polygons", "regions": [[[]]]},
        {"kind": "count_polygons", "regions": [[[[[0, 0], [1, 0]]]]]},
        {"kind": "count_polygons", "regions": [SQUARE] * (MOST_REGIONS + 1)},
        {"kind": "count_polygons", "regions": [[[[[0, 0]] * (MOST_CORNERS + 1)]]]},
        {"kind": "count_polygons", "regions": SQUARE},
        {"kind": "count_hexagons", "cells": ["8"]},
        {"kind": "find_hotspots", "k": 0},
        {"kind": "find_hotspots", "k": 9},
        {"kind": "find_hotspots", "k": MOST_HOTSPOTS + 1},
        {"kind": "find_hotspots", "k": 1, "level": "1"},
        {"kind": "find_hotspots", "k": 1, "side": 0},
    ],
)
def test_what_is_no_question_to_a_grid_is_not_told(opened_once: PlacesRelease, said: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        opened_once.tell(said)


@pytest.fixture(scope="module")
def opened_once(tmp_path_factory: pytest.TempPathFactory) -> PlacesRelease:
    return opened(tmp_path_factory.mktemp("points"))


@pytest.mark.parametrize(
    "said",
    [
        {"rectangles": []},
        {"rectangles": [[0, 0, 1]]},
        {"rectangles": [[0, 0, 1, "x"]]},
        {"rectangles": [[0, 0, 1, float("nan")]]},
        {"rectangles": [[0, 0, 1, True]]},
        {"rectangles": [[0, 0, 1, 1]] * (MOST_RECTANGLES + 1)},
        {"rectangles": [[0, 0, 1, 1]], "units": "miles"},
        {"rectangles": [[0, 0, 1, 1]], "slice": "noon"},
        {"rectangles": [[2, 0, 1, 1]]},
        {"rectangles": [[0, 0, 1, 1]], "level": "0"},
    ],
)
def test_what_is_no_rectangle_is_not_told(opened_once: PlacesRelease, said: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        opened_once.tell({"kind": "count", **said})
