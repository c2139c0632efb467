"""Trips on a grid in a session: a frame released, a preview, and what a plan says that cannot be previewed."""

from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError, PlanError
from starling.places import TripsPlan
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.trips.worlds import MANY, VALUES


def test_a_session_releases_a_frame() -> None:
    of = TripsPlan.of(VALUES | {"privacy": {"unit": "trip", "epsilon": "20"}})
    with of.release(MANY) as opened:
        assert abs(opened.count([0, 0, 1, 1], [2, 1, 3, 2]).trips[0] - 900) < 20


def test_a_preview_has_the_noise_of_each_depth() -> None:
    of = TripsPlan.of(VALUES)
    # One trip pays .6 of epsilon for pairs, less a fiftieth; at depth 4 all pairs are one cell and one cell, and all of it is for that.
    assert of.preview().margins == {
        4: (144, margin(DiscreteLaplace(1 / (Fraction(98, 100) * Fraction(6, 10))), "0.05"))
    }
    assert "± " in str(of.preview(expected=10**6))
    nobody = TripsPlan.of({key: value for key, value in VALUES.items() if key != "expected"})
    with pytest.raises(PlanError, match="expected"):
        nobody.preview()


def test_invented_trips_lie_in_the_box(tmp_path: Path) -> None:
    of = TripsPlan.of(VALUES)
    made = of.generate(tmp_path / "made", trips=50)
    assert of.validate(made.records).problems.total == 0
    assert len(pq.read_table(made.records)) == 50
    with pytest.raises(ParameterError, match="below 0"):
        of.generate(tmp_path / "other", trips=-1)
