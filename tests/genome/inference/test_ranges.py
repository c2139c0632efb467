"""Shares and odds ratios of rows and cells that are empty; test_answers_effects.py has their ranges."""

from fractions import Fraction

from starling.genome.inference.ranges import Range, odds, share


def test_an_empty_row_says_nothing() -> None:
    assert share(0, 0, 3) == Range(Fraction(1, 2), Fraction(0), Fraction(1))
    assert share(1, 3, 9) == Range(Fraction(1, 4), Fraction(0), Fraction(1))


def test_an_empty_cell_counts_as_one_half() -> None:
    assert odds((3, 0, 2, 5)) == Fraction(3 * 5 * 2, 2)
    assert odds((0, 0, 0, 0)) == 1
