"""A row's number has the row's count and interval, whatever its measurements are called."""

from pathlib import Path

import pytest

from starling.errors import ParameterError
from starling.tables.artifact.row_values import RowValues
from tests.four_domains import TABLES
from tests.tables.artifact.test_first_number import opened


def test_numbers_of_rows_are_those_of_the_table(tmp_path: Path) -> None:
    release = opened(tmp_path, TABLES)
    values = RowValues(release.plan, release.geography, release.folder, lambda _: ("here",))
    rows = release.table("t1").to_pylist()
    for row, number in zip(rows, release.numbers("t1"), strict=True):
        value = values.value(row)
        assert (value.estimate, *value.interval()) == (row["count"], row["lower"], row["upper"])
        assert value.interval() == number.interval()
    with pytest.raises(ParameterError, match="raised to 0"):
        values.value({**rows[0], "post_processed": True})
