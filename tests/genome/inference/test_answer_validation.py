"""An answer that its question cannot have is refused; every answer that is drawn is not."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.inference.answer_validation import FAR, answer_problem
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan

ONE, FIFTH = Fraction(1), Fraction(1, 5)
PLAN = tiny_plan(60, 9, p=Fraction(1, 1000))
QUESTIONS: list[Any] = [
    NumSig("g", 2, ONE),
    LocSig("g", 3, ONE, excluding=(("rs2", "rs3"),)),
    LocBlock("r2", FIFTH, ("rs1", "rs5"), ONE, longest=3, excluding=(("rs4", "rs4"),)),
    SnpPval("rs1", "g", ONE),
    SnpPval("rs1", "g", ONE, "laplace"),
    SnpCorr("rs1", "rs2", "r2", ONE),
    Explore("g", "r2", FIFTH, ONE, most=2),
    Explore("g", "r2", FIFTH, ONE, most=9, independent=True),
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_drawn_fits(question: Any) -> None:
    random = np.random.default_rng(3)
    study = TinyStudy(random.integers(0, 2, (60, 9)).astype(np.int8), random.random(60) < 0.5, "dominant")
    for _ in range(10):
        assert answer_problem(PLAN, question, mechanism_of(PLAN, question).draw(study)) is None


MISFITS: list[tuple[Any, list[Any]]] = [
    (QUESTIONS[0], [Number(4, 6), Number(3, 3), Number(8, 8), Number(0, 9), SelectedSnps(("rs1",))]),
    (
        QUESTIONS[1],
        [
            SelectedSnps(("rs0", "rs1")),
            SelectedSnps(("rs0", "rs1", "rs1")),
            SelectedSnps(("rs0", "rs1", "rs2")),
            SelectedSnps(("rs0", "rs1", "rs99")),
            Number(3, 3),
        ],
    ),
    (
        QUESTIONS[2],
        [
            Block("rs0", "rs3", 4),
            Block("rs0", "rs1", 1),
            Block("rs1", "rs0", 0),
            Block("rs2", "rs3", 2),
            Block("rs3", "rs5", 3),
            Block("rs1", "rs99", 2),
            Block(None, "rs1", 0),
            Block(None, None, 1),
            SelectedSnps(()),
        ],
    ),
    (QUESTIONS[3], [Cells((15, 15, 15, 16)), Cells((60,)), Cells((10,) * 6), Number(1, 1)]),
    (QUESTIONS[4], [Cells((FAR + 61, 0, 0, 0)), Cells((0, 0, 0, -FAR - 1)), Cells(())]),
    (QUESTIONS[5], [Cells((60, 0, 0, 1)), Cells((10,) * 6)]),
    (
        QUESTIONS[6],
        [
            Number(0, 0),
            Explored(Number(1, 1), 0, SelectedSnps(()), (), ()),
            Explored(Number(1, 1), 1, SelectedSnps(("rs9",)), (Block("rs0", "rs0", 1),), (Cells((60, 0, 0, 0)),)),
            Explored(Number(1, 1), 1, SelectedSnps(("rs0",)), (Block("rs1", "rs1", 1),), (Cells((60, 0, 0, 0)),)),
            Explored(Number(1, 1), 1, SelectedSnps(("rs0",)), (Block("rs0", "rs0", 1),), (Cells((61, 0, 0, 0)),)),
        ],
    ),
]


@pytest.mark.parametrize(("question", "answers"), MISFITS)
def test_an_answer_that_cannot_be_is_found(question: Any, answers: list[Any]) -> None:
    for answer in answers:
        assert answer_problem(PLAN, question, answer) is not None, answer


def test_the_best_fitting_answers_fit() -> None:
    for question, answer in (
        (QUESTIONS[0], Number(4, 7)),
        (QUESTIONS[1], SelectedSnps(("rs8", "rs0", "rs4"))),
        (QUESTIONS[2], Block("rs1", "rs3", 3)),
        (QUESTIONS[2], Block(None, None, 0)),
        (QUESTIONS[3], Cells((-5, 65, 0, 0))),
        (QUESTIONS[4], Cells((-FAR, 0, 0, FAR + 60))),
    ):
        assert answer_problem(PLAN, question, answer) is None


def test_tables_of_three_columns_have_six_cells() -> None:
    plan = tiny_plan(60, 2, "genotypic", p=Fraction(1, 50))
    assert answer_problem(plan, SnpPval("rs1", "g", ONE), Cells((10,) * 6)) is None
    assert answer_problem(plan, SnpPval("rs1", "g", ONE), Cells((15,) * 4)) is not None
    assert answer_problem(plan, SnpCorr("rs0", "rs1", "r2", ONE), Cells((15,) * 4)) is None


def test_a_question_that_the_plan_has_not_is_refused() -> None:
    with pytest.raises(ParameterError):
        answer_problem(PLAN, SnpPval("rs99", "g", ONE), Cells((15,) * 4))
