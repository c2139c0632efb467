"""An exploration is replayed from its answers alone, and answers that are not of one exploration are refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.genome.inference.adaptive_plan import follow, replay
from starling.genome.measurements import Block, Cells, Drawn, Explored, Number, SelectedSnps
from starling.genome.mechanism.explore import ExploreMechanism, mechanism_of
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Query, SnpPval
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan

PLAN = tiny_plan(60, 9, p=Fraction(1, 1000))
QUESTIONS = [
    Explore("g", "r2", Fraction(1, 5), Fraction(2), most=3),
    Explore("g", "r2", Fraction(1, 5), Fraction(2), most=3, independent=True),
    Explore("g", "r2", Fraction(1, 5), Fraction(2), most=9, longest=1, independent=True),
]


def drawn(question: Explore, seed: int) -> tuple[Explored, list[tuple[Query, Drawn]]]:
    """An exploration of noise, and what it asked."""
    random = np.random.default_rng(seed)
    study = TinyStudy(random.integers(0, 2, (60, 9)).astype(np.int8), random.random(60) < 0.5, "dominant")
    asked: list[tuple[Query, Drawn]] = []

    def ask(query: Query) -> Drawn:
        answer = mechanism_of(PLAN, query).draw(study)
        asked.append((query, answer))
        return answer

    return follow(PLAN, question, ask), asked


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_asked_is_found_again(question: Explore) -> None:
    """False alarm: no exploration of 120 goes beyond its first question, where about a fifth of them do, 0.8^120 or 2e-12."""
    lengths = set()
    for seed in range(120):
        answers, asked = drawn(question, seed)
        assert replay(PLAN, question, answers) == asked
        assert sum((query.epsilon for query, _ in asked), Fraction(0)) <= question.epsilon
        lengths.add(len(asked))
    assert len(lengths) > 1


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_mechanism_asks_the_same_questions(question: Explore) -> None:
    random = np.random.default_rng(1)
    study = TinyStudy(random.integers(0, 2, (60, 9)).astype(np.int8), random.random(60) < 0.5, "dominant")
    for _ in range(5):
        answers = ExploreMechanism(PLAN, question).draw(study)
        kinds = [type(query) for query, _ in replay(PLAN, question, answers)]
        assert kinds[0] is NumSig
        assert kinds.count(SnpPval) == len(answers.located.snps)
        assert kinds.count(LocBlock) == len(answers.blocks)
        assert kinds.count(LocSig) == (len(answers.located.snps) if question.independent else min(answers.followed, 1))


def plain(plan: Plan, question: Explore) -> Explored:
    """Three SNPs, each a block."""
    snps = ("rs0", "rs3", "rs6")
    cells = Cells((15, 15, 15, 15))
    return Explored(Number(3, 3), 3, SelectedSnps(snps), tuple(Block(snp, snp, 1) for snp in snps), (cells,) * 3)


@pytest.mark.parametrize("question", QUESTIONS[:2])
def test_answers_of_no_exploration_are_refused(question: Explore) -> None:
    good = plain(PLAN, question)
    assert len(replay(PLAN, question, good)) == (8 if not question.independent else 10)
    for bad in (
        replace(good, number=Number(0, 0)),
        replace(good, followed=2),
        replace(good, located=SelectedSnps(good.located.snps[:2])),
        replace(good, blocks=good.blocks[:2]),
        replace(good, blocks=(*good.blocks, Block("rs8", "rs8", 1))),
        replace(good, tables=good.tables[:2]),
        replace(good, tables=good.tables * 2),
    ):
        with pytest.raises((ValueError, IndexError)):
            replay(PLAN, question, bad)


def test_an_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError):
        follow(PLAN, QUESTIONS[0], lambda _: Cells((1, 2, 3, 4)))
