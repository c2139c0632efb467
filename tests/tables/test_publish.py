"""The whole road, from the Census's toy files to a folder: which rows there are, in which order things happen, what a refusal leaves."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from starling.errors import BudgetRefused, OutputError, SourceError
from tests.account import OneCharge
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.tables import release
from starling.tables.plan import Plan, load, read_geography

CONFIGS = ["input_dir_puredp", "input_dir_zcdp"]


@pytest.fixture
def toy(shared_data: Path) -> Path:
    """The folder of the toy data set: 10 persons, 19 blocks."""
    return shared_data / "tables" / "toy_dataset"


def rows(folder: Path, name: str) -> list[list[str]]:
    """The lines of a released text table, header first."""
    return [line.split("|") for line in (folder / "data" / f"{name}.txt").read_text().splitlines()]


def groups(plan: Plan, toy: Path, *, below_state: bool) -> set[tuple[str, str, str]]:
    """Every population group of the plan's levels above or below the state, as T1 names it."""
    geography = read_geography(toy / "GRF-C.txt", plan)
    return {
        (region, str(level.geography), iteration.code)
        for level in plan.levels
        if level.geography.below_state is below_state
        for region in geography.regions[level.geography]
        for iteration in level.iterations
    }


@pytest.mark.parametrize("config", CONFIGS)
def test_toy_data_set_is_released(toy: Path, tmp_path: Path, config: str) -> None:
    plan = load(toy / config)
    released = release(plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out", request_id="toy")
    assert released.receipt.guarantee == plan.guarantee
    header, *body = rows(tmp_path / "out", "t1")
    assert header == ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT"]
    keys = [(region, kind, code) for region, kind, code, _ in body]
    assert len(set(keys)) == len(keys) == len(released.value.t1)
    # Nation and state are never suppressed; below them a bare total may be.
    above, below = groups(plan, toy, below_state=False), groups(plan, toy, below_state=True)
    assert above <= set(keys) <= above | below
    assert all(str(int(count)) == count for *_, count in body)


@pytest.mark.parametrize("config", CONFIGS)
def test_t2_has_whole_partitions_of_groups_of_t1(toy: Path, tmp_path: Path, config: str) -> None:
    plan = load(toy / config)
    release(plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out")
    t1 = {tuple(row[:3]): int(row[3]) for row in rows(tmp_path / "out", "t1")[1:]}
    header, *body = rows(tmp_path / "out", "t2")
    assert header == ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "AGESTART", "AGEEND", "SEX", "COUNT"]
    by_group: dict[tuple[str, ...], list[list[str]]] = {}
    for row in body:
        by_group.setdefault(tuple(row[:3]), []).append(row[3:])
    for group, cells in by_group.items():
        assert len(cells) in {10, 20, 48}
        marginals = [int(count) for start, _, _, count in cells if start == "*"]
        details = [int(count) for start, _, _, count in cells if start != "*"]
        assert sum(marginals) == sum(details) == t1[group]


def test_no_records_release_like_any_other_number(toy: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text((toy / "person-records.txt").read_text().splitlines()[0] + "\n")
    plan = load(toy / "input_dir_zcdp")
    release(plan, empty, toy / "GRF-C.txt", tmp_path / "out")
    keys = {tuple(row[:3]) for row in rows(tmp_path / "out", "t1")[1:]}
    assert groups(plan, toy, below_state=False) <= keys


class Watched:
    """An account that looks at what there is when it is asked to pay."""

    def __init__(self, plan: Plan, out: Path) -> None:
        self.account = OneCharge(plan.cost, "watched")
        self.out = out
        self.there: list[bool] = []

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        self.there.append(self.out.exists())
        return self.account.charge(guarantee)


def test_the_charge_comes_once_and_before_the_release(toy: Path, tmp_path: Path) -> None:
    plan = load(toy / "input_dir_puredp")
    account = Watched(plan, tmp_path / "out")
    steps: list[str] = []
    files = (toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out")
    release(plan, *files, account=account, step=steps.append)
    assert account.there == [False]
    assert [step.split()[0] for step in steps] == ["reading", "charging,", "tabulating", "writing"]


def test_a_refused_charge_leaves_nothing(toy: Path, tmp_path: Path) -> None:
    plan = load(toy / "input_dir_puredp")
    account = OneCharge(plan.cost, "spent")
    account.charge(plan.guarantee)
    with pytest.raises(BudgetRefused):
        release(plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out", account=account)
    assert list(tmp_path.iterdir()) == []


def test_public_faults_are_found_before_the_charge(toy: Path, tmp_path: Path) -> None:
    plan = load(toy / "input_dir_puredp")
    account = Watched(plan, tmp_path / "out")
    with pytest.raises(SourceError):
        release(plan, toy / "no-such-file.txt", toy / "GRF-C.txt", tmp_path / "out", account=account)
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError):
        release(plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out", account=account)
    assert account.there == []


def test_parquet_has_the_rows_of_the_text(toy: Path, tmp_path: Path) -> None:
    plan = load(toy / "input_dir_zcdp")
    release(plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out")
    for name in ("t1", "t2"):
        header, *body = rows(tmp_path / "out", name)
        parquet = pq.read_table(tmp_path / "out" / "data" / f"{name}.parquet").to_pylist()
        names = [{"AGESTART": "age_start", "AGEEND": "age_end"}.get(column, column.lower()) for column in header]
        assert body == [[str(row[name]) for name in names] for row in parquet]
