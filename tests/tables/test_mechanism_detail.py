"""A plan with a chain of its own, from the draw to the tables, the folder's plan and the numbers of analysts."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.errors import PlanError
from starling.release.payment import PaymentOptions
from starling.tables.analysis import open_release
from starling.tables.artifact.columns import tables, words
from starling.tables.artifact.public_plan import parameters, read_plan, write_plan
from starling.tables.evaluate import evaluate
from starling.tables.generate import generate
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Plan, read_geography
from starling.tables.plan.detail import Detail, DetailAttribute
from starling.tables.plan.sex_by_age import SEX_BY_AGE, SEXES
from starling.tables.postprocess import t2_schema, tabulate
from starling.tables.preview import preview
from starling.tables.publication import plan_digest
from starling.tables.publish import release
from starling.tables.source import open_persons
from starling.verification import Outcome, verify
from tests.tables.small import Written, small_geography, small_plan

SMOKES = DetailAttribute("smokes", "habits", 0, 1, (("n", "never"), ("y", "yes")))
AGE = DetailAttribute("age", "ages", 0, 99, unit="year")
CHAIN = Detail((SMOKES, AGE), (((), ()), ((), (0, 50)), ((0, 1), (0, 20, 50))))
"""A total, 2 ages, and habits by 3 ages: of the middle partition no cells stand together in the finest."""


def with_chain(budget: Fraction = Fraction(10**9)) -> Plan:
    """Noise that is 0 but for a chance below 10^-300."""
    plan = small_plan(budget=budget)
    return replace(plan, detail=CHAIN, levels=tuple(replace(each, thresholds=(10, 100)) for each in plan.levels))


def test_every_group_is_published_by_the_partition_that_its_total_reaches() -> None:
    plan = with_chain()
    geography = small_geography(plan)
    cells = np.zeros((3, CHAIN.finest), dtype=np.int64), np.zeros((4, CHAIN.finest), dtype=np.int64)
    cells[0][0] = (1, 2, 3, 0, 1, 1)
    cells[0][1] = (1, 2, 3, 4, 5, 6)
    cells[1][2] = (100, 0, 0, 0, 7, 0)
    for part in tabulate(plan, geography, SafeTab(plan, geography).draw(Written(cells))):
        result = {
            (row["region_id"], row["iteration_code"], *(row[each] for each in CHAIN.columns)): row["count"]
            for row in part.t2.to_pylist()
        }
        if part.piece.level == 0:
            assert part.t1["count"].to_pylist() == [8, 21, 0]
            # Ages under 50 are the first two bands of both habits.
            assert result == {("01", "0002", "0", "49", "*"): 1 + 2 + 4 + 5, ("01", "0002", "50", "99", "*"): 3 + 6}
        else:
            assert result == {
                ("01003", "0001", *codes): count
                for codes, count in {
                    ("*", "*", "n"): 100,
                    ("0", "19", "n"): 100,
                    ("20", "49", "n"): 0,
                    ("50", "99", "n"): 0,
                    ("*", "*", "y"): 7,
                    ("0", "19", "y"): 0,
                    ("20", "49", "y"): 7,
                    ("50", "99", "y"): 0,
                }.items()
            }


def test_the_plan_of_a_folder_says_its_chain_where_it_is_another_than_the_census() -> None:
    plan, census = with_chain(), small_plan()
    assert plan_digest(plan) != plan_digest(
        replace(plan, detail=replace(CHAIN, attributes=(SMOKES, replace(AGE, unit="number"))))
    )
    assert plan_digest(census) != plan_digest(plan)


def test_a_folder_keeps_the_chain(tmp_path: Path) -> None:
    plan = with_chain()
    write_plan(tmp_path, plan, small_geography(plan))
    assert read_plan(tmp_path)[0] == plan
    assert '"detail"' in (tmp_path / "plan" / "plan.json").read_text()
    (tmp_path / "census").mkdir()
    write_plan(tmp_path / "census", small_plan(), small_geography(plan))
    assert '"detail"' not in (tmp_path / "census" / "plan" / "plan.json").read_text()


def test_its_columns_and_parameters_are_its_own() -> None:
    plan = with_chain()
    assert t2_schema(CHAIN).names[3:6] == ["age_start", "age_end", "smokes"]
    assert {*t2_schema(CHAIN).names, "ages", "smokes_name"} <= words(plan).keys()
    t2 = tables(plan)[1]
    assert t2.title == "T2: population groups by smokes and age"
    assert parameters(plan, small_geography(plan))["branches"] == ["total", "2 ages", "smokes by 3 ages"]


def test_a_chain_of_other_bands_is_released_from_census_records_and_held_against_them(tmp_path: Path) -> None:
    chain = Detail(SEX_BY_AGE.attributes, (((), ()), ((), (0, 18)), (SEXES, (0, 18, 65))))
    plan = replace(with_chain(), detail=chain)
    output = generate(plan, persons=2000, seed=1, out=tmp_path / "people", states=["01"])
    payment = PaymentOptions(unvalidated=True)
    release(
        plan, output.records, output.files["geography"], tmp_path / "out", names=output.files["names"], payment=payment
    )
    assert verify(tmp_path / "out").outcome is not Outcome.FAILED
    geography, persons = read_geography(output.files["geography"], plan), open_persons(output.records, plan)
    result = evaluate(plan, geography, persons, tmp_path / "out").value
    numbers = result.by("number")
    assert {*numbers} == {("total",), ("sex",), ("cell",)}
    assert all(errors.absolute == 0 and errors.rows for errors in numbers.values())
    for value in open_release(tmp_path / "out").numbers("t2", region_type="STATE"):
        assert value.estimate >= 0


def test_a_preview_has_the_numbers_of_its_partitions() -> None:
    branches = preview(with_chain(Fraction(2))).levels[0].branches
    assert [each.cells for each in branches] == [1, 2, 6]
    # Two ages of all have no sums between the total and the cells.
    assert [each.sex is None for each in branches] == [True, True, False]


@pytest.mark.parametrize("thresholds", [(5, 10, 20), (5,), (10, 5)])
def test_there_is_a_threshold_for_each_step(thresholds: tuple[int, ...]) -> None:
    plan = with_chain()
    with pytest.raises(PlanError, match="2 increasing thresholds"):
        replace(plan, levels=tuple(replace(each, thresholds=thresholds) for each in plan.levels))
