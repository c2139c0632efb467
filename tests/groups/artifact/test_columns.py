"""The tables of a release: one for each level and one of regions, and every column says what it holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.groups.artifact.columns import REGION_TABLE, REGION_WORDS, SIZE_WORDS, SIZES, pieces, sheets, tables
from starling.groups.inference.methods import fit
from starling.groups.mechanism import NoisyCounts
from starling.groups.plan import METHODS, Method
from tests.groups.worlds import CELLS, world


def test_every_column_has_words() -> None:
    assert list(SIZE_WORDS) == SIZES.names
    assert list(REGION_WORDS) == REGION_TABLE.names


@pytest.mark.parametrize("method", METHODS)
def test_columns_of_every_method_say_that_intervals_stand_around_measurements(method: Method, tmp_path: Path) -> None:
    """No column of a table of sizes claims an interval, or an error, of the published number."""
    *sizes, _ = tables(replace(world(tmp_path), method=method))
    for table in sizes:
        about = {name: table.words[name] for name in SIZES.names if name.endswith(("lower", "upper", "standard_error"))}
        assert len(about) == 6
        assert all("around the measurement" in words or "in the measured number" in words for words in about.values())
        assert not any("published" in words for words in about.values())


def test_every_region_and_size_has_a_row(tmp_path: Path) -> None:
    plan = world(tmp_path)
    assert [table.name for table in tables(plan)] == ["land", "state", "county", "regions"]
    assert [sheet.path for sheet in sheets(plan)][1:] == [
        f"measurements/{name}.parquet" for name in plan.regions.levels
    ]
    drawn = NoisyCounts(plan).draw(np.array(CELLS))
    made = pieces(plan, drawn, fit(plan, drawn).levels)
    rows = [(name, len(table)) for piece in made for name, table in piece.items()]
    assert rows == [("land", 5), ("regions", 1), ("state", 10), ("regions", 2), ("county", 15), ("regions", 3)]


def test_a_region_without_groups_has_no_mean(tmp_path: Path) -> None:
    plan = world(tmp_path, groups=0)
    drawn = NoisyCounts(plan).draw(np.zeros((3, 5), dtype=np.int64))
    made = pieces(plan, drawn, fit(plan, drawn).levels)
    means = [each for piece in made if "regions" in piece for each in piece["regions"]["mean"].to_pylist()]
    assert means == [None] * 6
