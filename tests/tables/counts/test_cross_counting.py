"""Records are counted in the cells of cross tables as a loop over them does, by each engine, and at most k of a person."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.held_records import InMemory
from starling.engine.spark import Spark
from starling.privacy.trust import inspect
from starling.tables.counts import CrossCounts, count_cross
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.residuals import Shape
from starling.tables.source import open_records
from tests.tables.cross_plans import AREAS, CUTS, LEVELS, cross_plan
from tests.tables.dense_tables import up_to

Record = dict[str, str]
VALUES = {
    "sex": st.sampled_from(["f", "m", " m", "x", ""]),
    "age": st.sampled_from([str(age) for age in range(10)] + ["10", "", "2.0"]),
    "colour": st.sampled_from(["red", "green", "blue", "grey"]),
    "district": st.sampled_from(["a1", "a2", "b1", "c1"]),
}
RECORDS = st.lists(st.fixed_dictionaries(VALUES), max_size=12)


def counted(plan: Plan, data: Path | InMemory, cluster: Spark | None = None) -> CrossCounts:
    return inspect(count_cross(plan, read_regions(plan), open_records(data, plan), cluster=cluster)).value


def expected(records: list[Record], level: str) -> Counter[tuple[int, ...]]:
    """By region of a level, sex, class of age and colour; a record without one of them is dropped."""
    cells: Counter[tuple[int, ...]] = Counter()
    place = LEVELS.index(level)
    regions = sorted({row[place] for row in AREAS})
    for record in records:
        area = [row[place] for row in AREAS if row[1] == record["district"]]
        sex, age = record["sex"].strip(), record["age"]
        if area and sex in ("f", "m") and age not in ("", "10") and record["colour"] != "grey":
            group = sum(float(age) >= low for low in CUTS[1]) - 1
            cells[regions.index(area[0]), "fm".index(sex), group, ["red", "green", "blue"].index(record["colour"])] += 1
    return cells


@pytest.mark.slow
@pytest.mark.examples(25)
@given(RECORDS, st.sampled_from([LEVELS, LEVELS[1:], LEVELS[:1]]), st.integers(0, 3))
def test_every_part_of_every_level_is_what_a_loop_counts(
    records: list[Record], levels: tuple[str, ...], most: int
) -> None:
    plan = cross_plan(up_to(3, most), levels=levels)
    table = pa.table({name: pa.array([each[name] for each in records], pa.string()) for name in VALUES})
    counts = counted(plan, table)
    for level, name in enumerate(levels):
        cells = expected(records, name)
        for part in plan.cross_shape.parts:
            exact = np.zeros((plan.cross_shape.regions[level], *(plan.cross_shape.sizes[each] for each in part)))
            for cell, persons in cells.items():
                exact[(cell[0], *(cell[1 + each] for each in part))] += persons
            assert np.array_equal(counts.part(level, part), exact)


def test_at_most_so_many_records_of_a_person_are_counted() -> None:
    plan = cross_plan(records=2)
    whose = ["p"] * 5 + ["q"] + ["r"] * 3
    table = pa.table({"sex": ["f"] * 9, "age": [1] * 9, "colour": ["red", "green", "blue"] * 3, "id": whose})
    assert counted(plan, table).part(0, ()).tolist() == [2 + 1 + 2]


def test_regions_above_need_no_order() -> None:
    shape = Shape((2,), ((), (0,)), 2, ((1, 0, 1, 1),))
    counts = CrossCounts(shape, {(0,): np.arange(8).reshape(4, 2)})
    assert counts.part(0, (0,)).tolist() == [[2, 3], [0 + 4 + 6, 1 + 5 + 7]]
    assert counts.part(0, ()).tolist() == [5, 23]
