"""Part by part the same is counted as at once: all records of a person are in one part, and nothing of them stays on the disk."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine import by_person, duck
from starling.engine.bounded_records import PERSON, bounded_sql, bounds_of
from starling.engine.by_person import PARTS, run_by_person
from starling.engine.duck import Limits
from starling.errors import OutputError, SourceError

CONTENT = pa.schema([("cell", pa.int64())])
KEPT = "FROM ranked CROSS JOIN bounds WHERE ranked.place <= bounds.most"
ANSWER = f"SELECT ranked.cell AS cell, count(*) AS records {KEPT} GROUP BY ranked.cell"
TEXT = bounded_sql(CONTENT, ANSWER)
ROWS = st.lists(st.tuples(st.binary(max_size=3), st.integers(-2, 2)), max_size=40)


@pytest.fixture(scope="module", autouse=True)
def all_parts() -> Iterator[None]:
    """As many parts as outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_person, "PARTS", PARTS)
        yield


def batches(rows: list[tuple[bytes, int]], size: int) -> list[pa.RecordBatch]:
    return [
        pa.record_batch(
            [pa.array([who for who, _ in some], pa.binary()), pa.array([cell for _, cell in some], pa.int64())],
            schema=pa.schema([PERSON, *CONTENT]),
        )
        for some in (rows[begin : begin + size] for begin in range(0, len(rows), size))
    ]


def added(answer: list[pa.RecordBatch]) -> Counter[int]:
    found: Counter[int] = Counter()
    for batch in answer:
        for row in batch.to_pylist():
            found[row["cell"]] += row["records"]
    return found


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(ROWS, st.integers(1, 3))
def test_parts_add_up_to_what_is_counted_at_once(rows: list[tuple[bytes, int]], most: int) -> None:
    assert by_person.PARTS == 16, "what is run outside of tests"
    bounds = bounds_of(bytes(32), most)
    whole = pa.Table.from_batches(batches(rows, 1000), pa.schema([PERSON, *CONTENT]))
    at_once = list(duck.run(TEXT, {"records": whole, "bounds": bounds}))
    assert added(list(run_by_person(TEXT, CONTENT, batches(rows, 7), {"bounds": bounds}))) == added(at_once)


def test_persons_are_spread_over_all_parts() -> None:
    [batch] = batches([(str(number).encode(), 0) for number in range(64 * PARTS)], 64 * PARTS)
    assert all(16 < len(part) < 160 for part in by_person._split(batch))
    [sliced] = batches([(b"x", 0), (b"a", 1), (b"a", 2)], 3)
    assert [part["cell"].to_pylist() for part in by_person._split(sliced.slice(1)) if len(part)] == [[1, 2]]


def test_one_database_counts_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Mock(wraps=duck._locked)
    monkeypatch.setattr(duck, "_locked", opened)
    rows = [(str(number).encode(), 0) for number in range(8 * PARTS)]
    answer = list(run_by_person(TEXT, CONTENT, batches(rows, 9), {"bounds": bounds_of(bytes(32), 1)}))
    assert added(answer) == {0: len(rows)}
    opened.assert_called_once()


def test_nothing_stays_on_the_disk(tmp_path: Path) -> None:
    limits = Limits(1 << 28, None, 1, tmp_path)
    rows = [(str(number).encode(), 0) for number in range(100)]
    with closing(run_by_person(TEXT, CONTENT, batches(rows, 9), {"bounds": bounds_of(bytes(32), 1)}, limits)) as answer:
        next(answer)
        assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == []
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_gone_is_said_and_so_is_a_file_that_changed(tmp_path: Path) -> None:
    gone = Limits(1 << 28, None, 1, tmp_path / "gone")
    with pytest.raises(OutputError, match="could not be kept on the disk") as error:
        list(run_by_person(TEXT, CONTENT, [], {}, gone))
    assert error.value.__cause__ is error.value.__context__ is None

    def changed() -> Iterator[pa.RecordBatch]:
        yield from batches([(b"a", 0)], 1)
        raise SourceError("records", "are not what was checked", "leave the file alone")

    with pytest.raises(SourceError, match="are not what was checked"):
        list(run_by_person(TEXT, CONTENT, changed(), {}))
