"""A column across holds each number where pandas would put it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from starling.errors import ParameterError
from starling.tables.export.across import MOST_ACROSS, across
from starling.tables.export.described import DescribedTable, Dimension
from tests.tables.export.tables import counts, numbers_of


@pytest.fixture
def table() -> DescribedTable:
    sexes = Dimension.of("sex", "", [("M", "male"), ("F", "female")], total="all")
    ages = Dimension.of("age", "", [("b", "old"), ("a", "old"), ("c", "sex")])
    return counts((sexes, ages), numbers_of(np.arange(9) * 10))


def frame(table: DescribedTable) -> pd.DataFrame:
    return pa.concat_tables(table.pieces()).to_pandas()


@pytest.mark.parametrize(("column", "other"), [("sex", "age"), ("age", "sex")])
def test_numbers_stand_where_a_pivot_table_has_them(table: DescribedTable, column: str, other: str) -> None:
    wide = across(table, column)
    codes = {each.name: list(each.codes) for each in table.dimensions}
    wanted = frame(table).pivot_table(index=other, columns=column, values=["count", "lower", "upper"], observed=True)
    assert wide.rows == len(wide_rows := frame(wide)) == len(codes[other])
    assert list(wide_rows[other]) == codes[other]
    names = [each.name for each in wide.numbers]
    assert len({name.casefold() for name in [*names, *codes, "sex_label"]}) == len(names) + 3
    for place, code in enumerate(codes[column]):
        for at, number in enumerate(("count", "lower", "upper")):
            expected = wanted[number][code].loc[codes[other]]
            assert wide_rows[names[3 * place + at]].tolist() == expected.tolist()


def test_the_only_column_across_is_one_row() -> None:
    sexes = Dimension.of("sex", "", [("M", "male"), ("F", "female")])
    one = across(counts((sexes,), numbers_of(np.array([1, 2]))), "sex")
    assert (one.rows, frame(one)[["male", "female_upper"]].to_numpy().tolist()) == (1, [[1, 8]])


def test_what_cannot_stand_side_by_side_is_refused(table: DescribedTable) -> None:
    with pytest.raises(ParameterError, match="is no column of table; take one of sex, age"):
        across(table, "count")
    many = Dimension.of("n", "", [(f"{n}", f"{n}") for n in range(MOST_ACROSS + 1)])
    with pytest.raises(ParameterError, match="at most stand side by side"):
        across(counts((many,), numbers_of(np.arange(MOST_ACROSS + 1))), "n")
