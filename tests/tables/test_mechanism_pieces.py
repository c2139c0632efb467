"""Pieces of any size give the same release: what is drawn for each group, what is published of it, which bytes are written."""

import itertools
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import Distribution
from starling.privacy.trust import Confidential, publish
from starling.release import table_files
from starling.release.manifest import digests, files_of
from starling.release.recompute import check
from starling.tables import mechanism
from starling.tables.domain import TABLES
from starling.tables.mechanism import SafeTab
from starling.tables.plan import MOST_GROUPS, GeographyLevel
from starling.tables.postprocess import tabulate
from tests.account import OneCharge
from tests.tables.bundles import write
from tests.tables.small import Written, joined, level_of, small_geography, small_plan, written

COUNTIES = 9
LARGEST = 4 * COUNTIES


def sizes(totals: list[int]) -> Written:
    """A state of some persons, and counties whose groups have these totals."""
    plan = small_plan()
    geography = small_geography(plan, COUNTIES)
    state, county = written(plan, geography, 15).detail[0], written(plan, geography, 0).detail[1]
    for group, total in enumerate(totals):
        county[group, np.arange(total) % 46] += 1
    return Written((state, county))


TOTALS = st.lists(st.integers(0, 25), min_size=2 * COUNTIES, max_size=2 * COUNTIES)


@pytest.mark.slow
@pytest.mark.examples(25)
@given(TOTALS, st.integers(1, LARGEST))
def test_exact_values_of_any_pieces_are_the_same(totals: list[int], most: int) -> None:
    """Without noise, since noise is fresh."""
    plan = small_plan()
    geography = small_geography(plan, COUNTIES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism, "draw", lambda _, count: np.zeros(count, dtype=np.int64))
        one, many = (SafeTab(plan, geography, most_groups=each).draw(sizes(totals)) for each in (MOST_GROUPS, most))
    for number in range(len(plan.levels)):
        for field in ("stage1", "branch", "values"):
            assert np.array_equal(getattr(level_of(one, number), field), getattr(level_of(many, number), field))
    whole, divided = (joined(tabulate(plan, geography, drawn)) for drawn in (one, many))
    assert whole.t1.equals(divided.t1)
    assert whole.t2.equals(divided.t2)


@pytest.mark.examples(30)
@given(TOTALS, st.integers(1, LARGEST))
def test_every_piece_draws_noise_of_its_own_for_each_of_its_groups(totals: list[int], most: int) -> None:
    """Noise that numbers its draws: no draw is used twice, none is left out."""
    plan = small_plan(geographies=(GeographyLevel.COUNTY,))
    geography = small_geography(plan, COUNTIES)
    number = itertools.count(1000, 1000)

    def numbered(_: Distribution, count: int) -> npt.NDArray[np.int64]:
        return np.array([next(number) for _ in range(count)], dtype=np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism, "draw", numbered)
        drawn = level_of(SafeTab(plan, geography, most_groups=most).draw(Written(sizes(totals).detail[1:])), 0)
    used = sorted(np.concatenate((drawn.stage1, drawn.values)) // 1000)
    assert used == list(range(1, len(used) + 1))
    assert next(number) == 1000 * (len(used) + 1)


@pytest.mark.series(1)
@pytest.mark.parametrize("most", [1, 4, 7, LARGEST])
def test_a_release_in_pieces_is_the_same_tables_and_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(mechanism, "draw", lambda _, count: np.zeros(count, dtype=np.int64))
    monkeypatch.setattr(table_files, "ROW_GROUP", 10)
    plan = small_plan()
    geography = small_geography(plan, COUNTIES)
    exact = sizes(list(range(2 * COUNTIES)))
    for name, groups in (("one", MOST_GROUPS), ("many", most)):
        drawing = SafeTab(plan, geography, most_groups=groups)
        drawn = publish(Confidential(lambda: exact), drawing, OneCharge(plan.cost, "5" * 32))
        write(tmp_path / name, plan, geography, drawn)
    for name in ("t1.txt", "t2.txt", "t1.csv", "t2.csv", "t1.parquet", "t2.parquet"):
        assert (tmp_path / "one" / "data" / name).read_bytes() == (tmp_path / "many" / "data" / name).read_bytes()
    for name in ("report.html", "privacy.json", "registry.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()
    stated = json.loads((tmp_path / "many" / "privacy.json").read_text())
    assert all(
        each.state == "holds" for each in check(TABLES, tmp_path / "many", stated, digests(files_of(tmp_path / "many")))
    )
