"""Exact amounts of privacy budget: epsilon of pure DP, rho of zCDP, delta.

Amounts are rationals. Binary floats are refused: 0.1 as a float is not 1/10, and sums of floats drift. Where an amount must
be rounded it is rounded against the spender.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self, TypeAlias, TypeVar, cast

from starling.errors import ParameterError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Exact: TypeAlias = int | Fraction | str
"""An exact number as callers write it: int, Fraction, or a decimal string such as "0.159"."""

Measure: TypeAlias = Literal["epsilon", "rho"]

_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?")
_SCIENTIFIC = re.compile(_DECIMAL.pattern + r"[eE][+-]?[0-9]{1,2}")
_RATIO = re.compile(r"[+-]?[0-9]{1,40}/[0-9]{1,40}")


def exact(value: Exact, *, field: str, exponent: bool = False) -> Fraction:
    """The rational that a value says.

    Args:
        value: int, Fraction, or a string: decimal ("0.159") or ratio ("1/3"), at most 40 digits before and after the point.
        field: Name for the message.
        exponent: Whether a text may have an exponent, as small probabilities have in the field ("1e-10"). An amount of budget may not: a
            slip of one key is then a factor of ten.

    Raises:
        ParameterError: for a float, a bool, or text that is no such number (NaN, infinity and absurd lengths included).
    """
    if isinstance(value, bool) or not isinstance(value, int | Fraction | str):
        kind = type(value).__name__
        reason = "is a float, which is not the decimal it looks like (0.1 is not 1/10)"
        raise ParameterError(
            field,
            reason if kind.startswith("float") else f"is a {kind}, not an exact number",
            'give an int, a Fraction or a decimal string such as "0.1"',
        )
    if isinstance(value, str):
        text = value.strip()
        if _SCIENTIFIC.fullmatch(text):
            if exponent:
                return Fraction(text)
            plain = without_exponent(text)
            fix = 'write it like "0.159"' if plain == text else f"write {plain}"
            raise ParameterError(field, "is written with an exponent", fix)
        if not (_DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)) or text.endswith("/0"):
            raise ParameterError(
                field, "is not a decimal number of at most 40 digits on each side of the point", 'write it like "0.159"'
            )
        try:
            return Fraction(text)
        except ZeroDivisionError:
            raise ParameterError(field, "divides by zero", "give a number") from None
    return Fraction(value)


def without_exponent(text: str) -> str:
    """The decimal that `text` says by an exponent, spelled out; anything else, and what `exact` would not take then, as it is.

    >>> without_exponent("1e3"), without_exponent("2.5E-7"), without_exponent("1e99"), without_exponent("0.1")
    ('1000', '0.00000025', '1e99', '0.1')
    """
    if not _SCIENTIFIC.fullmatch(text):
        return text
    plain = format(Decimal(text), "f")
    return plain if _DECIMAL.fullmatch(plain) else text


def positive(value: Exact, *, field: str) -> Fraction:
    """The rational above 0 that `value` says; raises ParameterError for every other value."""
    number = exact(value, field=field)
    if number <= 0:
        raise ParameterError(field, "is not above 0", "give a number above 0")
    return number


def chance(value: Exact, *, field: str) -> Fraction:
    """The rational above 0 and below 1 that `value` says, with an exponent perhaps; raises ParameterError for every other value."""
    number = exact(value, field=field, exponent=True)
    if not 0 < number < 1:
        raise ParameterError(field, "is not between 0 and 1", 'give a number such as "0.05"')
    return number


DELTA: Final = "1e-10"
"""The delta at which a guarantee states its epsilon, where its plan names no other: that of SafeTab 2022, Table 2."""
_MOST_PLACES: Final = 99
"""Decimals of a chance that is written as a decimal: `exact` reads exponents of two digits."""


def chance_text(number: Fraction) -> str:
    """The one text of a chance above 0: with an exponent, or as a fraction where no decimal says it.

    >>> chance_text(Fraction(1, 10**10)), chance_text(Fraction("0.00025")), chance_text(Fraction(1, 3))
    ('1e-10', '2.5e-4', '1/3')
    """
    digits, places = number, 0
    while digits.denominator > 1 and places < _MOST_PLACES:
        digits, places = digits * 10, places + 1
    if digits.denominator > 1:
        return str(number)
    shown = str(digits.numerator).rstrip("0")
    exponent = len(str(digits.numerator)) - 1 - places
    return f"{shown[0]}{'.' if shown[1:] else ''}{shown[1:]}e{exponent}"


def is_chance_text(text: str) -> bool:
    """Whether a text is what `chance_text` writes of a chance above 0 and below 1."""
    try:
        return chance_text(chance(text, field="chance")) == text
    except ParameterError:
        return False


def check_int(value: object, *, field: str) -> None:
    """Raises ParameterError unless `value` is an int: no float, no text, and no truth value, which Python takes for 0 or 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(field, f"is a {type(value).__name__}, not an int", "write it like 10")


class PositiveFields:
    """A dataclass whose fields are exact numbers above 0."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for each in fields(cast("DataclassInstance", self)):
            object.__setattr__(self, each.name, positive(getattr(self, each.name), field=each.name))


@dataclass(frozen=True, slots=True, order=False, repr=False)
class _Amount:
    """An amount of one measure; adds and compares with its own kind alone."""

    amount: Fraction
    measure: ClassVar[Measure]
    symbol: ClassVar[str]

    def __post_init__(self) -> None:
        number = exact(self.amount, field=self.measure)
        if number < 0:
            raise ParameterError(self.measure, "is negative", "give 0 or more")
        object.__setattr__(self, "amount", number)

    def _same(self, other: object) -> Fraction:
        if type(other) is not type(self):
            raise ParameterError(
                self.measure,
                "is mixed with an amount of another measure",
                "keep pure DP (epsilon) and zCDP (rho) apart, or convert",
            )
        assert isinstance(other, _Amount)
        return other.amount

    def __add__(self, other: Self) -> Self:
        return type(self)(self.amount + self._same(other))

    def __mul__(self, times: int | Fraction) -> Self:
        return type(self)(self.amount * exact(times, field="factor"))

    __rmul__ = __mul__

    def __lt__(self, other: Self) -> bool:
        return self.amount < self._same(other)

    def __le__(self, other: Self) -> bool:
        return self.amount <= self._same(other)

    def __gt__(self, other: Self) -> bool:
        return self.amount > self._same(other)

    def __ge__(self, other: Self) -> bool:
        return self.amount >= self._same(other)

    def __str__(self) -> str:
        return f"{self.measure} {decimal_up(self.amount)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<strong>{self}</strong>"


@dataclass(frozen=True, slots=True, order=False, repr=False)
class Epsilon(_Amount):
    """Pure DP: P[M(x) in S] <= e^epsilon P[M(x') in S] for all neighbours and all sets S."""

    measure: ClassVar[Measure] = "epsilon"
    symbol: ClassVar[str] = "ε"


@dataclass(frozen=True, slots=True, order=False, repr=False)
class Rho(_Amount):
    """zCDP: D_alpha(M(x) || M(x')) <= rho alpha for all neighbours and all alpha > 1 (SafeTab 2022, Definition 4)."""

    measure: ClassVar[Measure] = "rho"
    symbol: ClassVar[str] = "ρ"


Cost: TypeAlias = Epsilon | Rho


CostT = TypeVar("CostT", Epsilon, Rho)

SHARE_BITS = 40
"""A share of a budget is a whole number of 2^-40ths of it."""
_POWER_BITS = 64


def split(cost: CostT, weights: Sequence[Exact]) -> tuple[CostT, ...]:
    """`cost` in proportion to `weights`, in their order; the shares add up to `cost` exactly.

    Each share is rounded down to a multiple of 2^-40 of the budget; the last takes the rest.

    Args:
        cost: The whole that is shared out.
        weights: The weight of each share, above 0, in any unit; irrational weights come from `power`.

    Raises:
        ParameterError: without weights, for a weight not above 0, or where a share would be 0.

    >>> [str(share) for share in split(Epsilon(Fraction(1)), [1, 2, 1])]
    ['epsilon 0.25', 'epsilon 0.5', 'epsilon 0.25']
    """
    numbers = [positive(weight, field="weights") for weight in weights]
    if not numbers:
        raise ParameterError("weights", "are empty", "give one weight for each share")
    whole = sum(numbers)
    parts = [Fraction((number * 2**SHARE_BITS) // whole, 2**SHARE_BITS) for number in numbers[:-1]]
    parts.append(1 - sum(parts, Fraction(0)))
    if cost.amount > 0 and min(parts) == 0:
        raise ParameterError("weights", "leave a share below 2^-40 of the budget", "drop it or weigh it more")
    return tuple(cost * part for part in parts)


def power(base: Exact, exponent: Exact) -> Fraction:
    """`base` ** `exponent` rounded down to a multiple of 2^-64: the same on every machine, since no float is used.

    Args:
        base: A number above 0.
        exponent: A rational of at most 4 digits above and below the line: "5/3" for level 5 of 2^(i/3).

    >>> float(power(2, "1/3"))
    1.2599210498948732
    """
    number, times = positive(base, field="base"), exact(exponent, field="exponent")
    if max(abs(times.numerator), times.denominator) > 9999:
        raise ParameterError("exponent", "has more than 4 digits", "give a ratio of small integers")
    scaled = number**times.numerator * 2 ** (_POWER_BITS * times.denominator)
    return Fraction(_root(scaled.numerator // scaled.denominator, times.denominator), 2**_POWER_BITS)


def _root(number: int, degree: int) -> int:
    """The largest integer whose `degree`-th power is at most `number` >= 0: Newton's steps, from above."""
    guess = 1 << -(-number.bit_length() // degree)
    while number and (closer := ((degree - 1) * guess + number // guess ** (degree - 1)) // degree) < guess:
        guess = closer
    return guess if number else 0


def decimal_up(number: Fraction, places: int = 6) -> str:
    """`number` as a decimal of at most `places` places, rounded up: what is shown of a cost is never less than the cost.

    >>> decimal_up(Fraction("4.944")), decimal_up(Fraction(1, 3))
    ('4.944', '0.333334')
    """
    scaled = -(-number.numerator * 10**places // number.denominator)
    whole, rest = divmod(abs(scaled), 10**places)
    text = f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")
    return f"-{text}" if scaled < 0 else text
