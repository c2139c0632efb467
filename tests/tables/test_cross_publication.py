"""A release of cross tables from end to end: paid, drawn once, verified, and refused where anything in it was changed."""

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError, PolicyRefused, RunFailed
from starling.ledger.opening import create_ledger
from starling.ledger.rules import UNIT
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.trust import inspect
from starling.release.checks import FORMS
from starling.release.manifest import digests, files_of
from starling.release.payment import PaymentOptions
from starling.release.recompute import check
from starling.tables.analysis import open_release
from starling.tables.artifact.columns import ACCURACY, GROUPS, INTEGRALITY
from starling.tables.artifact.cross import CONSISTENCY, SCHEMA
from starling.tables.cross_publication import CrossPublication, publication_of
from starling.tables.domain import TABLES
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.residuals import replace_one
from starling.tables.publish import deliver, release
from starling.verification import verify
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.dense_tables import up_to

UNVALIDATED = PaymentOptions(unvalidated=True)
RECORDS = 800


def records() -> pa.Table:
    random = np.random.default_rng(3)
    columns: dict[str, list[Any]] = {
        "sex": ["f", "m", None],
        "age": [*range(10)],
        "colour": ["red", "green", "blue", "grey"],
        "district": ["a1", "a2", "b1"],
    }
    table = {
        name: pa.array([values[at] for at in random.integers(0, len(values), RECORDS)])
        for name, values in columns.items()
    }
    return pa.table(table | {"id": [str(at // 2) for at in range(RECORDS)]})


PLAN = cross_plan(up_to(3, 3), levels=LEVELS, records=2)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(PLAN, records(), out=tmp_path_factory.mktemp("made") / "release", payment=UNVALIDATED).folder


def failing(folder: Path) -> list[str]:
    return [check.name for check in verify(folder).checks if check.state == "fails"]


def test_a_release_holds_and_every_two_of_its_tables_agree(published: Path) -> None:
    assert not failing(published)
    files = {path.stem: pq.read_table(path) for path in (published / "data").glob("*.parquet")}
    assert len(files) == 8
    sums: dict[str, dict[tuple[str, ...], float]] = {}
    for name, table in files.items():
        sums[name] = {}
        for row in table.to_pylist():
            for some in range(4):
                for columns in combinations([each for each in ("sex", "age", "colour") if each in row], some):
                    key = (row["region_id"], *columns, *(row[column] for column in columns))
                    sums[name][key] = sums[name].get(key, 0.0) + row["count"]
    for one, other in combinations(sums.values(), 2):
        assert all(one[key] == other[key] for key in one.keys() & other.keys())
    total = {row["region_id"]: row["count"] for row in files["everybody"].to_pylist()}
    assert total["west"] == total["a1"] + total["a2"]


def test_under_pure_epsilon_whole_tables_are_measured_and_all_agree(tmp_path: Path) -> None:
    plan = cross_plan(up_to(3, 2), "3/2", levels=LEVELS, records=2, measure="epsilon")
    made = open_release(release(plan, records(), out=tmp_path / "release", payment=UNVALIDATED).folder)
    assert not failing(made.folder)
    for values in ({}, {"district": "a1"}, {"county": "west", "colour": ["red", "blue"]}):
        women, men, all_of_them = (made.number(**values, **sex) for sex in ({"sex": "f"}, {"sex": "m"}, {}))
        parts = women + men - all_of_them
        assert parts.exact == parts.standard_deviation == 0
        low, high = women.interval()
        assert high - low == pytest.approx(2 * 2.17 * women.standard_deviation, abs=2)
    stated = json.loads((made.folder / "privacy.json").read_text())
    assert stated["cost"] == {
        "add-remove": {"epsilon": "3/2", "decimal": "1.5"},
        "replace-one": {"epsilon": "3", "decimal": "3"},
    }
    assert plan.cross is not None
    for level, shares in zip(stated["mechanism"]["levels"], plan.cross.shares, strict=True):
        assert [part["budget"]["epsilon"] for part in level["parts"]] == [str(share) for share in shares if share]
    report = (made.folder / "report.html").read_text()
    assert "Some tables are measured whole" in report
    assert "residual" not in report


def test_what_is_stated_is_what_the_plan_costs(published: Path) -> None:
    stated = json.loads((published / "privacy.json").read_text())
    assert stated["cost"]["add-remove"]["rho"] == "1/2"
    assert PLAN.cross is not None
    assert stated["mechanism"]["replace_one"]["rho"] == str(replace_one(PLAN.cross_shape, PLAN.cross.shares))
    parts = stated["mechanism"]["levels"][1]["parts"]
    assert [part["part"] for part in parts][:5] == ["", "sex", "age", "colour", "sex,age"]
    # 2 values, two records of a person: 2^2 times n (n - 1).
    assert parts[1]["noise"]["squared_l2_sensitivity"] == "8"
    assert stated["bounds"]["records_of_a_person"] == 2
    report = (published / "report.html").read_text()
    for words in ("All tables agree", "formula of residuals", "± "):
        assert words in report


def add_noise(table: pa.Table) -> pa.Table:
    values = pa.array([[each + (place == 0) for place, each in enumerate(row)] for row in table["values"].to_pylist()])
    return table.set_column(2, table.schema.field("values"), values.cast(table.schema.field("values").type))


CHANGES: dict[str, tuple[str, str, Callable[[pa.Table], pa.Table]]] = {
    "a count": (
        CONSISTENCY,
        "data/sex.parquet",
        lambda table: table.set_column(5, "count", pa.array(np.nextafter(table["count"].to_numpy(), np.inf))),
    ),
    "a code": (
        GROUPS,
        "data/colour.parquet",
        lambda table: table.set_column(3, "colour", pa.array(["red"] * len(table))),
    ),
    "a row": (GROUPS, "data/sex.parquet", lambda table: table.slice(0, len(table) - 1)),
    "a margin": (ACCURACY, "data/sex.parquet", lambda table: table.set_column(7, "lower", table["upper"])),
    "a measured number": (CONSISTENCY, "data/measurements/cross-2.parquet", add_noise),
    "the order of parts": (
        GROUPS,
        "data/measurements/cross-2.parquet",
        lambda table: table.take(list(range(len(table)))[::-1]),
    ),
    "a missing part": (GROUPS, "data/measurements/cross-1.parquet", lambda table: table.slice(2)),
    "the types": (INTEGRALITY, "data/measurements/cross-1.parquet", lambda table: table.drop_columns(["part"])),
    "the numbers of a part": (
        FORMS,
        "data/measurements/cross-1.parquet",
        lambda table: table.set_column(
            2, SCHEMA.field("values"), pa.array([[1]] * len(table), SCHEMA.field("values").type)
        ),
    ),
}


def broken(folder: Path) -> list[str]:
    """The checks that fail of what is in a folder, whoever signed it."""
    stated = json.loads((folder / "privacy.json").read_text())
    return [each.name for each in check(TABLES, folder, stated, digests(files_of(folder))) if each.findings]


@pytest.mark.series(3)
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_in_a_release_is_found(change: str, published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(published, folder)
    name, path, edit = CHANGES[change]
    assert not broken(folder)
    table = pq.read_table(folder / path)
    regions = 3 if "cross-2" in path else 2
    pq.write_table(edit(table), folder / path, row_group_size=regions if "measurements" in path else len(table))
    assert name in broken(folder)


def test_no_measurement_that_is_no_parquet_is_read(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(published, folder)
    (folder / "data/measurements/cross-1.parquet").write_bytes(b"PAR1")
    assert broken(folder) == [FORMS]


def test_a_release_is_paid_and_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 1)
    ledger.custody.add_dataset("survey", "people", {})
    ledger.custody.grant("people", "custodian", 1)
    payment = PaymentOptions(ledger=ledger, dataset="survey", unvalidated=True)
    plan = cross_plan(rho="7/10")
    pq.write_table(records(), tmp_path / "records.parquet")
    first, again = (
        release(plan, tmp_path / "records.parquet", out=tmp_path / "one", payment=payment) for _ in range(2)
    )
    assert first.receipt is not None
    assert again.receipt is None
    assert Fraction(ledger.reading.account("people").caps[0].spent, UNIT) == Fraction(7, 10)
    with pytest.raises(PolicyRefused, match="never gets a second draw"):
        release(plan, tmp_path / "records.parquet", out=tmp_path / "two", payment=replace(payment, request_id="two"))


def test_a_plan_tells_which_publication_it_is_of(tmp_path: Path) -> None:
    assert isinstance(publication_of(PLAN, read_regions(PLAN)), CrossPublication)
    assert (
        CrossPublication(PLAN, read_regions(PLAN)).request
        != CrossPublication(cross_plan(), read_regions(cross_plan())).request
    )
    with pytest.raises(ParameterError, match="cross tables"):
        release(PLAN, records(), out=tmp_path / "out", top_up=tmp_path, payment=UNVALIDATED)


def test_no_noisy_number_that_is_too_large_says_more_than_that_the_run_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starling.tables.mechanism.residuals.draw", lambda _, size: np.full(size, 2**63 - 1))
    with pytest.raises(RunFailed):
        release(cross_plan(), records(), out=tmp_path / "out", payment=UNVALIDATED)


def test_a_server_delivers_and_the_custodian_validates_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "load", lambda _: PLAN)
    pq.write_table(records(), tmp_path / "records.parquet")
    delivery = deliver("a plan", {"persons": tmp_path / "records.parquet"})
    assert isinstance(delivery.publication, CrossPublication)
    assert f"{RECORDS:,}" in delivery.validate(5).read
    with ExitStack() as work:
        counts = inspect(delivery.source.open()(work)).value
        assert counts.part(0, ()).sum() < RECORDS
