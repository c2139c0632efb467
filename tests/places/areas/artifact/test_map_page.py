"""What the map says of a slice, or of one less another, is what the release answers of each area alone."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.hierarchy.trees import Estimated
from starling.places.areas.answers.unions import Interval, number
from starling.places.areas.artifact.map_page import views
from starling.release.text import rounded
from tests.places.areas.worlds import plan

COUNTED = np.array(
    [(4e4, 9e4, 9e4, 4e4), (5e4, 5e4, 0, 9e4), (0.0, 0.0, 0.0, 0.0), (6e3, 1e3, 1e3, 6e3), (3e4, 3e4, 3e4, 3e4)]
)
"""Units above and below, of two slices: of a fare from 0 to 10."""
VALUED: dict[str, Any] = {
    "input": {"area": "zone", "time": "when", "value": "fare"},
    "slices": {"names": ["am", "pm"]},
    "value": {"lower": 0, "upper": 10},
}


@pytest.mark.parametrize("bounds", [(0, 10), (-4, 6)])
def test_differences_are_those_that_a_release_answers(tmp_path: Path, bounds: tuple[int, int]) -> None:
    of = plan(tmp_path, **VALUED | {"value": dict(zip(("lower", "upper"), bounds, strict=True))})
    estimated = [Estimated(COUNTED[:nodes], np.full((nodes, 4), 1.0)) for nodes in (1, 2, 5)]
    shown = views(of, estimated, [0, 1])
    assert (shown.compared, list(shown.kinds)) == (True, ["points (visit)", "sum of fare", "mean fare"])
    weights = np.eye(5)
    for kind, part in zip(shown.kinds, ("points", "sum", "mean"), strict=True):
        for slices in ((0, None), (0, 1), (1, 0)):
            one, other = slices
            view, several = shown.make(one, other, kind), [at for at in slices if at is not None]
            drawn, counted = view.picture.draw(), [COUNTED[:, 2 * at : 2 * at + 2] for at in several]
            answers = [number(of, counted, each, "") for each in (*weights, np.ones(5))]
            parts = [getattr(each, part) if part != "points" else each for each in answers]
            said = {name: (value, ends) for name, value, ends in re.findall(r"<title>(.)\n(.*)\n(.*)</title>", drawn)}
            for name, each in zip("abcde", parts[:-1], strict=True):
                estimate = each.estimate if isinstance(each, Interval) else each.points
                low, high = (rounded(end) if part == "mean" else f"{end:,.0f}" for end in (each.lower, each.upper))
                wanted = ("none" if estimate is None else rounded(estimate), f"95 % interval: {low} to {high}")
                # Of a slice alone the intervals are those of the table.
                assert said[name][: len(several)] == wanted[: len(several)]
            assert "hatched" in drawn
            if other is not None:
                hatched = [each.lower <= 0 <= each.upper for each in parts[:-1]]
                assert hatched[2:] == [True, part == "points", True]
                end = rounded(parts[-1].upper) if part == "mean" else f"{parts[-1].upper:,.0f}"
                assert view.headline.interval.endswith(f" to {end}")
                assert view.headline.label.endswith("in all areas, am less pm" if slices == (0, 1) else "pm less am")


def test_a_map_without_a_value_or_of_one_slice_takes_no_noise_apart(tmp_path: Path) -> None:
    of = plan(tmp_path, **{key: VALUED[key] for key in ("slices",)}, input={"area": "zone", "time": "when"})
    estimated = [Estimated(COUNTED[:nodes, :2], np.full((nodes, 2), 1.0)) for nodes in (1, 2, 5)]
    assert list(views(of, estimated, [0, 1]).kinds) == ["points (visit)"]
    assert not views(of, estimated, [1]).comparable
    assert "a\n50,000\n95 % interval: " in views(of, estimated, [0, 1]).make(1, 0).picture.draw()
