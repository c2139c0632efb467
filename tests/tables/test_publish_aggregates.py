"""Sums, means and quantiles from a file or a data frame to a folder that verifies, tells the truth, and is evaluated."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import ParameterError, PlanError
from starling.release.payment import PaymentOptions
from starling.release.table_files import write_tables
from starling.tables import Plan, evaluate, preview, release
from starling.tables.artifact import aggregates as artifact
from starling.tables.artifact.aggregates import schema_of
from starling.tables.artifact.public_plan import read_plan
from starling.tables.earlier.comparison import compare
from starling.tables.plan import read_regions
from starling.tables.publication import TablesPublication
from starling.tables.source import open_records
from starling.verification import verify

UNVALIDATED = PaymentOptions(unvalidated=True)
VALUES: dict[str, Any] = {
    "title": "Spending by ward",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
    "records": {"of-a-person": 1, "expected": 3000},
    "columns": [
        {"name": "age", "from": 0, "to": 99},
        {"name": "spent", "from": "-10", "to": "500.00", "decimals": 2},
        {"name": "sex", "values": ["F", "M", "X"]},
    ],
    "regions": {"column": "ward", "levels": ["town", "ward"], "rows": [[f"w{n}", "t" + "ab"[n % 2]] for n in range(4)]},
    "groups": [{"name": "by sex", "columns": ["sex"]}, {"name": "all", "columns": []}],
    "publication": {"negative-counts": False},
    "levels": [{"regions": "ward", "groups": "by sex", "budget": "1"}],
    "sums": [
        {"of": "spent", "regions": "ward", "groups": "by sex", "budget": "1"},
        {"of": "age", "regions": "town", "groups": "all", "budget": "0.5"},
    ],
    "quantiles": [
        {"of": "age", "regions": "ward", "groups": "by sex", "shares": ["0.5", "0.9"], "way": "counts", "budget": "1"},
        {
            "of": "spent",
            "regions": "town",
            "groups": "by sex",
            "shares": ["0.25"],
            "classes": ["-10", 0, "12.5", 50, 100, 200],
            "way": "selection",
            "budget": "1",
        },
    ],
}
ONLY_SUMS = {key: value for key, value in VALUES.items() if key not in ("levels", "quantiles")}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three thousand members; some have no number, some too large a one; nobody is of sex X."""
    random = np.random.default_rng(7)
    spent = np.round(random.lognormal(3.5, 1.2, 3000), 2)
    spent[::50] = np.nan
    return pd.DataFrame(
        {
            "age": random.integers(0, 110, 3000),
            "spent": spent,
            "sex": random.choice(["F", "M"], 3000),
            "ward": random.choice([f"w{n}" for n in range(4)], 3000),
        }
    )


@pytest.fixture(scope="module")
def released(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(Plan.of(VALUES), frame, out=tmp_path_factory.mktemp("out") / "r", payment=UNVALIDATED).folder


def test_every_group_has_every_statistic_and_the_truth_is_near(released: Path, frame: pd.DataFrame) -> None:
    t3 = pq.read_table(released / "data" / "t3.parquet").to_pandas()
    # 4 wards by 3 sexes and 2 towns: 3 statistics of each sum, 2 and 1 of quantiles; empty groups too.
    assert len(t3) == 12 * 3 + 2 * 3 + 12 * 2 + 6
    known = frame[frame["spent"].notna()].assign(spent=frame["spent"].clip(-10, 500))
    truth = known.groupby(["ward", "sex"])["spent"]
    for name, exact in (("size", truth.size()), ("sum", truth.sum()), ("mean", truth.mean())):
        rows = t3[(t3["statistic"] == name) & (t3["column"] == "spent") & (t3["iteration_code"] != "by sex: X")]
        rows = rows.set_index(["region_id", rows["iteration_code"].str.removeprefix("by sex: ")])
        # 8 intervals of 95 %: more than three miss with a chance below 10^-3 a statistic; the widest is missed never.
        missed = ~((rows["lower"] <= exact + 1e-6) & (exact - 1e-6 <= rows["upper"]))
        assert missed.sum() <= 6
    nobody = t3[(t3["iteration_code"] == "by sex: X") & (t3["statistic"] == "size")]
    assert len(nobody) == 4
    assert (nobody["value"] >= 0).all()
    median = t3[t3["statistic"] == "quantile 0.5"]
    assert ((median["lower"] <= median["value"]) & (median["value"] <= median["upper"])).all()
    selected = t3[t3["statistic"] == "quantile 0.25"]
    assert set(selected["value"]) <= {-10.0, 0.0, 12.5, 50.0, 100.0, 200.0}
    assert selected["lower"].isna().all()
    assert (selected["rank_margin"] > 0).all()


def test_it_verifies_and_is_read_back(released: Path) -> None:
    assert not verify(released).findings
    plan, regions = read_plan(released)
    assert plan == Plan.of(VALUES) == Plan.of(plan.values())
    assert regions.regions == read_regions(plan).regions
    opened = starling.open_release(released)
    assert len(opened.rows("t3", statistic="mean", column="spent")) == 12
    assert "Sums, means and quantiles" in (released / "report.html").read_text()


@pytest.mark.slow
def test_sums_and_means_of_any_groups_have_intervals(released: Path, frame: pd.DataFrame) -> None:
    opened: Any = starling.open_release(released)
    codes = ["by sex: F", "by sex: M"]
    for statistic in ("size", "sum"):
        for row in opened.rows("t3", statistic=statistic, iteration_code=codes, column="spent").to_pylist():
            value = opened.number(
                "t3", **{key: row[key] for key in ("region_id", "iteration_code", "column", "statistic")}
            )
            assert value.estimate == row["value"]
            assert value.standard_deviation == pytest.approx(row["standard_deviation"])
            assert value.interval() == pytest.approx(
                (row["lower"], row["upper"]), abs=0.01 * row["standard_deviation"] + 1
            )
    size, spent = (
        sum(opened.numbers("t3", statistic=each, iteration_code=codes, column="spent")) for each in ("size", "sum")
    )
    known = frame["spent"].dropna().clip(-10, 500)
    for value, truth in ((size, len(known)), (spent, known.sum())):
        assert abs(value.estimate - truth) < 6.5 * value.standard_deviation
    alone = opened.number("t3", statistic="sum", region_id="w0", iteration_code=codes[0], column="spent")
    assert spent.standard_deviation == pytest.approx(8**0.5 * alone.standard_deviation)
    mean = spent / size
    assert abs(mean.estimate - known.mean()) < 2 * (mean.upper - mean.lower)
    # As the mean of one group, which comes from its pair: its size and its sum are not taken for independent.
    group = {"region_id": "w0", "iteration_code": codes[0], "column": "spent"}
    (row,) = opened.rows("t3", statistic="mean", **group).to_pylist()
    ratio = alone / opened.number("t3", statistic="size", **group)
    assert (ratio.estimate, ratio.lower, ratio.upper) == pytest.approx(
        (row["value"], row["lower"], row["upper"]), abs=0.005 * (row["upper"] - row["lower"])
    )
    terms = [
        {
            "table": "t3",
            "where": [["column", "spent"], ["statistic", each], *(["iteration_code", code] for code in codes)],
        }
        for each in ("sum", "size")
    ]
    answered = opened.tell({"kind": "ratio", "terms": terms[:1], "divisor": terms[1:]})
    assert (answered["estimate"], answered["lower"], answered["upper"]) == (mean.estimate, mean.lower, mean.upper)
    assert (answered["numbers"], answered["left_out"]) == (16, 0)
    for wanted, problem in (
        ({"statistic": "mean", "region_id": "w0", "iteration_code": codes[0]}, "a sum over a size"),
        ({"statistic": "quantile 0.5", "region_id": "w0", "iteration_code": codes[0]}, "no sum of noisy numbers"),
        ({"statistic": "size", "region_id": "w9"}, "no such group"),
    ):
        with pytest.raises(ParameterError, match=problem):
            opened.number("t3", **wanted)


def test_a_forged_statistic_is_found(released: Path) -> None:
    """The signature aside, for whoever signed it may have forged it: T3 must follow from the measurements."""
    table = pq.read_table(released / "data" / "t3.parquet")
    value = table["value"].to_pylist()
    value[0] += 1
    forged = table.set_column(table.schema.get_field_index("value"), "value", pa.array(value))
    publication = TablesPublication(*read_plan(released))
    (t3,) = (each for each in publication.tables if each.name == "t3")
    remaining = {path: path.read_bytes() for path in (released / "data").glob("t3.*")}
    for path in remaining:
        path.unlink()
    try:
        write_tables(released, [t3], [{"t3": forged}])
        findings = [str(each) for each in verify(released).findings]
        assert any("t3" in each for each in findings)
    finally:
        for path, content in remaining.items():
            path.write_bytes(content)


def test_a_plan_of_sums_alone_needs_no_levels(frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(ONLY_SUMS)
    frame.to_csv(tmp_path / "records.csv", index=False)
    done = release(plan, tmp_path / "records.csv", out=tmp_path / "out", payment=UNVALIDATED)
    assert [each.name for each in done.publication.tables] == ["t3"]
    assert not verify(done.folder).findings
    assert not (done.folder / "data" / "t1.parquet").exists()
    result = evaluate(plan, read_regions(plan), open_records(tmp_path / "records.csv", plan), done.folder).value
    assert [(each.statistic, each.groups) for each in result.aggregates[:3]] == [("size", 2), ("sum", 2), ("mean", 2)]
    assert result.aggregates[0].mean_absolute_error < 30


def test_evaluation_tells_errors_and_coverage(released: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    frame.to_parquet(tmp_path / "records.parquet")
    result = evaluate(plan, read_regions(plan), open_records(tmp_path / "records.parquet", plan), released).value
    assert len(result.aggregates) == 3 + 3 + 2 + 1
    assert result.classes
    by_name = {(each.title, each.statistic): each for each in result.aggregates}
    spent = by_name["sums of spent, ward by sex", "sum"]
    # The noise has a standard deviation of 510 / sqrt(2); nobody of sex X has a mean.
    assert 50 < spent.mean_absolute_error < 1000
    assert by_name["sums of spent, ward by sex", "mean"].groups == 8
    assert all(each.coverage >= 0.5 for each in result.aggregates)


def test_a_preview_says_margins_and_the_better_way() -> None:
    plan = Plan.of(VALUES)
    seen = preview(plan, read_regions(plan))
    assert [each.groups for each in seen.aggregates] == [6, 12, 12, 2] or len(seen.aggregates) == 4
    ways = {each.aggregate.name: each.ways_text for each in seen.aggregates}
    assert any(text.startswith("by counts") for text in ways.values())
    sections = seen.sections()
    assert sections[-1].title == "Sums, means and quantiles"


def test_a_plan_with_sums_is_not_topped_up(released: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="sums or quantiles"):
        release(Plan.of(VALUES), frame, out=tmp_path / "again", top_up=released, payment=UNVALIDATED)


@pytest.mark.slow
def test_sums_are_not_compared_and_that_is_said(released: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    second = release(Plan.of(VALUES), frame, out=tmp_path / "again", payment=UNVALIDATED).folder
    assert "are not compared" in str(compare(released, second))
    sums = [release(Plan.of(ONLY_SUMS), frame, out=tmp_path / name, payment=UNVALIDATED).folder for name in "ab"]
    with pytest.raises(ParameterError, match="no counts"):
        compare(*sums)


def test_k_records_of_a_person_divide_the_budget() -> None:
    values = deepcopy(VALUES)
    values["records"] = {"of-a-person": 3, "person": "id"}
    one, three = Plan.of(VALUES), Plan.of(values)
    assert three.cost == one.cost
    assert three.share(three.aggregates[0]) == one.share(one.aggregates[0]) / 9
    values["privacy"] = {**values["privacy"], "measure": "epsilon"}
    assert Plan.of(values).share(Plan.of(values).aggregates[0]) == one.share(one.aggregates[0]) / 3


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize(("rounding", "most"), [({}, 1), ({"unit": 1000}, 3), ({"decimals": 1}, 1)])
def test_sums_of_ordinary_money_up_to_the_widest_bounds(
    measure: str, rounding: dict[str, Any], most: int, tmp_path: Path
) -> None:
    """Released, verified, evaluated and previewed at widths of 2^40; the means of both groups lie within their intervals."""
    scale = rounding.get("unit", 1) / 10 ** rounding.get("decimals", 0)
    low, high = (f"{sign * (int(2**39 * scale) // 1000 * 1000)}" for sign in (-1, 1))
    plan = Plan.of(
        {
            "title": "Money",
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
            "records": {"of-a-person": most} | ({"person": "who"} if most > 1 else {}),
            "columns": [
                {"name": "sex", "values": ["F", "M"]},
                {"name": "money", "from": low, "to": high} | (rounding or {"decimals": 0}),
            ],
            "groups": [{"name": "by sex", "columns": ["sex"]}],
            "publication": {"negative-counts": True},
            "sums": [{"of": "money", "groups": "by sex", "budget": "1000000"}],
        }
    )
    (sums,) = plan.aggregates
    assert sums.wide
    assert Plan.of(plan.values()) == plan
    records = pa.table(
        {
            "who": [str(each) for each in range(60)],
            "sex": ["F", "M"] * 30,
            "money": [float(low), 1e300] * 15 + [0.0, 12345678.0] * 15,
        }
    )
    folder = release(plan, records, out=tmp_path / "r", payment=UNVALIDATED).folder
    assert verify(folder).findings == ()
    numbers = pq.read_table(next(folder.rglob("aggregate-1.parquet")))["numbers"]
    assert numbers.type.value_type == pa.decimal128(38)
    t3 = pq.read_table(folder / "data" / "t3.parquet").to_pandas().set_index(["iteration_code", "statistic"])
    for sex, mean in (("F", float(low) / 2), ("M", (float(high) + 12345678.0) / 2)):
        row, size = t3.loc[(f"by sex: {sex}", "mean")], t3.loc[(f"by sex: {sex}", "size")]
        # The widths of three intervals, and five standard deviations.
        assert abs(row["value"] - mean) <= 3 * (row["upper"] - row["lower"]) + 2 * scale
        assert abs(size["value"] - 30) <= 5 * size["standard_deviation"] + 1e-6
    result = evaluate(plan, read_regions(plan), open_records(records, plan), folder).value
    assert [each.groups for each in result.aggregates] == [2, 2, 2]
    assert np.isfinite([each.mean_absolute_error for each in result.aggregates]).all()
    assert all(0 < margin < float("inf") for each in preview(plan).aggregates for margin in each.margins.values())


def test_a_release_made_before_means_were_hidden_verifies_as_what_it_was(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(artifact, "schema_of", lambda aggregate, **_: schema_of(aggregate, before=True))
        old = release(Plan.of(ONLY_SUMS), frame, out=tmp_path / "old", payment=UNVALIDATED).folder
    assert not artifact.means_hidden(old, read_plan(old)[0])
    assert verify(old).findings == ()
