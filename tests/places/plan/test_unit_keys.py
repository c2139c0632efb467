"""Grids, areas and flows say in the same words whose data is hidden, each with its own word for a record."""

import pytest

from starling.places.areas.plan.grammar import PRIVACY as AREAS
from starling.places.flows.plan.grammar import _PRIVACY as FLOWS
from starling.places.plan.choices import MOST_POINTS
from starling.places.plan.grammar import _PRIVACY as GRID
from starling.places.plan.unit_keys import distinct_key, unit_keys
from starling.planfile.grammar import Table


@pytest.mark.parametrize(("table", "record"), [(GRID, "point"), (AREAS, "point"), (FLOWS, "trip")])
def test_every_kind_of_plan_has_the_same_keys_in_its_own_word(table: Table, record: str) -> None:
    ours = unit_keys(record)
    assert [*table.keys][:2] == [*ours] == ["unit", f"{record}s_per_person"]
    assert [table.keys[name].what for name in ours] == [key.what for key in ours.values()]
    assert ours["unit"].kind.schema["enum"] == [record, "person"]
    assert ours[f"{record}s_per_person"].kind.schema["maximum"] == MOST_POINTS


@pytest.mark.parametrize(("table", "cell"), [(GRID, "cell"), (AREAS, "area")])
def test_points_in_one_cell_may_count_once(table: Table, cell: str) -> None:
    assert table.keys[f"distinct_{cell}s"].what == distinct_key(cell).what
    assert f"one {cell} of one slice" in distinct_key(cell).what
