"""Errors are checked against a slow twin that walks the rows of T1 and T2 one by one, and against noise of known law."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError, SourceError
from starling.privacy.events import noise_event
from starling.privacy.trust import NotPrivate
from starling.tables.evaluate import Published, compare, evaluate, with_truth
from starling.tables.evaluate.errors import SIZES
from starling.tables.generate import generate
from starling.tables.measurements import Int64, Measured, Measurements, branches, offsets
from starling.tables.plan import MOST_GROUPS, Geography, Plan, read_geography
from starling.tables.plan.census_records import census_records
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import BANDS23, SEX_BY_AGE
from starling.tables.postprocess import tabulate
from starling.tables.source import open_persons
from tests.tables.small import Tables, Written, joined, small_geography, small_plan, whole, whole_levels

Noise = Callable[[int], Int64]


def none(size: int) -> Int64:
    return np.zeros(size, dtype=np.int64)


def measured(plan: Plan, geography: Geography, exact: Written, noise: Noise = none) -> Measurements:
    """What the mechanism would measure with this noise in stage 2 and for bare totals; stage 1 is exact."""
    levels = []
    for index, level in enumerate(plan.levels):
        totals = exact.totals(whole(plan, geography, index))
        branch = branches(totals, level.thresholds)
        branch[np.tile(level.total_only, len(totals) // len(level.iterations))] = TOTAL_ONLY
        values = [
            SEX_BY_AGE.merged(exact.detail[index][[group]], 3, which)[0] if which > 0 else totals[[group]]
            for group, which in enumerate(branch.tolist())
        ]
        stage2 = np.concatenate(values) + noise(int(offsets(branch, SEX_BY_AGE)[-1]))
        levels.append(Measured(totals, branch, stage2))
    return whole_levels(plan, geography, levels)


def released(folder: Path, tables: Tables) -> Published:
    (folder / "data").mkdir()
    pq.write_table(tables.t1, folder / "data" / "t1.parquet")
    pq.write_table(tables.t2, folder / "data" / "t2.parquet")
    return Published(folder)


def random_counts(plan: Plan, geography: Geography, seed: int = 1) -> Written:
    """Groups of all sizes from empty to some thousands."""
    rng = np.random.default_rng(seed)
    detail = []
    for level in plan.levels:
        groups = len(geography.regions[level.geography]) * len(level.iterations)
        scale = rng.choice([0, 0.02, 0.2, 2, 20], size=(groups, 1))
        detail.append(rng.poisson(scale, (groups, SEX_BY_AGE.finest)).astype(np.int64))
    return Written(tuple(detail))


def by_hand(plan: Plan, geography: Geography, tables: Tables, exact: Written) -> dict[tuple[object, ...], list[float]]:
    """Every class of numbers with its rows, errors and covered intervals, from one walk over the rows."""
    results: dict[tuple[object, ...], list[float]] = {}
    order = {
        (str(level.geography), region, iteration.code): (index, group)
        for index, level in enumerate(plan.levels)
        for group, (region, iteration) in enumerate(
            (region, iteration) for region in geography.regions[level.geography] for iteration in level.iterations
        )
    }
    t2 = tables.t2.to_pylist()
    key_of = ("region_type", "region_id", "iteration_code")
    rows_of: dict[tuple[str, ...], int] = {}
    for row in t2:
        key = tuple(row[name] for name in key_of)
        rows_of[key] = rows_of.get(key, 0) + 1
    for row in [*tables.t1.to_pylist(), *t2]:
        key = tuple(row[name] for name in key_of)
        index, group = order[key]
        level, cell = plan.levels[index], exact.detail[index][group]
        if "sex" not in row:
            number, truth = "total", int(cell.sum())
        else:
            number = "sex" if row["age_start"] == "*" else "cell"
            low, high = (0, 115) if number == "sex" else (int(row["age_start"]), int(row["age_end"]))
            held = [low <= band <= high for band in BANDS23]
            truth = int(cell.reshape(2, 23)[int(row["sex"]) - 1][held].sum())
        bare = level.iterations[group % len(level.iterations)].total_only
        branch = TOTAL_ONLY if bare else [0, 10, 20, 48].index(rows_of.get(key, 0))
        size = max(bound for bound in SIZES if bound <= cell.sum())
        sums = results.setdefault((level.name, size, branch, number), [0, 0, 0, 0, 0, 0])
        error = row["count"] - truth
        deviation, covered = row["standard_deviation"], row["lower"] <= truth <= row["upper"]
        for at, value in enumerate((1, error, abs(error), error**2, deviation**2, covered)):
            sums[at] += value
    return results


@pytest.mark.series(1)
@pytest.mark.parametrize("allow_negative", [True, False])
@pytest.mark.parametrize("suppression", ["0", "0.9"])
@pytest.mark.parametrize("most_groups", [1, 17, MOST_GROUPS])
def test_every_class_is_that_of_a_walk_over_the_rows(
    tmp_path: Path, allow_negative: bool, suppression: str, most_groups: int
) -> None:
    plan = small_plan(thresholds=(5, 40, 300), suppression=Fraction(suppression), allow_negative=allow_negative)
    geography = small_geography(plan, counties=60)
    exact = random_counts(plan, geography)
    rng = np.random.default_rng(2)
    tables = joined(
        tabulate(plan, geography, measured(plan, geography, exact, lambda size: rng.integers(-9, 10, size)))
    )
    shown = compare(plan, geography, released(tmp_path, tables), exact, most_groups=most_groups)
    expected = by_hand(plan, geography, tables, exact)
    results = {(each.level, each.size, each.branch, each.number): each.errors for each in shown.classes}
    assert results.keys() == expected.keys()
    for key, errors in results.items():
        got = [errors.rows, errors.error, errors.absolute, errors.square, errors.variance, errors.covered]
        assert got == pytest.approx(expected[key]), key
    # All branches, total-only groups and all kinds of numbers were there to be compared.
    assert {key[2] for key in results} == {-1, 0, 1, 2, 3}
    assert {key[3] for key in results} == {"total", "sex", "cell"}


def test_suppressed_groups_are_those_not_in_t1(tmp_path: Path) -> None:
    plan = small_plan(thresholds=(50, 60, 70), suppression=Fraction("0.9"))
    geography = small_geography(plan, counties=40)
    exact = random_counts(plan, geography)
    tables = joined(tabulate(plan, geography, measured(plan, geography, exact)))
    shown = compare(plan, geography, released(tmp_path, tables), exact)
    everyone = sum(len(detail) for detail in exact.detail)
    assert sum(each.groups for each in shown.groups) == everyone
    assert sum(each.suppressed for each in shown.groups) == everyone - tables.t1.num_rows > 0
    persons = sum(int(detail.sum()) for detail in exact.detail)
    # Without noise, what is published is exact, so what is missing is what was suppressed.
    assert sum(each.persons for each in shown.groups) == persons - sum(tables.t1["count"].to_pylist())
    assert all(each.suppressed == 0 for each in shown.groups if each.level == "(STATE, 2)")


def test_without_noise_nothing_errs(tmp_path: Path) -> None:
    plan = small_plan()
    geography = small_geography(plan, counties=20)
    exact = random_counts(plan, geography)
    shown = compare(
        plan, geography, released(tmp_path, joined(tabulate(plan, geography, measured(plan, geography, exact)))), exact
    )
    (errors,) = shown.by().values()
    assert (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.coverage) == (0, 0, 0, 1)


@pytest.mark.statistical
def test_coverage_and_error_are_those_stated(tmp_path: Path) -> None:
    """Noise of the plan's own law, drawn by NumPy: coverage of at least 95 % and little more, error as stated.

    With 46 cells in each of 800 groups the standard error of a coverage is 0.0011 (cells) and 0.008 (totals); the bounds are
    five of them away, and the root mean square is within 3 % of what is stated: a false alarm is rarer than one in 100,000.
    """
    plan = small_plan(thresholds=(1, 2, 3), budget=Fraction(1))
    geography = small_geography(plan, counties=400)
    exact = Written(
        tuple(
            np.full((len(geography.regions[level.geography]) * len(level.iterations), SEX_BY_AGE.finest), 10)
            for level in plan.levels
        )
    )
    rng = np.random.default_rng(3)
    scale = float(noise_event(plan.stage_noise(plan.levels[1]).stage2).cost.amount)

    def noise(size: int) -> Int64:
        chance = 1 - np.exp(-scale)
        drawn: Int64 = rng.geometric(chance, size) - rng.geometric(chance, size)
        return drawn

    tables = joined(tabulate(plan, geography, measured(plan, geography, exact, noise)))
    errors = compare(plan, geography, released(tmp_path, tables), exact).by("level", "number")
    cell, total = errors["(COUNTY, 2)", "cell"], errors["(COUNTY, 2)", "total"]
    assert cell.rows == 800 * 46
    assert 0.95 - 5 * 0.0011 < cell.coverage < 0.985
    assert 0.95 - 5 * 0.008 < total.coverage < 0.99
    assert cell.root_mean_square == pytest.approx(cell.stated, rel=0.03)
    assert abs(cell.bias) < 5 * cell.stated / 800**0.5 / 46**0.5


def wrong_region(table: pa.Table) -> pa.Table:
    return table.set_column(0, "region_id", pa.array(["99999"] * len(table)))


def wrong_level(table: pa.Table) -> pa.Table:
    return table.set_column(1, "region_type", pa.array(["TRACT"] * len(table)))


@pytest.mark.parametrize("change", [wrong_region, wrong_level])
@pytest.mark.parametrize("name", ["t1", "t2"])
def test_tables_of_another_plan_or_geography_are_refused(
    tmp_path: Path, change: Callable[[pa.Table], pa.Table], name: str
) -> None:
    plan = small_plan()
    geography = small_geography(plan)
    exact = random_counts(plan, geography, seed=4)
    tables = joined(tabulate(plan, geography, measured(plan, geography, exact)))
    assert tables.t2.num_rows
    changed = {"t1": tables.t1, "t2": tables.t2}
    changed[name] = change(changed[name])
    published = released(tmp_path, Tables(**changed))
    with pytest.raises(SourceError, match=r"region that the geography has not|in no level of the plan"):
        compare(plan, geography, published, exact)


def test_a_torn_t2_is_refused(tmp_path: Path) -> None:
    plan = small_plan()
    geography = small_geography(plan)
    exact = random_counts(plan, geography, seed=4)
    tables = joined(tabulate(plan, geography, measured(plan, geography, exact)))
    with pytest.raises(SourceError, match="without all of its rows"):
        compare(plan, geography, released(tmp_path, Tables(tables.t1, tables.t2.slice(1))), exact)


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="missing or not readable"):
        Published(tmp_path)


def test_what_comes_out_is_marked_not_private(tmp_path: Path) -> None:
    """The whole way, from generated files by `inspect`; the published tables are exact here, so nothing errs."""
    plan = small_plan(thresholds=(50, 200, 1000))
    output = generate(plan, persons=3000, seed=1, out=tmp_path / "in")
    geography, persons = read_geography(output.files["geography"], plan), open_persons(output.records, plan)
    out = tmp_path / "out"
    out.mkdir()
    tables = joined(
        tabulate(plan, geography, measured(plan, geography, counted_by_hand(output.records, plan, geography)))
    )
    released(out, tables)
    result = evaluate(plan, geography, persons, out)
    assert isinstance(result, NotPrivate)
    (errors,) = result.value.by().values()
    assert errors.absolute == 0
    assert errors.rows > 50
    totals = with_truth(plan, geography, persons, out)
    assert isinstance(totals, NotPrivate)
    assert totals.value.column_names == [*tables.t1.column_names, "truth"]
    assert totals.value["truth"].to_pylist() == tables.t1["count"].to_pylist()


def test_an_engine_that_there_is_not_is_refused(tmp_path: Path) -> None:
    plan = small_plan()
    output = generate(plan, persons=100, seed=1, out=tmp_path / "in")
    geography, persons = read_geography(output.files["geography"], plan), open_persons(output.records, plan)
    folder = tmp_path / "out"
    folder.mkdir()
    released(folder, joined([]))
    with pytest.raises(ParameterError, match="is neither duckdb"):
        evaluate(plan, geography, persons, folder, engine="abacus")


def counted_by_hand(path: Path, plan: Plan, geography: Geography) -> Written:
    """Exact counts of a generated text file, person by person; iterations are race alone-or-in-combination."""
    detail = [
        np.zeros((len(geography.regions[level.geography]) * len(level.iterations), SEX_BY_AGE.finest), dtype=np.int64)
        for level in plan.levels
    ]
    header, *lines = [line.split("|") for line in path.read_text().splitlines()]
    for line in lines:
        row = dict(zip(header, line, strict=True))
        band = sum(int(row["QAGE"]) >= low for low in BANDS23) - 1
        cell = (int(row["QSEX"]) - 1) * 23 + band
        held = {row[f"QRACE{number}"] for number in range(1, census_records(plan).max_race_codes + 1)}
        region_of = {"STATE": row["TABBLKST"], "COUNTY": row["TABBLKST"] + row["TABBLKCOU"]}
        for index, level in enumerate(plan.levels):
            region = geography.regions[level.geography].index(region_of[str(level.geography)])
            for at, iteration in enumerate(level.iterations):
                if held & set(iteration.codes):
                    detail[index][region * len(level.iterations) + at, cell] += 1
    return Written(tuple(detail))
