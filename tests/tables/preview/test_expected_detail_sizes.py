"""Sizes of groups: the public assumption, and a file in its place."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan import GeographyLevel
from starling.tables.plan.census_records import MEDIANS, REGIONAL
from starling.tables.preview.expected_detail import LARGEST, assumed, read_sizes
from tests.tables.small import small_plan


@given(st.sampled_from(list(GeographyLevel)), st.sampled_from([1, 2]), st.integers(0, 10**6))
def test_the_assumption_is_the_stated_tail(geography: GeographyLevel, depth: int, persons: int) -> None:
    """A part 1/(1 + x/m) of the groups has at least x persons, to within the step that x lies in."""
    level = replace(small_plan().levels[0], geography=geography, iteration_level=depth)
    median = MEDIANS[geography] * (REGIONAL if depth == 1 else 1)
    sizes = assumed(small_plan(), level)
    assert [size for size, _ in sizes] == sorted({size for size, _ in sizes})
    assert sum(part for _, part in sizes) == pytest.approx(1)
    assert all(part >= 0 and size <= LARGEST for size, part in sizes)
    result = sum(part for size, part in sizes if size >= persons)
    assert (
        1 / (1 + 1.25 * (persons + 1) / median) - 0.01 <= result <= 1 / (1 + 0.8 * max(persons - 1, 0) / median) + 0.01
    )


def test_a_file_gives_sizes_for_all_levels_or_for_each(tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("size,groups\n10,1\n0,2\n10,1\n5,0\n")
    assert read_sizes(path) == {"": ((0, 0.5), (10, 0.5))}
    path.write_text("level,size,groups\nCOUNTY detailed,10,1\nSTATE detailed,7,3\n")
    assert read_sizes(path) == {"COUNTY detailed": ((10, 1.0),), "STATE detailed": ((7, 1.0),)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "sizes.csv:1: header is not known; begin with the line size,groups"),
        ("groups,size\n1,2\n", "header is not known"),
        ("size,groups\n", "groups are none"),
        ("size,groups\n5,0\n", "groups are none"),
        ("size,groups\n1,2\n-5,2\n", "sizes.csv:3: line is not a size and a number of groups"),
        ("size,groups\n1,2,3\n", "sizes.csv:2: line is not"),
        ("size,groups\n1.5,2\n", "sizes.csv:2: line is not"),
        ("size,groups\n1,9999999999999\n", "sizes.csv:2: line is not"),
    ],
)
def test_another_file_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text(text)
    with pytest.raises(PlanError) as refused:
        read_sizes(path)
    assert says in str(refused.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read as UTF-8"):
        read_sizes(tmp_path / "absent.csv")
