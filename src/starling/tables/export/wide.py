"""The layout `wide`: one row for each group of all levels, with its total, the classes of its detail and its statistics side by side."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from starling.release.table_files import BATCH
from starling.tables.artifact.columns import GROUP, words
from starling.tables.export.database import connected, literal, quoted
from starling.tables.export.described import COUNT, DescribedTable, Number
from starling.tables.plan import Plan
from starling.tables.plan.aggregates import statistic_names

NAMES: Final = ("region_name", "iteration_name")


def wide_table(folder: Path, plan: Plan) -> DescribedTable:
    """A row for each group, in the order of the tables, with each number and its interval."""
    query, texts = _wide(plan), words(plan)
    with _opened(folder, plan) as database:
        schema = database.sql(f"SELECT * FROM ({query}) LIMIT 0").to_arrow_table().schema
        (rows,) = database.execute(f"SELECT count(*) FROM ({_groups(plan)})").fetchone() or (0,)
    columns = tuple(Number(each.name, each.type, texts.get(each.name, each.name)) for each in schema)

    def pieces() -> Iterator[pa.Table]:
        with _opened(folder, plan) as database:
            for batch in database.sql(query).to_arrow_reader(BATCH):
                yield pa.Table.from_batches([batch])

    return DescribedTable("groups", plan.title, (), columns, COUNT, rows, pieces)


def _groups(plan: Plan) -> str:
    """Every group once, with where it stands first."""
    keys = ", ".join((*GROUP, *NAMES))
    sources = [
        f"SELECT {keys}, {place} AS part, min(file_row_number) AS row FROM {name} GROUP BY ALL"
        for place, name in enumerate(_released(plan))
        if name != "t2"
    ]
    return (
        f"SELECT {keys}, min(part) AS part, arg_min(row, part) AS row FROM ({' UNION ALL '.join(sources)}) GROUP BY ALL"
    )


def _wide(plan: Plan) -> str:
    """One SELECT over t1, t2 and t3."""
    using = ", ".join(GROUP)
    chosen, joined = [f"groups.{name}" for name in (*GROUP, *NAMES)], []
    if plan.levels:
        chosen += ["t1.count", "t1.lower AS count_lower", "t1.upper AS count_upper"]
        joined.append(f"LEFT JOIN t1 USING ({using})")
    if plan.levels and plan.detail.steps:
        chosen.append(f"detail.* EXCLUDE ({using})")
        joined.append(f"LEFT JOIN ({_pivoted('t2', _classes(plan), 'count')}) AS detail USING ({using})")
    if plan.aggregates:
        chosen.append(f"statistics.* EXCLUDE ({using})")
        joined.append(f"LEFT JOIN ({_pivoted('t3', _statistics(plan), 'value')}) AS statistics USING ({using})")
    joins = " ".join(joined)
    return f"SELECT {', '.join(chosen)} FROM ({_groups(plan)}) AS groups {joins} ORDER BY groups.part, groups.row"


def _pivoted(table: str, kinds: Mapping[str, str], value: str) -> str:
    """A row for each group with a number of each kind and the ends of its interval; the conditions of the kinds by their names."""
    columns = [
        f"max({column}) FILTER (WHERE {condition}) AS {quoted(name + end)}"
        for name, condition in kinds.items()
        for column, end in ((value, ""), ("lower", "_lower"), ("upper", "_upper"))
    ]
    return f"SELECT {', '.join(GROUP)}, {', '.join(columns)} FROM {table} GROUP BY {', '.join(GROUP)}"


def _classes(plan: Plan) -> dict[str, str]:
    """The rows of a group in T2: what each is of, in words, and how it is told from others; by quoted codes where the words are alike."""
    detail = plan.detail
    rows = {
        codes: ", ".join(detail.words(under[0][1]))
        for codes, under in detail.of_codes.items()
        if any(branch > 0 for branch, _ in under)
    }
    # In a spreadsheet an apostrophe may be put before a name.
    alike = Counter(name.lstrip("'") for name in rows.values())
    return {
        name
        if alike[name.lstrip("'")] == 1
        else ", ".join(json.dumps(code, ensure_ascii=False) for code in codes): _equal(
            dict(zip(detail.columns, codes, strict=True))
        )
        for codes, name in rows.items()
    }


def _statistics(plan: Plan) -> dict[str, str]:
    return {
        f"{each.column} {name}": _equal({"column": each.column, "statistic": name})
        for each in plan.aggregates
        for name in statistic_names(each)
    }


def _equal(values: Mapping[str, str]) -> str:
    return " AND ".join(f"{quoted(column)} = {literal(value)}" for column, value in values.items())


def _released(plan: Plan) -> tuple[str, ...]:
    """The names of the tables of a release."""
    return (*(("t1", "t2") if plan.levels else ()), *(("t3",) if plan.aggregates else ()))


@contextmanager
def _opened(folder: Path, plan: Plan) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in which the released tables are views with the number of each row."""
    with connected() as database:
        for name in _released(plan):
            path = literal(str(folder / "data" / f"{name}.parquet"))
            database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({path}, file_row_number = true)")
        yield database
