"""The block file: fast where it is right, precise where it is wrong."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan.blocks import COLUMNS, WIDTHS, block_ids, digits, read_blocks
from tests.tables.plan.invented import GRF


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "GRF-C.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def slowly(text: str) -> list[tuple[int, ...]]:
    """The readable twin."""
    return sorted(tuple(map(int, line.split("|"))) for line in text.splitlines()[1:] if line)


def rows(columns: dict[str, np.ndarray]) -> list[tuple[int, ...]]:
    return list(zip(*(columns[name].tolist() for name in COLUMNS), strict=True))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_blocks_are_read_in_order(tmp_path: Path, ending: str, shuffled: bool) -> None:
    header, *lines = GRF.splitlines()
    lines = lines[::-1] if shuffled else lines
    assert rows(read_blocks(write(tmp_path, ending.join([header, *lines, ""])))) == slowly(GRF)


def test_parquet_is_the_same(tmp_path: Path) -> None:
    header, *lines = [line.split("|") for line in GRF.splitlines()]
    table = pa.table(dict(zip(header, map(list, zip(*lines, strict=True)), strict=True)))
    pq.write_table(table, tmp_path / "grf.bin", row_group_size=3)
    assert rows(read_blocks(tmp_path / "grf.bin")) == slowly(GRF)


def test_other_columns_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    """As in the file of persons. The mark of another editor on the first column made it "a missing column"."""
    header, *lines = GRF.splitlines()
    wider = [f"POP|{header.replace('|PLACEFP', '|NAME|PLACEFP')}|AREA"]
    for line in lines:
        state, county, tract, block, place, area = line.split("|")
        wider.append(f"7|{state}|{county}|{tract}|{block}|a name|{place}|{area}|")
    for text in ("\ufeff" + GRF, "\n".join(wider) + "\n", "\ufeff" + "\r\n".join(wider) + "\r\n"):
        assert rows(read_blocks(write(tmp_path, text))) == slowly(GRF)
    with pytest.raises(PlanError, match=r"GRF-C.txt:3: line has 8 fields, must have 9"):
        read_blocks(write(tmp_path, "\n".join([*wider[:2], wider[2][:-1], *wider[3:]]) + "\n"))
    with pytest.raises(PlanError, match=r"GRF-C.txt:2: AIANNHCE is not 4 digits"):
        read_blocks(write(tmp_path, "\n".join([wider[0], wider[1].replace("|0001|", "|001|")])))
    columns = [line.split("|") for line in wider]
    table = pa.table(dict(zip(columns[0], map(list, zip(*columns[1:], strict=True)), strict=True)))
    pq.write_table(table, tmp_path / "grf.parquet")
    assert rows(read_blocks(tmp_path / "grf.parquet")) == slowly(GRF)


BROKEN = [
    (
        GRF + "01|001|000100|0001|22800|0001\n",
        "GRF-C.txt:10: TABBLK lists block 010010001000001 again, first on line 2",
    ),
    (GRF + "99|001|000100|0001|22800|0001\n99|001|000100|0001|11111|0001\n", "GRF-C.txt:11: TABBLK lists block 99"),
    (GRF + "1|001|000100|0009|22800|0001\n", "GRF-C.txt:10: TABBLKST is not 2 digits"),
    (GRF + "01|001|000100|000a|22800|0001\n", "GRF-C.txt:10: TABBLK is not 4 digits"),
    (GRF + "01|001|000100|-001|22800|0001\n", "GRF-C.txt:10: TABBLK is not 4 digits"),
    (GRF + '01|001|000100|"001"|22800|0001\n', "GRF-C.txt:10: TABBLK is not 4 digits"),
    (GRF + "01|001|000100|0009|Null|0001\n", "GRF-C.txt:10: PLACEFP is not 5 digits"),
    (GRF + "01|001|000100|0009||0001\n", "GRF-C.txt:10: PLACEFP is not 5 digits"),
    (GRF + "01|001|000100|0009|22800\n", "GRF-C.txt:10: line has 5 fields, must have 6"),
    (GRF + "01|001|000100|0009|22800|0001|7\n", "GRF-C.txt:10: line has 7 fields, must have 6"),
    (GRF.replace("|PLACEFP", "").replace("|22800", ""), "GRF-C.txt:1: PLACEFP is a missing column"),
    (GRF.replace("PLACEFP", "PLACE"), "GRF-C.txt:1: PLACEFP is a missing column"),
    (GRF.replace("PLACEFP|AIANNHCE", "AIANNHCE|PLACEFP"), "has the columns in another order"),
    (GRF.encode() + b"01|001|000100|00\xff9|22800|0001\n", "GRF-C.txt:10: line is not UTF-8"),
    ("", "GRF-C.txt: file holds no blocks"),
    ("\n", "GRF-C.txt:1: TABBLKST is a missing column"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN, ids=[message[:50] for _, message in BROKEN])
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(PlanError) as refused:
        read_blocks(write(tmp_path, text))
    assert message in str(refused.value)


def test_parquet_is_refused_by_row(tmp_path: Path) -> None:
    table = pa.table({name: ["0" * width, "x" * width] for name, width in WIDTHS.items()})
    pq.write_table(table, tmp_path / "grf.parquet")
    with pytest.raises(PlanError, match=r"grf.parquet:2: TABBLKST is not 2 digits"):
        read_blocks(tmp_path / "grf.parquet")
    pq.write_table(pa.table({name: ["0" * width] * 2 for name, width in WIDTHS.items()}), tmp_path / "grf.parquet")
    with pytest.raises(PlanError, match=r"grf.parquet:2: TABBLK lists block 0{15} again, first on line 1"):
        read_blocks(tmp_path / "grf.parquet")
    pq.write_table(table.drop_columns("TABBLK"), tmp_path / "grf.parquet")
    with pytest.raises(PlanError, match="TABBLK is a missing column"):
        read_blocks(tmp_path / "grf.parquet")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        read_blocks(tmp_path / "absent.txt")
    with pytest.raises(PlanError, match="not readable as Parquet"):
        read_blocks(tmp_path)


def test_a_header_alone_is_a_file_without_blocks(tmp_path: Path) -> None:
    header = GRF.splitlines()[0]
    assert rows(read_blocks(write(tmp_path, header + "\n"))) == []
    with pytest.raises(PlanError, match="holds no blocks"):
        read_blocks(write(tmp_path, header))


@given(st.lists(st.tuples(*(st.integers(0, 10**width - 1) for width in WIDTHS.values())), min_size=1, max_size=30))
def test_digits_are_kept(blocks: list[tuple[int, ...]]) -> None:
    for index, width in enumerate(WIDTHS.values()):
        values = np.array([block[index] for block in blocks], dtype=np.int64)
        assert digits(values, width).to_pylist() == [f"{value:0{width}d}" for value in values.tolist()]
    columns = {name: np.array([block[index] for block in blocks]) for index, name in enumerate(COLUMNS)}
    expected = [int("".join(f"{block[i]:0{width}d}" for i, width in enumerate((2, 3, 6, 4)))) for block in blocks]
    assert block_ids(columns).tolist() == expected


@pytest.mark.examples(40)
@settings(max_examples=200)
@given(
    st.integers(0, len(GRF)),
    st.integers(0, 5),
    st.one_of(st.binary(max_size=5), st.sampled_from([b"\n", b"|", b"\r", b'"'])),
)
def test_a_mutated_file_is_read_as_its_lines_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, drop: int, put: bytes
) -> None:
    raw = GRF.encode()
    raw = raw[:at] + put + raw[at + drop :]
    columns = read_or_none(write(tmp_path_factory.mktemp("mutated"), raw))
    if columns is not None:
        assert rows(columns) == slowly(raw.decode())


def read_or_none(path: Path) -> dict[str, np.ndarray] | None:
    try:
        return read_blocks(path)
    except PlanError:
        return None
