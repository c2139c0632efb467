"""Lists of many SNPs at an epsilon and a delta: what each round may cost, by the range of the exponential mechanism's losses.

In pure DP k rounds of epsilon_0 cost k epsilon_0. The exponential mechanism has losses of range epsilon_0, so that k rounds are zCDP of
k epsilon_0^2/8 (privacy/events.py), and for long lists the epsilon at a delta that follows is far below k epsilon_0: at (2, 10^-6) each of
100 SNPs may cost 0.084 in place of 0.02. Permute-and-flip has no such range.
"""

from dataclasses import replace
from fractions import Fraction

from starling.errors import ParameterError
from starling.genome.plan.queries import LocSig
from starling.privacy.accounting.largest_budget import largest_factor
from starling.privacy.budget import Exact, chance, positive


def at_delta(question: LocSig, delta: Exact) -> LocSig:
    """The list with the largest costs, in its proportions, that keep its epsilon at `delta`; its own epsilon is kept at delta 0 by itself.

    A population in rho is charged what the rounds cost there, k epsilon_0^2/8; one in epsilon their sum, which is larger than the epsilon
    at `delta`.

    Raises:
        ParameterError: `delta` is not above 0 and below 1, or epsilon is not above 0.

    >>> longer = at_delta(LocSig("g", 100, "2"), "1e-6")
    >>> round(float(longer.event.epsilon), 4), at_delta(LocSig("g", 2, "2"), "1e-6").epsilon
    (0.084, Fraction(2, 1))
    """
    positive(question.epsilon, field="epsilon")
    chance(delta, field="delta")

    def at(factor: Fraction) -> LocSig:
        part = question.prevalence_epsilon
        paid = None if part is None else factor * part
        return replace(question, epsilon=factor * question.epsilon, prevalence_epsilon=paid)

    try:
        factor = largest_factor(lambda factor: at(factor).guarantee, question.epsilon, delta)
    except ParameterError:  # No factor was found; 1 keeps it at delta 0.
        factor = Fraction(1)
    return at(max(factor, Fraction(1)))
