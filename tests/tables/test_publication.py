"""What the domain finds in a tables release that its own publisher signed: a plan, measurements or tables that do not belong together."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import starling
from starling.ledger.rules import Request
from starling.privacy.trust import Confidential, publish
from starling.release import table_files
from starling.release.manifest import digests, files_of
from starling.release.recompute import check
from starling.tables.artifact import columns
from starling.tables.artifact.columns import tables
from starling.tables.domain import TABLES
from starling.tables.mechanism import SafeTab
from starling.tables.plan import GeographyLevel
from tests.tables.bundles import Bundle, Fixed, make, new_ledger, write
from tests.tables.small import small_geography, small_plan, written


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """With clamping and suppression."""
    place = tmp_path_factory.mktemp("made")
    return make(place, allow_negative=False, suppression=Fraction(1, 3))


@pytest.fixture
def copied(build: Bundle, tmp_path: Path) -> Bundle:
    return build.copy(tmp_path / "copy")


def messages(bundle: Bundle) -> list[str]:
    """The findings without their fixes."""
    stated = json.loads((bundle.folder / "privacy.json").read_text())
    checks = check(TABLES, bundle.folder, stated, digests(files_of(bundle.folder)))
    return [str(finding).split(";")[0] for each in checks for finding in each.findings]


def rewrite(bundle: Bundle, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change a Parquet file."""
    path = bundle.folder / "data" / f"{name}.parquet"
    pq.write_table(change(pq.read_table(path)), path)


def replaced(table: pa.Table, column: str, row: int, value: Any) -> pa.Table:
    """The table with one other value."""
    values = table[column].to_pylist()
    values[row] = value
    place = table.column_names.index(column)
    return table.set_column(place, table.field(column), pa.array(values, table.field(column).type))


@pytest.mark.series(3)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measure": "rho"},
        {"suppression": Fraction(99, 100), "allow_negative": False},
        {"thresholds": (1, 2, 3)},
        {"thresholds": (100, 200, 300)},
        {"both_stages": True, "given_published": True, "suppression": Fraction(9, 10), "thresholds": (2, 9, 40)},
        {"add_up": True, "both_stages": True, "measure": "rho", "thresholds": (2, 9, 40)},
    ],
)
def test_a_good_release_has_no_findings(tmp_path: Path, options: dict[str, Any]) -> None:
    if options.get("thresholds", (5, 10, 20)) != (5, 10, 20):
        # Fixed measurements fit the usual thresholds; other plans draw their own.
        assert messages(drawn(tmp_path, **options)) == []
    else:
        assert messages(make(tmp_path, **options)) == []


def drawn(place: Path, **options: Any) -> Bundle:
    """A release with noise."""
    plan = small_plan(**options)
    geography = small_geography(plan, counties=30)
    url, ledger = new_ledger(place, plan)
    account = ledger.account(Request("ann", "request-1", "census", "{}"))
    exact = written(plan, geography, 9)
    write(place / "release", plan, geography, publish(Confidential(lambda: exact), SafeTab(plan, geography), account))
    return Bundle(place / "release", url, plan, geography, ledger)


@pytest.mark.series(1)
@pytest.mark.parametrize("size", [7, 1, 1 << 18])
def test_rows_are_compared_in_any_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(table_files, "BATCH", size)
    monkeypatch.setattr(table_files, "ROW_GROUP", size)
    assert messages(drawn(tmp_path)) == []


@pytest.mark.series(3)
@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("t1", "count", 77),
        ("t1", "standard_deviation", 1.5),
        ("t1", "standard_deviation", float("nan")),
        ("t1", "lower", -9),
        ("t1", "upper", 10**12),
        ("t1", "post_processed", True),
        ("t1", "region_id", "02"),
        ("t1", "region_name", "Elsewhere"),
        ("t1", "iteration_code", None),
        ("t2", "sex", "2"),
        ("t2", "age_end", "18"),
        ("t2", "count", None),
    ],
)
def test_any_published_value_that_differs_is_named(copied: Bundle, name: str, column: str, value: Any) -> None:
    rewrite(copied, name, lambda table: replaced(table, column, 2, value))
    assert messages(copied) == [
        f"data/{name}.parquet: column {column} is in row 3 not what the shipped measurements give"
    ]


def test_regions_of_one_name_are_told_apart_by_their_code_and_compared_by_it(tmp_path: Path) -> None:
    plan = small_plan()
    geography = replace(small_geography(plan), names={level.geography: ("Same", "Same") for level in plan.levels})
    geography = replace(geography, names={**geography.names, GeographyLevel.STATE: ("Same",)})
    url, ledger = new_ledger(tmp_path, plan)
    account = ledger.account(Request("ann", "request-1", "census", "{}"))
    write(tmp_path / "release", plan, geography, publish(Confidential(lambda: 0), Fixed(plan), account))
    bundle = Bundle(tmp_path / "release", url, plan, geography, ledger)
    assert messages(bundle) == []
    rewrite(bundle, "t1", lambda table: replaced(table, "region_name", 5, "same"))
    assert len(messages(bundle)) == 1


def test_the_last_bit_of_a_standard_deviation_counts(copied: Bundle) -> None:
    table = pq.read_table(copied.folder / "data" / "t1.parquet")
    nudged = float(np.nextafter(table["standard_deviation"][0].as_py(), 2))
    rewrite(copied, "t1", lambda table: replaced(table, "standard_deviation", 0, nudged))
    assert len(messages(copied)) == 1


@pytest.mark.parametrize("name", ["t1", "t2"])
def test_rows_that_are_missing_moved_or_added_are_found(copied: Bundle, name: str) -> None:
    path = copied.folder / "data" / f"{name}.parquet"
    table = pq.read_table(path)
    rows = len(table)
    pq.write_table(table.slice(0, rows - 1), path)
    assert messages(copied) == [f"data/{name}.parquet has {rows - 1} rows where the shipped measurements give {rows}"]
    pq.write_table(pa.concat_tables([table, table.slice(0, 2)]), path)
    assert messages(copied) == [f"data/{name}.parquet has {rows + 2} rows where the shipped measurements give {rows}"]
    pq.write_table(table.take(pa.array([*range(1, rows), 0])), path)
    assert any("is in row 1 not what" in finding for finding in messages(copied))
    pq.write_table(table.slice(0, 0), path)
    assert messages(copied) == [f"data/{name}.parquet has 0 rows where the shipped measurements give {rows}"]


@pytest.mark.series(3)
@pytest.mark.parametrize("name", ["t1.txt", "t2.txt", "t1.csv", "t2.csv"])
@pytest.mark.parametrize(
    "change", [lambda text: text[:-1], lambda text: text + "\n", lambda text: text.replace("1", "2")]
)
def test_any_byte_of_text_that_differs_is_found(copied: Bundle, name: str, change: Callable[[str], str]) -> None:
    path = copied.folder / "data" / name
    path.write_text(change(path.read_text()))
    assert messages(copied) == [f"data/{name} is not the text that the shipped measurements give"]


def test_csv_is_there_for_short_tables_alone(copied: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied.folder / "data" / "t2.csv").unlink()
    assert messages(copied) == ["data/t2.csv is there for a table below 10,000,000 rows, and only then"]
    monkeypatch.setattr(columns, "tables", lambda plan: tables(plan, 3))
    assert len(messages(copied)) == 1, "t1.csv should not be there then"


def test_other_columns_or_another_file_are_found(copied: Bundle) -> None:
    path = copied.folder / "data" / "t1.parquet"
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["lower"]), path)
    assert messages(copied) == ["data/t1.parquet has other columns or types than the table has"]
    path.write_text("PAR1")
    assert messages(copied) == ["data/t1.parquet cannot be read as Parquet"]


def test_a_file_beyond_those_of_a_release_is_found(copied: Bundle) -> None:
    (copied.folder / "data" / "persons.txt").write_text("signed by mistake")
    (copied.folder / "report.html").unlink()
    assert messages(copied) == [
        "report.html is missing from the release",
        "data/persons.txt is no file of a tables release",
    ]


@pytest.mark.parametrize("field", ["domain", "composition", "mechanism", "bounds", "invariants", "neighbours"])
def test_a_statement_that_the_plan_does_not_give_is_found(copied: Bundle, field: str) -> None:
    copied.edit("privacy.json", lambda stated: stated.update({field: {"other": 1}}))
    assert messages(copied) == [f"privacy.json: {field} is not what the public plan in the folder gives"]


@pytest.mark.parametrize(
    "event",
    [
        lambda cost: {"mechanism": "pure DP", "epsilon": str(cost)},
        lambda cost: {"mechanism": "exponential mechanism", "epsilon": str(cost), "score_sensitivity": "1"},
        lambda cost: {"mechanism": "discrete Laplace noise", "scale": str(2 / cost), "l1_sensitivity": "2"},
    ],
)
def test_another_event_of_the_same_cost_is_found(copied: Bundle, event: Callable[[Fraction], dict[str, str]]) -> None:
    """A statement whose every number follows, signed by its own publisher, of what the plan's mechanism does not draw."""

    def forge(node: Any) -> None:
        for part in node.get("parts", ()):
            forge(part)
        if "event" in node:
            node["event"] = event(Fraction(node["cost"]["epsilon"]))

    copied.edit("privacy.json", lambda messages: forge(messages["composition"]))
    assert copied.ledger.book.key is not None
    copied.resign(copied.ledger.book.key)
    failing = {each.name: [*map(str, each.findings)] for each in starling.verify(copied.folder).checks if each.findings}
    assert [*failing] == ["privacy"]
    (finding,) = failing["privacy"]
    assert "composition is not what the public plan in the folder gives" in finding


def test_noise_follows_from_the_plan(copied: Bundle) -> None:
    # CombinedStageNoise the budget in the plan: half the noise, and what is stated and published is of another plan.
    copied.edit("plan/plan.json", lambda plan: plan["levels"][0].update(budget="4"))
    result = messages(copied)
    for field in ("cost", "composition", "mechanism.levels.1.noise.stage_2.scale"):
        assert f"privacy.json: {field} is not what the public plan in the folder gives" in result
    assert "data/t1.parquet: column standard_deviation is in row 1 not what the shipped measurements give" in result


def test_a_plan_with_too_small_a_stability_is_refused(copied: Bundle) -> None:
    copied.edit("plan/plan.json", lambda plan: plan["levels"][0].update(stability=1))
    assert messages(copied) == ["plan/plan.json: (STATE, 2) states a stability below what its iterations allow"]


def test_a_plan_that_is_none_is_refused(copied: Bundle) -> None:
    (copied.folder / "plan" / "plan.json").write_text("{}")
    assert messages(copied) == ["plan/plan.json is not as Starling writes it"]


def test_a_suppressed_row_cannot_be_slipped_in_or_out(copied: Bundle, build: Bundle) -> None:
    # Measurements and plan stand; a bare total below the bar is dropped, whatever the publisher prefers.
    table = pq.read_table(copied.folder / "data" / "t1.parquet")
    counties = pc.sum(pc.equal(table["region_type"], "COUNTY")).as_py()
    assert counties < 4, "the plan suppresses something"
    rewrite(copied, "t1", lambda table: table.slice(0, len(table) - 1))
    assert messages(copied)
