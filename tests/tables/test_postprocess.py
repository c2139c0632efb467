"""Rows of T1 and T2: which there are, in which order, with which names, whatever the pieces."""

import numpy as np
import pytest

from starling.tables.measurements import Measured
from starling.tables.plan import GeographyLevel, Piece
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import T1_SCHEMA, t2_schema, tabulate
from tests.tables.small import joined, small_geography, small_plan

COUNTY, STATE = GeographyLevel.COUNTY, GeographyLevel.STATE
BRANCH = np.array([0, 1, 2, 3], dtype=np.int8)
VALUES = np.array([3, *range(8), *range(18), *range(46)])
NONE = np.zeros(4, dtype=np.int64)


def test_rows_of_each_branch() -> None:
    plan = small_plan(geographies=(COUNTY,))
    geography = small_geography(plan)
    tables = joined(tabulate(plan, geography, ((Piece(0, 0, 2, 2), Measured(NONE, BRANCH, VALUES)),)))
    assert tables.t1.schema == T1_SCHEMA
    assert tables.t2.schema == t2_schema(SEX_BY_AGE)
    t1 = tables.t1.to_pylist()
    assert [(row["region_id"], row["iteration_code"], row["count"]) for row in t1] == [
        ("01001", "0001", 3),
        ("01001", "0002", 28),
        ("01003", "0001", 153),
        ("01003", "0002", 1035),
    ]
    assert {row["region_type"] for row in t1} == {"COUNTY"}
    t2 = tables.t2.to_pylist()
    assert len(t2) == 10 + 20 + 48
    first = [(row["age_start"], row["age_end"], row["sex"], row["count"]) for row in t2[:10]]
    assert first == [
        ("*", "*", "1", 6),
        ("0", "17", "1", 0),
        ("18", "44", "1", 1),
        ("45", "64", "1", 2),
        ("65", "115", "1", 3),
        ("*", "*", "2", 22),
        ("0", "17", "2", 4),
        ("18", "44", "2", 5),
        ("45", "64", "2", 6),
        ("65", "115", "2", 7),
    ]
    assert [row["iteration_code"] for row in t2] == ["0002"] * 10 + ["0001"] * 20 + ["0002"] * 48
    last = t2[-1]
    assert (last["age_start"], last["age_end"], last["sex"], last["count"]) == ("85", "115", "2", 45)
    assert {(row["age_start"], row["age_end"]) for row in t2[30:]} >= {("20", "20"), ("60", "61")}


@pytest.mark.parametrize("first", [0, 1, 5])
def test_a_piece_names_its_own_regions(first: int) -> None:
    plan = small_plan(geographies=(COUNTY,))
    geography = small_geography(plan, counties=8)
    (part,) = tabulate(plan, geography, ((Piece(0, first, first + 2, 2), Measured(NONE, BRANCH, VALUES)),))
    ids = geography.regions[COUNTY]
    assert part.t1["region_id"].to_pylist() == [ids[first]] * 2 + [ids[first + 1]] * 2
    assert part.t2["region_id"].to_pylist() == [ids[first]] * 10 + [ids[first + 1]] * (20 + 48)


def test_branches_are_counted_published_or_not() -> None:
    plan = small_plan(geographies=(STATE,))
    branch = np.array([0, 2, TOTAL_ONLY], dtype=np.int8)
    (part,) = tabulate(plan, small_geography(plan), ((Piece(0, 0, 1, 3), Measured(NONE[:3], branch, np.arange(20))),))
    assert part.branches.tolist() == [1, 1, 0, 1, 0]


def test_no_pieces_are_tables_without_rows() -> None:
    plan = small_plan(geographies=(COUNTY,))
    tables = joined(tabulate(plan, small_geography(plan), ()))
    assert (len(tables.t1), len(tables.t2)) == (0, 0)
    assert (tables.t1.schema, tables.t2.schema) == (T1_SCHEMA, t2_schema(SEX_BY_AGE))
