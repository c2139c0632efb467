"""The block file of the Census (GRF-C), and what is made of it: blocks, finest units and regions.

The file says which tract, place and AIANNH area each census block lies in. There are eight million blocks, so it is read in columns and
checked on bytes. Only when that refuses it is it read again, slowly, to say where it is wrong. Columns beside the six that are read may
stand among them, as in the file of persons.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Never, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from starling.errors import PlanError, Problem
from starling.planfile.foreign import opened
from starling.planfile.pipe_separated import MARK, Record, header_problems, parquet_columns, text_records

Int64: TypeAlias = npt.NDArray[np.int64]

WIDTHS: Final = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4, "PLACEFP": 5, "AIANNHCE": 4}
"""Columns of the block file, in order, with the digits of each."""
COLUMNS: Final = tuple(WIDTHS)
BLOCK_COLUMNS: Final = COLUMNS[:4]
"""Those that make a block's id."""
LONGEST_FILE: Final = 1 << 34
"""Bytes of a block file; that of the nation has about a gigabyte."""
MOST_PROBLEMS: Final = 1000
"""Problems that are collected of one block file; more would say nothing new."""


def read_blocks(path: Path) -> dict[str, Int64]:
    """Every column as integers, int64 of shape (blocks,), ascending by block.

    Args:
        path: Pipe-delimited text with a header, or Parquet (a file, or a folder of parts).

    Raises:
        PlanError: when it is not a block file, or lists a block twice; with lines.
    """
    try:
        columns = _columns(path)
    except OSError as error:
        problem = Problem("file", f"cannot be read ({error.strerror})", "check the path", path.name)
        raise PlanError(problems=[problem]) from None
    block = block_ids(columns)
    if (np.diff(block) > 0).all():
        return columns
    order = np.argsort(block, kind="stable")
    block = block[order]
    repeated = block[1:][np.diff(block) == 0]
    if len(repeated):
        _refuse(path, frozenset(f"{number:015d}" for number in repeated[:MOST_PROBLEMS].tolist()))
    return {name: values[order] for name, values in columns.items()}


def block_ids(columns: dict[str, Int64]) -> Int64:
    """State, county, tract and block as one number below 10^15: int64 of shape (blocks,)."""
    number = np.zeros(len(columns["TABBLK"]), dtype=np.int64)
    for name in BLOCK_COLUMNS:
        number = number * 10 ** WIDTHS[name] + columns[name]
    return number


def digits(values: Int64, width: int) -> pa.StringArray:
    """Numbers as text of `width` digits, with leading zeros."""
    return pc.utf8_lpad(pa.array(values).cast(pa.string()), width, "0")


def _is_parquet(path: Path) -> bool:
    if path.is_dir():
        return True
    with opened(path, LONGEST_FILE) as file:
        return file.read(4) == b"PAR1"


def _columns(path: Path) -> dict[str, Int64]:
    """Raises OSError, or PlanError."""
    if _is_parquet(path):
        table = parquet_columns(path, COLUMNS, more=True)
    else:
        with opened(path, LONGEST_FILE) as file:
            header = file.readline(2**16).removeprefix(MARK).decode("utf-8", "replace").rstrip("\r\n").split("|")
        if header_problems(header, COLUMNS, ordered=True, more=True):
            _refuse(path)
        try:
            table = pacsv.read_csv(
                path,
                # No quoting and no escapes: a field is what stands between two bars.
                parse_options=pacsv.ParseOptions(delimiter="|", quote_char=False, escape_char=False),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(COLUMNS, pa.string()), include_columns=COLUMNS, strings_can_be_null=False
                ),
            )
        except pa.ArrowException:
            _refuse(path)
    columns = {name: _number(table[name], width) for name, width in WIDTHS.items()}
    return {name: _refuse(path) if values is None else values for name, values in columns.items()}


def _number(values: pa.ChunkedArray, width: int) -> Int64 | None:
    """Texts of `width` digits as integers; None if one of them is not that."""
    good = pc.and_(pc.equal(pc.binary_length(values), width), pc.ascii_is_decimal(values))
    return None if values.null_count or pc.any(pc.invert(good)).as_py() else values.cast(pa.int64()).to_numpy()


def _refuse(path: Path, repeated: frozenset[str] = frozenset()) -> Never:
    """Say where the file is wrong. `repeated`: ids of blocks that are listed more than once."""
    problems: list[Problem] = []
    if _is_parquet(path):
        rows = parquet_columns(path, COLUMNS, more=True).to_pydict()
        _check(path, enumerate(zip(*(rows[name] for name in COLUMNS), strict=True), start=1), repeated, problems)
    else:
        with opened(path, LONGEST_FILE) as file:
            _check(path, text_records(file, path.name, COLUMNS, problems, more=True), repeated, problems)
    if not problems:
        problems.append(Problem("file", "holds no blocks that can be read", f"write {'|'.join(COLUMNS)}", path.name))
    raise PlanError(problems=problems)


def _check(path: Path, records: Iterable[Record], repeated: frozenset[str], problems: list[Problem]) -> None:
    seen: dict[str, int] = {}
    for line, fields in records:
        for (name, width), field in zip(WIDTHS.items(), fields, strict=True):
            if len(field) != width or not (field.isascii() and field.isdecimal()):
                problems.append(Problem(name, f"is not {width} digits", "correct it", path.name, line))
        block = "".join(fields[:4])
        if block in repeated:
            first = seen.setdefault(block, line)
            if first != line:
                problem = f"lists block {block} again, first on line {first}"
                problems.append(Problem("TABBLK", problem, "list each block once", path.name, line))
        if len(problems) >= MOST_PROBLEMS:
            return


@dataclass(frozen=True, slots=True, eq=False)
class Geography:
    """Blocks, units and regions within a plan's filter.

    Attributes:
        units: Number of finest units.
        blocks: TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK (string) and unit (int32); ascending by block; only blocks within
            the plan.
        regions: Region ids of each geography level of the plan, ascending: the plan order.
        region_of_unit: The position of each unit's region in each of those levels, int32 of shape (units,); -1 is none.
        names: Readable names of the regions (census_levels.py).
    """

    units: int
    blocks: pa.Table
    regions: Mapping[str, tuple[str, ...]]
    region_of_unit: Mapping[str, npt.NDArray[np.int32]]
    names: Mapping[str, tuple[str, ...]]

    def block_ids(self) -> Int64:
        """The blocks as numbers, ascending: int64 of shape (blocks,)."""
        return block_ids({name: self.blocks[name].cast(pa.int64()).to_numpy() for name in BLOCK_COLUMNS})
