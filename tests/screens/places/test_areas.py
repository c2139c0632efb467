"""The pages of a release of areas show its map and its numbers, as those of every release."""

from pathlib import Path

import pandas as pd

from starling import places
from starling.screens.places.areas import AreasPages
from starling.screens.places.kinds import pages_of_places
from tests.places.areas.worlds import plan


def test_a_release_of_areas_has_its_map_and_first_rows(tmp_path: Path) -> None:
    chosen = places.AreasPlan.of(plan(tmp_path).values(), folder=tmp_path)
    pages = pages_of_places(chosen.release(pd.DataFrame({"x": [0.5], "y": [0.5]})))
    assert isinstance(pages, AreasPages)
    assert [caption.startswith("Released points (visit) by area") for _, caption in pages.drawn()] == [True]
    assert pages.summary().rows[0][:2] == ("all", "all")
