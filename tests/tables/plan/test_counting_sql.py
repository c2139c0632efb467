"""The text that counts, as the engine runs it and as a release shows it."""

import re

import pyarrow as pa

from starling.engine import duck
from starling.tables.plan.counting_sql import counted, counting_sql
from starling.tables.plan.sex_by_age import SEX_BY_AGE

COUNTING_SQL, COUNTED = counting_sql(SEX_BY_AGE), counted(SEX_BY_AGE)


def test_the_text_of_the_count_is_one_grouped_select() -> None:
    assert COUNTING_SQL.startswith(
        "SELECT persons.unit, persons.races, persons.qspan, cells.cell, CAST(count(*) AS bigint)"
    )
    assert not set(COUNTING_SQL) & set("+-/%'\"")


def test_its_tables_are_told_and_no_others_are_read() -> None:
    assert COUNTED.keys() == set(re.findall(r"(?:FROM|JOIN) (\w+)", COUNTING_SQL))


def test_it_counts_what_it_says() -> None:
    persons = pa.table({"unit": [0, 0, 1], "races": [5, 5, 5], "qspan": [1, 1, 1], "sex": [1, 1, 2], "age": [3, 4, 3]})
    cells = pa.table({"sex": [1, 1, 2], "age": [3, 4, 3], "cell": [0, 0, 23]})
    rows = [row for batch in duck.run(COUNTING_SQL, {"persons": persons, "cells": cells}) for row in batch.to_pylist()]
    assert sorted(tuple(row.values()) for row in rows) == [(0, 5, 1, 0, 2), (1, 5, 1, 23, 1)]
