"""Where a place on the genome stands in a picture: chromosomes side by side, or one stretch of one chromosome."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.genome.arrays import Float64
from starling.genome.plan import Snps

GAP: Final = 0.006
"""Part of the width between two chromosomes."""
NARROWEST: Final = 0.004
"""Least part of the width that a chromosome has, be it listed with a single SNP."""
MARGIN: Final = 0.02
"""Part of a chromosome's width that stays free at both of its ends when it is alone."""

LEAST_ROOM: Final = 50.0
"""Base pairs that stay free there at least."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one chromosome in a view.

    Attributes:
        chromosome: Its name.
        low: First base pair shown.
        high: Last base pair shown, above `low`.
        left: Where `low` stands, in points from the left edge.
        right: Where `high` stands.
    """

    chromosome: str
    low: float
    high: float
    left: float
    right: float

    def along(self, positions: Float64) -> Float64:
        """Where base pairs stand, in points."""
        return self.left + (positions - self.low) * (self.right - self.left) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class View:
    """What a picture shows of the genome.

    Attributes:
        snps: The public list.
        parts: The parts that are shown, from left to right.
        width: The width of the whole, in points.
    """

    snps: Snps
    parts: tuple[Part, ...]
    width: float

    @classmethod
    def whole(cls, snps: Snps, width: float) -> "View":
        """Every chromosome of the list in its order, from its first listed SNP to its last."""
        ends = {
            name: (float(snps.positions[start]), float(snps.positions[stop - 1]))
            for name, (start, stop) in snps.chromosome_ranges.items()
        }
        if len(ends) == 1:
            ((name, (low, high)),) = ends.items()
            return cls.around(snps, name, low, high, width)
        total = sum(high - low for low, high in ends.values())
        least = max(NARROWEST * total, 1.0)
        sizes = [max(high - low, least) for low, high in ends.values()]
        gap = GAP * sum(sizes)
        scale = width / (sum(sizes) + gap * len(sizes))
        parts, left = [], gap / 2
        for (name, (low, high)), size in zip(ends.items(), sizes, strict=True):
            spare = (size - (high - low)) / 2
            parts.append(Part(name, low - spare, high + spare, left * scale, (left + size) * scale))
            left += size + gap
        return cls(snps, tuple(parts), width)

    @classmethod
    def around(cls, snps: Snps, chromosome: str, low: float, high: float, width: float) -> "View":
        """One stretch, with some room at both ends."""
        room = max(MARGIN * (high - low), LEAST_ROOM)
        return cls(snps, (Part(chromosome, max(low - room, 0.0), high + room, 0.0, width),), width)

    def of(self, name: str) -> float | None:
        """Where a SNP stands, in points from the left edge; None outside of the view."""
        place = self.snps.index(name)
        chromosome, position = self.snps.chromosomes[place], float(self.snps.positions[place])
        for part in self.parts:
            if part.chromosome == chromosome and part.low <= position <= part.high:
                return float(part.along(np.array([position]))[0])
        return None

    def number(self, name: str) -> int:
        """The number of the part in which a SNP of the view lies, from 0."""
        chromosome = self.snps.chromosomes[self.snps.index(name)]
        return next(number for number, part in enumerate(self.parts) if part.chromosome == chromosome)

    def listed(self) -> Float64:
        """Where the SNPs of the list stand that the view shows, in points, ascending."""
        places = [np.empty(0)]
        for part in self.parts:
            start, stop = self.snps.chromosome_ranges[part.chromosome]
            inside = self.snps.positions[start:stop].astype(np.float64)
            places.append(part.along(inside[(inside >= part.low) & (inside <= part.high)]))
        return np.concatenate(places)

    def runs(self, step: float) -> list[tuple[float, float]]:
        """The listed SNPs as runs of those that are less than `step` apart: begin and length."""
        return [(begin, end - begin) for begin, end in runs(self.listed(), step)]


def runs(places: Float64, step: float) -> list[tuple[float, float]]:
    """Ascending places as runs of those that are less than `step` apart: begin and end."""
    breaks = np.flatnonzero(np.diff(places) >= step) + 1
    return [(float(run[0]), float(run[-1])) for run in np.split(places, breaks) if len(run)]


def clusters(places: Iterable[float], step: float) -> list[tuple[float, float]]:
    """Runs of two or more different places."""
    return [(begin, end) for begin, end in runs(np.unique([*places]), step) if end > begin]
