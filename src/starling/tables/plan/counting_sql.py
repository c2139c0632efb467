"""The text that counts the records of a plan by unit, groups and cell, whichever engine runs it; a release shows it."""

from typing import Final

from starling.tables.plan.detail import Detail


def custom_answer_sql(table: str, where: str, of_sums: tuple[bool, ...]) -> str:
    """The text that counts rows of custom records, and adds up their numbers.

    Args:
        table: What stands after FROM: the rows, with `unit`, `groups`, `cell`, and `n0`, `n1` ..., below 0 for none.
        where: What stands after it.
        of_sums: Of each of these numbers whether it is added up; a class of quantiles is not.

    The columns of the answer: unit, groups, cell, the classes; then persons, and of each number that is added up its sum, in 128 bits, and
    the records that have one.
    """
    names = ("unit", "groups", "cell", *(f"n{at}" for at, of_sum in enumerate(of_sums) if not of_sum))
    columns = ", ".join(f"{table}.{name}" for name in names)
    sums = "".join(
        f", sum(CAST(CASE WHEN {table}.n{at} < 0 THEN 0 ELSE {table}.n{at} END AS decimal(38, 0))) AS sum{at}"
        f", CAST(sum(CASE WHEN {table}.n{at} < 0 THEN 0 ELSE 1 END) AS bigint) AS given{at}"
        for at, of_sum in enumerate(of_sums)
        if of_sum
    )
    source = f"{table} {where}".rstrip()
    return f"SELECT {columns}, CAST(count(*) AS bigint) AS persons{sums}\nFROM {source}\nGROUP BY {columns}"


def cross_answer_sql(table: str, where: str, columns: int) -> str:
    """The text that counts rows of records for cross tables, by `region` and the values `x0`, `x1` ...; arguments as of
    `custom_answer_sql`.

    >>> print(cross_answer_sql("records", "", 1))
    SELECT records.region, records.x0, CAST(count(*) AS bigint) AS persons
    FROM records
    GROUP BY records.region, records.x0
    """
    named = ", ".join(f"{table}.{name}" for name in ("region", *(f"x{at}" for at in range(columns))))
    source = f"{table} {where}".rstrip()
    return f"SELECT {named}, CAST(count(*) AS bigint) AS persons\nFROM {source}\nGROUP BY {named}"


CUSTOM_SQL: Final = custom_answer_sql("records", "", ())
"""The text for custom records, each of which counts."""


def custom_tables(detail: Detail) -> dict[str, str]:
    """The tables that CUSTOM_SQL names, in words."""
    words = (
        "a row for each record that is not dropped, of all of them, or of a part at a time, whose counts are added: unit, the number of its"
        f" area; groups, that of the set of its values over all families of groups; cell, of {detail.names[detail.steps]}"
    )
    return {"records": words}


def counting_sql(detail: Detail) -> str:
    """The text for person records of the Census; every count of every group of every level is a sum of its counts."""
    on = " AND ".join(f"cells.{each.name} = persons.{each.name}" for each in detail.attributes)
    lines = (
        "SELECT persons.unit, persons.races, persons.qspan, cells.cell, CAST(count(*) AS bigint) AS persons",
        "FROM persons",
        f"JOIN cells ON {on}",
        "GROUP BY persons.unit, persons.races, persons.qspan, cells.cell",
    )
    return "\n".join(lines)


def counted(detail: Detail) -> dict[str, str]:
    """The tables that it names, in words."""
    names = "; ".join(each.name for each in detail.attributes)
    domains = " and ".join(each.domain for each in detail.attributes)
    cuts = zip(detail.attributes, detail.partitions[-1], strict=True)
    finest = " by ".join(each.name if each.values else f"{len(cut)} bands of {each.name}" for each, cut in cuts if cut)
    return {
        "persons": "a row for each record that is not dropped, of all of them, or of a share at a time, whose counts are added: unit, the"
        f" number of the finest region of its block; races, of its set of race codes; qspan, of its ethnicity code; {names}",
        "cells": f"public: for each {domains} the number of its cell, {finest}",
    }
