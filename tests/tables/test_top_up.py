"""A release topped up, end to end: verified, refused before a charge where the plan cannot add to it, tampering found."""

import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import ParameterError, PlanError
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.manifest import digests, files_of
from starling.tables.analysis import open_release
from starling.tables.artifact import read_measurements
from starling.tables.artifact.measured import EARLIER
from starling.tables.artifact.public_plan import read_plan
from starling.tables.comparison import compare
from starling.tables.plan import Plan
from starling.tables.publish import release
from starling.tables.verify import check


@pytest.fixture(scope="module")
def toy(shared_data: Path) -> Path:
    return shared_data / "tables" / "toy_dataset"


@pytest.fixture(scope="module")
def plan(toy: Path) -> Plan:
    return Plan.load(toy / "input_dir_zcdp")


@pytest.fixture(scope="module")
def earlier(plan: Plan, toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("earlier") / "earlier"
    release(plan, toy / "person-records.txt", toy / "GRF-C.txt", out)
    return out


@pytest.fixture(scope="module")
def topped(plan: Plan, earlier: Path, toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("topped") / "topped"
    cheaper = replace(plan, levels=tuple(replace(each, budget=each.budget / 3) for each in plan.levels))
    release(cheaper, toy / "person-records.txt", toy / "GRF-C.txt", out, top_up=earlier)
    return out


def findings(folder: Path) -> list[str]:
    """Names of the checks that fail."""
    stated = json.loads((folder / "privacy.json").read_text())
    return [each.name for each in check(folder, stated, digests(files_of(folder))) if each.state == "fails"]


def test_verification_repeats_the_combination_and_names_the_earlier_release(topped: Path, earlier: Path) -> None:
    checked = starling.verify(topped)
    assert checked.findings == ()
    request = json.loads((earlier / "privacy.json").read_text())["account"]["request_id"]
    assert any(each.name == "top-up" and request in each.says for each in checked.checks)


def test_the_charge_is_the_new_budget_and_the_first_totals_are_the_earlier_ones(
    topped: Path, earlier: Path, plan: Plan
) -> None:
    public, geography = read_plan(topped)
    assert public.cost.amount == plan.cost.amount / 3
    assert public.earlier.cost == plan.cost
    sides = read_measurements(earlier, plan, geography), read_measurements(topped, public, geography)
    for (piece, before), (same, after) in zip(*sides, strict=True):
        assert piece == same
        assert np.array_equal(before.stage1, after.stage1)
        assert np.array_equal(before.branch, after.branch)
        assert not np.array_equal(before.values, after.values)


def test_an_earlier_measurement_that_was_changed_is_found(topped: Path, tmp_path: Path) -> None:
    folder = tmp_path / "forged"
    shutil.copytree(topped, folder)
    assert findings(folder) == []
    file = next(iter(sorted((folder / EARLIER).iterdir())))
    table = pq.read_table(file)
    values = table["stage_2"].to_pylist()
    values[0][0] += 1000
    place = table.schema.get_field_index("stage_2")
    changed = table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))
    pq.write_table(changed, file)
    found = findings(folder)
    # What else fails depends on whether the group had been published.
    assert "top-up" in found
    assert {"no consistency", "population groups"} & set(found)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    made = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    made.custody.add_lineage("people", "rho", ADD_REMOVE_PERSON, 20)
    for name in ("toy", "other"):
        made.custody.add_dataset(name, "people", {})
    made.custody.grant("people", "custodian", 20)
    return made


def test_what_cannot_be_topped_up_is_refused_before_a_charge(
    plan: Plan, earlier: Path, topped: Path, toy: Path, ledger: Ledger, tmp_path: Path
) -> None:
    persons, blocks = toy / "person-records.txt", toy / "GRF-C.txt"
    release(plan, persons, blocks, tmp_path / "paid", ledger=ledger, dataset="toy")
    before = ledger.reading.account("people").caps[0].spent
    lines = blocks.read_text().splitlines()
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n".join(lines[:-3]) + "\n")
    thresholds = replace(plan, levels=(replace(plan.levels[0], thresholds=(1, 2, 3)), *plan.levels[1:]))
    faint = replace(plan, levels=tuple(replace(each, budget=Fraction(1, 10**7)) for each in plan.levels))
    refused = [
        (replace(plan, gamma=Fraction(1, 3)), blocks, earlier, "toy", "is not the plan of earlier"),
        (thresholds, blocks, earlier, "toy", "is not the plan of earlier"),
        (replace(plan, levels=plan.levels[1:]), blocks, earlier, "toy", "is not the plan of earlier"),
        (plan, fewer, earlier, "toy", "other regions"),
        (plan, blocks, topped, "toy", "was topped up before"),
        (plan, blocks, tmp_path / "paid", "other", "is about toy, of people, not about other"),
        (replace(plan, both_stages=True), blocks, earlier, "toy", "is not the plan of earlier"),
        (faint, blocks, earlier, "toy", "beyond 512 persons"),
    ]
    for wanted, geography, on, dataset, problem in refused:
        with pytest.raises(PlanError, match=problem):
            release(wanted, persons, geography, tmp_path / "no", top_up=on, ledger=ledger, dataset=dataset)
    assert ledger.reading.account("people").caps[0].spent == before
    assert not (tmp_path / "no").exists()


def test_releases_that_share_measurements_are_not_compared_as_if_they_did_not(topped: Path, earlier: Path) -> None:
    with pytest.raises(ParameterError, match="shares measurements"):
        compare(earlier, topped, keep=lambda _: None)


def test_a_topped_up_number_knows_both_draws_of_its_noise(topped: Path) -> None:
    opened = open_release(topped)
    row = opened.rows("t1").to_pylist()[0]
    value = opened.number("t1", **{name: row[name] for name in ("region_type", "region_id", "iteration_code")})
    low, high = value.interval()
    assert low <= row["lower"] <= row["upper"] <= high
    assert float(high - low) <= 1.2 * (row["upper"] - row["lower"]) + 2


def test_a_plan_with_better_totals_is_not_combined(topped: Path) -> None:
    public, _ = read_plan(topped)
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, both_stages=True)
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, add_up=True)
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, given_published=True)
