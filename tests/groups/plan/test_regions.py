"""Public regions: their order, what they add up to, and every file that is refused, with its cause (row 32; bad input of the spec)."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import PlanError
from starling.groups.plan.regions import leaf_totals, read_rows, regions_of
from tests.groups.worlds import REGIONS

LEVELS = ("land", "state", "county")


def regions(folder: Path, text: str = REGIONS, levels: tuple[str, ...] = LEVELS) -> object:
    (folder / "regions.csv").write_text(text)
    return regions_of(read_rows(folder / "regions.csv"), levels, "regions.csv")


def test_children_of_a_region_stand_together_and_add_up_to_it(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("parent,region\n,x\nx,b\nx,a\na,z\nb,y\na,k\n")
    result = regions_of(read_rows(tmp_path / "regions.csv"), LEVELS, "r")
    assert result.ids == (("x",), ("a", "b"), ("k", "z", "y"))
    assert [parents.tolist() for parents in result.tree.parents] == [[0, 0], [0, 0, 1]]
    sums = result.sums(np.array([[1, 0], [2, 5], [4, 1]]))
    assert [level.tolist() for level in sums] == [[[7, 6]], [[3, 5], [4, 1]], [[1, 0], [2, 5], [4, 1]]]


def test_the_root_alone_is_a_tree(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("region,parent\nland,\n")
    result = regions_of(read_rows(tmp_path / "regions.csv"), ("land",), "r")
    assert result.leaves == ("land",)
    assert [level.tolist() for level in result.sums(np.array([[1, 2]]))] == [[[1, 2]]]


REFUSED = {
    "has 2 roots": REGIONS + "other,\n",
    "has 0 roots": REGIONS.replace("land,\n", "land,e1\n", 1),
    "west of level state has no region inside it": REGIONS.replace("w1,west\n", ""),
    "e1 of the last level, county, has regions inside it": REGIONS + "deep,e1\n",
    "e1 is there 2 times": REGIONS + "e1,west\n",
    "nowhere is no region of the file": REGIONS + "x,nowhere\n",
    "lie in one another in a circle": REGIONS + "a,b\nb,a\n",
    "is a missing column": "region,above\nland,\n",
    "is not CSV": "region,parent" + "x" * 200_000 + "\n",
    "is empty": REGIONS + ",west\n",
    "is not an integer": "region,parent,groups\nland,,\nx,land,1.5\n",
    "holds a character that is not printed": REGIONS + "a\x1b[2J,west\n",
}


@pytest.mark.parametrize("cause", REFUSED)
def test_a_file_that_is_no_tree_is_refused_with_its_cause(cause: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=cause):
        regions(tmp_path, REFUSED[cause])


def test_another_number_of_levels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="of the last level, state, has regions inside it"):
        regions(tmp_path, levels=("land", "state"))
    with pytest.raises(PlanError, match="of level county has no region inside it"):
        regions(tmp_path, levels=(*LEVELS, "tract"))


def test_every_leaf_needs_its_total(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text(REGIONS)
    result = regions_of(read_rows(tmp_path / "regions.csv"), LEVELS, "r")
    assert leaf_totals(result, {"e1": 1, "e2": 0, "w1": 2}) == (1, 0, 2)
    with pytest.raises(PlanError, match="of e2 and 0 other leaves is missing"):
        leaf_totals(result, {"e1": 1, "w1": 2})
