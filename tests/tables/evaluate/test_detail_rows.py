"""Rows of the second table are known by their codes, and are sums of the finest cells that they name."""

import numpy as np
import pyarrow as pa

from starling.tables.evaluate.detail_rows import DetailRows
from starling.tables.plan.detail import Detail, DetailAttribute
from starling.tables.plan.sex_by_age import SEX_BY_AGE

SEX, AGE = SEX_BY_AGE.attributes


def test_each_row_of_the_census_is_the_sum_of_its_ages() -> None:
    known = DetailRows(SEX_BY_AGE)
    exact = np.arange(46, dtype=np.float64) ** 2
    batch = pa.record_batch(
        {"age_start": ["*", "0", "85", "18"], "age_end": ["*", "17", "115", "44"], "sex": list("1221")}
    )
    row = known.numbers(batch)
    # Of 23 bands the first four are under 18, and the sixth to the twelfth are 18 to 44.
    sums = [exact[:23].sum(), exact[23:27].sum(), exact[45], exact[4:12].sum()]
    assert (known.holding @ exact)[row].tolist() == sums
    assert known.summed[row, 1].tolist() == [True, False, False, False]


def test_what_no_branch_has_is_no_row() -> None:
    known = DetailRows(SEX_BY_AGE)
    batch = pa.record_batch({"age_start": ["0", "1", "0"], "age_end": ["115", "17", "17"], "sex": ["1", "1", "3"]})
    assert known.numbers(batch).tolist() == [-1, -1, -1]


def test_a_cell_of_one_branch_may_be_a_sum_of_the_next() -> None:
    chain = Detail((SEX, AGE), (((), ()), ((1, 2), ()), ((1, 2), (0, 18))))
    known = DetailRows(chain)
    (row,) = known.numbers(pa.record_batch({"age_start": ["*"], "age_end": ["*"], "sex": ["2"]}))
    assert known.summed[row].tolist() == [False, False, True]
    assert known.holding[row].tolist() == [0, 0, 1, 1]


def test_one_attribute_has_no_sums() -> None:
    chain = Detail((DetailAttribute("age", "ages", 0, 9),), (((),), ((0, 5),)))
    assert not DetailRows(chain).summed.any()
