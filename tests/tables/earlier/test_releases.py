"""Earlier releases are read from their folders as signed, and what all cost together is the exact sum."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, PlanError
from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import MONOTONE
from starling.privacy.guarantee import measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from starling.tables.earlier.releases import Earlier, _sums, joint_cost, read_earlier
from starling.tables.generate import generate
from starling.tables.plan import Plan
from starling.tables.publish import release
from tests.tables.small import small_plan

NOISES = (DiscreteLaplace(Fraction(1)), DiscreteGaussian(Fraction(1, 4)))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path, Path]:
    """A plan, a release of it, and its block file."""
    folder = tmp_path_factory.mktemp("earlier")
    plan = small_plan("rho")
    output = generate(plan, persons=300, seed=1, out=folder / "in")
    release(plan, output.records, output.files["geography"], folder / "first", payment=PaymentOptions(unvalidated=True))
    return plan, folder / "first", output.files["geography"]


def test_a_release_is_read_with_its_plan(world: tuple[Plan, Path, Path]) -> None:
    plan, folder, _ = world
    earlier = read_earlier(folder)
    assert isinstance(earlier, Earlier)
    assert earlier.plan == plan
    assert earlier.population is None, "it brought a ledger of its own"


def test_costs_of_all_add_up_and_compose(world: tuple[Plan, Path, Path]) -> None:
    plan, folder, blocks = world
    result = joint_cost(plan, [folder, folder], blocks)
    assert result.cost == 3 * plan.guarantee.cost
    fixed = sequential("all", (plan.guarantee,) * 3)
    assert (
        result.epsilon == epsilon_at_delta(fixed, result.delta, method="renyi") > epsilon_at_delta(fixed, result.delta)
    )
    assert result.populations == {None}
    assert all(compared.blocks for _, compared in result.earlier)


@pytest.mark.slow
def test_a_release_counts_with_what_it_adds_to(world: tuple[Plan, Path, Path], tmp_path: Path) -> None:
    plan, folder, blocks = world
    persons = blocks.with_name("person-records.txt")
    release(plan, persons, blocks, tmp_path / "more", top_up=folder, payment=PaymentOptions(unvalidated=True))
    assert joint_cost(plan, [folder, tmp_path / "more"]).cost == 3 * plan.guarantee.cost
    with pytest.raises(ParameterError, match="which is not among the earlier ones"):
        joint_cost(plan, [tmp_path / "more"])


def test_measures_that_differ_are_told_in_rho() -> None:
    """By the events of each; when one person is replaced, by their factors."""
    pure, count = (measurement("a count", ADD_REMOVE_PERSON, noise, 1, MONOTONE) for noise in NOISES)
    twice = sequential("twice", (pure, pure))
    assert _sums([twice, pure]) == (Epsilon(Fraction(3)), Epsilon(Fraction(6)))
    assert _sums([twice, count]) == (Rho(Fraction(3)), Rho(Fraction(6)))


def test_a_plan_under_the_other_measure_has_a_finite_epsilon(world: tuple[Plan, Path, Path]) -> None:
    _, folder, _ = world
    result = joint_cost(small_plan("epsilon"), [folder])
    assert isinstance(result.cost, Rho)
    assert result.epsilon > epsilon_at_delta(small_plan("rho").guarantee, result.delta)


def test_a_changed_release_is_refused(world: tuple[Plan, Path, Path], tmp_path: Path) -> None:
    _, folder, _ = world
    (tmp_path / "changed").symlink_to(folder)
    with pytest.raises(IntegrityError):
        read_earlier(tmp_path)


def test_blocks_of_another_geography_are_refused(world: tuple[Plan, Path, Path], tmp_path: Path) -> None:
    plan, folder, blocks = world
    first, *rest = blocks.read_text().splitlines()
    moved = [line.replace(f"|{rest[0].split('|')[1]}|", "|999|", 1) for line in rest]
    (tmp_path / "GRF-C.txt").write_text("\n".join([first, *moved]) + "\n")
    with pytest.raises(PlanError, match="has other regions than first was released for"):
        joint_cost(replace(plan, title="later"), [folder], tmp_path / "GRF-C.txt")
