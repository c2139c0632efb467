"""A union of areas has the variance of dense least squares, and names lead to areas or are refused."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.areas.answers.unions import areas_below, deviations, spread
from starling.places.areas.measurements import variances
from starling.places.areas.plan.polygons import areas_of
from tests.places.areas.worlds import plan
from tests.tables.inference.dense import leaves_of, projection

ALPHA = Fraction(1, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("areas")


@pytest.mark.examples(20)
@given(
    weights=st.lists(st.sampled_from([0.0, 1.0]), min_size=5, max_size=5),
    shares=st.lists(st.integers(1, 9), min_size=3, max_size=3),
    measure=st.sampled_from(["epsilon", "rho"]),
)
def test_a_union_has_the_deviation_of_dense_least_squares(
    folder: Path, weights: list[float], shares: list[int], measure: str
) -> None:
    chosen = plan(folder, privacy={"unit": "point", measure: "1", "shares": shares})
    deviation, half = spread(chosen, np.array(weights)).alone(chosen, ALPHA)
    measured = np.concatenate(variances(chosen))[:, 0]
    design = np.concatenate(leaves_of(list(chosen.areas.parents), 1))
    _, covariance = projection(design, np.zeros(len(measured)), measured)
    assert deviation == pytest.approx(np.sqrt(weights @ covariance @ weights), rel=1e-9)
    widest = deviations(chosen, ALPHA)
    # A twin of a draw is wider by a sixth in variance, or less, and no weight is above 1 (privacy/distributions/deviations.py).
    assert deviation * 1.95 <= half <= np.hypot(deviation, np.sqrt(len(measured) / 6)) * widest + 1e-12


def test_names_of_areas_and_of_what_lies_above_are_found() -> None:
    rows = [
        {"id": "1", "name": "Park", "side": "north"},
        {"id": "2", "name": "Park", "side": "south"},
        {"id": "3", "name": "1", "side": "south"},
    ]
    boxes = np.array([shapely.box(at, 0, at + 1, 1) for at in range(3)], dtype=np.object_)
    areas = areas_of(("id", "name", ("side",)), rows, boxes)
    assert areas_below(areas, ["south"]).tolist() == [0, 1, 1]
    assert areas_below(areas, ["all"]).tolist() == [1, 1, 1]
    assert areas_below(areas, ["1"]).tolist() == [1, 0, 0], "an id goes before a name"
    with pytest.raises(ParameterError, match="2 areas"):
        areas_below(areas, ["Park"])
    with pytest.raises(ParameterError, match="did you mean"):
        areas_below(areas, ["nort"])
