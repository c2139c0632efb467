"""The map of arcs of trips on a grid: an arc for each pair of boxes that surely has trips, over the outlines of the boxes."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np

import starling
from starling.pages.marks import Shapes
from starling.places.plan.grid import Grid
from starling.places.trips.analysis import TripsRelease
from starling.places.trips.artifact.pages import arc_picture
from starling.places.trips.pictures import arcs_of, trip_map
from starling.release.text import rounded

ACROSS = Grid((Fraction(170), Fraction(-50), Fraction(-170), Fraction(-34)), 16, 20, "degrees")
PAIRS = np.array([[0, 2, 0, 4, 8, 10, 18, 20], [0, 2, 0, 4, 0, 2, 0, 4]], dtype=np.int32)


def test_arcs_and_dots_say_boxes_trips_and_intervals() -> None:
    ends = np.array([1190, 200]), np.array([1250, 400])
    boxes, arcs = arcs_of(ACROSS, PAIRS, np.array([1200.4, 300.0]), ends)
    assert boxes.tolist() == [[0, 2, 0, 4], [8, 10, 18, 20]]
    assert arcs.pairs.tolist() == [[0, 1], [0, 0]]
    # The eastern box lies beyond the antimeridian, and is named by what the command takes.
    assert arcs.says[0] == (
        "170.0,-50.0,174.0,-48.0 to -172.0,-42.0,-170.0,-40.0",
        rounded(1200.4),
        "95 % interval, together with all others: 1,190 to 1,250",
    )
    drawn = trip_map(ACROSS, boxes, arcs).svg("p", "Trips")
    assert len(re.findall("<path[^>]*><title>", drawn)) == 2
    assert 'id="p-flows"' in drawn
    assert 'id="p-within"' in drawn
    assert "within a box" in drawn
    assert drawn.index('id="p-boxes"') < drawn.index('id="p-flows"')


def test_the_arc_leads_from_middle_to_middle_and_bends_to_its_right() -> None:
    boxes, arcs = arcs_of(ACROSS, PAIRS[:1], np.array([9.0]), (np.array([1]), np.array([20])))
    sheet = trip_map(ACROSS, boxes, arcs)
    (path,) = [drawn.paths[0] for mark, drawn in sheet._ordered() if mark == "flows" and isinstance(drawn, Shapes)]
    (x0, y0), *_, (x1, y1) = path
    step, rise = sheet.wide / 20, sheet.high / 16
    assert np.allclose([x0, y0, x1, y1], [2 * step, rise, 19 * step, 9 * rise])
    middle = path[len(path) // 2]
    assert (x1 - x0) * (middle[1] - y0) - (y1 - y0) * (middle[0] - x0) < 0


def test_a_map_without_arcs_has_no_legend() -> None:
    none = np.empty(0, dtype=np.int64)
    boxes, arcs = arcs_of(ACROSS, PAIRS[:0], np.empty(0), (none, none))
    assert "within" not in trip_map(ACROSS, boxes, arcs).svg("p", "Trips")


def test_what_is_drawn_surely_is_there(released: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, TripsRelease)
        pairs, trips, lower, _ = opened.trips.certain
        drawn = arc_picture(opened.trips).draw()
        assert (lower > 0).all()
        assert drawn.count("95 % interval") == len(trips)
        assert set(opened.plot().pictures) == {"flows", "origins", "destinations"}
        # Both ways of MANY, by their boxes of one cell.
        assert {(0, 0, 1, 2), (2, 3, 0, 0)} <= {tuple(each[::2]) for each in pairs.tolist()}
