"""Means over random databases with what the number of databases leaves open, and what they say of a published claim."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Final

from bench.measure import Json

_NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its interval of 95 %, by the normal distribution.

    Attributes:
        mean: Of the values.
        low: Of the interval.
        high: Of the interval.
        runs: How many values there were.
    """

    mean: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float], least: float = 0.0, most: float = 1.0) -> "Estimate":
        """From values between `least` and `most`, which are known beforehand.

        One value of each end is added for the interval: what did not happen in N databases may still happen in one of them (Agresti
        and Coull 1998 do so with counts).

        >>> Estimate.of([1.0] * 400)
        Estimate(mean=1.0, low=0.9926, high=1.0, runs=400)
        """
        found = list(values)
        wider = [*found, least, most]
        middle, reach = fmean(wider), _NORMAL * stdev(wider) / sqrt(len(wider))
        low, high = max(least, middle - reach), min(most, middle + reach)
        return cls(_four(fmean(found)), _four(low), _four(high), len(found))

    def to_json(self, name: str) -> dict[str, Json]:
        """As it stands in a row: three figures."""
        return {name: self.mean, f"{name}_low": self.low, f"{name}_high": self.high}


def _four(value: float) -> float:
    """To four digits."""
    return float(f"{value:.4g}")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper as a number with a bound.

    Attributes:
        where: Section or figure.
        says: The figure in words.
        found: What was measured.
        bound: How far it may go.
        least: Whether the bound is the least it may be, not the most.
        unit: Of both; "" for a probability.
    """

    where: str
    says: str
    found: Estimate
    bound: float
    least: bool
    unit: str = ""

    @property
    def verdict(self) -> str:
        """Whether the whole interval is within the bound, or beyond it.

        >>> Claim("Figure 0", "it works", Estimate.of([0.7, 0.8] * 50), 0.5, least=True).verdict
        'reproduced'
        """
        within = (self.found.low, self.found.high) if self.least else (-self.found.high, -self.found.low)
        bound = self.bound if self.least else -self.bound
        if within[0] >= bound:
            return "reproduced"
        return "not reproduced" if within[1] < bound else "not decided"

    def to_json(self) -> dict[str, Json]:
        """As it stands in a result file."""
        return {
            "claim": self.says,
            "where": self.where,
            **self.found.to_json("measured"),
            "bound": self.bound,
            "kind": "least" if self.least else "most",
            "unit": self.unit,
            "verdict": self.verdict,
        }
