"""A column without any value, whose type in Arrow, pandas and Parquet is null, counts as one of its own type that is all missing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.engine.delimited import labels
from starling.engine.held_records import InMemory
from starling.errors import SourceError
from starling.groups.source import counted
from starling.groups.source import open_records as open_groups
from starling.places.areas.source.cells import cells_of as area_cells
from starling.places.flows.source import pairs_of, ways_of
from starling.places.source import open_records as open_points
from starling.places.source import read_part
from starling.places.source.cells import cells_of, units_of
from starling.places.source.trips import open_records as open_trips
from starling.places.trips.source import pairs_of as trip_pairs
from starling.tables.counts.custom_counting import all_contributions
from starling.tables.plan import Plan
from starling.tables.source import open_records as open_custom
from starling.tables.source.declared_records import DeclaredRecords
from tests.four_domains import TABLES
from tests.groups.worlds import world
from tests.places import plans
from tests.places.areas import worlds as areas
from tests.places.flows import worlds as flows
from tests.places.trips import worlds as trips

Read: TypeAlias = Callable[[Path | InMemory], Any]
Cases: TypeAlias = Iterator[tuple[Read, dict[str, list[Any]]]]
WHEN = ["2020-01-05", "2020-02-05", None]
WHO = ["p", "q", "r"]
ENDS: dict[str, list[Any]] = {"a": [1, 2, 3], "b": ["2", "2", "4"], "who": WHO}
PLACES: dict[str, list[Any]] = {"ax": [1.5, 2.5, 3.5], "ay": [0.5] * 3, "bx": [1.5, 2.5, 3.5], "by": [0.5] * 3}


def reader(plan: Any, place: Callable[[Any, pa.Table], Any], opened: Callable[[Any, Any], Any]) -> Read:
    """Of each record what counts it, and whose it is, before anything is added up."""

    def read(data: Path | InMemory) -> list[Any]:
        records, person = opened(data, plan), plan.columns.person
        tables = [table for part in records.parts for table in read_part(records, part)]
        return [(place(plan, each).tolist(), labels(each[person]).to_pylist() if person else []) for each in tables]

    return read


def of_points(folder: Path) -> Cases:
    at = {"lon": [0.5, 0.5, 1.5], "lat": [0.5, 1.5, 0.5]}
    sliced = plans.plan(plans.PERSON, plans.SLICED, plans.KINDS)
    rows: dict[str, list[Any]] = at | {"time": WHEN, "who": WHO, "kind": ["theft"] * 3}
    yield reader(sliced, cells_of, open_points), rows
    valued = plans.plan(plans.VALUED)
    yield reader(valued, units_of, open_points), at | {"fare": [1, 2, 3]}
    geometry = type(sliced).of(plans.values() | {"input": {"geometry": "geometry"}})
    yield reader(geometry, cells_of, open_points), {"geometry": ["POINT (0.5 0.5)", "POINT (1.5 0.5)", None]}
    person = {"unit": "person", "points_per_person": 2, "epsilon": "1"}
    zoned = areas.plan(folder, input={"area": "zone", "person": "who"}, privacy=person)
    yield reader(zoned, area_cells, open_points), {"zone": ["a", "b", None], "who": WHO}
    yield reader(areas.plan(folder), area_cells, open_points), {"x": [0.5, 1.5, 2.5], "y": [0.5] * 3}


def of_trips_and_flows(folder: Path) -> Cases:
    stopping = flows.plan(folder, **flows.STOPPING)
    yield reader(stopping, ways_of, open_trips), ENDS | {"via": ["3", None, "1"], "then": [1, 1, 2]}
    yield reader(flows.plan(folder, **flows.PERSON | flows.BY_MONTH), pairs_of, open_trips), ENDS | {"when": WHEN}
    yield reader(flows.plan(folder, flows=flows.POINTS), pairs_of, open_trips), PLACES
    yield reader(trips.plan(folder, **trips.PERSON), trip_pairs, open_trips), PLACES | {"who": WHO}


def of_groups(folder: Path) -> Cases:
    cases: dict[str, dict[str, list[Any]]] = {
        "counts": {"region": ["e1", "w1", None], "size": [1, 2, 3], "groups": [1, 1, 2]},
        "events": {"group": ["e1-0", "e1-1", None], "quantity": [1, 2, 3]},
    }
    for kind, own in cases.items():
        made = world(folder, kind, quantity=1 if kind == "counts" else 3)

        def rows(data: Any, made: Any = made) -> list[Any]:
            opened = open_groups(data, made)
            return [row for part in opened.parts for batch in counted(made, opened, part) for row in batch.to_pylist()]

        yield rows, own


def of_tables(folder: Path) -> Cases:
    (folder / "tables.toml").write_text(TABLES)
    made = Plan.load(folder / "tables.toml")

    def records(data: Any) -> list[Any]:
        opened = open_custom(data, made)
        assert isinstance(opened, DeclaredRecords)
        return [row for batch in all_contributions(made, opened) for row in batch.to_pylist()]

    yield records, {"sex": ["F", "M", None], "age": [17, 20, 70]}


@pytest.mark.series(1)
@pytest.mark.parametrize("cases", [of_points, of_trips_and_flows, of_groups, of_tables])
def test_a_column_of_nulls_is_all_missing(cases: Callable[[Path], Cases], tmp_path: Path) -> None:
    for read, rows in cases(tmp_path):
        typed = pa.table(rows)
        for place, field in enumerate(typed.schema):
            missing, null = (
                typed.set_column(place, field.name, pa.nulls(len(typed), kind)) for kind in (field.type, pa.null())
            )
            pq.write_table(null, tmp_path / "null.parquet")
            wanted = read(missing)
            if field.name not in ("lon", "lat"):  # a value is counted wherever it lies
                assert wanted != read(typed), f"{field.name} is read"
            assert [read(null), read(tmp_path / "null.parquet")] == [wanted, wanted], field.name


def test_a_pandas_column_of_nothing_is_text_as_its_type_is(tmp_path: Path) -> None:
    """What its objects are is not looked at before the charge."""
    made = flows.plan(tmp_path, **flows.STOPPING)
    frame = pd.DataFrame(ENDS | {"via": [None] * 3, "then": ["1", "1", "2"]})
    typed = pa.table(ENDS | {"via": pa.nulls(3, pa.string()), "then": ["1", "1", "2"]})
    read = reader(made, ways_of, open_trips)
    assert read(frame) == read(typed)
    with pytest.raises(SourceError, match="ax is of type large_string, not a number"):
        open_trips(pd.DataFrame(PLACES | {"ax": [None] * 3}), flows.plan(tmp_path, flows=flows.POINTS))
