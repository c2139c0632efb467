"""Rounds of an exploration: how many there are follows from its first answer, and what they cost together does not."""

from collections.abc import Callable
from typing import Final

from starling.genome.plan.model import Plan
from starling.privacy.events import Event
from starling.privacy.guarantee import Guarantee, bounded_overlap
from starling.privacy.neighbours import Relation

MOST_FOLLOWED: Final = 1000
"""Largest `most`."""


def in_rounds(name: str, each: str, relation: Relation, most: int, event: Callable[[int], Event]) -> Guarantee:
    """k rounds, each with a k-th of the same amount; how many, from 1 to `most`, follows from the first answer."""
    choices = [
        bounded_overlap(f"at most {k} of them", k, (Guarantee(each, relation, event(k)),)) for k in range(1, most + 1)
    ]
    return bounded_overlap(name, 1, choices)


def followed(plan: Plan, regions: tuple[str, ...] | None, most: int, high: int) -> int:
    """k: how many SNPs are followed up when up to `high` may be significant."""
    return max(1, min(high, most, sum(stop - start for start, stop in plan.within(regions))))
