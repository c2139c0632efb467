"""Randomized response: each answer, one of k, is told as it is, or turned into another by a coin of its own, with exactly its distribution.

Privacy. Neighbours differ in one person's answer. It is kept with probability e^epsilon/(e^epsilon + k - 1), else each of the k - 1 others
has the probability 1/(e^epsilon + k - 1), whatever all other people's are: each output has at most e^epsilon times the probability under
the neighbour, and exactly that for one of them: epsilon-DP (Warner 1965, k = 2; of all channels of a binary secret none gives more at that
cost, Kairouz, Oh and Viswanath 2016, who have k of them too). Whatever is computed from the whole response, however often, is
post-processing. A second response about the same answers is a charge of its own.

How. A coin turns when the word that was drawn for it, the first 64 binary digits of a uniform U, shows that U < q, q = (k - 1)/(e^epsilon +
k - 1). With t the whole part of q 2^64, words below t turn, words above t do not; word t, of probability 2^-64, is decided by further words
and an Arb ball of q (q is irrational, Lindemann). An answer that turns moves on by 1 to k - 1 places in a circle, as many as a uniform draw
says; of two answers there is one way, and no draw. All coins take the same steps, whatever the answers are.

Written here, because no package at hand draws such coins exactly for a rational epsilon.
"""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, fmpz

from starling.errors import ParameterError
from starling.privacy.budget import Exact, positive
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision
from starling.privacy.sampling.entropy import BitSource, system
from starling.privacy.sampling.exact_draws import WORD, below, word

Bool: TypeAlias = npt.NDArray[np.bool_]
Int64: TypeAlias = npt.NDArray[np.int64]

BLOCK = 1 << 16
"""Coins at a time."""


def randomized_response(answers: Bool, epsilon: Exact, *, source: BitSource | None = None) -> Bool:
    """Each answer, kept with probability e^epsilon/(1 + e^epsilon), else turned round; independently.

    Args:
        answers: bool of shape (n,). Confidential.
        epsilon: The cost of the whole response, relation "replace one person's answer"; exact, above 0.
        source: The source of random words; the operating system's unless a test says otherwise.

    Returns:
        bool of shape (n,).

    Raises:
        ParameterError: for epsilon, and by the type and shape of `answers`, never by an answer.
    """
    if answers.dtype != np.bool_ or answers.ndim != 1:
        raise ParameterError("answers", "are no row of true and false", "give bool of shape (n,)")
    return randomized_choice(answers.astype(np.int64), epsilon, 2, source=source).astype(np.bool_)


def randomized_choice(answers: Int64, epsilon: Exact, values: int, *, source: BitSource | None = None) -> Int64:
    """Each answer, kept with probability e^epsilon/(e^epsilon + k - 1), else one of the others, all equally likely; independently.

    Args:
        answers: int64 of shape (n,), from 0 to k - 1; others are taken modulo k. Confidential.
        epsilon: The cost of the whole response, relation "replace one person's answer"; exact, above 0.
        values: k, at least 2.
        source: The source of random words; the operating system's unless a test says otherwise.

    Returns:
        int64 of shape (n,), from 0 to k - 1.

    Raises:
        ParameterError: for epsilon and k, and by the type and shape of `answers`, never by an answer.
    """
    rate = positive(epsilon, field="epsilon")
    if values < 2:
        raise ParameterError("values", "are fewer than two", "give 2 or more")
    if answers.dtype != np.int64 or answers.ndim != 1:
        raise ParameterError("answers", "are no row of whole numbers", "give int64 of shape (n,)")
    source = system() if source is None else source
    edge = _edge(rate, values)
    out = answers % values
    words = np.empty(min(answers.size, BLOCK), dtype=np.uint64)
    for start in range(0, answers.size, BLOCK):
        part = words[: min(BLOCK, answers.size - start)]
        source.fill(part)
        turned = part < np.uint64(edge)
        for place in np.flatnonzero(part == np.uint64(edge)).tolist():
            turned[place] = _turned(rate, values, edge, source)
        places = start + np.flatnonzero(turned)
        moved = [1 if values == 2 else 1 + below(values - 1, source) for _ in range(places.size)]
        out[places] = (out[places] + np.array(moved, dtype=np.int64)) % values
    return out


def _edge(epsilon: Fraction, values: int) -> int:
    """The whole part of 2^64 (k - 1)/(e^epsilon + k - 1), below 2^64."""
    bits = 2 * WORD
    while True:
        with precision(bits):
            whole = (_chance(epsilon, values) * (fmpz(1) << WORD)).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        bits *= 2


def _turned(epsilon: Fraction, values: int, first: int, source: BitSource) -> bool:
    """Whether a coin turns of which the first word is known, and does not decide."""
    digits, words = first, 1
    while True:
        digits, words = digits << WORD | word(source), words + 1
        with precision(WORD * (words + 2)):
            edge = _chance(epsilon, values) * (fmpz(1) << (WORD * words))
            if edge >= digits + 1:
                return True
            if edge <= digits:
                return False


def _chance(epsilon: Fraction, values: int) -> arb:
    """(k - 1)/(e^epsilon + k - 1), at the precision of the moment."""
    return (values - 1) / (values - 1 + ball(epsilon).exp())
