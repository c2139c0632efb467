"""What follows from releases is written as tables that other programs and spreadsheets read as they are meant."""

import pyarrow as pa

from starling.genome.derived import tab_separated


def test_tables_have_tabs_missing_values_and_no_formulas() -> None:
    table = pa.table(
        {
            "SNP": ["rs1", "=1+1", None],
            "BP": [1, 2, 3],
            "DIRECTION": ["+-", "--", "?+"],
            "P": [0.123456789, float("nan"), -0.0],
        }
    )
    assert tab_separated(table) == "SNP\tBP\tDIRECTION\tP\nrs1\t1\t+-\t0.123457\n'=1+1\t2\t--\tNA\nNA\t3\t?+\t0\n"
