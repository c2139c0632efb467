"""Answers in words."""

from fractions import Fraction
from typing import Any

import pytest

from starling.genome.inference.intervals import Interval
from starling.genome.inference.selections import SelectionError
from starling.genome.measurements import Block, Number, Places
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.postprocess import Correlated, Exploration, ExplorationError, PValue
from starling.genome.postprocess.wording import answer_words, error_words, p_words, verdict
from tests.genome.mechanism.laws import tiny_plan

ONE, FIFTH = Fraction(1), Fraction(1, 5)
PLAN = tiny_plan(60, 30, p=Fraction(1, 1000))
NUMBER, EXPLORE = NumSig("g", 2, ONE), Explore("g", "r2", FIFTH, ONE)
WITHIN = "a score at most 11 patients below the best of 16 candidates, with a chance of at least 95 %"
P = PValue("rs1", "g", (1, 2, 3, 4), Interval(-5.0, -7.0, -3.5))
WIDE = PValue("rs2", "g", (1, 2, 3, 4), Interval(-5.0, -700.0, -1.0))


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (NUMBER, Number(0, 0), "No SNP is significant by the test G."),
        (NUMBER, Number(1, 1), "1 SNP is significant by the test G."),
        (NUMBER, Number(2, 2), "2 SNPs are significant by the test G."),
        (NUMBER, Number(1024, 2047), "1,024 to 2,047 SNPs are significant by the test G."),
        (
            LocSig("g", 2, ONE),
            Places(("rs3", "rs1")),
            "The SNPs that are significant, or nearest to it, by the most patients: rs3, rs1.",
        ),
        (LocBlock("r2", FIFTH, ("rs1",), ONE), Block(None, None, 0), "No block of correlated SNPs is valid there."),
        (
            LocBlock("r2", FIFTH, ("rs1",), ONE),
            Block("rs1", "rs1", 1),
            "A block of one SNP: rs1 (chromosome 1, 2 to 2).",
        ),
        (
            LocBlock("r2", FIFTH, ("rs1",), ONE),
            Block("rs0", "rs3", 4),
            "A block of 4 SNPs: rs0 to rs3 (chromosome 1, 1 to 4).",
        ),
        (
            SnpPval("rs1", "g", ONE),
            P,
            "rs1: p = 1e-05 by the test G, 1e-07 to 0.0003163 at 95 %, all of it significant.",
        ),
        (
            SnpCorr("rs1", "rs2", "dprime", ONE),
            Correlated("rs1", "rs2", "dprime", (1, 2, 3, 4), Interval(0.5, 0.25, 1.0)),
            "|D'| of rs1 and rs2 is 0.5, 0.25 to 1 at 95 %.",
        ),
    ],
)
def test_an_answer_is_a_sentence(question: Any, answer: Any, words: str) -> None:
    assert answer_words(PLAN, question, answer) == [words]


def test_many_snps_are_not_all_named() -> None:
    (words,) = answer_words(PLAN, LocSig("g", 25, ONE), Places(tuple(f"rs{at}" for at in range(25))))
    assert words.endswith("rs19 and 5 more.")


def test_an_exploration_is_told_from_number_to_blocks() -> None:
    nothing = Exploration(Number(0, 0), Places(()), (), ())
    assert answer_words(PLAN, EXPLORE, nothing)[-1] == "So nothing was followed up."
    found = Exploration(Number(2, 2), Places(("rs1", "rs2")), (Block("rs1", "rs2", 2),), (P, WIDE))
    assert [line.split(":")[0].split(" (")[0] for line in answer_words(PLAN, EXPLORE, found)] == [
        "2 SNPs are significant by the test G.",
        "Followed up",
        "rs1",
        "rs2",
        "A block of 2 SNPs",
    ]


def test_how_far_an_answer_may_be_off_is_told_by_its_parts() -> None:
    one, two = SelectionError(16, ONE), SelectionError(30, ONE, 2)
    assert error_words(one) == [f"The answer has {WITHIN}."]
    assert error_words(P.log10)[0].startswith("Each interval holds")
    assert error_words(two)[0].startswith("Each answer has a score at most ")
    both = error_words(ExplorationError(one, two, (one, one), (P.log10,)))
    assert both[0] == f"The number has {WITHIN}."
    assert both[1].startswith("Each SNP has a score at most ")
    assert both[1].endswith(" of 30 candidates, with a chance of at least 95 % for all of them.")
    assert both[2:4] == [f"Block {number} has {WITHIN}." for number in (1, 2)]
    assert both[4].startswith("Each interval holds")
    assert error_words(ExplorationError(one, None, (), ())) == [f"The number has {WITHIN}."]


def test_an_interval_tells_what_is_significant() -> None:
    assert [verdict(PLAN, each) for each in (P, WIDE)] == ["yes", "open"]
    assert verdict(PLAN, PValue("rs1", "g", (), Interval(-0.5, -1.0, 0.0))) == "no"


def test_a_p_value_below_all_floats_is_written_from_its_logarithm() -> None:
    assert p_words(WIDE) == ("1e-05", "1e-700", "0.1")
