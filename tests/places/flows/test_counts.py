"""Spark counts the trips that DuckDB counts, and keeps the same ones of a person."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from starling.engine.spark import Spark
from starling.places.flows.counts import tally
from starling.places.source.trips import open_records
from tests.places.flows.worlds import PERSON, RECORDS, STOPPING, STOPS, STOPS_AT, plan

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
    places = ("", "1", "2", "3", "4", "9")
    rows = [(*way, str(at % 40)) for at, way in enumerate(product(places, repeat=4)) if at % 3]
    (tmp_path / "legs.csv").write_text("\n".join(map(",".join, [("a", "via", "then", "b", "who"), *rows])))
    for changes in (STOPS, STOPPING):
        of = plan(tmp_path, **changes)
        opened = open_records(tmp_path / "legs.csv", of)
        here = tally(of, opened, KEY)
        assert np.array_equal(tally(of, opened, KEY, spark), here)
        assert changes is STOPS or 80 < here.sum() <= 80 * 3
    located = ["ax,ay,vx,vy,tx,ty,bx,by", *(",".join(f"{at}.5,0.5" if at else "," for at in way) for *way, _ in rows)]
    (tmp_path / "places.csv").write_text("\n".join(located))
    of = plan(tmp_path, **STOPS_AT)
    opened = open_records(tmp_path / "places.csv", of)
    here = tally(of, opened, KEY)
    assert np.array_equal(tally(of, opened, KEY, spark), here)
    by_ids = plan(tmp_path, **STOPS)
    assert np.array_equal(tally(by_ids, open_records(tmp_path / "legs.csv", by_ids), KEY), here)
