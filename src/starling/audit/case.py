"""A mechanism with what it claims to cost and a pair of neighbours to try it on."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.audit.falsifier import Goal, Sampler
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.sampling.entropy import BitSource, system

Int64: TypeAlias = npt.NDArray[np.int64]

Draws: TypeAlias = Callable[[Int64, int, BitSource], Int64]
"""A mechanism: exact values of one database, number of draws, source of words -> outputs, int64 (draws,) or (draws, values)."""


def one_by_one(draw: Callable[[Int64, BitSource], npt.ArrayLike]) -> Draws:
    """A mechanism of single draws: what each gives, in a row of its own."""
    return lambda exact, number, source: np.array([draw(exact, source) for _ in range(number)], dtype=np.int64)


ONE: Final = Epsilon(Fraction(1))
"""What most mechanisms here say that they cost."""


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism with a claim and two neighbours.

    Attributes:
        flaw: What is wrong with it; empty for a right one.
        truth: What it costs, at least on this pair: epsilon, or rho where the claim is in rho; None where only the claim is known.
        draws: How often it is drawn from on each neighbour. For a mutant enough for a power of 0.9 at a false alarm of 1e-6, measured by
            bench/audit.py, bench/genome_audit.py and bench/groups_audit.py; those of places were refuted in all or all but one of 40 tries.
    """

    name: str
    flaw: str
    truth: float | None
    mechanism: Draws
    left: tuple[int, ...]
    right: tuple[int, ...]
    draws: int
    claim: Cost = ONE

    @property
    def goal(self) -> Goal:
        """What the falsifier should look for."""
        return self.claim.measure

    def samplers(self, source: BitSource | None = None) -> tuple[Sampler, Sampler]:
        """The mechanism on both neighbours, as the falsifier takes it."""
        bits = system() if source is None else source

        def on(values: tuple[int, ...]) -> Sampler:
            exact = np.array(values, dtype=np.int64)
            return lambda draws: self.mechanism(exact, draws, bits)

        return on(self.left), on(self.right)
