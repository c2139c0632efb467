"""Parts hold the records of the whole, each once, and sets of race codes come back as they were."""

import pickle
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine import record_parts
from starling.engine.spark import Parts
from starling.errors import SourceError
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.source import open_persons
from starling.tables.source.fields import Records
from starling.tables.source.lookup import Int16
from starling.tables.source.reading import SCHEMA, as_codes, from_codes, person_parts, read
from starling.tables.source.value_sets import ValueSets
from tests.tables.source.records import GOOD, PLAN, book, row
from tests.tables.worlds import COLUMNS, HEADER

UNKNOWN = 6

LINES = [
    GOOD,
    row(QRACE2="1001"),
    b"",
    b"\0",
    row(QRACE1="Null"),
    row(QRACE2="2000", QRACE3="1001"),
    row(QAGE="116"),
] * 9


def text(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "persons.txt"
    path.write_bytes(b"".join(line + b"\n" for line in (HEADER, *lines)))
    return path


def parquet(folder: Path, lines: list[bytes]) -> Path:
    """A folder of two files of several row groups; lines that are no rows are left out."""
    rows = [line.decode().split("|") for line in lines if line.count(b"|") == HEADER.count(b"|")]
    (folder / "parts").mkdir()
    for name, some in (("a", rows[:10]), ("b", rows[10:])):
        table = pa.table({column: [fields[at] for fields in some] for at, column in enumerate(COLUMNS)})
        pq.write_table(table, folder / "parts" / f"{name}.parquet", row_group_size=7)
    return folder / "parts"


def everything(parts: Parts) -> list[dict[str, object]]:
    """All rows, read from a copy that has travelled."""
    travelled = pickle.loads(pickle.dumps(parts))
    return [row for part in travelled.parts for batch in travelled.read(part) for row in batch.to_pylist()]


@pytest.mark.parametrize("chunk", [3, 100, 1000, 1 << 20])
def test_parts_of_text_are_the_whole(tmp_path: Path, chunk: int) -> None:
    with mock.patch("starling.engine.delimited.CHUNK", chunk):
        persons = open_persons(text(tmp_path, LINES), PLAN)
        parts, wanted = person_parts(persons, PLAN, book()), list(read(persons, PLAN, book()))
    assert len(parts.parts) == -(-(persons.sizes[0] - len(HEADER) - 1) // chunk)
    assert everything(parts) == [row for whole in wanted for row in rows_of(whole.records, whole.several)]


@pytest.mark.slow
def test_parts_of_parquet_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_parts, "PART_ROWS", 7)
    persons = open_persons(parquet(tmp_path, LINES), PLAN)
    parts = person_parts(persons, PLAN, book())
    assert [part.path for part in parts.parts] == [persons.files[at] for at in [0, 0, *[1] * (len(parts.parts) - 2)]]
    assert len(parts.parts) > 4
    assert everything(parts) == [
        row for whole in read(persons, PLAN, book()) for row in rows_of(whole.records, whole.several)
    ]


def rows_of(records: Records, several: Int16) -> list[dict[str, object]]:
    """Of a chunk, as parts have them: sets of codes written by hand."""
    result = []
    for unit, races, *rest in zip(*(column.tolist() for column in records), strict=True):
        codes = [code for code in several[-1 - races].tolist() if code >= 0] if races < 0 else [races - 1] * (races > 0)
        packed = b"".join(code.to_bytes(2, "little") for code in codes)
        result.append(dict(zip(SCHEMA.names, [unit, packed, *rest], strict=True)))
    return result


@pytest.mark.parametrize("kind", [text, parquet])
def test_a_file_that_is_gone_or_another(tmp_path: Path, kind: object) -> None:
    assert callable(kind)
    path = kind(tmp_path, LINES)
    persons = open_persons(path, PLAN)
    parts = person_parts(persons, PLAN, book())
    for part in persons.files:
        part.write_bytes(b"x" + part.read_bytes())
    with pytest.raises(SourceError, match="are not what was checked"):
        everything(parts)
    for part in persons.files:
        part.unlink()
    with pytest.raises(SourceError, match="are not what was checked"):
        everything(parts)


@pytest.mark.examples(20)
@given(st.lists(st.sets(st.integers(0, UNKNOWN), max_size=8), max_size=30), st.integers(0, 5))
def test_sets_come_back(sets: list[set[int]], cut: int) -> None:
    """Any sets, through codes and a slice of them, to numbers and back: the same sets, and the same number for the same set."""
    several = [sorted(one) for one in sets if len(one) > 1]
    table = np.array([codes + [-1] * (8 - len(codes)) for codes in several], dtype=np.int16).reshape(-1, 8)
    place = iter(range(len(several)))
    races = np.array([-1 - next(place) if len(one) > 1 else max(one, default=-1) + 1 for one in sets], dtype=np.int32)
    codes = as_codes(races, table)
    codes.validate(full=True)
    numbers = ValueSets(UNKNOWN, MOST_RACE_CODES)
    numbered = from_codes(codes.slice(cut), numbers).tolist()
    offsets, all_codes = numbers.rows()
    result = [all_codes[offsets[number] : offsets[number + 1]].tolist() for number in numbered]
    assert result == [sorted(one) for one in sets[cut:]]
    assert len(set(numbered)) == len({tuple(codes) for codes in result})
    assert from_codes(codes.slice(cut), numbers).tolist() == numbered
