"""How a budget is divided among the levels of a tree: exact amounts that add up to it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from flint import fmpz

GRAIN: Final = 1 << 40
"""Amounts are multiples of this part of the whole, so that they are short numbers."""
_DIGITS: Final = 1 << 60


def shares(amount: Fraction, weights: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
    """An amount divided in proportion to weights, each share rounded down to a multiple of amount/2^40; the last gets what is left. Weights
    are at least one, each above 0 and no less than some 2^-39 of all, so that no share is 0.

    >>> [str(each) for each in shares(Fraction(1), [1, 1, 2])]
    ['1/4', '1/4', '1/2']
    """
    whole = sum(weights, Fraction(0))
    rounded = [amount * (weight * GRAIN // whole) / GRAIN for weight in weights[:-1]]
    return (*rounded, amount - sum(rounded, Fraction(0)))


def cube_root(number: int) -> Fraction:
    """The cube root of a whole number, rounded down to a multiple of 2^-60: how the weights 2^(i/3) become rational.

    >>> cube_root(8), float(cube_root(2))
    (Fraction(2, 1), 1.2599210498948732)
    """
    return Fraction(int(fmpz(number * _DIGITS**3).root(3)), _DIGITS)


def remainders(amounts: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """What is left after each of the amounts.

    >>> [int(each) for each in remainders([Fraction(1), Fraction(2), Fraction(3)])]
    [5, 3, 0]
    """
    return tuple(sum(amounts[place + 1 :], Fraction(0)) for place in range(len(amounts)))
