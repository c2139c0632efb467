"""A release of points as analysts open it: its plan, its grids, its measurements."""

from pathlib import Path

import numpy as np
import pytest

import starling
from starling.errors import ParameterError
from starling.places.analysis import PlacesRelease
from starling.places.publish import release
from starling.release.payment import PaymentOptions
from tests.places.plans import SLICED, plan, write_world


def opened(folder: Path, *changes: dict[str, object]) -> PlacesRelease:
    records = write_world(folder)
    made = release(plan(*changes), records, folder / "out", payment=PaymentOptions(unvalidated=True))
    found = starling.open_release(made.folder)
    assert isinstance(found, PlacesRelease)
    return found


def test_a_release_gives_its_grid_and_answers(tmp_path: Path) -> None:
    found = opened(tmp_path)
    assert found.plan.digest == plan().digest
    assert found.grid().shape == (2, 4)
    whole = np.array([[0.0, 0.0, 4.0, 2.0]])
    answer = found.count(whole)
    assert answer.counts[0] == pytest.approx(found.grid().sum())
    assert (answer.lower, answer.upper) == (found.released().count(whole).lower, found.released().count(whole).upper)
    assert found.count(np.array([[-1.0, 0.0, 3.0, 2.0]]), "box").counts == pytest.approx(answer.counts)


def test_boxes_and_the_map_are_those_of_a_slice(tmp_path: Path) -> None:
    found = opened(tmp_path, SLICED)
    for name in found.plan.slice_names:
        boxes, points = found.boxes(name)
        assert points.sum() == pytest.approx(found.grid(name).sum())
        assert (boxes[:, 1] - boxes[:, 0]) @ (boxes[:, 3] - boxes[:, 2]) == 8
        shown = found.map(name)
        assert shown.title == f"Pickups, {name}"
        assert (shown.grid == found.grid(name)).all()
        assert shown.box == (-1, 0, 3, 2)


def test_slices_are_named(tmp_path: Path) -> None:
    found = opened(tmp_path, SLICED)
    points = found.table("cells")["points"].to_numpy()
    assert found.grid("February").reshape(-1).tolist() == points[8:].tolist()
    for name in (None, "March"):
        with pytest.raises(ParameterError, match="slice is not in the plan"):
            found.grid(name)
