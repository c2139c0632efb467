"""Invented groups over regions, from a public seed: for demonstrations, tests and benchmarks.

Nothing here is about anybody: public sizes of regions, public shares of group sizes and a seed are all that goes in, and the same ones
give the same numbers (with the same NumPy: its distributions may change between versions). Three worlds:

- `census_like`: households by persons over nation, state and county, as the data of Fioretto, Van Hentenryck and Zhu (2021, Section 11)
  are made. The number of outliers is not in the paper: here it is one a state.
- `taxi_like`: taxis by trips over city, borough and zone, with the totals of the paper's New York data.
- `world_of`: groups over the regions of a plan.

Previews measure them with invented noise (`inventing`).
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erf, log
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.groups.measurements import AddNoise
from starling.groups.optimise.tree import Int64, Tree
from starling.groups.plan import Plan, Regions
from starling.groups.plan.register import register_totals
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

Float64: TypeAlias = npt.NDArray[np.float64]

HOUSEHOLDS: Final = 117_630_445
"""Groups of the paper's Census data."""
HOUSEHOLD_SHARES: Final = (0.267, 0.328, 0.161, 0.134, 0.065, 0.025, 0.021)
"""Households of the United States in 2010 of 1 to 6 persons, and of 7 or more."""
PUERTO_RICO: Final = ("72000", 1_376_531, 2.68)
"""Its code as the one county in it, its households of 2010 and their mean size, which the file of counties does not have."""
SMALLEST_OUTLIER: Final = 10

TAXIS: Final = 13_282
"""Groups of the paper's taxi data, and the largest size in it."""
TRIPS: Final = 24_489_743
BOROUGHS: Final = {
    "Bronx": (43, 0.003),
    "Brooklyn": (61, 0.03),
    "EWR": (1, 0.001),
    "Manhattan": (69, 0.9),
    "Queens": (69, 0.065),
    "Staten Island": (20, 0.001),
}
"""Zones of each borough, 263 in all, and its share of the taxis."""
TAXI_SPREAD: Final = 0.8
"""Standard deviation of the logarithm of a taxi's trips."""

REGION_SPREAD: Final = 1.0
"""Standard deviation of the logarithm of how many groups an invented leaf has."""
MEAN_SPREAD: Final = 0.08
"""Standard deviation of the logarithm of an invented leaf's mean size."""
_STEPS: Final = 60
"""Halvings of an interval of tilts, after which no float lies inside."""
_CENSUS, _TAXIS, _INVENTED, ORDER = range(4)
"""Which random stream of the seed."""


@dataclass(frozen=True, eq=False)
class World:
    """Groups that nobody has, over regions.

    Attributes:
        title: For people; says that they are invented.
        group: What a group is, in a word.
        member: What a group consists of, in a word.
        regions: The regions.
        leaves: int64 (leaves, N + 1): how many groups of each size there are in each leaf.
    """

    title: str
    group: str
    member: str
    regions: Regions
    leaves: Int64

    @property
    def groups(self) -> int:
        """G, the number of all groups."""
        return int(self.leaves.sum())

    @property
    def members(self) -> int:
        """The sum of all sizes."""
        return int(self.leaves.sum(axis=0) @ np.arange(self.leaves.shape[1]))

    @cached_property
    def counts(self) -> tuple[Int64, ...]:
        """int64 (regions of the level, N + 1) for each level, root first."""
        return self.regions.sums(self.leaves)


def census_like(counties: Path, *, seed: int, largest: int = 1000) -> World:
    """The paper's Census data: 117,630,445 invented households over nation, states and counties, some 305 million persons.

    Households are spread as in the file. Sizes of a county are multinomial, by the shares of the United States tilted to its mean size,
    those of 7 or more spread geometrically. Each state has one household of a size that is uniform from 10 to `largest`, in any county.

    Args:
        counties: CSV with columns fips (five digits, of which two are the state), households_2010 and persons_per_household_2010.
        seed: Public; 0 or more.
        largest: N; 10 or more.

    Raises:
        ParameterError: the file is not such a one, or a number is out of range.
    """
    if largest < SMALLEST_OUTLIER:
        problem = f"is {largest}, less than the least outlier, {SMALLEST_OUTLIER}"
        raise ParameterError("largest", problem, "give 1000, as the paper does")
    rng = stream(seed, _CENSUS)
    fips, households, means = _counties(counties)
    states = tuple(sorted({code[:2] for code in fips}))
    state = np.array([states.index(code[:2]) for code in fips])
    shares = tilted(household_shares(largest), means)
    leaves: Int64 = rng.multinomial(apportioned(households, HOUSEHOLDS - len(states)), shares)
    for number in range(len(states)):
        county = rng.choice(np.flatnonzero(state == number))
        leaves[county, rng.integers(SMALLEST_OUTLIER, largest + 1)] += 1
    tree = Tree.of([np.zeros(len(states), dtype=np.int64), state])
    regions = Regions(("nation", "state", "county"), (("US",), states, fips), tree, None)
    return World("Invented households by size", "household", "person", regions, leaves)


def taxi_like(*, seed: int, largest: int = TAXIS) -> World:
    """The paper's taxi data: 13,282 invented taxis over city, boroughs and zones, with 24,489,743 trips.

    Zones of a borough share its taxis by Zipf's law. Trips of a taxi are lognormal, at most 13,282, and scaled to the total.

    Args:
        seed: Public; 0 or more.
        largest: N; a smaller one than the paper's counts larger taxis as of this size, as its truncated data do.
    """
    _check("largest", largest, 1, 1 << 20)
    rng = stream(seed, _TAXIS)
    zones = [zone for zone, _ in BOROUGHS.values()]
    ids = tuple(f"{name} {rank:02d}" for name, (many, _) in BOROUGHS.items() for rank in range(1, many + 1))
    borough = np.repeat(np.arange(len(zones)), zones)
    zipf = [
        share / rank / sum(1 / each for each in range(1, many + 1))
        for many, share in BOROUGHS.values()
        for rank in range(1, many + 1)
    ]
    home = rng.choice(len(ids), TAXIS, p=np.array(zipf) / sum(zipf))
    sizes = _cut_to_total(rng.lognormal(0, TAXI_SPREAD, TAXIS), TRIPS, TAXIS)
    leaves = np.zeros((len(ids), largest + 1), dtype=np.int64)
    np.add.at(leaves, (home, np.minimum(sizes, largest)), 1)
    tree = Tree.of([np.zeros(len(zones), dtype=np.int64), borough])
    regions = Regions(("city", "borough", "zone"), (("New York",), tuple(BOROUGHS), ids), tree, None)
    return World("Invented taxis by trips", "taxi", "trip", regions, leaves)


def world_of(plan: Plan, shares: Float64, *, seed: int) -> World:
    """Groups over the regions of a plan; with a register as many in each leaf as it lists, where totals are public as many as they say.

    Those of a leaf are near to public shares, (N + 1,), of the sizes; the seed is public, 0 or more.

    Raises:
        PlanError: the register cannot be read.
    """
    totals = plan.regions.totals or register_totals(plan)
    leaves = invented(plan.regions.tree, plan.groups, shares, seed=seed, totals=totals)
    return World(f"{plan.title}: invented", plan.group, plan.member, plan.regions, leaves)


def invented(tree: Tree, groups: int, shares: Float64, *, seed: int, totals: Sequence[int] | None = None) -> Int64:
    """Groups over any regions, int64 (leaves, N + 1), by public shares of the sizes 0 to N, which those of a leaf are near to.

    `totals` says how many groups each leaf has, where that is public; they are invented without it. The seed is public, 0 or more.
    """
    rng = stream(seed, _INVENTED)
    regions = tree.regions[-1]
    weights, spread = rng.lognormal(0, REGION_SPREAD, regions), rng.lognormal(0, MEAN_SPREAD, regions)
    many = apportioned(weights, groups) if totals is None else np.array(totals, dtype=np.int64)
    mean = float(shares @ np.arange(len(shares)))
    leaves: Int64 = rng.multinomial(many, tilted(shares, np.minimum(mean * spread, (mean + len(shares) - 1) / 2)))
    return leaves


def household_shares(largest: int) -> Float64:
    """(largest + 1,): public shares of households by persons, geometric from 7 on; what is beyond `largest` counts as of that size."""
    *exact, sixth, rest = HOUSEHOLD_SHARES
    ratio = rest / (sixth + rest)
    spread = rest * (1 - ratio) * ratio ** np.arange(max(largest - 6, 0) + 1000)
    shares = np.concatenate(([0.0], exact, [sixth], spread))
    cut = shares[: largest + 1].copy()
    cut[largest] += shares[largest + 1 :].sum()
    return np.asarray(cut / cut.sum())


def lognormal_shares(largest: int, mean: float, spread: float = TAXI_SPREAD) -> Float64:
    """(largest + 1,): shares of sizes that are lognormal with this mean, rounded; what is beyond `largest` counts as of that size."""
    middle = log(mean) - spread**2 / 2
    ends = [0.5 * (1 + erf((log(size + 0.5) - middle) / spread / 2**0.5)) for size in range(largest)]
    return np.asarray(np.diff([0.0, *ends, 1.0]))


def tilted(shares: Float64, means: Float64) -> Float64:
    """float64 (regions, N + 1), rows that add up to 1: shares, (N + 1,), times e^(t size), with the t that gives each of many means, which
    lie between the least and the largest size of a share above 0.
    """
    sizes = np.flatnonzero(shares)
    logs = np.log(shares[sizes])
    wanted, row = np.unique(means, return_inverse=True)
    low, high = np.full(len(wanted), -50.0), np.full(len(wanted), 50.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = _tilt(logs, sizes, middle) @ sizes < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    tilts = np.zeros((len(wanted), len(shares)))
    tilts[:, sizes] = _tilt(logs, sizes, (low + high) / 2)
    return np.asarray(tilts[row])


def apportioned(weights: Float64, total: int) -> Int64:
    """Whole numbers in proportion to `weights` that add up to `total`: rounded down, the largest remainders up, the first of equals."""
    parts = weights / weights.sum() * total
    whole: Int64 = np.floor(parts).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - parts, kind="stable")[:missing]] += 1
    return whole


def stream(seed: int, which: int) -> np.random.Generator:
    """The random stream of a public seed.

    Raises:
        ParameterError: the seed is no whole number of 0 or more.
    """
    _check("seed", seed, 0, 2**63)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(which,))))


def inventing(seed: int) -> AddNoise:
    """Adds invented noise, which protects nobody, of a release's distribution; of the Gaussian a rounded normal one, which is near to it.

    Each count takes the same draw of the seed, size after size, whatever the distributions: it is scaled to its noise, so that plans of
    different splits and bands that are simulated under one seed meet the same chance.
    """
    rng = np.random.default_rng(seed)

    def add(counts: Int64, noise: Distribution) -> Int64:
        by_size = counts.shape[::-1]
        if isinstance(noise, DiscreteLaplace):
            # An exponential number that is scaled and rounded down is a geometric one; the noise is the difference of two.
            pairs: Int64 = np.floor(rng.standard_exponential((*by_size, 2)) * noise.width).astype(np.int64)
            return counts + (pairs[..., 0] - pairs[..., 1]).T
        drawn: Int64 = np.rint(rng.standard_normal(by_size) * noise.width).astype(np.int64)
        return counts + drawn.T

    return add


def _check(field: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ParameterError(field, f"is not a whole number from {low} to {high}", "correct it")


def _tilt(logs: Float64, sizes: Int64, tilts: Float64) -> Float64:
    exponents = logs + tilts[:, None] * sizes
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _cut_to_total(weights: Float64, total: int, largest: int) -> Int64:
    """Whole numbers of at most `largest` that add up to `total` and are in proportion to `weights` where they are less."""
    low, high = 0.0, float(largest / weights.min()) + 1
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = np.minimum(np.floor(middle * weights), largest).sum() <= total
        low, high = (middle, high) if below else (low, middle)
    sizes = np.minimum(np.floor(low * weights), largest).astype(np.int64)
    sizes[np.flatnonzero(sizes < largest)[: total - int(sizes.sum())]] += 1
    return sizes


def _counties(path: Path) -> tuple[tuple[str, ...], Float64, Float64]:
    """The code, households and mean size of each county, and of Puerto Rico as one."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        fips = [row["fips"] for row in rows]
        households = [float(row["households_2010"]) for row in rows]
        means = [float(row["persons_per_household_2010"]) for row in rows]
    except (OSError, KeyError, TypeError, ValueError):
        problem = f"{path.name} has no fips, households_2010 and persons_per_household_2010 in each row"
        raise ParameterError("counties", problem, "give a CSV file with these columns") from None
    if not all(1 < each < 100 for each in means) or not min(households, default=0.0) > 0:
        raise ParameterError("counties", "have a number that no county has", "correct the file")
    named = sorted(zip([*fips, PUERTO_RICO[0]], [*households, PUERTO_RICO[1]], [*means, PUERTO_RICO[2]], strict=True))
    codes, many, mean = zip(*named, strict=True)
    return codes, np.array(many), np.array(mean)
