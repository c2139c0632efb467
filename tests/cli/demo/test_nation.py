"""The nation of the demo: which rows of its tables are shown beside the truth."""

import pyarrow as pa

from starling.cli.demo import nation


def test_the_row_nearest_to_a_typical_one_is_shown_of_those_that_hold_the_truth_and_of_those_that_miss_it() -> None:
    compared = pa.table(
        {
            "count": [10, 900, 1200, 5000],
            "lower": [5, 850, 1100, 4900],
            "upper": [15, 950, 1300, 5100],
            "truth": [10, 990, 1200, 5200],
        }
    )
    found = nation._Seen(compared)
    assert (found.totals, found.inside) == (4, 2)
    assert found.typical is not None
    assert found.typical["count"] == 1200
    assert found.missed is not None
    assert found.missed["count"] == 900
    assert nation._Seen(compared.slice(2, 1)).missed is None
