"""What a release says of itself: its bounds, its budget, its box."""

import json

import numpy as np
import pytest

from starling.places.artifact.pages import _published, charged, parameters, product
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import METHODS
from starling.places.postprocess import estimate
from tests.places.plans import PERSON, SLICED, plan


def test_bounds_say_what_the_sensitivity_rests_on() -> None:
    assert plan().unit_bounds == {"points_of_a_unit": 1}
    person = plan(PERSON).unit_bounds
    assert (person["points_of_a_unit"], person["cells_once"]) == (2, False)
    assert "smallest keyed hash" in product(plan(PERSON)).bounds


def test_parameters_are_the_plan_with_its_budget() -> None:
    chosen = plan(SLICED, {"method": {"name": "quadtree", "height": 1}})
    stated = json.loads(json.dumps(parameters(chosen, mechanism_of(chosen))))
    assert stated["grid"] == {"crs": "degrees", "box": ["-1", "0", "3", "2"], "rows": 2, "columns": 4}
    assert stated["slices"] == ["January", "February"]
    assert stated["parameters"] == {"height": "1"}
    assert stated["plan_sha256"] == chosen.digest


def test_the_report_names_budget_and_unit() -> None:
    section = charged(plan(PERSON))
    assert "one person, of whom at most 2 points are counted" in " ".join(section.paragraphs)
    assert section.tables[0].rows == (("cells", "1"),)


@pytest.mark.parametrize("method", METHODS)
def test_words_of_paths_and_boxes_are_those_of_methods_that_measure_boxes(method: str) -> None:
    chosen = plan({"method": {"name": method}, "privacy": {"epsilon": "50"}})
    mechanism = mechanism_of(chosen)
    measured = mechanism.draw(np.full(chosen.grid.shape, 5)[None])
    boxes = isinstance(measured[0], MeasuredTree)
    paths = [product(chosen).composition, *charged(chosen).paragraphs]
    assert ["path" in text for text in paths] == [boxes, boxes]
    [created] = _published(chosen, [estimate(method, measured[0])]).paragraphs
    assert ("points of all boxes" in created) == boxes


def test_a_box_is_told_in_its_units() -> None:
    assert plan().grid.box_text == "x from -1 to 3, y from 0 to 2, in degrees of longitude and latitude"
    assert plan({"grid": {"crs": "plain", "crs_name": "EPSG:2263"}}).grid.box_text.endswith("in EPSG:2263")
