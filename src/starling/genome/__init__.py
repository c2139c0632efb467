"""Genome: an analyst explores a case-control study under a budget (Johnson and Shmatikov 2013)."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.genome.distance import distance_to_significance
    from starling.genome.generate import generate
    from starling.genome.plan import Plan
    from starling.genome.source import validate

__all__ = ["Plan", "distance_to_significance", "generate", "validate"]

lazy(
    __name__,
    {"Plan": "plan", "distance_to_significance": "distance", "generate": "generate", "validate": "source"},
)
