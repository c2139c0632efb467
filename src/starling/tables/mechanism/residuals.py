"""The residuals of cross tables, with noise: every part of every table, in every region of every level; under pure epsilon whole tables.

Privacy. What is measured, its sensitivity and why stand in plan/residuals.py; what one person's records change, in plan/cross.py. Here
every number gets noise of the parameter that its event in the guarantee states, drawn once. All regions and
all cells of the plan are measured, empty or not: the shape of what is drawn follows from the plan and the public regions.

Arithmetic. A part is whole numbers. A record adds at most N_A to any of them or to a sum on the way, and N_A is at most 2^22
(plan/cross.py); so with up to 2^38 records nothing leaves 64 bits. The noise is below 2^50.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from starling.privacy.sampling.noise import checked_add, draw
from starling.tables.measurements import Int64, KeepCross
from starling.tables.mechanism import InPieces
from starling.tables.plan import Plan
from starling.tables.plan.cross import noise_of_part
from starling.tables.plan.residuals import Table


class ExactParts(Protocol):
    """What the mechanism asks of the exact counts; the room counts gives it."""

    def part(self, level: int, part: Table, /) -> Int64:
        """The records by the columns of a part, in every region of a level: int64 (regions, values of each column ...)."""
        ...


@dataclass(frozen=True, slots=True)
class Residuals(InPieces[ExactParts, tuple[int, int, Int64]]):
    """The mechanism of a plan with cross tables; a piece is a part at a level."""

    plan: Plan
    keep: KeepCross = tuple

    def _drawn(self, exact: ExactParts) -> Iterator[tuple[int, int, Int64]]:
        assert self.plan.cross is not None
        shape, records = self.plan.cross_shape, self.plan.records_of_one
        for level, shares in enumerate(self.plan.cross.shares):
            for place, (part, share) in enumerate(zip(shape.parts, shares, strict=True)):
                if not share:
                    continue
                counts = exact.part(level, part)
                numbers = counts if shape.laplace else residuals(counts)
                noise = draw(noise_of_part(shape, part, share, records), numbers.shape)
                drawn = checked_add(numbers, noise).reshape(len(numbers), -1)
                # What was drawn is what is published: nobody writes to it on the way.
                drawn.flags.writeable = False
                yield level, place, drawn


def residuals(counts: Int64) -> Int64:
    """N P x of the counts of a part, (regions, values of each column ...): along every column n times each less the sum.

    >>> import numpy as np
    >>> residuals(np.array([[5, 1, 0]])).tolist()
    [[9, -3, -6]]
    """
    for axis in range(1, counts.ndim):
        counts = counts.shape[axis] * counts - counts.sum(axis=axis, keepdims=True)
    return counts
