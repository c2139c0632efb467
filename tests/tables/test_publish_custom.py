"""Custom records, from a file or a data frame to a folder that verifies, says nothing of the Census, and tells the truth."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import OutputError, ParameterError, SourceError
from starling.release.payment import PaymentOptions
from starling.tables import evaluate, preview, release
from starling.tables.artifact.public_plan import read_plan
from starling.tables.plan import Plan, read_regions
from starling.tables.preview.expected_detail import expect_detail
from starling.tables.source import open_records
from starling.verification import verify
from tests.tables.plan.test_wording import OF_THE_CENSUS

UNVALIDATED = PaymentOptions(unvalidated=True)
VALUES: dict[str, Any] = {
    "title": "Members by ward",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"},
    "records": {"of-a-person": 1, "expected": 3000},
    "columns": [
        {"name": "Age", "from": 0, "to": 99},
        {"name": "sex", "values": ["F", "M"]},
        {"name": "needs", "values": ["a", "b", "c"], "separator": ";", "most": 2},
    ],
    "regions": {
        "column": "ward",
        "levels": ["town", "ward"],
        "small": ["ward"],
        "rows": [[f"w{n}", "t" + "ab"[n % 2]] for n in range(6)],
    },
    "groups": [
        {"name": "by need", "columns": ["needs"]},
        {"name": "by sex and age", "columns": ["sex", "Age"], "cuts": {"Age": [0, 18, 65]}, "detail": "total"},
    ],
    "detail": {"columns": ["sex", "Age"], "steps": [{"sex": True}, {"sex": True, "Age": [0, 18, 65]}]},
    "publication": {"negative-counts": True, "suppression": "0.99"},
    "levels": [
        {"regions": "town", "groups": "by need", "budget": "2", "thresholds": [50, 200]},
        {"regions": "ward", "groups": "by need", "budget": "2", "thresholds": [50, 200]},
        {"regions": "ward", "groups": "by sex and age", "budget": "2"},
    ],
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three thousand members, some in no ward."""
    random = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "Age": random.integers(0, 110, 3000),
            "sex": random.choice(["F", "M"], 3000),
            "needs": random.choice(["", "a", "b", "c;a", "b;c", "x"], 3000),
            "ward": random.choice([f"w{n}" for n in range(7)], 3000),
        }
    )


def test_a_table_of_duckdb_is_released(frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE members AS SELECT * FROM frame")
        done = release(plan, connection.table("members"), out=tmp_path / "out", payment=UNVALIDATED)
    assert not verify(done.folder).findings
    t1 = pq.read_table(done.folder / "data" / "t1.parquet").to_pandas()
    by_need = t1[(t1["region_type"] == "town") & (t1["iteration_code"] == "by need: a")]["count"]
    whole = frame[(frame["ward"] != "w6") & (frame["Age"] < 100) & frame["needs"].str.contains("a")]
    # The noise of a total has a standard deviation of a few persons.
    assert abs(by_need.sum() - len(whole)) < 200


def test_a_data_frame_is_released_and_verifies(frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    done = release(plan, frame, out=tmp_path / "out", payment=UNVALIDATED)
    assert not verify(done.folder).findings
    second, regions = read_plan(done.folder)
    assert second == plan
    assert regions.regions == read_regions(plan).regions
    t1 = pq.read_table(done.folder / "data" / "t1.parquet").to_pandas()
    by_age = t1[t1["iteration_code"].str.startswith("by sex and age")]
    # Every group of the plan that is not suppressed, empty or not: 6 wards by 6 groups.
    assert len(by_age) == 36
    counted = frame[(frame["ward"] != "w6") & (frame["Age"] < 100)]
    truth = counted[(counted["sex"] == "M") & (counted["Age"] >= 65)].groupby("ward").size()
    result = by_age[by_age["iteration_name"] == "M, 65 to 99"].set_index("region_id")
    # Each interval misses with a chance of 5 %; ten times its half width with none to speak of.
    assert ((result["count"] - truth).abs() <= 10 * (result["upper"] - result["count"])).all()


@pytest.mark.slow
def test_every_form_can_be_evaluated_and_reopened(frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    frame.to_csv(tmp_path / "members.csv", index=False)
    frame.to_parquet(tmp_path / "members.parquet")
    for name in ("members.csv", "members.parquet"):
        out = tmp_path / name.replace(".", "-")
        release(plan, tmp_path / name, out=out, payment=UNVALIDATED)
        result = evaluate(plan, read_regions(plan), open_records(tmp_path / name, plan), out).value
        assert sum(each.errors.covered for each in result.classes) > 0.8 * sum(
            each.errors.rows for each in result.classes
        )
        assert starling.open_release(out).rows("t1").num_rows > 0
    with pytest.raises(ParameterError, match="engine does not reach records in this session"):
        evaluate(plan, read_regions(plan), open_records(frame, plan), tmp_path / "members-csv", engine="spark://local")


def test_nothing_in_a_release_speaks_of_the_census(frame: pd.DataFrame, tmp_path: Path) -> None:
    done = release(Plan.of(VALUES), frame, out=tmp_path / "out", payment=UNVALIDATED)
    texts = [done.folder / name for name in ("privacy.json", "datapackage.json", "registry.yaml", "report.html")]
    for path in texts:
        text = re.sub("<style>.*?</style>|<[^>]*>", "", path.read_text(), flags=re.DOTALL)
        result = [word for word in OF_THE_CENSUS if re.search(rf"\b{word}s?\b", text)]
        assert not result, (path.name, result)
    assert not [*done.folder.glob("data/*.txt")]


def test_a_plan_of_totals_alone(frame: pd.DataFrame, tmp_path: Path) -> None:
    values = {name: each for name, each in VALUES.items() if name not in ("detail", "regions")}
    groups = [{"name": "everybody", "columns": []}, {"name": "by need", "columns": ["needs"]}]
    levels = [{"groups": each["name"], "budget": "1"} for each in groups]
    privacy = {name: each for name, each in VALUES["privacy"].items() if name != "stage-1-share"}
    changed = {"privacy": privacy, "publication": {"negative-counts": True}, "groups": groups, "levels": levels}
    plan = Plan.of(values | changed)
    done = release(plan, frame, out=tmp_path / "out", payment=UNVALIDATED)
    assert not verify(done.folder).findings
    assert done.as_json()["rows"] == {"t1": 4, "t2": 0}


def test_what_is_expected_is_foreseen_from_public_facts() -> None:
    plan = Plan.of(VALUES)
    seen = preview(plan, read_regions(plan))
    assert [level.overview.groups for level in seen.levels] == [6, 18, 36]
    town, ward = expect_detail(plan)
    assert sum(town.branches) + town.suppressed == pytest.approx(1)
    # A town's groups are larger than a ward's, so fewer of them stay bare totals.
    assert town.branches[0] < ward.branches[0] + ward.suppressed
    page = " ".join(section.text for section in seen.sections())
    assert not [word for word in OF_THE_CENSUS if re.search(rf"\b{word}s?\b", page)]


def test_what_cannot_be_released_is_refused_before_anything_is_charged(frame: pd.DataFrame, tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    with pytest.raises(SourceError, match="needs"):
        release(plan, frame.drop(columns="needs"), out=tmp_path / "out", payment=UNVALIDATED)
    with pytest.raises(ParameterError, match="geography"):
        release(plan, frame, tmp_path / "blocks.txt", tmp_path / "out", payment=UNVALIDATED)
    with pytest.raises(ParameterError, match="engine"):
        release(plan, frame, out=tmp_path / "out", engine="spark://local", payment=UNVALIDATED)
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="exists"):
        release(plan, frame, out=tmp_path / "there", payment=UNVALIDATED)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_the_plan_in_a_release_is_the_whole_plan(frame: pd.DataFrame, tmp_path: Path) -> None:
    done = release(Plan.of(VALUES), frame, out=tmp_path / "out", payment=UNVALIDATED)
    text = json.loads((done.folder / "plan" / "plan.json").read_text())
    assert {"detail", "regions", "families", "records"} <= text.keys()
    assert text["records"]["areas"]["codes"] == [f"w{n}" for n in range(6)]


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_several_records_of_a_household_are_hidden_together(frame: pd.DataFrame, tmp_path: Path, measure: str) -> None:
    privacy = {"unit": "household", "neighbours": "add-remove", "measure": measure, "stage-1-share": "0.1"}
    values = {**VALUES, "privacy": privacy, "records": {"of-a-household": 3, "household": "home"}}
    plan = Plan.of(values)
    homes = frame.assign(home=np.arange(len(frame)) // 10)
    done = release(plan, homes, out=tmp_path / "out", payment=UNVALIDATED)
    assert not verify(done.folder).findings
    text = json.loads((done.folder / "privacy.json").read_text())
    assert "household" in json.dumps(text)
    t1 = pq.read_table(done.folder / "data" / "t1.parquet").to_pandas()
    total = t1[t1["iteration_code"].str.startswith("by sex and age")]["count"].sum()
    # Three of ten records of each of 300 homes are kept, before those that no ward or age has are left out: sums of 36 numbers.
    remaining = homes[(homes["ward"] != "w6") & (homes["Age"] < 100)].groupby("home").size().clip(upper=3).sum()
    deviation = float(np.sqrt((t1["standard_deviation"] ** 2).sum()))
    assert abs(total - remaining) <= 10 * deviation


@pytest.mark.parametrize("add_up", ["evenly", True])
def test_totals_of_nested_regions_add_up_where_the_plan_says_so(
    frame: pd.DataFrame, tmp_path: Path, add_up: bool | str
) -> None:
    publication = {"negative-counts": True, "add-up": add_up, "totals": "both stages"}
    regions = {key: each for key, each in VALUES["regions"].items() if key != "small"}
    levels = VALUES["levels"][:2]
    plan = Plan.of({**VALUES, "publication": publication, "regions": regions, "levels": levels})
    done = release(plan, frame, out=tmp_path / "out", payment=UNVALIDATED)
    assert not verify(done.folder).findings
    t1 = pq.read_table(done.folder / "data" / "t1.parquet").to_pandas()
    t1 = t1[t1["iteration_code"].str.startswith("by need")]
    wards, towns = (t1[t1["region_type"] == level] for level in ("ward", "town"))
    sums: Counter[tuple[str, str]] = Counter()
    for ward, code, count in zip(wards["region_id"], wards["iteration_code"], wards["count"], strict=True):
        sums["t" + "ab"[int(ward[1]) % 2], code] += count
    assert sums == dict(zip(zip(towns["region_id"], towns["iteration_code"], strict=True), towns["count"], strict=True))
    # Wards of two towns stand between one another: each number is found in its own tree.
    opened: Any = starling.open_release(done.folder)
    for row, value in zip(opened.rows("t1").to_pylist(), opened.numbers("t1"), strict=True):
        if row["region_type"] in ("ward", "town"):
            assert value.standard_deviation == pytest.approx(row["standard_deviation"])
            assert value.interval() == (row["lower"], row["upper"])
    for town, code in sums:
        held = [ward for ward in set(wards["region_id"]) if "ab"[int(ward[1]) % 2] == town[1]]
        parts = opened.numbers("t1", region_type="ward", region_id=held, iteration_code=code)
        whole = opened.number("t1", region_type="town", region_id=town, iteration_code=code)
        left, alone = whole - sum(parts), whole - sum(parts[1:])
        assert (left.estimate, left.standard_deviation, left.margin()) == (0, 0, 0)
        assert alone.interval() == parts[0].interval()
