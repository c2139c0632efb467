"""Public shares: read with every cause of refusal, scaled, and the budget that follows."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError, PlanError
from starling.groups.plan import PublicShares, SplitBudget
from starling.groups.plan.shares import MOST_SIZES, budget_of, read_shares
from starling.privacy.budget import Measure


def test_shares_of_a_file_are_read_exactly_and_scaled(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("\ufeffshare,size,note\n3e-1,4,x\n0.299,1,\n2/5,2,\n")
    shares = read_shares(tmp_path / "shares.csv", 4)
    assert shares.sizes == (1, 2, 4)
    assert shares.shares == (Fraction("0.299"), Fraction(2, 5), Fraction(3, 10))
    assert sum(shares.by_size(4)) == 1
    assert shares.by_size(4)[2] == Fraction(2, 5) / Fraction("0.999")
    assert shares.numbers(4) == pytest.approx(np.array([0, 0.299, 0.4, 0, 0.3]) / 0.999)
    # Sizes beyond those of the plan count as its largest.
    assert shares.by_size(2) == (0, *shares.by_size(4)[1:2], 1 - shares.by_size(4)[1])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("size,share\n1,30\n2,40\n4,30\n", "add up to 100, as percentages do, not to 1; divide each by 100"),
        ("size,share\n1,33.3\n2,66.6\n", "add up to 99.9, as percentages do"),
        ("size,share\n1,300\n2,400\n4,3\n", "add up to 703, as counts do, not to 1; divide each by their sum"),
        ("size,share\n1,0.5\n2,0.3\n", "add up to 0.8, not to 1; give the share of every size"),
        ("size,share\n1,0.9\n2,0.3\n", "add up to 1.2, not to 1"),
        ("size,share\n1,-0.5\n2,1.5\n", r"shares.csv:2: shares.share is negative"),
        (
            "size,share\n1,0.5\n9,0.5\n",
            "shares.csv:3: shares.size is 9, beyond the largest size of the plan, 4; add its share to",
        ),
        ("size,share\n1,0.3\n1,0.7\n", "name size 1 more than once"),
        ("size,share\n1.5,1\n", "shares.csv:2: shares.size is not a whole number"),
        ("size,share\n-1,1\n", "shares.csv:2: shares.size is not a whole number"),
        ("size,share\n1,x\n", "shares.csv:2: shares.share is not a decimal number"),
        ("size,share\n1,nan\n", "shares.csv:2: shares.share is not a decimal number"),
        ("size,share\n1\n", "shares.csv:2: shares.share is not a decimal number"),
        ("size,share\n", "has no row"),
        ("", "size is a missing column"),
        ("size,part\n1,1\n", "shares.csv:1: share is a missing column; write the header size,share"),
    ],
)
def test_what_are_no_shares_is_refused_with_line_and_fix(text: str, cause: str, tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text(text)
    with pytest.raises(PlanError, match=cause):
        read_shares(tmp_path / "shares.csv", 4)


def test_every_wrong_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("size,share\n7,0.3\n2,-1\nx,y\n")
    with pytest.raises(PlanError) as refused:
        read_shares(tmp_path / "shares.csv", 4)
    assert sorted((each.line, each.field) for each in refused.value.problems) == [
        (2, "shares.size"), (3, "shares.share"), (4, "shares.share"), (4, "shares.size"),
    ]  # fmt: skip


@pytest.mark.parametrize("content", [None, b"\xff\xfe,\n"])
def test_a_file_that_cannot_be_read_is_refused(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "shares.csv").write_bytes(content)
    with pytest.raises(PlanError, match="shares cannot be read"):
        read_shares(tmp_path / "shares.csv", 4)


@pytest.mark.parametrize(
    ("sizes", "shares"),
    [((), ()), ((1,), (1, 0)), ((2, 1), (0, 1)), ((1, 1), (0, 1)), ((-1,), (1,)), ((1, 2), (2, -1)), ((1,), (2,))],
)
def test_shares_are_checked_wherever_they_are_made(sizes: tuple[int, ...], shares: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError):
        PublicShares(sizes, tuple(map(Fraction, shares)))


@pytest.mark.examples(20)
@given(
    weights=st.lists(st.integers(0, 1000), min_size=1, max_size=9).filter(sum),
    whole=st.fractions(Fraction(1, 50), 5, max_denominator=50),
    measure=st.sampled_from(["epsilon", "rho"]),
    quantity=st.integers(1, 3),
)
def test_the_budget_is_that_of_the_scaled_shares(
    weights: list[int], whole: Fraction, measure: Measure, quantity: int
) -> None:
    exact = [Fraction(each, sum(weights)) for each in weights]
    shares = PublicShares(tuple(range(len(weights))), tuple(exact), (Fraction(9), Fraction(1)))
    result = budget_of(shares, whole, measure, 8, quantity, 10_000, (1, 30))
    parts = [*exact, *[Fraction(0)] * (9 - len(exact))]
    assert result == SplitBudget.for_shares(
        whole,
        parts,
        10_000,
        [1, 30],
        [9, 1],
        measure=measure,
        quantity=quantity,
    )
    assert all(sum(amounts) == whole for amounts in result.amounts)


def test_no_groups_give_a_budget_too() -> None:
    assert budget_of(PublicShares((1,), (Fraction(1),)), Fraction(1), "epsilon", 3, 1, 0, (1, 2)).whole == 1


def test_more_sizes_than_can_be_derived_are_refused() -> None:
    shares = PublicShares((1,), (Fraction(1),))
    assert budget_of(shares, Fraction(1), "epsilon", MOST_SIZES - 1, 1, 100, (1, 2)).bands[0] == 0
    with pytest.raises(ParameterError, match="sizes are more than 131,072"):
        budget_of(shares, Fraction(1), "epsilon", MOST_SIZES, 1, 100, (1, 2))
