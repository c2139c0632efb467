"""The figures of the SafeTab paper (2022, Tables 1, 2 and 4, Appendices B, D, E, F): printed, by its own formulas, and exact.

Its formulas stand here to be compared and refuted, under the name `printed`. Nothing that releases uses them; a guarantee comes from
privacy.accounting.conversion, a margin of error from privacy.distributions.accuracy. Where a printed formula is
wrong, `wrong` says how, with both numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, log
from typing import Final, Literal, TypeAlias

from starling.privacy.accounting.conversion import Method, epsilon_at_delta, renyi_divergence
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Rho, decimal_up
from starling.privacy.distributions.accuracy import distribution_for_margin, margin, tail
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import MONOTONE, noise_event
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, as_replace_one
from starling.tables.plan.accuracy_targets import AccuracyTarget, Setting

Measure: TypeAlias = Literal["epsilon", "rho"]

STABILITY: Final = 9
GAMMA: Final = Fraction(1, 10)
DELTA: Final = Fraction(1, 10**10)
PRODUCTION: Final = Rho(Fraction("4.944"))
"""Of the 2020 release, to add or remove one person."""
ORDERS: Final = tuple(k / 100 for k in range(101, 1001))
"""Orders at which the paper looks for its least epsilon: 1.01, 1.02, ... 10.00."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of Tables 1 and 4 as printed.

    Attributes:
        level: Population group level.
        margin: Its 95 % margin of error, in persons.
        epsilon: Of step 2 and in all, geometric noise.
        rho: Of step 2 and in all, discrete Gaussian noise.
    """

    level: str
    margin: int
    epsilon: tuple[str, str]
    rho: tuple[str, str]


_SIX = (("3.84", "4.27"), ("0.481", "0.534"))
_ELEVEN = (("2.24", "2.49"), ("0.143", "0.159"))
_FIFTY = (("0.531", "0.59"), ("0.007", "0.008"))
TABLE_4: Final = (
    Line("nation, detailed", 6, *_SIX),
    Line("state, detailed", 6, *_SIX),
    Line("county, detailed", 11, *_ELEVEN),
    Line("AIANNH, detailed", 11, *_ELEVEN),
    Line("nation, regional", 50, *_FIFTY),
    Line("state, regional", 50, *_FIFTY),
    Line("county, regional", 50, *_FIFTY),
)


def printed_epsilon(moe: int) -> float:
    """Corollary 2 and equation 38. Misses its 95 % at every margin."""
    return log(20) / (moe + 1)


def printed_rho(moe: int) -> float:
    """Corollary 4 and equation 37. Keeps every whole margin, and pays too much."""
    return 1.92 / moe**2


def printed_geometric_margin(scale: float) -> int:
    """Equation 36: a floor where a ceiling is needed."""
    return floor(scale * log(40 / (1 + exp(1 / scale))))


def printed_lemma_8(order: float, epsilon: float) -> float:
    """Corollary 1: an integral over the reals under the normaliser of the integers. Below the truth everywhere."""
    up = 2 * order / (epsilon * (2 * order - 1)) * exp((order - 1) * epsilon)
    down = 2 * (order - 1) / (epsilon * (2 * order - 1)) * exp(-order * epsilon)
    return log((exp(epsilon) - 1) / (exp(epsilon) + 1) * (up + down)) / (order - 1)


def printed_table_2(divergence: Callable[[float, float], float], orders: Sequence[float] = ORDERS) -> float:
    """Equations 39 and 40 for geometric noise, with the divergence given (order, epsilon) and the printed budgets."""

    def epsilon(order: float) -> float:
        total = 0.0
        for line in TABLE_4:
            share = float(line.epsilon[1]) / STABILITY
            stages = divergence(order, 0.1 * share) + divergence(order, 0.9 * share)
            total += STABILITY * max(stages, divergence(order, share))
        return total + log(1 - 1 / order) + (-log(DELTA) - log(order)) / (order - 1)

    return min(map(epsilon, orders))


def rounded_as_printed(moe: int) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Epsilon and rho of step 2 and in all, as all printed numbers come about: ln 20 cut to 2.99, 1.96^2/2 = 1.9208, a count's
    parameter rounded to three and to four decimals, then times the stability, then divided by 1 - gamma.

    The rounding is our reconstruction: the paper does not state it, and every one of its 28 numbers follows.
    """
    epsilon = STABILITY * round(Fraction("2.99") / (moe + 1), 3)
    rho = STABILITY * round(Fraction("1.9208") / moe**2, 4)
    return (epsilon, epsilon / (1 - GAMMA)), (rho, rho / (1 - GAMMA))


def least(measure: Measure, moe: int) -> tuple[Fraction, Fraction]:
    """The least budget of a level that keeps the margin by exact tails: of step 2 and in all."""
    setting = Setting(measure, GAMMA, STABILITY, (1, 2, 3))
    need = setting.need(AccuracyTarget("cell", moe))
    if need is None:
        raise ValueError(moe)
    return (1 - GAMMA) * need, need


def safetab(budgets: Sequence[Fraction], law: Callable[[Fraction], Distribution]) -> Guarantee:
    """Algorithm 1 with one level for each budget; a group is counted once or in two stages (Algorithm 2)."""
    levels = []
    for number, budget in enumerate(budgets, start=1):
        share = budget / STABILITY
        once = measurement(f"level {number} total", ADD_REMOVE_PERSON, law(share))
        first = measurement(f"level {number} stage 1", ADD_REMOVE_PERSON, law(GAMMA * share))
        second = measurement(f"level {number} stage 2", ADD_REMOVE_PERSON, law((1 - GAMMA) * share))
        group = sequential(f"level {number} group", (first, second))
        levels.append(bounded_overlap(f"level {number}", STABILITY, (once, group)))
    return sequential("SafeTab", tuple(levels))


def geometric() -> Guarantee:
    """SafeTab with geometric noise and the printed budgets: epsilon 15.29."""
    return safetab([Fraction(line.epsilon[1]) for line in TABLE_4], lambda epsilon: DiscreteLaplace(1 / epsilon))


def gaussian() -> Guarantee:
    """SafeTab with discrete Gaussian noise and the printed budgets: rho 1.41."""
    return safetab([Fraction(line.rho[1]) for line in TABLE_4], lambda rho: DiscreteGaussian(1 / (2 * rho)))


@dataclass(frozen=True, slots=True)
class Loss:
    """One analysis of Table 2, at delta 1e-10.

    Attributes:
        noise: "geometric" or "discrete Gaussian".
        analysis: In words.
        printed: The paper's epsilon; empty where it has none.
        computed: Ours, with two decimals; rounded up where it is a guarantee.
        method: Of privacy.accounting.conversion; None where it is no guarantee.
    """

    noise: str
    analysis: str
    printed: str
    computed: str
    method: Method | None


def table_2() -> tuple[Loss, ...]:
    """Every analysis, the printed budgets given."""
    kinds = {"geometric": geometric(), "discrete Gaussian": gaussian()}
    rows: tuple[tuple[str, str, str, Method], ...] = (
        ("geometric", "pure DP", "15.3", "sum"),
        ("geometric", "Renyi orders, exact sum", "", "renyi"),
        ("geometric", "loss, exact by binomials", "", "pld"),
        ("discrete Gaussian", "zCDP, analytic", "12.8", "analytic"),
        ("discrete Gaussian", "zCDP, best order", "12.2", "renyi"),
        ("discrete Gaussian", "loss on a grid", "", "pld"),
    )
    losses = [
        Loss(noise, analysis, printed, decimal_up(epsilon_at_delta(kinds[noise], DELTA, method=method), 2), method)
        for noise, analysis, printed, method in rows
    ]
    lemma_8 = f"{printed_table_2(printed_lemma_8):.2f}"
    losses.insert(1, Loss("geometric", "Renyi orders, Lemma 8 as printed: no guarantee", "13.2", lemma_8, None))
    return tuple(losses)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the printed formulas do at one margin of error.

    Attributes:
        margin: Promised at 95 %, in persons.
        geometric: Chance that the error is within, under Corollary 2.
        gaussian: Chance that the error is within, under Corollary 4.
        epsilon: What a true 95 % needs beyond the printed epsilon, as a part of it; negative where less is enough.
        rho: What a true 95 % needs beyond the printed rho, as a part of it; negative where less is enough.
    """

    margin: int
    geometric: float
    gaussian: float
    epsilon: float
    rho: float


def coverage() -> tuple[Kept, ...]:
    """At 6, 11 and 50 persons."""
    return tuple(_kept(moe) for moe in sorted({line.margin for line in TABLE_4}))


def _kept(moe: int) -> Kept:
    epsilon, rho = printed_epsilon(moe), printed_rho(moe)
    laplace, gauss = DiscreteLaplace(1 / Fraction(epsilon)), DiscreteGaussian(1 / (2 * Fraction(rho)))
    needs = [
        noise_event(distribution_for_margin(kind, moe, "0.05")).cost.amount
        for kind in ("discrete_laplace", "discrete_gaussian")
    ]
    return Kept(
        moe,
        1 - tail(laplace, moe),
        1 - tail(gauss, moe),
        float(needs[0]) / epsilon - 1,
        float(needs[1]) / rho - 1,
    )


@dataclass(frozen=True, slots=True)
class Wrong:
    """A statement of the paper that fails.

    Attributes:
        where: In the paper.
        printed: What it says.
        holds: What holds, computed.
    """

    where: str
    printed: str
    holds: str


def wrong() -> tuple[Wrong, ...]:
    """Every wrong statement about cost and error, with a number that shows it."""
    count = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(1 / Fraction("0.427")))
    scale = 7
    base = round(Fraction(TABLE_4[0].epsilon[0]), 2)
    total = decimal_up(base / (1 - GAMMA), 2)
    lemma_8, truth = printed_lemma_8(2, 0.427), renyi_divergence(count, 2)
    exact_margin = margin(DiscreteLaplace(Fraction(scale)), "0.05")
    missed = tail(DiscreteGaussian(Fraction(1)), 1)
    losses = {loss.method: loss.computed for loss in table_2() if loss.noise == "geometric"}
    return (
        Wrong(
            "Lemma 8, Corollary 1",
            f"Renyi divergence of a count at order 2, epsilon 0.427: {lemma_8:.4f}",
            f"{truth:.4f}; printed is below the truth everywhere",
        ),
        Wrong(
            "Table 2", "13.2 by Renyi orders", f"its own equations give {losses[None]}, the exact sum {losses['renyi']}"
        ),
        Wrong(
            "Equation 36",
            f"95 % margin of geometric noise of scale {scale}: {printed_geometric_margin(scale)}",
            f"{exact_margin}: a ceiling, not a floor",
        ),
        Wrong(
            "Corollary 2",
            "epsilon = ln 20/(MOE + 1) has a 95 % margin of MOE",
            ", ".join(f"{100 * kept.geometric:.2f} % at {kept.margin}" for kept in coverage()),
        ),
        Wrong(
            "Corollary 3",
            "floor(1.96 sigma) is a 95 % margin for every sigma",
            f"at sigma 1 it is missed with {100 * missed:.1f} %; Corollary 4, at whole margins, holds",
        ),
        Wrong(
            "Appendix F.1",
            f"the budget is 1/gamma of step 2's: {decimal_up(base / GAMMA, 2)} for {decimal_up(base, 2)}",
            f"1/(1 - gamma): {total}, which the table has as {TABLE_4[0].epsilon[1]}",
        ),
    )


def replace_one() -> tuple[str, str]:
    """The production release under the other adjacency: by its events, which are counts, and by its total alone."""
    noise = DiscreteGaussian(1 / (2 * PRODUCTION.amount))
    counts = measurement("counts", ADD_REMOVE_PERSON, noise, 1, MONOTONE)
    return str(replace_one_cost(counts)), str(as_replace_one(PRODUCTION))
