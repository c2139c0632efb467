"""What an opened release of trips answers: rectangles to rectangles, from and to anywhere, tables and pictures."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.trips.analysis import TripsRelease
from starling.verification import open_release

WHOLE = [0, 0, 4, 3]


def opened(folder: Path) -> TripsRelease:
    """The release, as any reader opens it."""
    release = open_release(folder)
    assert isinstance(release, TripsRelease)
    return release


def test_rectangles_lead_to_rectangles(released: Path) -> None:
    with opened(released) as release:
        answers = release.count([[0, 0, 1, 1], [3, 2, 4, 3], [1, 1, 2, 2]], [WHOLE])
        assert np.abs(answers.trips - [900, 300, 0]).max() < 150
        assert (answers.lower <= [900, 300, 0]).sum() >= 2
        assert not answers.clipped.any()
        # In degrees and cells alike; what lies beyond the grid has no trips.
        box = release.count([0, 0, 1, 1], [0, 0, 9, 9], "box")
        assert box.clipped.all()
        assert np.isclose(box.trips, answers.trips[:1]).all()
        # Half of a cell has half of its trips, and all parts add up.
        parts = release.count([[0, 0, 0.5, 1], [0.5, 0, 1, 1]], [WHOLE])
        assert np.isclose(parts.trips, answers.trips[0] / 2).all()
        assert "interval from" in str(answers)
        assert list(answers.as_json()) == ["trips", "lower", "upper", "clipped"]


def test_pairs_that_surely_have_trips_hold_together(released: Path) -> None:
    """Each misses with the chance that is left to one of all pairs that were measured."""
    with opened(released) as release:
        pairs, _, lower, upper = release.trips.certain
        origin, destination = (pairs[:, first : first + 4][:, [2, 0, 3, 1]] for first in (0, 4))
        level = 1 - Fraction(5, 100) / len(release.trips.measured.pairs.boxes)
        answers = release.count(origin, destination, level=level)
        assert len(lower)
        assert (lower.tolist(), upper.tolist()) == (answers.lower.tolist(), answers.upper.tolist())


def test_from_or_to_anywhere_is_answered_by_one_end_alone(released: Path) -> None:
    with opened(released) as release:
        from_corner, to_corner = release.count([0, 0, 1, 1]), release.count(None, [0, 0, 1, 1])
        assert np.isclose(from_corner.trips[0], release.trips.margins[0][0, 0])
        assert np.isclose(to_corner.trips[0], release.trips.margins[1][0, 0])
        everywhere = release.count()
        assert abs(everywhere.trips[0] - 1200) < 150
        assert everywhere.lower[0] <= everywhere.upper[0]
        assert release.headline().interval.startswith("95 % interval")


def test_rectangles_that_cannot_be_are_refused(released: Path) -> None:
    with opened(released) as release:
        for origin, destination in (
            ([1, 0, 0, 1], WHOLE),
            ([0, 0, 1], WHOLE),
            ([WHOLE] * 2, [WHOLE] * 3),
            ([0, 0, np.nan, 1], WHOLE),
            ([0, 0, np.inf, 1], WHOLE),
        ):
            with pytest.raises(ParameterError):
                release.count(origin, destination)
        for level in (0, 1, "0.9999999999"):
            with pytest.raises(ParameterError):
                release.count(WHOLE, WHOLE, level=level)


def test_tables(released: Path) -> None:
    with opened(released) as release:
        flows = release.table("flows")
        sides = np.stack([column.to_numpy() for column in flows.columns[:8]], axis=1)
        # Pairs of boxes tile all pairs of cells.
        assert (sides[:, 1::2] - sides[:, ::2]).prod(axis=1).sum() == 144
        assert np.isclose(flows["trips"].to_numpy().sum(), release.count(WHOLE, WHOLE).trips[0])
        assert len(release.table("cells")) == 12
