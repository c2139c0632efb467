"""The regions of a plan: from the block file of the Census, or from the plan itself."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.tables.plan import Plan, read_geography, read_regions
from tests.tables.plan.invented import GRF, census_folder
from tests.tables.plan.test_custom_grammar import LEAST

ROWS = [["d2", "west"], ["d1", "west"], ["d3", ""]]


def custom_plan() -> Plan:
    """A plan with areas of two levels."""
    regions = {"column": "district", "levels": ["county", "district"], "rows": ROWS}
    levels = [{"regions": level, "groups": "by sex", "budget": "1"} for level in ("county", "district")]
    return Plan.of({**LEAST, "regions": regions, "levels": levels})


def test_areas_are_units() -> None:
    geography = read_regions(custom_plan())
    assert geography.units == 3
    assert geography.regions == {"county": ("west",), "district": ("d1", "d2", "d3")}
    assert geography.region_of_unit["county"].tolist() == [0, 0, -1]
    assert np.array_equal(geography.region_of_unit["district"], [0, 1, 2])
    assert geography.names == geography.regions


def test_only_levels_that_are_tabulated_have_regions() -> None:
    assert [*read_regions(custom_plan().only(["(county, 1)"])).regions] == ["county"]


def test_those_of_the_census_are_its_block_file(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path / "plan"))
    (tmp_path / "blocks.txt").write_text(GRF)
    result, wanted = read_regions(plan, tmp_path / "blocks.txt"), read_geography(tmp_path / "blocks.txt", plan)
    assert (result.regions, result.names) == (wanted.regions, wanted.names)
    with pytest.raises(ParameterError, match="geography is missing"):
        read_regions(plan)


@pytest.mark.parametrize("stated", [{"geography": "blocks.txt"}, {"names": "names.txt"}])
def test_records_of_ones_own_take_no_files_of_the_census(stated: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="of the Census, and the plan is not"):
        read_regions(custom_plan(), **stated)
