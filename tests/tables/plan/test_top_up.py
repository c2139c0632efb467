"""What a plan says of the release that it adds to."""

from fractions import Fraction

from starling.tables.plan.top_up import TopUp


def test_some_levels_are_kept_all_the_way_back() -> None:
    first = TopUp("a" * 64, "one", "", Fraction(6), (Fraction(1), Fraction(2), Fraction(3)), ("x", "y", "z"))
    second = TopUp("b" * 64, "two", "", Fraction(15), (Fraction(4), Fraction(5), Fraction(6)), ("u", "v", "w"), first)
    kept = second.only([0, 2])
    assert (kept.budgets, kept.measurements) == ((Fraction(4), Fraction(6)), ("u", "w"))
    assert kept.earlier is not None
    assert (kept.earlier.budgets, kept.earlier.measurements) == ((Fraction(1), Fraction(3)), ("x", "z"))
    # What was charged stays what it was.
    assert (kept.cost, kept.earlier.cost) == (Fraction(15), Fraction(6))
