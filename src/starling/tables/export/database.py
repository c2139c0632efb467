"""Forms that DuckDB writes from the released Parquet files: wide rows, a database with views, SDMX-CSV."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from starling.errors import OutputError, ParameterError
from starling.release.cells import FORMULA, text_cell
from starling.tables.artifact.aggregates import COLUMN_WORDS
from starling.tables.artifact.columns import GROUP, words
from starling.tables.export.workbook import Front
from starling.tables.plan import Plan
from starling.tables.plan.aggregates import statistic_names
from starling.tables.plan.choices import STRUCTURE

NAMES: Final = ("region_name", "iteration_name")
VIEWS: Final = {"t1": "totals", "t2": "detail", "t3": "statistics"}


def tables_of(plan: Plan) -> tuple[str, ...]:
    """The names of the tables of a release."""
    return (*(("t1", "t2") if plan.levels else ()), *(("t3",) if plan.aggregates else ()))


def write_wide(folder: Path, plan: Plan, out: Path) -> None:
    """A row for each group, in the order of the tables: its total, the classes of its detail and its statistics, each with its interval.

    No text of a CSV is a formula to a spreadsheet (release/cells.py), neither in a row nor in the header.
    """
    sheet = out.suffix == ".csv"
    with _opened(folder, plan) as database:
        form = "(FORMAT csv, HEADER)" if sheet else "(FORMAT parquet, COMPRESSION zstd)"
        database.execute(f"COPY ({_wide(plan, sheet=sheet)}) TO {_text(str(out))} {form}")


def _wide(plan: Plan, *, sheet: bool) -> str:
    """One SELECT over t1, t2 and t3, for a spreadsheet with text that is no formula."""
    keys, using = ", ".join((*GROUP, *NAMES)), ", ".join(GROUP)
    sources = [
        f"SELECT {keys}, {place} AS part, min(file_row_number) AS row FROM {name} GROUP BY ALL"
        for place, name in enumerate(tables_of(plan))
        if name != "t2"
    ]
    chosen, joined = [f"{_harmless(name) if sheet else f'groups.{name}'} AS {name}" for name in (*GROUP, *NAMES)], []
    if plan.levels:
        chosen += ["t1.count", "t1.lower AS count_lower", "t1.upper AS count_upper"]
        joined.append(f"LEFT JOIN t1 USING ({using})")
    if plan.levels and plan.detail.steps:
        chosen.append(f"detail.* EXCLUDE ({using})")
        classes = _headed(_classes(plan), sheet=sheet)
        joined.append(f"LEFT JOIN ({_pivoted('t2', classes, 'count')}) AS detail USING ({using})")
    if plan.aggregates:
        chosen.append(f"statistics.* EXCLUDE ({using})")
        statistics = _headed(_statistics(plan), sheet=sheet)
        joined.append(f"LEFT JOIN ({_pivoted('t3', statistics, 'value')}) AS statistics USING ({using})")
    groups = (
        f"SELECT {keys}, min(part) AS part, arg_min(row, part) AS row FROM ({' UNION ALL '.join(sources)}) GROUP BY ALL"
    )
    return f"SELECT {', '.join(chosen)} FROM ({groups}) AS groups {' '.join(joined)} ORDER BY groups.part, groups.row"


def _harmless(column: str) -> str:
    """A column of the groups as `release.cells.as_text` writes it."""
    written = r"'\1"
    return f"regexp_replace(groups.{column}, {_text(FORMULA)}, {_text(written)})"


def _headed(kinds: Mapping[str, str], *, sheet: bool) -> dict[str, str]:
    """Kinds of numbers by their names in the header."""
    return {text_cell(name) if sheet else name: condition for name, condition in kinds.items()}


def _pivoted(table: str, kinds: Mapping[str, str], value: str) -> str:
    """A row for each group with a number of each kind and the ends of its interval; the conditions of the kinds by their names."""
    columns = [
        f"max({column}) FILTER (WHERE {condition}) AS {_name(name + end)}"
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
    return " AND ".join(f"{_name(column)} = {_text(value)}" for column, value in values.items())


def write_database(folder: Path, plan: Plan, front: Front, out: Path) -> None:
    """A DuckDB file: the tables, and a view of each by its name in words, with a comment on every column."""
    descriptions = {**words(plan), **(COLUMN_WORDS if plan.aggregates else {})}
    with _opened(folder, plan) as database:
        database.execute(f"ATTACH {_text(str(out))} AS made")
        for name in tables_of(plan):
            database.execute(f"CREATE TABLE made.{name} AS SELECT * EXCLUDE (file_row_number) FROM {name}")
            database.execute(f"COMMENT ON TABLE made.{name} IS {_text(front.text)}")
            columns = [row[0] for row in database.execute(f"DESCRIBE made.{name}").fetchall()]
            for column in columns:
                database.execute(f"COMMENT ON COLUMN made.{name}.{_name(column)} IS {_text(descriptions[column])}")
            database.execute(f"CREATE VIEW made.{VIEWS[name]} AS SELECT * FROM {name}")
        database.execute("DETACH made")


def write_sdmx(folder: Path, plan: Plan, out: Path, structure: str) -> None:
    """SDMX-CSV 2.0: an observation for each number of the finest table, with its interval as attributes.

    Raises:
        ParameterError: the structure is not AGENCY:ID(1.0).
    """
    if not STRUCTURE.fullmatch(structure):
        raise ParameterError("structure", "is no data structure", "write it as AGENCY:ID(1.0)")
    with _opened(folder, plan) as database:
        parts = [_observations(plan, name, structure) for name in tables_of(plan)]
        database.execute(f"COPY ({' UNION ALL BY NAME '.join(parts)}) TO {_text(str(out))} (FORMAT csv, HEADER)")


def _observations(plan: Plan, table: str, structure: str) -> str:
    """The observations of one table: T1 stands for all classes of the detail, of which SDMX says _T; T3 has its own dimensions."""
    value = "value" if table == "t3" else "count"
    chosen = [f"'datastructure' AS STRUCTURE, {_text(structure)} AS STRUCTURE_ID, 'I' AS ACTION"]
    chosen += [f"{column} AS {column.upper()}" for column in GROUP]
    if plan.levels:
        for column in plan.detail.columns:
            # Of all values of an attribute the tables say "*".
            coded = f"CASE {_name(column)} WHEN '*' THEN '_T' ELSE {_name(column)} END" if table == "t2" else "'_T'"
            chosen.append(f"{coded} AS {_name(column.upper())}")
    if plan.aggregates:
        of_counts = {"column": "'_Z'", "statistic": "'count'"}
        chosen += [
            f"{_name(column) if table == 't3' else of_counts[column]} AS {_name(column.upper())}"
            for column in of_counts
        ]
    interval = "standard_deviation AS STANDARD_DEVIATION, lower AS CONF_LOWER, upper AS CONF_UPPER"
    where = "" if table != "t2" else f" WHERE NOT ({_totals(plan)})"
    return f"SELECT {', '.join(chosen)}, {value} AS OBS_VALUE, 'E' AS OBS_STATUS, {interval} FROM {table}{where}"


def _totals(plan: Plan) -> str:
    """Which rows of T2 are of a group as a whole, which T1 has."""
    return " AND ".join(f"{_name(column)} = '*'" for column in plan.detail.columns) or "true"


@contextmanager
def _opened(folder: Path, plan: Plan) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in which the released tables are views with the number of each row."""
    database = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})
    try:
        for name in tables_of(plan):
            path = _text(str(folder / "data" / f"{name}.parquet"))
            database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({path}, file_row_number = true)")
        yield database
    except duckdb.Error:
        fix = "free memory and disk, and check the place of the file"
        raise OutputError("out", "could not be made within the memory and disk that there are", fix) from None
    finally:
        database.close()


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
