"""From which cell to which records lead, in every form, and which columns are refused before anything is read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from starling.errors import SourceError
from starling.places.source.trips import open_records
from starling.places.trips.source import pairs_of
from tests.places.trips.worlds import EXACT, RECORDS, plan


def test_csv_parquet_and_frames_lead_alike(tmp_path: Path) -> None:
    of = plan(tmp_path)
    (tmp_path / "records.csv").write_text(RECORDS)
    whole = pd.read_csv(tmp_path / "records.csv")
    pairs = pairs_of(of, pa.Table.from_pandas(whole)).tolist()
    expected = [(row * 4 + column) * 12 + end * 4 + last for row, column, end, last in EXACT]
    assert pairs == [*expected[:1] * 3, *expected[1:3], -1, -1, -1, -1, expected[3]]
    bytes_ = pa.table({name: [str(each).encode() for each in whole[name]] for name in of.columns.names})
    assert np.array_equal(pairs_of(of, bytes_), pairs)


def test_columns_that_are_missing_or_no_numbers_are_refused(tmp_path: Path) -> None:
    of = plan(tmp_path)
    (tmp_path / "records.csv").write_text("ax,ay,who\n1,1,x\n")
    with pytest.raises(SourceError) as refused:
        open_records(tmp_path / "records.csv", of)
    assert len(refused.value.problems) == 2
    with pytest.raises(SourceError, match="a number"):
        open_records({"ax": ["x"], "ay": [1], "bx": [1], "by": [1]}, of)
