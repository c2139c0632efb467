"""Records as columns: every record follows the stated rule, whatever it says; no line is read twice or lost (closed leaks of the spec)."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.delimited import labels
from starling.errors import SourceError
from starling.groups.plan import Plan
from starling.groups.source import counted, open_records, whole
from tests.groups.worlds import records, world

WRITTEN = {
    "3": 3, "-1": 0, "2.7": 2, '"4"': 4, "9" * 30: 10, "abc": 0, "": 0, "1e3": 0, " 7 ": 7, "+5": 5, "0003": 3, "11": 10, "\xff": 0,
}  # fmt: skip


def chunked(values: list[object], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


def test_a_number_is_rounded_down_and_held_by_its_bounds() -> None:
    assert whole(chunked([each.encode("latin-1") for each in WRITTEN], pa.binary()), 10).tolist() == list(
        WRITTEN.values()
    )
    floats: list[object] = [1.5, None, float("nan"), float("inf"), -3.0, 1e300, -0.5]
    assert whole(chunked(floats, pa.float64()), 10).tolist() == [1, 0, 0, 10, 0, 10, 0]
    assert whole(chunked([2**64 - 1, 3, None], pa.uint64()), 10).tolist() == [10, 3, 0]
    assert whole(chunked([-(2**63), 3, None, 2**63 - 1], pa.int64()), 10).tolist() == [0, 3, 0, 10]


@given(st.lists(st.binary(max_size=12)))
def test_no_bytes_can_stop_the_reading_of_a_number_or_a_label(values: list[bytes]) -> None:
    result = whole(chunked(list(values), pa.binary()), 7)
    assert ((result >= 0) & (result <= 7)).all()
    assert len(labels(chunked(list(values), pa.binary()))) == len(values)


def test_records_of_other_regions_and_wrong_lines_are_dropped(tmp_path: Path) -> None:
    plan = world(tmp_path)
    path = tmp_path / "records.csv"
    path.write_bytes(b'"region",size,more\n"e1",2,x\nnowhere,1,x\ne1,1\nw1,oops,x\n\xff\xfe,1,x\n\n e2 ,9,x\r\n,1,x')
    opened = open_records(path, plan)
    rows = [row for part in opened.parts for batch in counted(plan, opened, part) for row in batch.to_pylist()]
    assert rows == [
        {"leaf": 0, "size": 2, "groups": 1},
        {"leaf": 2, "size": 0, "groups": 1},
        {"leaf": 1, "size": 4, "groups": 1},
    ]


def test_parquet_of_several_types_is_read_alike(tmp_path: Path) -> None:
    plan = world(tmp_path)
    folder = tmp_path / "parts"
    folder.mkdir()
    for name, region in (("a", ["e1", None, "nowhere"]), ("b", ["w1", "w1", "e2"])):
        pq.write_table(
            pa.table({"region": region, "size": pa.array([1.9, 2, None], pa.float32())}), folder / f"{name}.parquet"
        )
    opened = open_records(folder, plan)
    rows = [
        tuple(row.values())
        for part in opened.parts
        for batch in counted(plan, opened, part)
        for row in batch.to_pylist()
    ]
    assert rows == [(0, 1, 1), (2, 1, 1), (2, 2, 1), (1, 0, 1)]


@pytest.mark.parametrize(
    ("name", "data", "cause"),
    [
        ("r.csv", b"region,siez\ne1,1\n", "size is a missing column"),
        ("r.csv", b"region,size,size\ne1,1,1\n", "size is there more than once"),
        ("r.csv", b"\xff\n", "has a header that is not UTF-8"),
        ("r.parquet", b"PAR1 and no more", "is not readable as Parquet"),
        ("r.csv", b"", "has no header"),
    ],
)
def test_the_public_shape_is_checked_before_anything_is_read(
    name: str, data: bytes, cause: str, tmp_path: Path
) -> None:
    plan = world(tmp_path)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError, match=cause):
        open_records(tmp_path / name, plan)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    plan = world(tmp_path)
    (tmp_path / "empty").mkdir()
    for name, cause in (("nothing.csv", "cannot be opened"), ("empty", "folder without Parquet files")):
        with pytest.raises(SourceError, match=cause):
            open_records(tmp_path / name, plan)
    pq.write_table(pa.table({"region": [True], "size": ["1"]}), tmp_path / "types.parquet")
    with pytest.raises(SourceError, match=r"(?s)region is of type bool.*size is of type string"):
        open_records(tmp_path / "types.parquet", plan)


@pytest.mark.slow
def test_the_bound_of_a_number_is_the_same_however_long_the_file_is(tmp_path: Path) -> None:
    """Were it cut where a sum over the file could leave 64 bits, one more member could change every record's number."""
    plan = world(tmp_path, "counts", largest=4, groups=1 << 40)
    path = tmp_path / "records.csv"
    for length in (1, 5_000_000):
        path.write_text("region,size,groups\ne1,1,99999999999999999999\n" + "\n" * length)
        opened = open_records(path, plan)
        rows = [row for part in opened.parts for batch in counted(plan, opened, part) for row in batch.to_pylist()]
        assert rows == [{"leaf": 0, "size": 1, "groups": 1 << 40}]


def test_a_quantity_is_read_where_the_plan_has_one(tmp_path: Path) -> None:
    plan: Plan = world(tmp_path, "events", groups="", quantity=3)
    (tmp_path / "records.csv").write_text("group,quantity\ne1-0,2\ne1-0,9\ne2-1,-1\n")
    opened = open_records(tmp_path / "records.csv", plan)
    batches = [batch for part in opened.parts for batch in counted(plan, opened, part)]
    assert [row["quantity"] for batch in batches for row in batch.to_pylist()] == [2, 3, 0]
    (tmp_path / "records.csv").write_text(records({}, "events"))
    with pytest.raises(SourceError, match="quantity is a missing column"):
        open_records(tmp_path / "records.csv", plan)
