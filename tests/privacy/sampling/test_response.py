"""Randomized response: exactly its distribution, word by word; what follows from it is the audit's (tests/audit)."""

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.sampling import response
from starling.privacy.sampling.response import randomized_choice, randomized_response
from tests.privacy.sources import Scripted

EPSILONS = [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40), Fraction(4 * 10**9)]


def chance(epsilon: Fraction, bits: int, values: int = 2) -> mpmath.mpf:
    """2^bits times the chance of being turned, by definition; the caller sets the digits."""
    grown = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
    return mpmath.ldexp((values - 1) / (grown + values - 1), bits)


def turned(epsilon: Fraction, *words: int) -> bool:
    """Whether these words turn an answer round; a yes and a no are treated alike."""
    outcomes = [randomized_response(np.array([answer]), epsilon, source=Scripted(words))[0] for answer in (False, True)]
    assert outcomes[0] != outcomes[1]
    return bool(outcomes[0])


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_every_word_turns_as_the_distribution_says(epsilon: Fraction) -> None:
    """All words below the edge turn, all above do not, and the one at the edge goes on to the next word with the digits beyond it.

    So the chance is within 2^-192 of 1/(1 + e^epsilon), and words never run out.
    """
    with mpmath.workdps(100):
        whole = int(mpmath.floor(chance(epsilon, 192)))
    digits = [whole >> 128, whole >> 64 & (1 << 64) - 1, whole & (1 << 64) - 1]
    for place, digit in enumerate(digits):
        if digit:
            assert turned(epsilon, *digits[:place], digit - 1)
        assert not turned(epsilon, *digits[:place], digit + 1)
    with pytest.raises(EOFError):
        turned(epsilon, *digits)


def test_people_are_answered_apart_and_their_words_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all answers of three people and all their coins: each of the eight outcomes once, and blocks change nothing."""
    low, high = 0, 2**64 - 1
    for size, answers in product((1, 2, 8), product((False, True), repeat=3)):
        monkeypatch.setattr(response, "BLOCK", size)
        outcomes = {
            tuple(randomized_response(np.array(answers), 1, source=Scripted(words)).tolist())
            for words in product((low, high), repeat=3)
        }
        assert len(outcomes) == 2**3
        first = randomized_response(np.array(answers), 1, source=Scripted((low, high, high)))
        assert first.tolist() == [not answers[0], *answers[1:]]


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(7, 2), Fraction(40)], ids=str)
@pytest.mark.parametrize("values", [3, 4, 8])
def test_every_word_turns_one_of_several_answers_as_the_distribution_says(epsilon: Fraction, values: int) -> None:
    """Words below the edge turn and all above do not, and the one at the edge goes on with the digits beyond it, as for two answers."""
    with mpmath.workdps(100):
        whole = int(mpmath.floor(chance(epsilon, 128, values)))
    edge, rest = divmod(whole, 1 << 64)

    def moved(*words: int) -> list[int]:
        # A last word of 2^63 never is one too many, and says which of the others it becomes.
        starts = range(values)
        return [
            int(randomized_choice(np.array([at]), epsilon, values, source=Scripted([*words, 1 << 63]))[0] - at) % values
            for at in starts
        ]

    middle = 1 + (values - 1) // 2
    for words, turns in (
        ((edge - 1,), True),
        ((edge + 1,), False),
        ((edge, rest - 1), True),
        ((edge, rest + 1), False),
    ):
        if min(words) >= 0:
            assert moved(*words) == [middle if turns else 0] * values


def test_an_answer_that_turns_becomes_each_other_with_the_same_probability() -> None:
    """Of the 2^64 words that say which, those that are accepted fall into k - 1 runs of the same length."""
    for values in (3, 4, 6, 8):
        others, runs = values - 1, []
        for each in range(others):
            # Words w with each <= w others / 2^64 < each + 1, less those whose low part is one too many.
            first = -(-(each * 2**64 + 2**64 % others) // others)
            last = ((each + 1) * 2**64 - 1) // others
            for w in (first, (first + last) // 2, last):
                drawn = randomized_choice(np.array([1]), 1, values, source=Scripted([0, w]))
                assert drawn.tolist() == [(2 + each) % values]
            runs.append(last - first + 1)
        assert len(set(runs)) == 1
        if 2**64 % others:
            with pytest.raises(EOFError):
                randomized_choice(np.array([1]), 1, values, source=Scripted([0, 0]))


def test_two_answers_take_the_words_that_yes_and_no_take() -> None:
    words = [0, 2**64 - 1, 2**62, 2**63]
    told = randomized_response(np.array([True, True, False, False]), 1, source=Scripted(words))
    assert randomized_choice(np.array([1, 1, 0, 0]), 1, 2, source=Scripted(words)).tolist() == told.tolist()


def test_answers_are_left_as_they_are() -> None:
    answers = np.array([True, False])
    assert randomized_response(answers, 1, source=Scripted([0, 0])).tolist() == [False, True]
    assert answers.tolist() == [True, False]
    assert randomized_response(np.zeros(0, dtype=np.bool_), 1).size == 0


@pytest.mark.parametrize(
    ("answers", "epsilon", "problem"),
    [
        (np.array([True]), 0, "epsilon is not above 0"),
        (np.array([True]), 0.5, "epsilon is a float"),
        (np.array([1]), 1, "answers are no row of true and false"),
        (np.array([[True]]), 1, "answers are no row of true and false"),
    ],
)
def test_what_is_no_response_is_refused(answers: Any, epsilon: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        randomized_response(answers, epsilon)


@pytest.mark.parametrize(
    ("answers", "values", "problem"),
    [
        (np.array([True]), 3, "answers are no row of whole numbers"),
        (np.array([[1]]), 3, "answers are no row of whole numbers"),
        (np.array([1]), 1, "values are fewer than two"),
    ],
)
def test_what_is_no_choice_is_refused(answers: Any, values: int, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        randomized_choice(answers, 1, values)
