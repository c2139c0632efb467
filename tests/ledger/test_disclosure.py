"""What charges reveal together is what the accountant says of their composition, and never less than the truth."""

import json
from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.ledger import disclosure
from starling.ledger.charged_noise import noise
from starling.ledger.disclosure import joint_disclosure, meaning
from starling.ledger.rules import UNIT, Population, canonical, charge_in
from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import ExponentialMechanism
from starling.privacy.guarantee import Guarantee, bounded_overlap, joint, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from tests.ledger.worlds import World, costing, request

PEOPLE = Population("people", "rho", ADD_REMOVE_PERSON)
STUDY = Population("study", "epsilon", REPLACE_PERSON)
GAUSS = measurement("a", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50)))
LAPLACE = measurement("b", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(10)))
OVERLAPPING = bounded_overlap(
    "levels",
    9,
    (
        measurement("once", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(30))),
        sequential("twice", (costing(Fraction(1, 600)), costing(Fraction(1, 70)))),
    ),
)


def kinds(*made: tuple[Guarantee, int]) -> list[tuple[dict[str, object], int]]:
    """As the ledger reads them: through the text of their events."""
    return [(json.loads(canonical(noise(guarantee).fields)), times) for guarantee, times in made]


def spent(population: Population, *made: tuple[Guarantee, int]) -> int:
    return sum(charge_in(population, guarantee) * times for guarantee, times in made)


@pytest.mark.parametrize(
    ("made", "same"),
    [
        ([(GAUSS, 1)], GAUSS),
        ([(GAUSS, 7)], joint(GAUSS, (GAUSS,) * 6)),
        ([(OVERLAPPING, 1)], OVERLAPPING),
        ([(OVERLAPPING, 2), (GAUSS, 1)], joint(OVERLAPPING, (OVERLAPPING, GAUSS))),
    ],
    ids=["one", "seven", "overlapping", "mixed"],
)
def test_together_is_the_composition_of_what_was_charged(made: list[tuple[Guarantee, int]], same: Guarantee) -> None:
    found = joint_disclosure(PEOPLE, spent(PEOPLE, *made), kinds(*made))
    assert found.epsilon == epsilon_at_delta(same, disclosure.DELTA)
    assert found.composed


def test_pure_and_concentrated_charges_compose() -> None:
    made = [(LAPLACE, 40), (GAUSS, 1)]
    found = joint_disclosure(PEOPLE, spent(PEOPLE, *made), kinds(*made))
    alone = joint_disclosure(PEOPLE, spent(PEOPLE, *made), [])
    assert float(found.epsilon) == 3.843626
    assert not alone.composed
    assert alone.epsilon > found.epsilon


def test_in_an_epsilon_population_it_is_never_above_the_sum() -> None:
    population = Population("pure", "epsilon", ADD_REMOVE_PERSON)
    one = joint_disclosure(population, spent(population, (LAPLACE, 1)), kinds((LAPLACE, 1)))
    many = joint_disclosure(population, spent(population, (LAPLACE, 400)), kinds((LAPLACE, 400)))
    assert one.epsilon <= Fraction(1, 10)
    assert many.epsilon < 40 / 2


def test_under_other_neighbours_the_converted_cost_is_what_is_known() -> None:
    population = Population("study", "rho", REPLACE_PERSON)
    found = joint_disclosure(population, spent(population, (GAUSS, 3)), kinds((GAUSS, 3)))
    whole = joint_disclosure(population, spent(population, (GAUSS, 3)), [])
    assert spent(population, (GAUSS, 3)) == 3 * 4 * UNIT // 100
    assert found.epsilon == whole.epsilon, "three times zCDP of 4 rho is zCDP of 12 rho"
    pure = joint_disclosure(STUDY, spent(STUDY, (LAPLACE, 1)), kinds((LAPLACE, 1)))
    assert pure.epsilon <= Fraction(2, 10)


def test_too_many_kinds_are_told_by_their_total(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [(GAUSS, 1), (LAPLACE, 1)]
    monkeypatch.setattr(disclosure, "MOST", 1)
    assert not joint_disclosure(PEOPLE, spent(PEOPLE, *made), kinds(*made)).composed


@pytest.mark.parametrize("delta", ["0", "1", "-1e-9", "2", "nan", 0.1])
def test_what_is_no_delta_is_refused(delta: object) -> None:
    with pytest.raises(ParameterError, match="delta"):
        joint_disclosure(PEOPLE, 0, [], delta)  # type: ignore[arg-type]


def test_nothing_spent_reveals_nothing() -> None:
    assert joint_disclosure(PEOPLE, 0, []).epsilon == 0


def test_the_ledger_counts_every_charge(world: World) -> None:
    for number in range(3):
        world.charge(number, Fraction(1, 2))
    world.ledger.charging.charge(request("laplace"), LAPLACE)
    found = world.ledger.reading.joint_disclosure("people")
    half = costing(Fraction(1, 2))
    assert found == joint_disclosure(PEOPLE, found.spent, kinds((half, 3), (LAPLACE, 1)))
    assert Fraction(found.spent, UNIT) == Fraction(3, 2) + Fraction(1, 200)


def test_a_budget_in_plain_words() -> None:
    words = meaning(PEOPLE, 12 * UNIT)
    assert "rho 12 lets everybody who sees the releases change the odds of any guess about one person" in words
    assert words.endswith("e^44.07, but for a chance of 1e-10")
    assert meaning(STUDY, UNIT // 2).endswith("a factor of at most e^0.5")


def test_selections_in_rho_reveal_no_more_than_their_rho() -> None:
    """100 rounds at 0.0839774 each: 2 at 1e-6 by the range of their losses, 4.4 by pure DP."""
    rounds = bounded_overlap(
        "list", 100, (Guarantee("one", REPLACE_PERSON, ExponentialMechanism(Fraction("0.0839774"))),)
    )
    population = Population("study", "rho", REPLACE_PERSON)
    charged = spent(population, (rounds, 1))
    assert abs(charged / UNIT - 0.088152) < 1e-6
    assert (
        1.99 < joint_disclosure(population, charged, kinds((rounds, 1)), delta="1e-6").epsilon <= Fraction("2.000001")
    )
