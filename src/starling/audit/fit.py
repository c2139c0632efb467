"""Whether draws have the distribution that is stated, certified: no outcome is certainly too frequent or too rare.

Each outcome's true probability lies in Clopper and Pearson's exact interval of how often it was drawn, but with a chance that is shared out
equally among the outcomes (Bonferroni): a right distribution is rejected with a chance of at most `false_alarm`. Outcomes that are not
listed are one more outcome.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import sqrt
from statistics import NormalDist
from typing import Final, Literal, TypeAlias

import numpy as np
from flint import arb

from starling.audit import exact
from starling.audit.case import Int64
from starling.audit.core_cases import SPLIT, flip, opendp_0_14_1, select
from starling.audit.exact import Bracket, Probability
from starling.audit.falsifier import at_most
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.precision import precision
from starling.privacy.sampling.entropy import BitSource, system
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_gaussian, discrete_laplace

Distribution: TypeAlias = Mapping[int, Probability]

POWER: Final = 0.9
_FAR: Final = 40
"""Noise of this size or more is one outcome where costs are computed."""
_NEAR: Final = 20
"""Noise of this size or more is one outcome where draws are compared."""
_ORDERS: Final = (Fraction(3, 2), Fraction(2), Fraction(8))
"""Renyi orders at which rho is computed."""
_SCORES: Final = [0, 1, 3, 7]
_ONE: Final = Fraction(1)
_SHELLS: Final = 9
"""Lattice noise of this norm or more is one outcome."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is drawn, the distribution that is stated of it, and what neighbours cost under that distribution, computed.

    Attributes:
        flaw: What is wrong with it; empty for what a release draws.
        draw: Independent draws as integers, int64 (draws,), from a source of words.
        distribution: The probability of each outcome, by the definition and not by the sampler's tables.
        cost: What the distribution costs on a pair of neighbours, computed with certified arithmetic.
    """

    name: str
    flaw: str
    draw: Callable[[int, BitSource], Int64]
    distribution: Callable[[], Distribution]
    claim: Cost
    cost: Callable[[], Bracket]
    draws: int


@dataclass(frozen=True, slots=True)
class Fit:
    """What was found of some draws.

    Attributes:
        wrong: An outcome that is certainly too frequent or too rare; None where no outcome is.
        resolution: A relative error in the probability of the likeliest outcome that is found with a chance of POWER or more, about.
    """

    wrong: Hashable | None
    resolution: float


def fit(stated: Stated, *, false_alarm: float = 1e-6, source: BitSource | None = None) -> Fit:
    """Draw, and compare with the stated distribution."""
    expected = {outcome: exact.enclosed(chance) for outcome, chance in stated.distribution().items()}
    drawn, counts = np.unique(stated.draw(stated.draws, system() if source is None else source), return_counts=True)
    seen = dict(zip(drawn.tolist(), counts.tolist(), strict=True))
    hits = {outcome: seen.pop(outcome, 0) for outcome in expected}
    level = false_alarm / (2 * (len(expected) + 1))
    rest = Bracket(
        max(0.0, 1 - sum(chance.high for chance in expected.values()) - 1e-9),
        max(0.0, 1 - sum(chance.low for chance in expected.values())) + 1e-9,
    )
    tested = [
        *((outcome, hits[outcome], chance) for outcome, chance in expected.items()),
        ("rest", sum(seen.values()), rest),
    ]

    def refuted(number: int, chance: Bracket) -> bool:
        rare = at_most(chance.high, number, stated.draws, level)
        return rare or at_most(1 - chance.low, stated.draws - number, stated.draws, level)

    wrong = next((outcome for outcome, number, chance in tested if refuted(number, chance)), None)
    likeliest = max(chance.high for chance in expected.values())
    deviates = NormalDist().inv_cdf(1 - level) + NormalDist().inv_cdf(POWER)
    return Fit(wrong, deviates * sqrt((1 - likeliest) / (likeliest * stated.draws)))


def _noise(
    name: str,
    sampler: Callable[..., Int64],
    parameter: Fraction,
    distribution: Callable[[int], Distribution],
    claim: Cost,
    flaw: str,
) -> Stated:
    """Noise on a count: its distribution, pooled beyond some reach, and its cost for counts that differ by 1."""

    def draw(number: int, source: BitSource) -> Int64:
        return sampler(parameter, number, source=source)

    def cost() -> Bracket:
        wide = distribution(_FAR + 2)
        pair = exact.pooled(wide, -_FAR, _FAR), exact.pooled(exact.shifted(wide, 1), -_FAR, _FAR)
        return exact.epsilon(*pair) if isinstance(claim, Epsilon) else exact.rho(*pair, _ORDERS)

    def listed() -> Distribution:
        inner = dict(distribution(_NEAR))
        # The ends hold all that lies beyond.
        del inner[-_NEAR], inner[_NEAR]
        return inner

    return Stated(name, flaw, draw, listed, claim, cost, 200_000)


def laplace(scale: Fraction, drawn: Fraction | None = None, flaw: str = "") -> Stated:
    """Discrete Laplace noise of a scale; drawn with another one, if that is said."""
    name, by_definition = f"discrete Laplace, scale {scale}", partial(exact.laplace_distribution, scale)
    return _noise(name, discrete_laplace, drawn or scale, by_definition, Epsilon(1 / scale), flaw)


def gaussian(sigma_squared: Fraction, drawn: Fraction | None = None, flaw: str = "") -> Stated:
    """Discrete Gaussian noise of a sigma squared; drawn with another one, if that is said."""
    name, by_definition = (
        f"discrete Gaussian, sigma^2 {sigma_squared}",
        partial(exact.gaussian_distribution, sigma_squared),
    )
    return _noise(name, discrete_gaussian, drawn or sigma_squared, by_definition, Rho(1 / (2 * sigma_squared)), flaw)


def lattice(columns: Literal[2, 3]) -> Stated:
    """Lattice noise at epsilon 1: its norm, and where it lies among the vectors of norm 1."""
    cells = 2 * columns

    def draw(number: int, source: BitSource) -> Int64:
        noise = lattice_noise(1, number, columns=columns, source=source).reshape(number, cells)
        norm = np.maximum(noise, 0).sum(axis=1)
        where = noise.argmax(axis=1) * cells + noise.argmin(axis=1)
        return np.asarray(np.where(norm == 1, 100 + where, norm), dtype=np.int64)

    def distribution() -> Distribution:
        shells = exact.shell_distribution(cells, _SHELLS)
        ones = [(up, down) for up, down in product(range(cells), repeat=2) if up != down]
        each = {100 + up * cells + down: shells[1] / len(ones) for up, down in ones}
        return each | {norm: chance for norm, chance in shells.items() if norm != 1}

    def cost() -> Bracket:
        vectors = [z for z in product(range(-2, 3), repeat=cells) if sum(z) == 0]
        moved = [(z[0] - 1, z[1] + 1, *z[2:]) for z in vectors]
        with precision(256):
            sides = [
                {z: arb(-sum(max(count, 0) for count in there)).exp() for z, there in zip(vectors, shift, strict=True)}
                for shift in (vectors, moved)
            ]
        return exact.epsilon(*sides)

    return Stated(f"lattice noise, 2 x {columns} table", "", draw, distribution, Epsilon(Fraction(1)), cost, 20_000)


def selection(kind: Literal["exponential", "permute-and-flip"]) -> Stated:
    """A selection at epsilon 1 among a few scores; its cost where one record moves every one of 21 scores, near the worst."""
    by_definition = exact.exponential_distribution if kind == "exponential" else exact.permute_and_flip_distribution

    mechanism = select(1) if kind == "exponential" else flip(1)

    def draw(number: int, source: BitSource) -> Int64:
        return mechanism(np.array(_SCORES, dtype=np.int64), number, source).reshape(-1)

    def of(scores: list[int]) -> dict[int, Probability]:
        distribution = by_definition(scores, _ONE)
        return {each if isinstance(each, int) else each[0]: chance for each, chance in distribution.items()}

    return Stated(
        f"{kind} selection",
        "",
        draw,
        lambda: of(_SCORES),
        Epsilon(_ONE),
        lambda: exact.epsilon(*(of(list(scores)) for scores in SPLIT)),
        10_000,
    )


STATED: Final[tuple[Stated, ...]] = (
    laplace(_ONE),
    laplace(Fraction(40, 3)),
    gaussian(_ONE),
    gaussian(Fraction(50, 3)),
    lattice(2),
    lattice(3),
    selection("exponential"),
    selection("permute-and-flip"),
)
"""Every mechanism of the privacy core that draws."""

MISSTATED: Final[tuple[Stated, ...]] = (
    laplace(_ONE, Fraction(19, 20), "drawn with a scale 5 % too small"),
    gaussian(Fraction(50, 3), Fraction(15), "drawn with a sigma^2 10 % too small"),
    replace(
        laplace(Fraction(6)),
        name="OpenDP 0.14.1's discrete Laplace, scale 6",
        flaw="a rational division of its number library",
        draw=lambda number, source: opendp_0_14_1(np.zeros(1, dtype=np.int64), number, source)[:, 0],
    ),
)
"""Samplers that draw something else than they state."""
