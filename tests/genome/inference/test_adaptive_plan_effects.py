"""An exploration of effects: every path is enumerated, replayed from its answers alone, and anything else is refused."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest

from starling.genome.inference.adaptive_plan import follow_effects, replay_effects
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.measurements import FIXED, Cells, Drawn, ExploredEffects, NoisyScores, Number, SelectedSnps
from starling.genome.plan import ExploreEffects, LocSig, NumSig, Question, SnpEffects
from starling.genome.scores.locations import num_sig_outputs
from tests.genome.mechanism.distributions import tiny_plan

PLAN = tiny_plan(60, 4, "additive", "score")
QUERY = ExploreEffects("score", Fraction(1), most=2)
PAID = replace(QUERY, prevalence_epsilon=Fraction(1, 5))


def scores(snps: int) -> NoisyScores:
    return NoisyScores((5,) * snps, FIXED // 2, (FIXED,) * snps, (60,) * snps, (FIXED // 4,) * snps)


def paths(query: ExploreEffects) -> Iterator[tuple[ExploredEffects, list[tuple[Question, Drawn]]]]:
    """Every path, by number and places, with its questions and answers."""
    outputs = num_sig_outputs(query.number(PLAN).k, len(PLAN.snps))
    cases = None if query.prevalence_epsilon is None else 25
    for low, after in zip(outputs, (*outputs[1:], len(PLAN.snps) + 1), strict=True):
        number = Number(low, after - 1, cases)
        for chosen in permutations(PLAN.snps.ids, query.clamped(PLAN, number.high)):
            asked: list[tuple[Question, Drawn]] = []

            def ask(
                question: Question,
                known: Number | None,
                number: Number = number,
                chosen: tuple[str, ...] = chosen,
                asked: list[tuple[Question, Drawn]] = asked,
            ) -> Drawn:
                assert known == (number if asked else None)
                answers: dict[type[Question], Drawn] = {NumSig: number, LocSig: SelectedSnps(chosen)}
                answer = answers.get(type(question), scores(len(chosen)))
                asked.append((question, answer))
                return answer

            yield follow_effects(PLAN, query, ask), asked


@pytest.mark.parametrize("query", [QUERY, PAID, replace(QUERY, most=4)])
def test_along_every_path_the_questions_cost_what_was_charged_or_less(query: ExploreEffects) -> None:
    spent = set()
    for drawn, asked in paths(query):
        assert replay_effects(PLAN, query, drawn) == asked
        assert answer_problem(PLAN, query, drawn) is None
        for question, _ in asked:
            question.check(PLAN)
        costs = [question.guaranteed(PLAN.relation).cost.amount for question, _ in asked]
        kinds = [type(question) for question, _ in asked]
        assert kinds == ([NumSig] if drawn.number.high == 0 else [NumSig, LocSig, SnpEffects])
        spent.add(sum(costs))
    assert spent == {query.number(PLAN).epsilon, query.epsilon}


def test_answers_of_no_exploration_are_refused() -> None:
    good = ExploredEffects(Number(1, 1), SelectedSnps(("rs3",)), scores(1))
    assert answer_problem(PLAN, QUERY, good) is None
    for bad in (
        replace(good, number=Number(0, 0)),
        replace(good, number=Number(2, 3)),
        replace(good, number=Number(1, 2)),
        replace(good, number=Number(1, 1, 20)),
        replace(good, located=SelectedSnps(())),
        replace(good, located=SelectedSnps(("rs9",))),
        replace(good, located=SelectedSnps(("rs3", "rs3"))),
        replace(good, located=SelectedSnps(("rs3",), 20)),
        replace(good, scores=None),
        replace(good, scores=scores(2)),
        replace(good, scores=replace(scores(1), cases=20)),
        Cells((1, 2, 3, 4)),
    ):
        assert answer_problem(PLAN, QUERY, bad) is not None
    assert answer_problem(PLAN, PAID, good) is not None
    assert answer_problem(PLAN, PAID, replace(good, number=Number(1, 1, 20))) is None
