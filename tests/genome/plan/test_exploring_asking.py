"""Plain values of a session become exact ones, or are refused by their name."""

from fractions import Fraction
from typing import Any

import pytest

from starling import genome
from starling.errors import ParameterError
from starling.genome.plan import LocBlock, LocSig, NumSig, SnpPval
from starling.genome.plan.exploring import code_of, threshold


def test_thresholds_are_exact() -> None:
    assert (threshold("dprime", None), threshold("none", None)) == (Fraction(4, 5), Fraction(1, 2))
    with pytest.raises(ParameterError, match="delta_c"):
        threshold("r2", "much")


def test_a_line_of_code_says_what_differs() -> None:
    code = code_of(SnpPval("rs1", "g", Fraction(1), "laplace"), "request-7")
    assert code == "study.snp_pval(snp='rs1', test='g', epsilon='1', noise='laplace', request_id='request-7')"


def test_a_question_takes_texts_and_keeps_exact_numbers() -> None:
    """As a session makes one: a text for epsilon once ended in a TypeError, without the name of what was wrong."""
    asked: Any = genome
    assert asked.NumSig("g", 1, "0.5") == NumSig("g", 1, Fraction(1, 2))
    assert asked.LocSig("g", 1, 1, "9q", [["a", "b"]]) == LocSig("g", 1, Fraction(1), ("9q",), (("a", "b"),))
    assert asked.LocBlock("r2", "0.2", "rs1", "1") == LocBlock("r2", Fraction(1, 5), ("rs1",), Fraction(1))
    assert asked.Explore("g", "r2", "0.2", 4).epsilon == 4
    for question, *values in (
        (asked.NumSig, "g", 1, 0.5),
        (asked.SnpPval, "rs1", "g", "much"),
        (asked.SnpCorr, "rs1", "rs2", "r2", None),
    ):
        with pytest.raises(ParameterError, match=r"^epsilon "):
            question(*values)
    with pytest.raises(ParameterError, match=r"^delta_c "):
        asked.LocBlock("r2", 0.2, ("rs1",), 1)
