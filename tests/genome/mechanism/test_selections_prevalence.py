"""The paid number of cases: a part of epsilon, drawn first, and the threshold of the score test follows from it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.artifact.tables import schemas
from starling.genome.asking import QuestionPlan
from starling.genome.distance.adjusted import prevalence_variance, score_threshold, squares_variance
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.inference.answers import selection_error
from starling.genome.measurements import Number, SelectedSnps
from starling.genome.mechanism import selections
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import LocSig, NumSig
from starling.genome.plan.choices import PHENOTYPE_QUESTIONS
from starling.genome.plan.queries import selecting
from starling.genome.postprocess.wording import answer_text
from starling.privacy.budget import Epsilon
from starling.privacy.events import DiscreteLaplaceNoise
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from starling.release.codec import decode, encode
from tests.genome.mechanism.distributions import HUGE, TinyStudy, tiny_plan

PLAN = tiny_plan(60, 9, "additive", "score")
PERSONS = tiny_plan(60, 9)
TENTH = Fraction(1, 10)
QUESTIONS: list[Any] = [
    NumSig("score", 3, Fraction(1), prevalence_epsilon=TENTH),
    LocSig("score", 2, Fraction(1), prevalence_epsilon=TENTH),
]


class Watched(TinyStudy):
    """Remembers the thresholds that it was asked for."""

    def score_distances(self, indices: Any, threshold: int, /) -> Any:
        self._counted[threshold] = (np.empty(0, dtype=np.int16), np.empty(0, dtype=np.int64))
        return super().score_distances(indices, threshold)

    @property
    def thresholds(self) -> list[Any]:
        return list(self._counted)


def a_study(cases: int = 6) -> Watched:
    random = np.random.default_rng(4)
    return Watched(
        random.integers(0, 3, (60, 9)).astype(np.int8), random.permutation(np.arange(60) < cases), "additive"
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_parts_are_charged_together(question: Any) -> None:
    guarantee = mechanism_of(PLAN, question).guarantee
    assert (guarantee.cost, guarantee.relation) == (Epsilon(Fraction(1)), REPLACE_PHENOTYPE)
    first, second = guarantee.parts
    assert first.event == DiscreteLaplaceNoise(Fraction(10), Fraction(1))
    assert second.cost == Epsilon(Fraction(9, 10))
    assert selection_error(PLAN, question).epsilon == selecting(question) == Fraction(9, 10)
    assert mechanism_of(PLAN, replace(question, prevalence_epsilon=None)).guarantee.parts != guarantee.parts


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_threshold_follows_from_the_noisy_number_alone(question: Any) -> None:
    study = a_study()
    answers: list[Any] = [mechanism_of(PLAN, question).draw(study) for _ in range(12)]
    assert len({answer.cases for answer in answers}) > 3
    expected = [score_threshold(PLAN.p_threshold, prevalence_variance(answer.cases, 60)) for answer in answers]
    assert study.thresholds == list(dict.fromkeys(expected))
    assert all(answer_problem(PLAN, question, answer) is None for answer in answers)
    plain = a_study()
    unpaid: Any = mechanism_of(PLAN, replace(question, prevalence_epsilon=None)).draw(plain)
    assert unpaid.cases is None
    assert plain.thresholds == [score_threshold(PLAN.p_threshold)]


@pytest.mark.statistical
def test_the_number_has_the_noise_that_is_charged() -> None:
    """The mean square of 1,000 draws is within seven deviations of the variance but for a chance of 1e-8: squares are skew, and within five
    they would not be with one of 8e-6, by the exact distribution. At half or twice the scale it is off by more."""
    study = a_study(20)

    def square(epsilon: Fraction) -> float:
        question = NumSig("score", 0, HUGE, prevalence_epsilon=epsilon)
        drawn = [selections.paid_number(PLAN, question, study)["cases"] for _ in range(1000)]
        return float(np.mean((np.array(drawn) - 20) ** 2))

    # The variance is 2 q/(1 - q)^2 = 1.84 with q = 1/e, the fourth moment 22.2: seven deviations are .96.
    assert abs(square(Fraction(1)) - 1.84) < 0.96
    assert all(abs(square(epsilon) - 1.84) > 1.2 for epsilon in (Fraction(1, 2), Fraction(2)))


@pytest.mark.parametrize(
    ("plan", "changes", "problem"),
    [
        (PERSONS, {"test": "g"}, "is of the score test alone, which plans that protect all of a person have not"),
        (PLAN, {"prevalence_epsilon": "1"}, "is not from 1/4096 to less than epsilon"),
        (PLAN, {"prevalence_epsilon": "0"}, "is not from 1/4096 to less than epsilon"),
        (PLAN, {"prevalence_epsilon": 0.5}, "prevalence_epsilon is a float"),
    ],
)
def test_what_cannot_be_paid_is_refused(plan: Any, changes: dict[str, Any], problem: str) -> None:
    for question in QUESTIONS:
        with pytest.raises(ParameterError, match=problem):
            replace(question, **changes).check(plan)


def test_answers_have_a_number_of_cases_where_it_was_paid() -> None:
    number, snps = QUESTIONS
    unpaid = replace(number, prevalence_epsilon=None)
    for question, answer in (
        (number, Number(1, 1)),
        (unpaid, Number(1, 1, 20)),
        (snps, SelectedSnps(("rs1", "rs2"))),
        (number, Number(1, 1, 1 << 40)),
    ):
        assert "a number of cases" in (answer_problem(PLAN, question, answer) or "")


def test_questions_without_it_are_written_as_before() -> None:
    number = replace(QUESTIONS[0], prevalence_epsilon=None)
    assert number.as_json().keys() == {"ask", "test", "k", "epsilon", "selection"}
    assert encode(Number, Number(1, 2)) == {"low": 1, "high": 2}
    for answer in (Number(1, 2), Number(1, 2, -3)):
        assert decode(Number, encode(Number, answer)) == answer
    said: dict[str, Any] = {"kind": "num_sig", "k": 3, "epsilon": "1"}
    asked = QuestionPlan(PLAN)
    assert asked.ask(said).question == asked.ask({**said, "prevalence_epsilon": None}).question == number
    assert asked.ask({**said, "prevalence_epsilon": "0.1"}).question == QUESTIONS[0]
    with pytest.raises(ParameterError, match=r"prevalence_epsilon is not what it should be, as a text"):
        asked.ask({**said, "prevalence_epsilon": 1})
    schemas: list[Any] = [QuestionPlan(plan).schema["oneOf"] for plan in (PLAN, PERSONS)]
    fields = [each["properties"] for schema in schemas for each in schema]
    assert sum("prevalence_epsilon" in each for each in fields) == 4
    assert [each["title"] for each in schemas[0]] == list(PHENOTYPE_QUESTIONS)


RANGED = replace(PLAN, between=(Fraction(0), Fraction(10)), steps=20)


class Quantitative(Watched):
    """Phenotypes from 0 to 20, of which the sum of squares about the mean is 6 whole squares of the range."""

    def levels(self) -> Any:
        return np.where(np.arange(60) % 2, 6, 18) - (np.arange(60) == 0)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_threshold_of_a_quantitative_phenotype_follows_from_noisy_squares(question: Any) -> None:
    cases = a_study()
    study = Quantitative(cases.copies, cases.cases, "additive")
    answers: list[Any] = [mechanism_of(RANGED, question).draw(study) for _ in range(12)]
    assert len({answer.squares for answer in answers}) > 3
    assert {answer.cases for answer in answers} == {None}
    expected = [score_threshold(RANGED.p_threshold, squares_variance(answer.squares, 60, 20)) for answer in answers]
    assert study.thresholds == list(dict.fromkeys(expected))
    assert all(answer_problem(RANGED, question, answer) is None for answer in answers)
    for answer in (
        replace(answers[0], squares=None),
        replace(answers[0], cases=1),
        replace(answers[0], squares=1 << 40),
    ):
        assert "a number of cases or squares" in (answer_problem(RANGED, question, answer) or "")
    sure = replace(question, epsilon=HUGE, prevalence_epsilon=HUGE / 2)
    drawn: Any = mechanism_of(RANGED, sure).draw(study)
    assert drawn.squares == 5
    text = " ".join(answer_text(RANGED, sure, drawn))
    assert "The standard deviation of the phenotype is about 2.89, with noise" in text
    assert added_tables(RANGED, sure) == ["variance"]


def added_tables(plan: Any, question: Any) -> list[str]:
    """Tables of a question beside those of every such question."""
    unpaid = replace(question, prevalence_epsilon=None)
    return [name for name in schemas(plan, question) if name not in schemas(plan, unpaid)]
