"""Faults of records: all are counted, the first are listed with the line that they stand in, in every part of every file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from starling.engine.delimited import Part, fitting, parsed
from starling.engine.held_records import hold
from starling.engine.record_files import Records
from starling.errors import Problem
from starling.release.faults import Tally


def test_lines_are_those_of_the_file_whatever_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,x\n\n2\n3,x\r\n4,y,z\n5,x\n")
    size = path.stat().st_size

    def read(part: Part) -> Iterator[pa.Table]:
        if data := fitting(part, 2).data:
            yield parsed(data, ("a", "b"), ("a",))

    for step in (3, 7, 100):
        parts = tuple(Part(path, at, min(at + step, size), 4) for at in range(4, size, step))
        tally = Tally(1, "mend it")
        records = Records((path,), (size,), "text", ("a", "b"), ("a",), parts)
        found = [
            (value, line)
            for table, lines, _ in tally.tables(records, read)
            for value, line in zip(table["a"].to_pylist(), lines.tolist(), strict=True)
        ]
        assert found == [(b"1", 2), (b"3", 5), (b"5", 7)]
        problem = "has another number of fields than the header, or a quote that is not closed"
        assert (tally.total, tally.counts) == (5, {("record", problem): 2})
        assert tally.findings().listed == (Problem("record", problem, "mend it", "a.csv", 4),)


def test_faults_add_up_by_field(tmp_path: Path) -> None:
    tally = Tally(2, "mend it")
    for problem in ("is odd", "is late"):
        tally.add("a", problem, np.array([True, False, True]), np.array([2, 3, 4]), "f")
    found = tally.findings((Problem("records", "are odd", "look"),))
    assert (found.total, found.by_field, found.more) == (4, {"a": 4}, 2)
    assert [each.line for each in found.listed] == [2, 4]
    assert found.decisive[0].problem == "are odd"


def test_a_fault_may_have_a_fix_of_its_own() -> None:
    tally = Tally(2, "mend it")
    for fix in ("", "drop it"):
        tally.add("a", "is odd", np.array([True]), np.array([2]), "f", fix=fix)
    assert [each.fix for each in tally.findings().listed] == ["mend it", "drop it"]


def test_rows_in_memory_are_numbered_from_1() -> None:
    held, tally = hold({"a": [5, 6]}, ("a",)), Tally(2, "mend it")
    found = [
        (table.to_pydict(), lines.tolist(), file) for table, lines, file in tally.tables(held, lambda _: held.tables())
    ]
    assert found == [({"a": [5, 6]}, [1, 2], "records")]
    assert tally.total == 2


def test_what_most_records_have_concerns_the_file_as_a_whole() -> None:
    tally = Tally(2, "mend it")
    assert [each.problem for each in tally.decisive("f", "look")] == ["has no rows, only a header"]
    tally.total = 3
    for name, wrong in (("a", [True, True, False]), ("b", [True, False, False])):
        tally.add(name, "is odd", np.array(wrong), np.array([2, 3, 4]), "f")
    assert tally.decisive("f", "look") == [Problem("a", "is odd, in 2 of 3 records", "look", "f")]
