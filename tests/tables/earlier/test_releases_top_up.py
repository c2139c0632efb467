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
import yaml

import starling
from starling.errors import ParameterError, PlanError
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import decimal_up
from starling.privacy.events import ZCDP, PureDP
from starling.privacy.guarantee import sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release import contents, statement
from starling.release.manifest import digests, files_of
from starling.release.payment import PaymentOptions
from starling.release.recompute import check
from starling.tables.analysis import open_release
from starling.tables.artifact.columns import EARLIER, place_of
from starling.tables.artifact.measured import read_measurements, with_earlier
from starling.tables.artifact.public_plan import read_plan
from starling.tables.domain import TABLES
from starling.tables.earlier.comparison import compare
from starling.tables.inference.combined import standard_deviation
from starling.tables.plan import Plan, Variants, describe, model
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import MOST_RELEASES
from starling.tables.preview import preview
from starling.tables.preview.described import PlanCosts
from starling.tables.publish import release


@pytest.fixture(scope="module")
def toy(shared_data: Path) -> Path:
    return shared_data / "tables" / "toy_dataset"


def released(plan: Plan, toy: Path, out: Path, top_up: Path | None = None) -> Path:
    records, geography = toy / "person-records.txt", toy / "GRF-C.txt"
    return release(plan, records, geography, out, top_up=top_up, payment=PaymentOptions(unvalidated=True)).folder


@pytest.fixture(scope="module")
def plan(toy: Path) -> Plan:
    return Plan.load(toy / "input_dir_zcdp")


@pytest.fixture(scope="module")
def earlier(plan: Plan, toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("earlier") / "earlier"
    return released(plan, toy, out)


@pytest.fixture(scope="module")
def topped(plan: Plan, earlier: Path, toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("topped") / "topped"
    cheaper = replace(plan, levels=tuple(replace(each, budget=each.budget / 3) for each in plan.levels))
    return released(cheaper, toy, out, earlier)


@pytest.fixture(scope="module")
def second_top_up(plan: Plan, topped: Path, toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The topped-up release topped up once more, without its first level."""
    out = tmp_path_factory.mktemp("again") / "again"
    fewer = replace(plan, levels=tuple(replace(each, budget=2 * each.budget) for each in plan.levels[1:]))
    return released(fewer, toy, out, topped)


def findings(folder: Path) -> list[str]:
    """Names of the checks that fail."""
    stated = json.loads((folder / "privacy.json").read_text())
    return [each.name for each in check(TABLES, folder, stated, digests(files_of(folder))) if each.state == "fails"]


@pytest.mark.slow
def test_a_number_shares_its_draws_with_the_release_that_it_adds_to(earlier: Path, topped: Path) -> None:
    """Their difference is what the second measurement says more; for two independent numbers it would err further."""
    row = open_release(topped).rows("t1", region_type="STATE").to_pylist()[0]
    one = {column: row[column] for column in ("region_type", "region_id", "iteration_code")}
    before, after = open_release(earlier).number("t1", **one), open_release(topped).number("t1", **one)
    apart = (after.standard_deviation**2 + before.standard_deviation**2) ** 0.5
    assert (after - before).standard_deviation < 0.7 * apart
    assert (after + before).standard_deviation > 1.2 * apart


@pytest.mark.slow
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
    result = findings(folder)
    # What else fails depends on whether the group had been published.
    assert "top-up" in result
    assert {"no consistency", "population groups"} & set(result)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    output = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    output.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 20)
    for name in ("toy", "other"):
        output.custody.add_dataset(name, "people", {})
    output.custody.grant("people", "custodian", 20)
    return output


@pytest.mark.slow
def test_what_cannot_be_topped_up_is_refused_before_a_charge(
    plan: Plan, earlier: Path, second_top_up: Path, toy: Path, ledger: Ledger, tmp_path: Path
) -> None:
    persons, blocks, fewer_levels = toy / "person-records.txt", toy / "GRF-C.txt", second_top_up
    release(
        plan, persons, blocks, tmp_path / "paid", payment=PaymentOptions(ledger=ledger, dataset="toy", unvalidated=True)
    )
    before = ledger.reading.account("people").caps[0].spent
    lines = blocks.read_text().splitlines()
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n".join([lines[0], *lines[5:]]) + "\n")
    thresholds = replace(plan, levels=(replace(plan.levels[0], thresholds=(1, 2, 3)), *plan.levels[1:]))
    faint = replace(plan, levels=tuple(replace(each, budget=Fraction(1, 10**7)) for each in plan.levels))
    refused = [
        (replace(plan, gamma=Fraction(1, 3)), blocks, earlier, "toy", "is not the plan of earlier"),
        (thresholds, blocks, earlier, "toy", "is not the plan of earlier"),
        (plan, blocks, fewer_levels, "toy", "is not the plan of again"),
        (plan, fewer, earlier, "toy", "other regions"),
        (plan, blocks, tmp_path / "paid", "other", "is about toy, of people, not about other"),
        (replace(plan, variants=Variants(both_stages=True)), blocks, earlier, "toy", "is not the plan of earlier"),
        (faint, blocks, earlier, "toy", "beyond 512 persons"),
    ]
    for wanted, geography, on, dataset, problem in refused:
        with pytest.raises(PlanError, match=problem):
            release(
                wanted,
                persons,
                geography,
                tmp_path / "no",
                top_up=on,
                payment=PaymentOptions(ledger=ledger, dataset=dataset, unvalidated=True),
            )
    assert ledger.reading.account("people").caps[0].spent == before
    assert not (tmp_path / "no").exists()


@pytest.mark.series(1)
@pytest.mark.parametrize("pair", [("earlier", "topped"), ("earlier", "second_top_up"), ("topped", "second_top_up")])
def test_releases_that_share_measurements_are_not_compared_as_if_they_did_not(
    pair: tuple[str, str], request: pytest.FixtureRequest
) -> None:
    one, other = (request.getfixturevalue(name) for name in pair)
    with pytest.raises(ParameterError, match="shares measurements"):
        compare(one, other, keep=lambda _: None)


@pytest.mark.slow
def test_a_release_is_topped_up_again_in_some_of_its_levels(
    second_top_up: Path, topped: Path, earlier: Path, plan: Plan, toy: Path, tmp_path: Path
) -> None:
    """Values are those of three measurements by inverse variance, each rounding apart; what it costs is that of its own levels."""
    assert starling.verify(second_top_up).findings == ()
    public, geography = read_plan(second_top_up)
    assert [level.name for level in public.levels] == [level.name for level in plan.levels[1:]]
    assert public.cost.amount == 2 * sum(level.budget for level in plan.levels[1:])
    assert public.joint_guarantee.cost.amount == public.cost.amount + plan.cost.amount * Fraction(4, 3)
    first = replace(plan, levels=plan.levels[1:])
    drawn = [
        list(read_measurements(folder, first, geography, place))
        for folder, place in ((earlier, place_of(0)), (second_top_up, place_of(1)), (second_top_up, place_of(0)))
    ]
    own = list(with_earlier(second_top_up, public, geography, read_measurements(second_top_up, public, geography)))
    for (piece, result), *parts in zip(own, *drawn, strict=True):
        level = public.levels[piece.level]
        assert np.array_equal(parts[0][1].branch, result.branch)
        once = np.repeat(result.branch < 0, np.diff(result.offsets(SEX_BY_AGE)))
        for here, total_only in ((once, True), (~once, False)):
            # Budgets of 1, 1/3 and 2 times the first: Gaussian precision is proportional to them, and topping up has no first stage.
            share = Fraction(1) if total_only else 1 - plan.gamma
            weights = np.array([float(share), 1 / 3, 2.0])
            best = sum(
                weight * part[1].values[here] for weight, part in zip(weights / weights.sum(), parts, strict=True)
            )
            assert np.abs(result.values[here] - best).max(initial=0) <= 1.01
        before = next(each for each in plan.levels if each.name == level.name)
        assert standard_deviation(public.noise(level)) < standard_deviation(plan.noise(before))
    forged = tmp_path / "forged"
    shutil.copytree(second_top_up, forged)
    swapped = min((forged / place_of(1)).iterdir()).name
    shutil.copyfile(forged / place_of(1) / swapped, forged / place_of(2) / swapped)
    assert "top-up" in findings(forged)


@pytest.mark.slow
def test_a_top_up_states_what_all_charges_cost_together(topped: Path, second_top_up: Path, plan: Plan) -> None:
    # Epsilon and adjacency were those of the new charge alone: 7.73 for 11.41.
    for folder in (topped, second_top_up):
        public, _ = read_plan(folder)
        message = json.loads((folder / "privacy.json").read_text())
        own, whole = (epsilon_at_delta(each, "1e-10") for each in (public.guarantee, public.joint_guarantee))
        assert whole > own
        assert message["approximate_dp"]["epsilon"] == decimal_up(own)
        assert message["joint"]["approximate_dp"]["epsilon"] == decimal_up(whole)
        replaced = replace_one_cost(public.joint_guarantee).amount
        assert Fraction(message["joint"]["cost"]["replace-one"]["rho"]) == replaced
        # Of a release of both parts no more than its cost is known: four times as much, and not twice.
        assert 2 * public.joint_guarantee.cost.amount <= replaced < 4 * public.joint_guarantee.cost.amount
        report = " ".join((folder / "report.html").read_text().split())
        assert f"ε = {decimal_up(whole)} at δ" in report
        assert f"ε = {decimal_up(own)} at δ = 1e-10" in report
        entry = yaml.safe_load((folder / "registry.yaml").read_text())["deployment"]["privacy_loss"]
        assert entry["privacy_parameters"] == {"rho": float(decimal_up(public.joint_guarantee.cost.amount))}
        assert f"epsilon {decimal_up(whole)} at delta" in entry["privacy_parameters_details"]
        assert f"epsilon {decimal_up(own)} at delta" in entry["privacy_parameters_details"]


@pytest.mark.slow
def test_the_epsilon_of_a_top_up_is_that_of_the_best_renyi_order_wherever_it_is_stated(
    topped: Path, toy: Path, earlier: Path
) -> None:
    public, _ = read_plan(topped)
    whole = sequential("both", (public.guarantee, *public.earlier_guarantees))
    by_losses, by_renyi = (decimal_up(epsilon_at_delta(whole, "1e-10", method=each)) for each in ("pld", "renyi"))
    texts = {name: (topped / name).read_text() for name in ("privacy.json", "report.html", "registry.yaml")}
    texts["verify"] = " ".join(each.says for each in starling.verify(topped).checks)
    texts["preview"] = str(preview(public, None, sizes=(10,)))
    texts["plan"] = str(PlanCosts(describe(public)))
    for name, text in texts.items():
        assert by_renyi in text, name
        assert by_losses not in text, name
    assert "since a budget may have been chosen after the earlier results" in texts["report.html"]


@pytest.mark.slow
def test_a_top_up_made_before_that_was_stated_verifies_as_what_it_was(
    plan: Plan, earlier: Path, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        for module in (statement, contents, model):
            before.setattr(module, "joint", lambda one, others: sequential("both", (one, *others)) if others else one)
        old = released(plan, toy, tmp_path / "old", earlier)
    assert (
        "privacy loss distribution" in json.loads((old / "privacy.json").read_text())["joint"]["approximate_dp"]["by"]
    )
    assert starling.verify(old).findings == ()


def test_what_an_earlier_release_measured_besides_counts_by_its_cost(second_top_up: Path, topped: Path) -> None:
    public, _ = read_plan(second_top_up)
    # The last release left a level out, so that of those before nothing but their costs is known here.
    assert all(isinstance(each.event, PureDP | ZCDP) for each in public.earlier_guarantees)
    whole, _ = read_plan(topped)
    assert [each.cost.amount for each in whole.earlier_guarantees] == [each.cost for each in whole.variants.releases]
    assert all(each.parts for each in whole.earlier_guarantees)


def test_more_releases_than_are_combined_are_refused(second_top_up: Path) -> None:
    public, _ = read_plan(second_top_up)
    assert public.variants.top_up is not None
    deep = public.variants.top_up
    for _ in range(MOST_RELEASES):
        deep = replace(deep, earlier=deep)
    with pytest.raises(PlanError, match="no more are combined"):
        replace(public, variants=Variants(top_up=deep))
    with pytest.raises(PlanError, match="below that of its own levels"):
        replace(public, variants=Variants(top_up=replace(public.variants.top_up, cost=Fraction(1, 1000))))


@pytest.mark.slow
def test_the_charge_of_the_earlier_release_is_looked_up(plan: Plan, toy: Path, ledger: Ledger, tmp_path: Path) -> None:
    inputs = toy / "person-records.txt", toy / "GRF-C.txt"
    paid = PaymentOptions(ledger, "toy", unvalidated=True)
    first = release(plan, *inputs, tmp_path / "first", payment=paid)
    release(plan, *inputs, tmp_path / "second", top_up=first.folder, payment=paid)
    release(plan, *inputs, tmp_path / "third", top_up=tmp_path / "second", payment=paid)
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"

    def state(folder: Path, place: str | None) -> str:
        checks = {each.name: each for each in starling.verify(folder, ledger=place).checks}
        assert first.request_id in checks["earlier charges"].says
        return checks["earlier charges"].state

    assert state(tmp_path / "second", None) == "not checked"
    assert state(tmp_path / "second", url) == state(tmp_path / "third", url) == "holds"
    assert not any(each.name == "earlier charges" for each in starling.verify(first.folder, ledger=url).checks)


def test_a_release_that_brought_its_own_ledger_cannot_be_looked_up(topped: Path) -> None:
    states = {each.name: each.state for each in starling.verify(topped).checks}
    assert states["charge"] == "holds"
    assert states["earlier charges"] == "not checked"


@pytest.mark.parametrize("folder", ["topped", "second_top_up"])
def test_a_topped_up_number_knows_all_draws_of_its_noise(folder: str, request: pytest.FixtureRequest) -> None:
    opened = open_release(request.getfixturevalue(folder))
    row = opened.rows("t1").to_pylist()[0]
    value = opened.number("t1", **{name: row[name] for name in ("region_type", "region_id", "iteration_code")})
    low, high = value.interval()
    assert low <= row["lower"] <= row["upper"] <= high
    assert float(high - low) <= 1.2 * (row["upper"] - row["lower"]) + 2


def test_a_plan_with_better_totals_is_not_combined(topped: Path) -> None:
    public, _ = read_plan(topped)
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, variants=replace(public.variants, both_stages=True))
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, variants=replace(public.variants, add_up=True))
    with pytest.raises(PlanError, match="cannot be combined"):
        replace(public, variants=replace(public.variants, given_published=True))
