"""A record lies in one area of one slice, by where it is or by the id that it names; else it is dropped."""

from pathlib import Path

import pyarrow as pa

from starling.places.areas.source.cells import areas_of, cells_of
from tests.places.areas.worlds import plan


def test_points_and_ids_give_equal_areas(tmp_path: Path) -> None:
    table = pa.table(
        {
            "x": [0.5, 1.5, 0.5, 1.5, 2.5, 9.0, None],
            "y": [1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 0.5],
            "zone": ["a", " b", '"c"', "d", "e", "f", None],
        }
    )
    by_place = areas_of(plan(tmp_path), table)
    by_id = areas_of(plan(tmp_path, input={"area": "zone"}), table)
    assert by_place.tolist() == by_id.tolist() == [0, 1, 2, 3, 4, -1, -1]


def test_slices_come_before_areas(tmp_path: Path) -> None:
    chosen = plan(tmp_path, input={"area": "zone", "time": "when"}, slices={"names": ["am", "pm"]})
    table = pa.table({"zone": ["a", "e", "e", "f"], "when": ["pm", "am", "night", "am"]})
    assert cells_of(chosen, table).tolist() == [5, 4, -1, -1]


def test_ids_that_are_numbers_are_read_as_their_texts(tmp_path: Path) -> None:
    chosen = plan(tmp_path, areas={"file": "areas.geojson", "id": "id"}, input={"area": "zone"})
    assert areas_of(chosen, pa.table({"zone": pa.array([1, 2])})).tolist() == [-1, -1]
