"""An opened release of tables: its numbers with the draws they share, and what is not there."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling.errors import ParameterError
from starling.ledger.rules import Request
from starling.privacy.distributions.accuracy import margin
from starling.privacy.trust import Confidential, publish
from starling.release.intervals import Value, total
from starling.release.manifest import sign
from starling.tables.analysis import TablesRelease, open_release, opened
from starling.tables.artifact import row_values
from starling.tables.artifact.questions import Sum, Term
from starling.tables.inference.cell_errors import Apart
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Plan
from tests.tables.bundles import KEY, new_ledger, write
from tests.tables.small import small_geography, small_plan, written


def released(place: Path, persons: int = 30, *, counties: int = 3, **options: Any) -> TablesRelease:
    """A release with noise, opened; every group has so many persons, all in the first cell."""
    plan = small_plan(**options)
    geography = small_geography(plan, counties=counties)
    _, ledger = new_ledger(place, plan)
    account = ledger.account(Request("ann", "request-1", "census", "{}"))
    exact = written(plan, geography, persons)
    write(place / "release", plan, geography, publish(Confidential(lambda: exact), SafeTab(plan, geography), account))
    sign(place / "release", KEY)
    result = starling.open_release(place / "release")
    assert isinstance(result, TablesRelease)
    return result


DETAILED = (1, 5000, 10_000)


@pytest.mark.series(1)
@pytest.mark.parametrize("both_stages", [False, True])
@pytest.mark.parametrize("thresholds", [DETAILED, (1, 2, 10_000), (1, 2, 3), (10**4, 10**5, 10**6)])
def test_every_number_knows_its_own_noise(tmp_path: Path, both_stages: bool, thresholds: tuple[int, int, int]) -> None:
    release = released(
        tmp_path, 400, both_stages=both_stages, thresholds=thresholds, measure="rho", budget=Fraction(1, 5)
    )
    for table in ("t1", "t2"):
        for row, value in zip(release.rows(table).to_pylist(), release.numbers(table), strict=True):
            assert value.estimate == row["count"]
            # The published deviation of a number of both stages leaves out its rounding, of at most one person.
            slack = {"abs": 1} if both_stages else {"rel": 1e-9}
            assert value.standard_deviation == pytest.approx(row["standard_deviation"], **slack)
            if not both_stages:
                assert value.interval() == (row["lower"], row["upper"])
            elif table == "t1":
                # The published margin is of the law with its rounding; here a rounding is added at its worst.
                assert abs(value.interval()[0] - row["lower"]) <= 1


def independent(number: Value) -> Value:
    """The same number, as if none of its draws were in another."""

    def renamed(cells: Any) -> Any:
        return replace(cells, names=("another",)) if isinstance(cells, Apart) else replace(cells, name="another")

    cells = {renamed(cells): weights for cells, weights in number.cells.items()}
    return Value(number.exact, cells=cells)


@pytest.mark.slow
def test_numbers_of_two_releases_are_independent(tmp_path: Path) -> None:
    """Two draws for one group: their difference once had an interval of nothing, as if they shared their noise."""
    one = {"region_type": "COUNTY", "region_id": "01001", "iteration_code": "0001"}
    for both_stages in (False, True):
        numbers = []
        for name in "ab":
            place = tmp_path / f"{name}-{both_stages}"
            place.mkdir()
            release = released(
                place, thresholds=DETAILED, both_stages=both_stages, measure="rho", budget=Fraction(1, 5)
            )
            numbers.append(release.number("t1", **one))
        a, b = numbers
        assert (a - b).standard_deviation == pytest.approx(2**0.5 * a.standard_deviation)
        assert a.margin() < (a - b).margin() < 2 * a.margin()


@pytest.mark.slow
def test_a_total_is_the_sum_of_its_cells_also_in_its_noise(tmp_path: Path) -> None:
    for name, both_stages in (("a", False), ("b", True)):
        (tmp_path / name).mkdir()
        release = released(
            tmp_path / name, 400, thresholds=DETAILED, both_stages=both_stages, measure="rho", budget=Fraction(1, 5)
        )
        one = {"region_type": "COUNTY", "region_id": "01001", "iteration_code": "0001"}
        total = release.number("t1", **one)
        sexes = release.numbers("t2", **one, age_start="*")
        ages = [each for sex in "12" for each in release.numbers("t2", **one, sex=sex)[1:]]
        assert len(sexes) == 2
        assert len(ages) == 8
        for parts in (sexes, ages):
            left = total - sum(parts)
            assert (left.lower, left.estimate, left.upper) == (0, 0, 0), "they add up"
            assert left.standard_deviation == 0
        share = sexes[0].ratio(total)
        careless = sexes[0].ratio(independent(total))
        assert share.upper - share.lower < careless.upper - careless.lower


def test_totals_of_different_groups_are_independent(tmp_path: Path) -> None:
    release = released(tmp_path, measure="epsilon", thresholds=(10**3, 10**4, 10**5))
    counties = release.numbers("t1", region_type="COUNTY", iteration_code="0002")
    distribution = release.plan.stage_noise(release.plan.levels[1]).stage2
    assert total(counties).margin() == margin(distribution, "0.05", 3)
    total_only = release.number("t1", region_type="STATE", iteration_code="0003")
    assert total_only.margin() == margin(release.plan.stage_noise(release.plan.levels[0]).total_only, "0.05")


@pytest.mark.slow
def test_sums_of_a_real_release_cover(tmp_path: Path) -> None:
    """400 sums of two counties' totals: 95 % within 6 standard errors."""
    release = released(tmp_path, 40, counties=400, both_stages=True, thresholds=(30, 50, 90), measure="rho")
    numbers = release.numbers("t1", region_type="COUNTY")
    assert len(numbers) == 800
    held = [
        low <= 80 <= high
        for a, b in zip(numbers[::2], numbers[1::2], strict=True)
        for low, high in [(a + b).interval()]
    ]
    assert np.mean(held) > 0.95 - 6 * (0.95 * 0.05 / 400) ** 0.5


@pytest.mark.series(1)
@pytest.mark.parametrize("both_stages", [False, True])
@pytest.mark.parametrize(("measure", "evenly"), [("rho", True), ("epsilon", False)])
def test_totals_that_add_up_have_the_deviation_of_their_sum(
    tmp_path: Path, measure: str, both_stages: bool, evenly: bool
) -> None:
    release = released(
        tmp_path, add_up=True, evenly=evenly, both_stages=both_stages, measure=measure, thresholds=DETAILED
    )
    for code in ("0001", "0002"):
        state = release.number("t1", region_type="STATE", iteration_code=code)
        counties = release.numbers("t1", region_type="COUNTY", iteration_code=code)
        left = state - sum(counties)
        assert left.estimate == left.margin() == left.standard_deviation == 0, "they add up"
        some, rest = sum(counties[1:]), state - counties[0]
        assert isinstance(some, Value)
        assert some.estimate == rest.estimate
        assert some.interval() == rest.interval()
        assert some.standard_deviation == pytest.approx(rest.standard_deviation)
        assert some.standard_deviation < sum(each.standard_deviation for each in counties[1:])
        assert (some.margin("0.9"), some.margin("0.99")) > (0, some.margin())
    for table in ("t1", "t2"):
        for row, value in zip(release.rows(table).to_pylist(), release.numbers(table), strict=True):
            assert value.standard_deviation == pytest.approx(row["standard_deviation"])
            if table == "t1":
                assert value.interval() == (row["lower"], row["upper"])


def test_large_levels_are_read_by_the_iteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released(tmp_path, add_up=True, measure="rho", thresholds=DETAILED, counties=6)
    counties = [release.number("t1", region_id=f"010{place:02d}", iteration_code="0002") for place in (1, 5, 9)]
    where = (("iteration_code", "0001"),)
    question = Sum((Term("t1", where), Term("t1", (("iteration_code", "0002"),))))
    at_once, ends = question.work(release).steps, total(counties).interval()
    monkeypatch.setattr(row_values, "MOST_AT_ONCE", 0)
    again = open_release(release.folder)
    rows = [again.number("t1", region_id=f"010{place:02d}", iteration_code="0002") for place in (1, 5, 9)]
    assert total(rows).interval() == ends
    assert question.work(again).steps > at_once
    assert Sum(question.terms[:1]).work(again).steps < question.work(again).steps


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    release = released(tmp_path, 0, counties=20, suppression=Fraction(99, 100), thresholds=(10**3, 10**4, 10**5))
    assert release.left_out(region_type="STATE") == 0
    missing = release.left_out(region_type="COUNTY", iteration_code="0001")
    assert missing == 20 - len(release.rows("t1", region_type="COUNTY", iteration_code="0001"))
    assert missing > 10
    there = set(release.rows("t1", region_type="COUNTY", iteration_code="0001")["region_id"].to_pylist())
    gone = next(region for region in release.geography.regions[release.plan.levels[1].geography] if region not in there)
    with pytest.raises(ParameterError, match="left out"):
        release.number("t1", region_type="COUNTY", region_id=gone, iteration_code="0001")
    with pytest.raises(ParameterError, match="no such group"):
        release.number("t1", region_type="COUNTY", region_id="99999", iteration_code="0001")


def test_mistakes_are_named(tmp_path: Path) -> None:
    release = released(tmp_path, 0, allow_negative=False, thresholds=(10**3, 10**4, 10**5), counties=40)
    with pytest.raises(ParameterError, match="such rows"):
        release.number("t1", region_type="COUNTY")
    with pytest.raises(ParameterError, match="no column to choose by"):
        release.numbers("t1", county="01001")
    with pytest.raises(ParameterError, match="no column to choose by"):
        release.numbers("t1", sex="1")
    with pytest.raises(ParameterError, match="does not choose groups"):
        release.left_out(sex="1")
    with pytest.raises(ParameterError, match="not t1 or t2"):
        release.numbers("t3")
    # Of 80 empty groups some were measured below 0, but with a chance of .73^80 = 1e-11.
    with pytest.raises(ParameterError, match="raised to 0"):
        release.numbers("t1", region_type="COUNTY")


def test_a_release_is_opened_as_tables(tmp_path: Path) -> None:
    release = released(tmp_path)
    second = open_release(release.folder)
    assert isinstance(second.plan, Plan)
    assert second.names == release.names
    assert second.table("t1") == release.table("t1")
    release.statement["domain"] = "groups"
    with pytest.raises(ParameterError, match="no release of tables"):
        opened(release)


def test_a_release_shows_itself_and_becomes_data_frames(tmp_path: Path) -> None:
    release = released(tmp_path, thresholds=DETAILED)
    rows = len(release.table("t1"))
    for part in (f"t1 {rows:,}", release.signer.fingerprint, str(release.cost), str(tmp_path / "release"), "request-1"):
        assert part in release._repr_html_()
    for part in (f"t1 {rows:,}", str(release.cost), str(release.table("t1")["count"][0])):
        assert part in repr(release)
    names = dir(release)
    assert {"number", "numbers", "rows", "to_pandas", "to_polars", "plan", "table"} <= set(names)
    assert not [name for name in names if name.startswith("_")]
    counties = release.rows("t1", region_type="COUNTY")
    assert release.to_pandas("t1", region_type="COUNTY")["count"].to_list() == counties["count"].to_pylist()
    assert release.to_polars("t1", region_type="COUNTY")["count"].to_list() == counties["count"].to_pylist()
    assert len(release.to_pandas("t2")) == len(release.to_polars("t2")) == len(release.table("t2"))
    with pytest.raises(ParameterError, match="is not in the release"):
        release.to_pandas("t3")
    with pytest.raises(ParameterError, match="no column to choose by"):
        release.to_polars("t1", county="01001")


COUNTY = {"region_type": "COUNTY", "region_id": "01001", "iteration_code": "0001"}
OTHER = {**COUNTY, "region_id": "01003"}


def where(wanted: dict[str, str]) -> list[list[str]]:
    return [[column, value] for column, value in wanted.items()]


@pytest.mark.slow
def test_sums_and_ratios_are_told_as_the_release_has_them(tmp_path: Path) -> None:
    release = released(tmp_path, 400, thresholds=DETAILED, measure="rho", budget=Fraction(1, 5))
    a, b = (release.number("t1", **wanted) for wanted in (COUNTY, OTHER))
    one, two = (dict[str, Any](table="t1", where=where(wanted)) for wanted in (COUNTY, OTHER))
    cells = release.numbers("t2", **COUNTY)
    half: dict[str, Any] = {"table": "t2", "where": where(COUNTY), "weight": "-1/2"}
    both: dict[str, Any] = {"table": "t1", "where": [*where(COUNTY), ["region_id", "01003"]]}
    request: list[tuple[list[Any], Value]] = [
        ([one, two], a + b),
        ([one, {**two, "weight": "-1"}], a - b),
        ([one, half], a - sum(cells) * Fraction(1, 2)),
        ([both], a + b),
    ]
    for terms, here in request:
        report: Any = release.tell({"kind": "sum", "terms": terms, "confidence": "0.9"})
        assert (report["estimate"], report["standard_deviation"]) == (here.estimate, here.standard_deviation)
        assert (report["lower"], report["upper"]) == here.interval(Fraction(9, 10))
        assert report["left_out"] == 0
    ratio: Any = release.tell({"kind": "ratio", "terms": [one], "divisor": [one, two]})
    share = a.ratio(a + b)
    assert (ratio["estimate"], ratio["lower"], ratio["upper"]) == (share.estimate, share.lower, share.upper)
    assert ratio["numbers"] == 3


def test_a_sum_says_how_many_groups_are_missing_from_it(tmp_path: Path) -> None:
    """Of two counties one has no such group in the plan."""
    release = released(tmp_path, 400, thresholds=DETAILED)
    every: Any = release.tell({"kind": "sum", "terms": [{"table": "t1", "where": [["region_type", "COUNTY"]]}]})
    assert every["left_out"] == release.left_out(region_type="COUNTY")
    assert every["numbers"] == len(release.rows("t1", region_type="COUNTY"))


@pytest.mark.parametrize(
    "text",
    [
        {"kind": "sum", "terms": []},
        {"kind": "sum", "terms": [{"table": "t3", "where": []}]},
        {"kind": "sum", "terms": [{"table": "t1", "where": [["count", "5"]]}]},
        {"kind": "sum", "terms": [{"table": "t1", "where": [["region_id", "none"]]}]},
        {"kind": "sum", "terms": [{"table": "t1", "where": where(COUNTY)}], "confidence": "1"},
        {"kind": "ratio", "terms": [{"table": "t1", "where": where(COUNTY)}], "divisor": []},
    ],
)
def test_what_is_no_sum_is_not_told(small: TablesRelease, text: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        small.tell(text)


def test_a_sum_of_too_many_numbers_is_refused(small: TablesRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.tables.analysis.MOST_NUMBERS", 3)
    term: Any = {"table": "t1", "where": where(COUNTY)}
    told: Any = small.tell({"kind": "sum", "terms": 3 * [term]})
    assert told["numbers"] == 3
    with pytest.raises(ParameterError, match="more than 3 numbers"):
        small.tell({"kind": "sum", "terms": 4 * [term]})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> TablesRelease:
    return released(tmp_path_factory.mktemp("small"), 400, thresholds=DETAILED)
