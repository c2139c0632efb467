"""How far a selected answer may be from the best one.

Scores count patients: of a SNP how many more than another's must be replaced before it stops being significant, of a number or a block
how many must be replaced before it becomes the true answer. One round of the exponential mechanism takes each candidate with probability
proportional to e^(r score), r = epsilon/(2 k) with k rounds. Of M candidates the worst case for a miss by more than t is one best score
and M - 1 scores t + 1 below it, because scores are whole numbers:

    P(the score is more than t below the best of the candidates left) <= (M - 1) w/(1 + (M - 1) w) <= M e^(-r t),    w = e^(-r (t + 1))

The right side is what Johnson and Shmatikov 2013, Theorem 6, state; the left side is attained. Permute-and-flip is never worse
(McKenna and Sheldon 2020, Theorem 2).

It is about patients. Of two SNPs the one with the smaller p-value may be fewer patients beyond significance, a rare one above all; then
loc_sig prefers the other, at any budget.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, log1p

from starling.errors import ParameterError


@dataclass(frozen=True, slots=True)
class SelectionError:
    """The statement that goes with a selection; public, whatever the answer was.

    Attributes:
        candidates: M, among how many the first round chose.
        epsilon: The cost of all rounds together.
        rounds: How many rounds there are, k.
    """

    candidates: int
    epsilon: Fraction
    rounds: int = 1

    def beyond(self, patients: int) -> float:
        """The most that P(a round's answer scores more than `patients` below the best that was left) can be.

        >>> round(SelectionError(100_000, Fraction(1), 2).beyond(60), 4)
        0.0233
        """
        if patients < 0:
            raise ParameterError(field="patients", problem="are below 0", fix="give 0 or more")
        if self.candidates == 1:
            return 0.0
        x = log(self.candidates - 1) - self._rate * (patients + 1)
        return exp(x - log1p(exp(x))) if x < 0 else 1 / (1 + exp(-x))

    def within(self, alpha: Fraction) -> int:
        """The fewest patients t with P(off by more than t) <= alpha in every round together.

        Each of the k rounds is given alpha/k (union bound).

        Raises:
            ParameterError: for alpha outside (0, 1).
        """
        if not 0 < alpha < 1:
            raise ParameterError(field="alpha", problem="is not between 0 and 1", fix='give a number such as "0.05"')
        share = float(alpha / self.rounds)
        if self.candidates == 1:
            return 0
        guess = max(0, ceil((log(self.candidates - 1) - log(share) + log1p(-share)) / self._rate) - 2)
        while self.beyond(guess) > share:
            guess += 1
        return guess

    @property
    def _rate(self) -> float:
        return float(self.epsilon / (2 * self.rounds))
