"""A preview states what a release will: the deviations are those of its table."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from starling import places
from tests.places.areas.worlds import plan


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_the_errors_are_those_of_a_release(tmp_path: Path, measure: str) -> None:
    stated = plan(tmp_path, privacy={"unit": "point", measure: "1"}, expected=50)
    chosen = places.AreasPlan.of(stated.values(), folder=tmp_path)
    preview = chosen.preview()
    rows = chosen.release(pd.DataFrame({"x": [0.5], "y": [0.5]})).to_pandas()
    largest = rows.groupby("level", sort=False)["standard_deviation"].max()
    assert [each.deviation for each in preview.levels] == pytest.approx(largest.tolist())
    assert [each.typical for each in preview.levels] == [50, 25, 10]
    assert [each.typical for each in chosen.preview(expected=5).levels] == [5, 2.5, 1]
    assert "95 of 100 within" in str(preview)
    assert preview.header()[4:] == ("Points of one, about",)
    unexpected = places.AreasPlan.of({**stated.values(), "expected": 0}, folder=tmp_path).preview()
    bare = replace(unexpected, levels=tuple(replace(each, typical=None) for each in unexpected.levels))
    assert (len(bare.header()), {*map(len, bare.rows())}) == (4, {4}), "no column is empty"
