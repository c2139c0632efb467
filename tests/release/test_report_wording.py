"""What a guarantee means in plain words, with the numbers that its mechanism gives."""

from fractions import Fraction
from typing import get_args

import pytest

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import ZCDP
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, Relation, Unit
from starling.release.report import UNITS, dearest, percent_up, plainly


def test_percentages_are_rounded_up() -> None:
    assert [percent_up(p) for p in (0.05, 0.0500001, 0.999, 0.99901, 1.0)] == [
        "5 %", "5.1 %", "99.9 %", "nearly 100 %", "nearly 100 %",
    ]  # fmt: skip


def test_the_dearest_measurement_is_found_in_the_tree() -> None:
    cheap = measurement("cheap", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(10)))
    dear = measurement("dear", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(2)))
    assert (
        dearest(sequential("all", (bounded_overlap("a", 9, (cheap,)), bounded_overlap("b", 1, (cheap, dear))))) == dear
    )


def test_the_words_name_unit_and_costs() -> None:
    one = measurement("one", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50)))
    text = plainly(bounded_overlap("all", 9, (one,)))
    assert "hides one person" in text
    assert "rho 0.01 at most" in text
    assert "(rho 0.09)" in text
    assert "hold a given person at all" in text
    assert "exact distributions of the noise" in text
    earlier = Guarantee("another release", ADD_REMOVE_PERSON, ZCDP(Fraction("0.91")))
    topped = plainly(
        bounded_overlap("all", 9, (one,)), sequential("both", (bounded_overlap("all", 9, (one,)), earlier))
    )
    assert "a bound by the privacy loss alone" in topped
    assert "From everything at once, the measurements of earlier releases in it included (rho 1)" in " ".join(
        topped.split()
    )
    assert "made noisy on purpose. The noise hides" in topped
    exact = plainly(one, invariants=("the number of all groups", "the regions"))
    assert (
        "on purpose, but for what is public and published exactly: the number of all groups; the regions. The" in exact
    )
    replaced = plainly(measurement("one", REPLACE_PERSON, DiscreteGaussian(Fraction(50))))
    assert "what a given person's data are" in replaced


def test_the_board_reads_what_the_best_attacker_finds_and_no_bound_above_it() -> None:
    # The bound by rho alone says 43.9 %.
    first, second = (
        measurement(name, ADD_REMOVE_PERSON, DiscreteGaussian(9 / (2 * Fraction(rho))))
        for name, rho in (("stage 1", "0.068"), ("stage 2", "0.612"))
    )
    text = " ".join(plainly(bounded_overlap("all", 9, (sequential("both stages", (first, second)),))).split())
    assert "(rho 0.68) he finds at most 31.7 %, computed from the exact distributions of the noise" in text


@pytest.mark.parametrize("unit", get_args(Unit))
def test_every_protected_unit_has_its_words(unit: Unit) -> None:
    text = plainly(measurement("one", Relation("replace-one", unit), DiscreteGaussian(Fraction(50))))
    assert f"The noise hides {UNITS[unit]}." in text
