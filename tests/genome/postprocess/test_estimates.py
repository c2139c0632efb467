"""What is told holds what was drawn, rounded outward, and repeats on any machine."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.genome.inference.answers import SelectionError
from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import Explore, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.postprocess.estimates import Correlated, Exploration, ExplorationError, estimate
from starling.genome.postprocess.p_values import Effect, PValue
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan

ONE, FIFTH = Fraction(1), Fraction(1, 5)
PLAN = tiny_plan(60, 9, p=Fraction(1, 1000))
EFFECT = Effect(*(Interval(0.5, 0.25, 0.75),) * 3)


@pytest.mark.parametrize(
    ("question", "drawn"),
    [
        (NumSig("g", 2, ONE), Number(4, 7)),
        (LocSig("g", 2, ONE), SelectedSnps(("rs3", "rs1"))),
    ],
)
def test_a_selection_is_told_as_it_is(question: Any, drawn: Any) -> None:
    told = estimate(PLAN, question, drawn)
    assert told.answer == drawn
    assert isinstance(told.error, SelectionError)
    assert told.error.epsilon == ONE


def test_counts_are_told_with_an_interval() -> None:
    found = estimate(PLAN, SnpPval("rs1", "g", ONE), Cells((35, -3, 2, 26)))
    assert isinstance(found.answer, PValue)
    assert found.answer.counts == (35, -3, 2, 26)
    assert found.error == found.answer.log10
    assert found.answer.log10.low <= found.answer.log10.estimate <= found.answer.log10.high < 0
    pair = estimate(PLAN, SnpCorr("rs1", "rs2", "dprime", ONE), Cells((30, 2, 2, 26)))
    assert isinstance(pair.answer, Correlated)
    assert (pair.answer.first, pair.answer.second, pair.answer.measure) == ("rs1", "rs2", "dprime")
    assert 0 <= pair.answer.value.low <= pair.answer.value.estimate <= pair.answer.value.high <= 1


@pytest.mark.parametrize("independent", [False, True])
def test_each_answer_of_an_exploration_has_its_error(independent: bool) -> None:
    random = np.random.default_rng(2)
    question = Explore("g", "r2", FIFTH, Fraction(4), most=3, independent=independent)
    for _ in range(5):
        study = TinyStudy(random.integers(0, 2, (60, 9)).astype(np.int8), random.random(60) < 0.5, "dominant")
        drawn = mechanism_of(PLAN, question).draw(study)
        assert isinstance(drawn, Explored)
        told = estimate(PLAN, question, drawn)
        assert isinstance(told.answer, Exploration)
        assert isinstance(told.error, ExplorationError)
        assert (told.answer.number, told.answer.located, told.answer.blocks) == (
            drawn.number,
            drawn.located,
            drawn.blocks,
        )
        assert [each.counts for each in told.answer.p_values] == [table.counts for table in drawn.tables]
        assert len(told.error.blocks) == len(drawn.blocks)
        assert told.error.number.epsilon == 1
        if drawn.followed:
            assert told.error.located == SelectionError(9, ONE, drawn.followed)
            assert {each.epsilon for each in told.error.blocks} <= {Fraction(1, drawn.followed)}
        else:
            assert told.error.located is None
            assert told.error.p_values == ()


def test_a_second_block_has_fewer_candidates() -> None:
    cells = Cells((15, 15, 15, 15))
    drawn = Explored(
        Number(2, 2), 2, SelectedSnps(("rs0", "rs8")), (Block("rs0", "rs3", 4), Block("rs8", "rs8", 1)), (cells, cells)
    )
    told = estimate(PLAN, Explore("g", "r2", FIFTH, Fraction(4)), drawn)
    assert isinstance(told.error, ExplorationError)
    # 9 + 9 - 1 runs hold SNP 0 or 8 of nine; of the five that are left five hold the last; and there may be none.
    assert [each.candidates for each in told.error.blocks] == [18, 6]
