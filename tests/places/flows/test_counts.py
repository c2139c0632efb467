"""Spark counts the trips that DuckDB counts, and keeps the same ones of a person."""

from pathlib import Path

import numpy as np
import pytest

from starling.engine.spark import Spark
from starling.places.flows.counts import tally
from starling.places.flows.source import open_records
from tests.places.flows.worlds import PERSON, RECORDS, plan

KEY = bytes(16)


@pytest.mark.slow
def test_spark_counts_what_duckdb_counts(tmp_path: Path, spark: Spark) -> None:
    (tmp_path / "records.csv").write_text(RECORDS)
    for changes in ({}, PERSON):
        of = plan(tmp_path, **changes)
        opened = open_records(tmp_path / "records.csv", of)
        there, here = tally(of, opened, KEY, spark), tally(of, opened, KEY)
        assert np.array_equal(there, here)
        assert here.sum() == (4 if changes else 6)
