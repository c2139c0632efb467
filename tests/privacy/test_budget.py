"""Exact amounts: no float, no mixing, rounding against the spender, shares that add up."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.budget import (
    SHARE_BITS,
    Epsilon,
    Rho,
    chance_text,
    decimal_up,
    exact,
    is_chance_text,
    positive,
    power,
    split,
)

amounts = st.fractions(min_value=0, max_value=1000, max_denominator=10**9)
weights = st.lists(
    st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=10**6), min_size=1, max_size=12
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.159", Fraction(159, 1000)),
        (" 4.27 ", Fraction(427, 100)),
        ("1/3", Fraction(1, 3)),
        ("-2", Fraction(-2)),
    ],
)
def test_text_is_read_exactly(text: str, number: Fraction) -> None:
    assert exact(text, field="x") == number


@pytest.mark.parametrize(
    "value",
    ["", "one", "nan", "inf", "1e999", "0x10", "1_000", ".5", "1.", "1/0", "--1", "9" * 41, "1." + "0" * 41, "٣"],
)
def test_other_text_is_refused(value: str) -> None:
    with pytest.raises(ParameterError):
        exact(value, field="x")


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("1e3", "write 1000"),
        (" 1E3 ", "write 1000"),
        ("+2.50e+1", "write 25.0"),
        ("-1e2", "write -100"),
        ("2.5e-7", "write 0.00000025"),
        ("0e9", "write 0"),
        ("1e99", 'write it like "0.159"'),
        ("1e-99", 'write it like "0.159"'),
    ],
)
def test_an_exponent_is_refused_and_spelled_out(text: str, fix: str) -> None:
    for read in (exact, positive):
        with pytest.raises(ParameterError) as refused:
            read(text, field="cap")
        assert str(refused.value) == f"cap is written with an exponent; {fix}"
    if fix.startswith("write it"):
        return
    assert exact(fix.removeprefix("write "), field="cap") == Fraction(text.strip())


def test_a_small_probability_may_have_an_exponent() -> None:
    assert exact("1e-10", field="delta", exponent=True) == Fraction(1, 10**10)
    assert exact("1e-99", field="delta", exponent=True) == Fraction(1, 10**99)
    with pytest.raises(ParameterError, match="delta is not a decimal number"):
        exact("1e-999", field="delta", exponent=True)
    with pytest.raises(ParameterError, match="epsilon is written with an exponent; write 1000"):
        Epsilon("1e3")  # type: ignore[arg-type]


@pytest.mark.examples(20)
@given(
    st.fractions(Fraction(1, 10**12), Fraction(99, 100), max_denominator=10**15)
    | st.integers(1, 9).map(lambda n: Fraction(n, 10**n))
)
def test_a_chance_has_one_text_that_says_it(number: Fraction) -> None:
    text = chance_text(number)
    assert exact(text, field="x", exponent=True) == number
    assert is_chance_text(text)
    others = {f"0{text}", f" {text}", text.upper(), "1", "0", "x"} - {text}
    assert not any(map(is_chance_text, others))


@pytest.mark.parametrize("value", [0.1, float("nan"), True, None, b"1", 1j])
def test_other_kinds_are_refused(value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        exact(value, field="x")  # type: ignore[arg-type]
    assert ("is a float" in str(refused.value)) is isinstance(value, float)


def test_positive_refuses_zero() -> None:
    assert positive("0.5", field="x") == Fraction(1, 2)
    with pytest.raises(ParameterError, match="x is not above 0"):
        positive(0, field="x")


def test_amounts_add_scale_and_compare() -> None:
    one, two = Rho(Fraction("0.1")), Rho(Fraction("0.2"))
    assert one + two == Rho(Fraction("0.3"))
    assert 3 * one == one * 3 == Rho(Fraction("0.3"))
    assert one < two
    assert two > one
    assert one <= Rho(Fraction(1, 10)) <= two
    assert two >= Rho(Fraction(1, 5)) >= one


def test_amounts_of_two_measures_do_not_mix() -> None:
    epsilon, rho = Epsilon(Fraction(1)), Rho(Fraction(1))
    for mix in (
        lambda: epsilon + rho,  # type: ignore[operator]
        lambda: epsilon < rho,  # type: ignore[operator]
        lambda: rho <= epsilon,  # type: ignore[operator]
        lambda: epsilon > rho,  # type: ignore[operator]
        lambda: rho >= epsilon,  # type: ignore[operator]
    ):
        with pytest.raises(ParameterError):
            mix()
    assert len({epsilon, rho}) == 2


def test_an_amount_is_exact_and_not_negative() -> None:
    with pytest.raises(ParameterError, match="rho is negative"):
        Rho(Fraction(-1))
    with pytest.raises(ParameterError, match="is a float"):
        Epsilon(0.1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="is a float"):
        Epsilon(Fraction(1)) * 0.5  # type: ignore[operator]


@given(st.fractions(max_denominator=10**12), st.integers(1, 9))
def test_a_shown_cost_is_never_less_than_the_cost(number: Fraction, places: int) -> None:
    shown = Fraction(decimal_up(number, places))
    assert 0 <= shown - number < Fraction(1, 10**places)


def test_costs_print_with_their_measure() -> None:
    assert str(Rho(Fraction("4.944"))) == "rho 4.944"
    assert str(Epsilon(Fraction(1, 3))) == "epsilon 0.333334"


@pytest.mark.examples(30)
@given(amounts.filter(bool), weights)
def test_shares_add_up_and_keep_order_and_proportion(amount: Fraction, parts: list[Fraction]) -> None:
    whole = Epsilon(amount)
    shares = split(whole, parts)
    assert sum((share.amount for share in shares), Fraction(0)) == amount
    assert len(shares) == len(parts)
    total = sum(parts)
    grain = amount / 2**SHARE_BITS
    for share, part in zip(shares[:-1], parts, strict=False):
        true = amount * part / total
        assert (share.amount / grain).denominator == 1
        assert true - grain < share.amount <= true
    assert 0 <= shares[-1].amount - amount * parts[-1] / total < grain * len(parts)


@given(st.integers(1, 20))
def test_irrational_shares_are_rounded_down_to_the_grain(levels: int) -> None:
    """The spec's 2^(i/3): every share but the last is the multiple of 2^-40 just below the true one."""
    shares = split(Rho(Fraction(1)), [power(2, Fraction(i, 3)) for i in range(levels)])
    with mpmath.workdps(40):
        true = [mpmath.cbrt(2) ** i for i in range(levels)]
        for share, weight in zip(shares[:-1], true, strict=False):
            assert share.amount * 2**SHARE_BITS == int(mpmath.floor(weight / mpmath.fsum(true) * 2**SHARE_BITS))
    assert sum((share.amount for share in shares), Fraction(0)) == 1


@pytest.mark.examples(20)
@given(
    st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50),
    st.fractions(min_value=-6, max_value=6, max_denominator=12),
)
def test_power_is_rounded_down(base: Fraction, exponent: Fraction) -> None:
    found = power(base, exponent)
    assert found.denominator <= 2**64
    upper = found + Fraction(1, 2**64)
    n, d = exponent.numerator, exponent.denominator
    assert found**d <= base**n < upper**d


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ([], "are empty"),
        ([1, 0], "is not above 0"),
        ([1, -1], "is not above 0"),
        (["0." + "0" * 12 + "1", 1, 1], "below 2\\^-40"),
    ],
)
def test_weights_that_give_no_shares_are_refused(parts: list[int | str], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        split(Epsilon(Fraction(1)), parts)


def test_nothing_is_split_into_nothings() -> None:
    assert split(Rho(Fraction(0)), [1, 2]) == (Rho(Fraction(0)), Rho(Fraction(0)))


def test_an_exponent_of_many_digits_is_refused() -> None:
    with pytest.raises(ParameterError, match="exponent has more than 4 digits"):
        power(2, "1/10000")
