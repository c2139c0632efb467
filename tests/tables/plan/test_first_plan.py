"""A first plan: what is declared becomes a plan file that is read back, costs what was asked for, and looks at no record."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import OutputError, ParameterError, PlanError
from starling.tables.plan import Plan
from starling.tables.plan.columns import Codes, Integers, Periods, Unit
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.first_plan import MOST_CLASSES, round_cuts, write_first_plan

COLUMNS = ("age:int:0..110", "sex:F,M", "home:@public/towns.csv", "seen:dates:2024-01-01,2024-07-01,2025-01-01")


def world(folder: Path) -> Path:
    (folder / "public").mkdir()
    (folder / "public" / "towns.csv").write_text("code,name\nN,North\nS,South\n")
    (folder / "public" / "areas.csv").write_text("town,state\nN,A\nS,A\n")
    return folder


def test_declarations_become_columns_and_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world(tmp_path))
    (tmp_path / "plans").mkdir()
    out = tmp_path / "plans" / "plan.toml"
    output = write_first_plan(out, "People", COLUMNS, ("public/areas.csv", "state", "town"), Fraction(1))
    assert 'file = "../public/towns.csv"' in out.read_text()
    assert Plan.load(out) == output
    records = custom_records(output)
    age, sex, home, seen = records.columns
    assert isinstance(age.domain, Integers)
    assert isinstance(seen.domain, Periods)
    assert (age.domain.low, age.domain.high, seen.domain.size) == (0, 110, 2)
    assert sex.domain == Codes((("F", "F"), ("M", "M")))
    assert home.domain == Codes((("N", "North"), ("S", "South")))
    assert [family.name for family in records.families] == ["everybody", "age", "sex", "home", "seen"]
    assert records.areas.column == "town"
    assert len(output.levels) == 2 * 5
    assert output.cost.amount == 1


def test_a_plan_may_have_no_regions_or_no_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world(tmp_path))
    assert len(write_first_plan("one.toml", "Some", ("sex:F,M",), (), Fraction(1, 3)).levels) == 2
    assert len(write_first_plan("two.toml", "Some", (), ("public/areas.csv", "town"), Fraction(1)).levels) == 1


def test_a_plan_says_whose_records_count_together(tmp_path: Path) -> None:
    output = write_first_plan(tmp_path / "plan.toml", "Visits", ("sex:F,M",), (), Fraction(1), Unit("id", 3))
    assert output.records is not None
    assert output.records.unit == Unit("id", 3)
    assert output.cost.amount == 1


@pytest.mark.examples(30)
@given(st.integers(-(10**9), 10**9 - 1), st.integers(1, 10**6))
def test_cuts_are_few_round_and_begin_at_the_least(low: int, range_: int) -> None:
    high = min(low + range_, 10**9)
    cuts = round_cuts(low, high)
    if not cuts:
        assert high - low < MOST_CLASSES
        return
    assert len(cuts) <= MOST_CLASSES
    assert cuts == sorted(set(cuts))
    assert (cuts[0], cuts[-1] <= high) == (low, True)
    width = cuts[2] - cuts[1]
    assert 2 * min(cuts[1] - low, high + 1 - cuts[-1]) >= width
    assert str(cuts[2] - cuts[1]).rstrip("0") in {"1", "2", "5"}


@pytest.mark.parametrize(
    ("declared", "cause"),
    [
        ("sex", "names no column and its values"),
        (":F,M", "names no column and its values"),
        ("sex:", "names no column and its values"),
        ("age:int:0-110", "without two bounds"),
        ("age:int:0..", "without two bounds"),
        ("age:0..110", "looks like bounds"),
    ],
)
def test_what_declares_no_column_is_refused(declared: str, cause: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=cause):
        write_first_plan(tmp_path / "plan.toml", "Some", (declared,), (), Fraction(1))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("declared", "cause"),
    [
        ("age:int:9..0", "is not an integer from 10"),
        ("sex:F,F", "more than once"),
        ("seen:dates:2024-01-01", "are not two or more dates"),
        ("home:@none.csv", "cannot be read"),
    ],
)
def test_what_makes_no_plan_is_refused_before_a_file_is_made(declared: str, cause: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        write_first_plan(tmp_path / "plan.toml", "Some", (declared,), (), Fraction(1))
    assert cause in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        write_first_plan(tmp_path / "plan.toml", "Some", ("sex:F,M",), (), Fraction(1))
    with pytest.raises(OutputError, match="does not end in"):
        write_first_plan(tmp_path / "plan.txt", "Some", ("sex:F,M",), (), Fraction(1))
