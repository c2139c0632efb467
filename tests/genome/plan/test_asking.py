"""Plain values of a session become exact ones, or are refused by their name."""

from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.genome.plan import SnpPval
from starling.genome.plan.asking import amount, code_of, stretches, threshold


def test_costs_and_thresholds_are_exact() -> None:
    assert (amount("0.1"), threshold("dprime", None), threshold("none", None)) == (
        Fraction(1, 10),
        Fraction(4, 5),
        Fraction(1, 2),
    )
    assert stretches([("a", "b")]) == (("a", "b"),)
    with pytest.raises(ParameterError, match="epsilon"):
        amount(0.1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="delta_c"):
        threshold("r2", "much")


def test_a_line_of_code_says_what_differs() -> None:
    code = code_of(SnpPval("rs1", "g", Fraction(1), "laplace"), "request-7")
    assert code == "study.snp_pval(snp='rs1', test='g', epsilon='1', noise='laplace', request_id='request-7')"
