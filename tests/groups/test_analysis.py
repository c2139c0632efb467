"""A release for who analyses it: measured numbers that know their noise, and share it where they share draws."""

from pathlib import Path

import pytest

import starling
from starling.errors import ParameterError
from starling.groups.analysis import GroupsRelease
from starling.groups.plan import METHODS
from starling.privacy.distributions.accuracy import standard_deviation
from tests.groups.test_publication import published


def opened(folder: Path, method: str) -> GroupsRelease:
    result = starling.open_release(published(folder, more=f'method = "{method}"'))
    assert isinstance(result, GroupsRelease)
    return result


def test_sums_of_histograms_have_a_draw_for_each_size(tmp_path: Path) -> None:
    release = opened(tmp_path, "h")
    one = standard_deviation(release.plan.noise(2)[0])
    assert release.number("e1", 1).standard_deviation == pytest.approx(one)
    assert release.number_of_sizes("e1", 1, 3).standard_deviation == pytest.approx(one * 3**0.5)
    both = release.number("e1", 1) + release.number("e2", 1)
    assert both.standard_deviation == pytest.approx(one * 2**0.5)
    assert (release.number("e1", 1) - release.number("e1", 1)).standard_deviation == 0


def test_sums_of_cumulative_counts_have_the_draws_of_their_ends(tmp_path: Path) -> None:
    if "c_joint" not in METHODS:
        return
    release = opened(tmp_path, "c_joint")
    one = standard_deviation(release.plan.noise(0)[0])
    assert release.number_of_sizes("land", 0).standard_deviation == 0
    assert release.number_of_sizes("land", 2).standard_deviation == pytest.approx(one)
    assert release.number("land", 2).standard_deviation == pytest.approx(one * 2**0.5)
    total = release.number("land", 0) + release.number("land", 1) + release.number("land", 2)
    assert total.standard_deviation == pytest.approx(one)
    assert total.estimate == release.number_of_sizes("land", 0, 2).estimate


@pytest.mark.series(1)
@pytest.mark.parametrize(("region", "sizes"), [("north", (1, 1)), ("e1", (3, 2)), ("e1", (0, 5)), ("e1", (-1, 2))])
def test_what_is_not_in_the_plan_is_refused(region: str, sizes: tuple[int, int], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not in the plan"):
        opened(tmp_path, "h").number_of_sizes(region, *sizes)


@pytest.mark.series(2)
@pytest.mark.parametrize("method", METHODS)
def test_no_number_of_groups_is_said_to_be_less_than_none(tmp_path: Path, method: str) -> None:
    release = opened(tmp_path, method)
    numbers = [release.number_of_sizes(region, least) for region in ("land", "e1") for least in range(5)]
    assert min(each.lower for each in numbers) >= 0
    assert all(each.least is not None for each in numbers)
    assert (numbers[1] - numbers[6]).least is None
