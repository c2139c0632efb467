"""A wide layout: the values of one column of a table stand side by side, each with its interval, in one row for all else alike."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pyarrow as pa

from starling.errors import ParameterError
from starling.tables.export.database import connected
from starling.tables.export.described import DescribedTable, Number, unique_names

MOST_ACROSS: Final = 2000
"""Values that stand side by side; a sheet of a workbook has room for 16,384 columns, five for each."""
ENDS: Final = ("lower", "upper")


def across(table: DescribedTable, column: str) -> DescribedTable:
    """A table with the values of a column side by side: of each the estimate and the ends of its interval, missing where there is none.

    Raises:
        ParameterError: the table has no such column, or it has too many values.
    """
    place = next((at for at, each in enumerate(table.dimensions) if each.name == column), None)
    if place is None:
        columns = ", ".join(each.name for each in table.dimensions)
        raise ParameterError("across", f"is no column of {table.name}", f"take one of {columns}, or name the tables")
    spread, rest = table.dimensions[place], (*table.dimensions[:place], *table.dimensions[place + 1 :])
    if len(spread.codes) > MOST_ACROSS:
        problem = f"has {len(spread.codes):,} values, and {MOST_ACROSS:,} at most stand side by side"
        raise ParameterError("across", problem, "take a column of fewer values")
    described = {each.name: each for each in table.numbers}
    parts = [(table.estimate, ""), *((end, f"_{end}") for end in ENDS if end in described)]
    taken = [name for each in rest for name in (each.name, each.label)]
    heads = unique_names(spread.codes.values(), taken, f" ({column})")
    numbers = [
        Number(f"{head}{ending}", described[name].type, f"{head}: {described[name].description}")
        for head in heads
        for name, ending in parts
    ]
    names = unique_names([each.name for each in numbers], taken, f" ({column})")
    numbers = [replace(each, name=name) for each, name in zip(numbers, names, strict=True)]
    rows = _pivoted(table, place, [name for name, _ in parts])

    def pieces() -> Iterator[pa.Table]:
        keys = [each.column(rows.column(at).to_numpy()) for at, each in enumerate(rest)]
        yield pa.table([*keys, *rows.columns[len(rest) :]], names=[*(each.name for each in rest), *names])

    return replace(
        table, dimensions=rest, numbers=tuple(numbers), estimate=numbers[0].name, rows=len(rows), pieces=pieces
    )


def _pivoted(table: DescribedTable, place: int, names: list[str]) -> pa.Table:
    """The positions of the other columns, and then the numbers of each value; in the order of the codes."""
    count = len(table.dimensions)
    schema = pa.schema(
        [
            *((f"d{at}", pa.int32()) for at in range(count)),
            *((each.name, each.type) for each in table.numbers if each.name in names),
        ]
    )

    def batches() -> Iterator[pa.RecordBatch]:
        for piece in table.pieces():
            positions = [
                pa.chunked_array([chunk.indices for chunk in piece[each.name].chunks], pa.int32())
                for each in table.dimensions
            ]
            numbers = [piece[name] for name in schema.names[count:]]
            yield from pa.table([*positions, *numbers], schema=schema).to_batches()

    keys = [f"d{at}" for at in range(count) if at != place]
    chosen = [
        f'any_value("{name}") FILTER (WHERE d{place} = {position})'
        for position in range(len(table.dimensions[place].codes))
        for name in names
    ]
    by = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(keys)}" if keys else ""
    with connected() as database:
        database.register("numbers", pa.RecordBatchReader.from_batches(schema, batches()))
        return database.sql(f"SELECT {', '.join([*keys, *chosen])} FROM numbers{by}").to_arrow_table()
