"""Tables in a session: short ways to a plan, and what a release says by the values of columns."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starling
from starling import tables
from starling.errors import ParameterError, PlanError, StarlingError
from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.budget import Epsilon, Rho
from starling.tables.analysis import TablesRelease
from starling.tables.plan import Plan as PlanChoices
from starling.verification import Outcome

DOMAINS: dict[str, Any] = {"sex": ["F", "M"], "age": range(4), "district": {"n": "North", "s": "South"}}
ROWS = {"sex": ["F", "M", "M", "F"], "age": [0, 1, 1, 9], "district": ["n", "s", "n", "x"]}
EXACT = 40
"""An epsilon at which noise is never seen: a draw other than 0 has a chance below 10^-16."""


@pytest.fixture(scope="module")
def release() -> TablesRelease:
    return tables.plan(["sex", "age"], DOMAINS, epsilon=EXACT).release(pa.table(ROWS))


@pytest.mark.series(1)
@pytest.mark.parametrize("form", [pa.table, pd.DataFrame, pl.DataFrame, dict])
def test_every_form_of_records_is_released(form: Callable[[Any], Any]) -> None:
    counted = starling.count(form(ROWS), ["sex"], DOMAINS, epsilon=EXACT)
    assert [int(counted.number(sex=sex).exact) for sex in "FM"] == [2, 2]


def test_numbers_are_sums_of_groups_by_the_values_of_columns(release: TablesRelease) -> None:
    assert release.number().exact == 3, "of one record the age is outside"
    assert release.number(sex="F").exact == 1
    assert release.number(sex="M", age=1).exact == 2
    assert release.number(age=[0, 1]).exact == 3


@pytest.mark.slow
def test_shares_are_ratios_of_numbers() -> None:
    people = {"sex": ["F"] * 300 + ["M"] * 700}
    counted = starling.count(people, ["sex"], DOMAINS, epsilon=2)
    share = counted.number(sex="F") / counted.number()
    assert share.lower < share.estimate < share.upper
    assert share.estimate == pytest.approx(0.3, abs=0.05), "off by so much with a chance below 10^-20"


def test_a_release_verifies_itself(release: TablesRelease) -> None:
    assert release.verify().outcome is Outcome.CONSISTENT


def test_a_plan_is_the_plan_of_its_keys(tmp_path: Any) -> None:
    plan = tables.plan(["sex", "district"], DOMAINS, rho="0.5", title="Visits")
    assert plan.cost == Rho(Fraction(1, 2))
    plan.save(tmp_path / "plan.toml")
    assert tables.Plan.load(tmp_path / "plan.toml") == plan
    of_a_release = PlanChoices.load(tmp_path / "plan.toml")
    assert of_a_release == plan == of_a_release
    assert hash(of_a_release) == hash(plan)
    assert of_a_release != tables.plan(["sex"], DOMAINS, rho="0.5", title="Visits")
    assert "district" in repr(plan.preview())


def test_cross_tables_are_planned_previewed_and_have_invented_records(tmp_path: Path) -> None:
    plan = tables.plan(["sex", "age", "district"], DOMAINS, cross=2, margin=20)
    assert plan.cross is not None
    assert [len(each) for each in plan.cross.named] == [0, 1, 1, 1, 2, 2, 2]
    assert "sex by district" in str(plan.preview())
    assert isinstance(plan.cost, Rho)
    assert tables.plan(["sex"], DOMAINS, cross=1, rho="1/3").cost == Rho(Fraction(1, 3))
    assert tables.plan(["age"], {"age": range(100)}, cross=1, rho=1).cross.cuts == (tuple(range(0, 100, 10)),)  # type: ignore[union-attr]
    assert tables.plan(["sex"], DOMAINS, cross=1, epsilon="1/3").cost == Epsilon(Fraction(1, 3))
    solved = tables.plan(["sex"], DOMAINS, cross=1, epsilon=1, delta="1e-10")
    assert solved == tables.Plan.of(solved.values())
    assert solved.cost.amount > Fraction("0.01")
    invented = plan.generate(tmp_path / "invented", persons=50)
    table = pd.read_csv(invented.files["persons"])
    assert sorted(table.columns) == ["age", "district", "sex"]
    assert len(table) == 50


def test_a_margin_buys_the_least_budget_that_keeps_it() -> None:
    plan = tables.plan(["sex"], DOMAINS, margin=20)
    (level,) = plan.preview().levels
    cost = plan.cost
    assert isinstance(cost, Epsilon)
    assert level.total is not None
    assert level.total.margin <= 20
    looser = tables.plan(["sex"], DOMAINS, epsilon=cost.amount * Fraction(9, 10))
    total = looser.preview().levels[0].total
    assert total is not None
    assert total.margin > 20


def test_an_epsilon_at_a_delta_buys_the_largest_rho_that_keeps_it() -> None:
    plan = tables.plan(["sex"], DOMAINS, epsilon=1, delta="1e-6")
    assert isinstance(plan, tables.Plan)
    assert isinstance(plan.cost, Rho)
    assert Fraction("0.99") < epsilon_at_delta(plan.guarantee, "1e-6") <= 1
    assert epsilon_at_delta(plan.guarantee, "1e-6", method="renyi") > Fraction("1.05"), "the best order allows less"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"by": "sex", "domains": DOMAINS, "epsilon": 1}, "by"),
        ({"by": ["sex"], "epsilon": 1}, "domains"),
        ({"by": ["sex"], "domains": {"sex": None}, "epsilon": 1}, "domains"),
        ({"by": ["sex"], "domains": ["F", "M"], "epsilon": 1}, "domains"),
        ({"by": ["sex"], "domains": {"sex": "FM"}, "epsilon": 1}, "sex"),
        ({"by": ["age"], "domains": {"age": range(0, 9, 2)}, "epsilon": 1}, "age"),
        ({"by": [], "epsilon": 1}, "by"),
        ({"by": ["sex"], "domains": DOMAINS, "epsilon": 0}, "epsilon"),
        ({"by": ["sex"], "domains": DOMAINS, "rho": -1}, "rho"),
        ({"by": ["sex"], "domains": DOMAINS}, "price"),
        ({"by": ["sex"], "domains": DOMAINS, "epsilon": 1, "rho": 1}, "price"),
        ({"by": ["sex"], "domains": DOMAINS, "rho": 1, "delta": "1e-10"}, "delta"),
        ({"by": ["sex"], "domains": DOMAINS, "delta": "1e-10"}, "delta"),
        ({"by": ["sex"], "domains": DOMAINS, "epsilon": 1, "delta": 1}, "delta"),
        ({"by": ["sex"], "domains": DOMAINS, "epsilon": 0.5}, "epsilon"),
        ({"by": ["sex"], "domains": DOMAINS, "margin": 0}, "within"),
        ({"by": ["sex"], "domains": DOMAINS, "cross": 2, "margin": 20}, "is not an integer from 0 to 1"),
        ({"by": ["sex"], "domains": DOMAINS, "cross": 1}, "is stated as none of epsilon, rho and margin"),
        ({"by": ["sex"], "domains": {"sex": []}, "epsilon": 1}, "values"),
    ],
)
def test_what_is_no_plan_is_refused_at_its_argument(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises((ParameterError, PlanError), match=field):
        tables.plan(**arguments)


def test_records_of_the_session_are_validated() -> None:
    result = tables.plan(["sex", "age"], DOMAINS, epsilon=1).validate(pd.DataFrame(ROWS))
    assert result.problems.total + result.notes.total >= 1, "an age is outside"
    assert result.values["records"] == 4


@pytest.mark.parametrize("records", [None, 3, [1, 2], "nothing.csv", {"age": [1]}, pa.table({"age": [1]})])
def test_what_is_no_records_is_refused_before_a_charge(records: Any) -> None:
    with pytest.raises(StarlingError):
        tables.plan(["sex"], DOMAINS, epsilon=1).release(records)


def test_invented_records_of_a_plan_are_released_and_drawn(tmp_path: Path) -> None:
    plan = tables.plan(["sex", "age"], DOMAINS, epsilon=EXACT)
    release = plan.release(plan.generate(tmp_path / "invented", persons=30).records)
    shown = release.plot(iteration_code=["sex by age: F, 0", "sex by age: M, 1"])._repr_html_()
    rows = release.rows("t1", iteration_code=["sex by age: F, 0", "sex by age: M, 1"])
    for count, low, high in zip(*(rows[name].to_pylist() for name in ("count", "lower", "upper")), strict=True):
        assert f">{count:,}: {low:,} to {high:,}<" in shown
    assert release.plot(most=3)._repr_html_().count("-interval") == 3
    assert len(release.plot(most=3).figure.axes[0].patches) > 3
    with pytest.raises(ParameterError, match="rows"):
        release.plot(iteration_code="none")
