"""Flows in a session: a short way to a plan, a frame released."""

from pathlib import Path

import numpy as np

from starling.places import FlowsPlan
from tests.places.flows.worlds import MANY, VALUES, write_areas


def test_a_session_releases_a_frame(tmp_path: Path) -> None:
    write_areas(tmp_path)
    privacy = {"unit": "trip", "rho": "1/2"}
    of = FlowsPlan.of(VALUES | {"privacy": privacy}, folder=tmp_path)
    margins = of.preview().margins
    assert margins["area", "area"] < margins["all", "all"]
    with of.release(MANY) as opened:
        assert abs(opened.count(["1"], ["2"]).trips - 500) < 30
        assert np.isfinite(opened.released().trips).all()
