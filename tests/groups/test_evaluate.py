"""Errors of a release against the truth, which is not private (row 32)."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import SourceError
from starling.groups.evaluate import LevelErrors, Reading, compare, evaluate
from starling.groups.plan import Plan
from starling.groups.postprocess import Conditions
from starling.groups.publish import release
from starling.groups.source import open_records
from starling.privacy.trust import NotPrivate
from starling.release.payment import PaymentOptions
from tests.groups.worlds import CELLS, GROUPS, world, write_world


def test_errors_are_counted() -> None:
    published, true = np.array([[3, 0, 12], [0, 1, 0]]), np.array([[1, 2, 12], [0, 0, 1]])
    result = LevelErrors.of(published, true)
    assert (result.l1, result.emd, result.largest) == (6, 3, 2)
    assert result.readings[:2] == (Reading(1, 3, 1, 2), Reading(10, 1, 0, 0))


def test_a_release_is_compared_with_its_records(tmp_path: Path) -> None:
    records = write_world(tmp_path, budget='epsilon = "1"')
    plan = Plan.load(tmp_path / "plan.toml")
    out = tmp_path / "release"
    release(plan, records, out, payment=PaymentOptions(unvalidated=True))
    result = evaluate(plan, open_records(records, plan), out)
    assert isinstance(result, NotPrivate)
    published = [
        pq.read_table(out / "data" / f"{level}.parquet")["groups"].to_numpy().reshape(-1, plan.sizes)
        for level in plan.regions.levels
    ]
    assert result.value == compare(plan, published, np.array(CELLS))
    assert result.value.violations == Conditions(0, 0, 0)
    assert result.value.levels["county"].l1 == np.abs(published[-1] - np.array(CELLS)).sum()


@pytest.mark.examples(20)
@given(st.lists(st.integers(0, 14), min_size=GROUPS, max_size=GROUPS))
def test_numbers_that_add_up_are_off_by_at_most_twice_the_groups(
    tmp_path_factory: pytest.TempPathFactory, where: list[int]
) -> None:
    plan = world(tmp_path_factory.mktemp("plan"))
    leaves = np.bincount(where, minlength=15).reshape(3, 5)
    result = compare(plan, plan.regions.sums(leaves), np.array(CELLS))
    assert all(level.l1 <= 2 * GROUPS and level.largest <= GROUPS for level in result.levels.values())


def test_what_breaks_conditions_is_counted(tmp_path: Path) -> None:
    plan = world(tmp_path)
    levels = [level.copy() for level in plan.regions.sums(np.array(CELLS))]
    levels[1][0, 2] -= 1
    result = compare(plan, levels, np.array(CELLS))
    assert result.violations == Conditions(2, 0, 0)
    assert result.levels["state"].l1 == 1


def test_another_folder_is_refused(tmp_path: Path) -> None:
    records = write_world(tmp_path)
    plan = Plan.load(tmp_path / "plan.toml")
    opened = open_records(records, plan)
    with pytest.raises(SourceError, match="land"):
        evaluate(plan, opened, tmp_path)
    release(plan, records, tmp_path / "release", payment=PaymentOptions(unvalidated=True))
    (tmp_path / "other").mkdir()
    other = world(tmp_path / "other", largest=3)
    with pytest.raises(SourceError, match="another plan"):
        evaluate(other, opened, tmp_path / "release")
