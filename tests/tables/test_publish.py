"""From the Census toy files to a folder: which rows there are, in which order things happen, what a refusal leaves."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import BudgetRefused, OutputError, RunFailed, SourceError
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from starling.release.pipeline import Listener
from starling.tables import release
from starling.tables.counts import GroupCounts
from starling.tables.generate import generate
from starling.tables.plan import Piece, Plan, read_geography
from tests.tables.small import small_plan

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
        if plan.regions.of(level.geography).small is below_state
        for region in geography.regions[level.geography]
        for iteration in level.iterations
    }


@pytest.mark.parametrize("config", CONFIGS)
def test_toy_data_set_is_released(toy: Path, tmp_path: Path, config: str) -> None:
    plan = Plan.load(toy / config)
    released = release(
        plan,
        toy / "person-records.txt",
        toy / "GRF-C.txt",
        tmp_path / "out",
        payment=PaymentOptions(request_id="toy", unvalidated=True),
    )
    assert released.receipt is not None
    assert released.receipt.guarantee == plan.guarantee
    header, *body = rows(tmp_path / "out", "t1")
    assert header == ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT"]
    keys = [(region, kind, code) for region, kind, code, _ in body]
    assert len(set(keys)) == len(keys)
    assert json.loads(json.dumps(released.as_json()))["rows"]["t1"] == len(keys)
    # Nation and state are never suppressed; below them a bare total may be.
    above, below = groups(plan, toy, below_state=False), groups(plan, toy, below_state=True)
    assert above <= set(keys) <= above | below
    assert all(str(int(count)) == count for *_, count in body)


@pytest.mark.series(1)
@pytest.mark.parametrize("config", CONFIGS)
def test_t2_has_whole_partitions_of_groups_of_t1(toy: Path, tmp_path: Path, config: str) -> None:
    plan = Plan.load(toy / config)
    release(
        plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out", payment=PaymentOptions(unvalidated=True)
    )
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
    plan = Plan.load(toy / "input_dir_zcdp")
    release(plan, empty, toy / "GRF-C.txt", tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    keys = {tuple(row[:3]) for row in rows(tmp_path / "out", "t1")[1:]}
    assert groups(plan, toy, below_state=False) <= keys


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """With room for one release of the plan under pure DP."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    output = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    output.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, "22.14")
    output.custody.add_dataset("toy", "people", {})
    output.custody.grant("people", "custodian", "22.14")
    return output


def charges(ledger: Ledger) -> int:
    return len(ledger.reading.account("people").charges)


def test_the_charge_comes_once_and_before_the_read(
    toy: Path, tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = GroupCounts.totals

    def watching(self: GroupCounts, piece: Piece, /) -> npt.NDArray[np.int64]:
        seen.append(charges(ledger))
        return plain(self, piece)

    monkeypatch.setattr(GroupCounts, "totals", watching)
    steps: list[str] = []
    files = (toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out")
    release(
        Plan.load(toy / "input_dir_puredp"),
        *files,
        payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True),
        listener=Listener(step=steps.append),
    )
    assert set(seen) == {1}
    assert charges(ledger) == 1
    assert [step.split()[0] for step in steps] == ["reading", "computing", "charging,", "writing"]


@pytest.mark.slow
def test_a_disk_that_fills_while_noise_is_drawn_ends_in_the_one_sentence_and_leaves_no_draw(
    toy: Path, tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out")
    written: list[int] = []
    plain = pq.ParquetWriter.write_table

    def full(self: pq.ParquetWriter, table: pa.Table, **options: int) -> None:
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        written.append(len(table))
        plain(self, table, **options)

    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(RunFailed) as failed:
            release(
                Plan.load(toy / "input_dir_puredp"),
                *files,
                payment=PaymentOptions(ledger=ledger, dataset="toy", request_id="again", unvalidated=True),
            )
    assert str(failed.value) == str(RunFailed())
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]
    assert charges(ledger) == 1
    release(
        Plan.load(toy / "input_dir_puredp"),
        *files,
        payment=PaymentOptions(ledger=ledger, dataset="toy", request_id="again", unvalidated=True),
    )
    assert charges(ledger) == 1, "the same request is not paid twice"


def test_a_refused_charge_leaves_nothing(toy: Path, tmp_path: Path, ledger: Ledger) -> None:
    files = (toy / "person-records.txt", toy / "GRF-C.txt")
    release(
        Plan.load(toy / "input_dir_puredp"),
        *files,
        tmp_path / "out",
        payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True),
    )
    before = sorted(tmp_path.iterdir())
    # Another request: the same one would get its answer again.
    other = dataclasses.replace(Plan.load(toy / "input_dir_puredp"), allow_negative=False)
    with pytest.raises(BudgetRefused):
        release(
            other, *files, tmp_path / "second", payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True)
        )
    assert sorted(tmp_path.iterdir()) == before


def test_public_faults_are_found_before_the_charge(toy: Path, tmp_path: Path, ledger: Ledger) -> None:
    plan, geography = Plan.load(toy / "input_dir_puredp"), toy / "GRF-C.txt"
    with pytest.raises(SourceError):
        release(
            plan,
            toy / "no-such-file.txt",
            geography,
            tmp_path / "out",
            payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True),
        )
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError):
        release(
            plan,
            toy / "person-records.txt",
            geography,
            tmp_path / "out",
            payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True),
        )
    assert charges(ledger) == 0


def test_parquet_has_the_rows_of_the_text(toy: Path, tmp_path: Path) -> None:
    plan = Plan.load(toy / "input_dir_zcdp")
    release(
        plan, toy / "person-records.txt", toy / "GRF-C.txt", tmp_path / "out", payment=PaymentOptions(unvalidated=True)
    )
    for name in ("t1", "t2"):
        header, *body = rows(tmp_path / "out", name)
        parquet = pq.read_table(tmp_path / "out" / "data" / f"{name}.parquet").to_pylist()
        names = [{"AGESTART": "age_start", "AGEEND": "age_end"}.get(column, column.lower()) for column in header]
        assert body == [[str(row[name]) for name in names] for row in parquet]


def test_given_names_of_regions_are_published(tmp_path: Path) -> None:
    plan = small_plan("rho")
    output = generate(plan, persons=300, seed=1, out=tmp_path / "in")
    for out, names in (("named", output.files["names"]), ("unnamed", None)):
        release(
            plan,
            output.records,
            output.files["geography"],
            tmp_path / out,
            names=names,
            payment=PaymentOptions(unvalidated=True),
        )
    named, unnamed = (
        set(pq.read_table(tmp_path / out / "data" / "t1.parquet")["region_name"].to_pylist())
        for out in ("named", "unnamed")
    )
    assert named <= {line.split("|")[2] for line in output.files["names"].read_text().splitlines()}
    assert {"Alabama", "county 001, Alabama"} & unnamed
