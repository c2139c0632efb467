"""Reading one person's record out of published tables by subtraction: it works on exact tables and fails on a release.

The setting is the oldest trick against tables that are exact, or only coarsened. A town is published as a place and as a county, and the
county is the place and one block more, in which one person lives. The attacker subtracts place from county: on exact tables what
is left is one count of 1, the person's group, sex and age. Two published statistics, each about many people, give one person away; so
did the tables of 1970 to 2010, whose systematic reconstruction made the Census Bureau leave them (SafeTab 2022, Section 1).

On a release the attacker does the best that can be done: for every record that the person could have, the likelihood ratio of all noisy
measurements that ship with the release, both stages, before anything was suppressed; then the likeliest one.

The bound. Let the person's record be one of k, each as likely; S_c the outputs at which the attacker answers c; P_c the release with
record c, Q the release without the person. The S_c are disjoint, so the mean of Q(S_c) is at most 1/k. Each P_c(S_c) is bounded by
`detection_bound(cost, Q(S_c))`, and for each order of the divergence that bound is concave in Q(S_c); so the mean of P_c(S_c), the chance
to be right, is at most detection_bound(cost, 1/k). Neighbours add or remove one person, so the cost is that of the release as stated.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench.attacks.people import towns as invented
from starling.privacy.accounting.detection import detection_bound
from starling.privacy.budget import Cost, Exact, Measure, positive
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.tables.measurements import Int64, Measured
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Definitions, Geography, GeographyLevel, Iteration, Level, Plan
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.tables.small import Written

Float64 = npt.NDArray[np.float64]

GROUPS = 2
"""Peoples of which the person is of one."""
CANDIDATES = GROUPS * SEX_BY_AGE.finest
"""Records that the person could have: group, sex and one of 23 ages."""
THRESHOLDS = (20, 60, 120)
"""Low, so that most towns are published by sex and 23 ages."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often the attacker was right.

    Attributes:
        cost: Of the release.
        towns: Attacked, one person each.
        exact: Records read off the exact tables, of `towns`.
        group: Groups guessed right from the release.
        record: Whole records guessed right.
    """

    cost: Cost
    towns: int
    exact: int
    group: int
    record: int

    @property
    def group_bound(self) -> float:
        """The most that `group / towns` is expected to be, whoever attacks."""
        return detection_bound(self.cost, 1 / GROUPS)

    @property
    def record_bound(self) -> float:
        """The most that `record / towns` is expected to be, whoever attacks."""
        return detection_bound(self.cost, 1 / CANDIDATES)


def attack(measure: Measure, budget: Exact, *, towns: int = 1000, persons: int = 400, seed: int = 1) -> Outcome:
    """Release invented towns under the real mechanism, and subtract.

    Args:
        measure: "epsilon" or "rho".
        budget: Of the whole release, above 0; counties and places have half each.
        towns: How many, each with its own victim.
        persons: Of a town, about.
        seed: Of the invented people. The noise has none.
    """
    plan, geography = _plan(measure, positive(budget, field="budget") / 2), _geography(towns)
    counts, secret = _people(towns, persons, seed)
    county, place = (measured for _, measured in SafeTab(plan, geography, most_groups=2 * towns).draw(counts))
    exact = (counts.detail[0] - counts.detail[1]).reshape(towns, CANDIDATES)
    guess = _likeliest(plan, county, place)
    return Outcome(
        plan.cost,
        towns,
        int((exact.argmax(axis=1) == secret).sum()),
        int((guess // SEX_BY_AGE.finest == secret // SEX_BY_AGE.finest).sum()),
        int((guess == secret).sum()),
    )


def _people(towns: int, persons: int, seed: int) -> tuple[Written, Int64]:
    """Invented places, and counties with one person more, whose record is uniform: group * 46 + cell."""
    place, secret = invented(towns, CANDIDATES, persons / CANDIDATES, seed)
    county = place.copy()
    county[np.arange(towns), secret] += 1
    return Written((county.reshape(-1, SEX_BY_AGE.finest), place.reshape(-1, SEX_BY_AGE.finest))), secret


def _plan(measure: Measure, budget: Fraction) -> Plan:
    iterations = tuple(
        Iteration(f"000{number}", f"people {number}", "race", 2, False, False, False, (f"100{number}",))
        for number in range(GROUPS)
    )
    levels = tuple(
        Level(geography, 2, budget, THRESHOLDS, iterations, 1)
        for geography in (GeographyLevel.COUNTY, GeographyLevel.PLACE)
    )
    codes = tuple((f"100{number}", f"people {number}") for number in range(GROUPS))
    return Plan(
        title="Towns with one block outside",
        measure=measure,
        levels=levels,
        gamma=Fraction(1, 10),
        suppression=Fraction("0.9999"),
        allow_negative=True,
        records=CensusRecords(1, frozenset({"01"}), puerto_rico=False),
        **CENSUS_PARTS,
        definitions=Definitions(iterations, codes),
    )


def _geography(towns: int) -> Geography:
    regions: dict[str, tuple[str, ...]] = {
        GeographyLevel.COUNTY: tuple(f"01{number:05d}" for number in range(towns)),
        GeographyLevel.PLACE: tuple(f"01{number:07d}" for number in range(towns)),
    }
    units = {level: np.arange(towns, dtype=np.int32) for level in regions}
    return Geography(towns, pa.table({}), regions, units, regions)


def _likeliest(plan: Plan, county: Measured, place: Measured) -> Int64:
    """The likeliest record of each town's person, int64 (towns,): the log-likelihood ratio against no person at all.

    The noise of county and place is independent, so in each pair of measurements the difference says all there is of the one person
    (both true counts are unknown): it is larger by 1 in the cell that the person is in.
    """
    stage_noise = plan.stage_noise(plan.levels[0])
    groups = len(county.branch)
    score = np.zeros((groups, SEX_BY_AGE.finest))
    score += _gain(stage_noise.stage1, 1, 1)(county.stage1 - place.stage1)[:, np.newaxis]
    starts = county.offsets(SEX_BY_AGE)[:-1], place.offsets(SEX_BY_AGE)[:-1]
    for one in range(len(SEX_BY_AGE.sizes)):
        for other in range(len(SEX_BY_AGE.sizes)):
            here = np.flatnonzero((county.branch == one) & (place.branch == other))
            common = min(one, other)
            apart = _merged(county.values, starts[0][here], one, common) - _merged(
                place.values, starts[1][here], other, common
            )
            for cell in range(SEX_BY_AGE.sizes[common]):
                inside = np.flatnonzero(SEX_BY_AGE.within(3, common) == cell)
                terms = _terms(one, inside), _terms(other, inside)
                score[here[:, np.newaxis], inside] += _gain(stage_noise.stage2, *terms)(apart[:, cell])[:, np.newaxis]
    likeliest: Int64 = score.reshape(-1, CANDIDATES).argmax(axis=1)
    return likeliest


def _merged(values: Int64, starts: Int64, branch: int, common: int) -> Int64:
    """The cells of groups of one branch in the coarser cells of `common`: (groups, cells)."""
    finest = np.flatnonzero(np.diff(SEX_BY_AGE.within(3, branch), prepend=-1))
    firsts = np.flatnonzero(np.diff(SEX_BY_AGE.within(3, common)[finest], prepend=-1))
    merged: Int64 = np.add.reduceat(values[starts[:, np.newaxis] + np.arange(len(finest))], firsts, axis=1)
    return merged


def _terms(branch: int, inside: Int64) -> int:
    """Cells of a branch that lie in these finest cells."""
    return len(np.unique(SEX_BY_AGE.within(3, branch)[inside]))


@dataclass(frozen=True, slots=True, eq=False)
class _Gain:
    """log P(D = d - 1) - log P(D = d) of a difference D of noises, by d."""

    reach: int
    gain: Float64

    def __call__(self, difference: Int64) -> Float64:
        found: Float64 = self.gain[np.clip(difference, -self.reach + 1, self.reach) + self.reach]
        return found


@lru_cache(maxsize=256)
def _gain(noise: Distribution, one: int, other: int) -> _Gain:
    # Draws are symmetric: a difference of two sums of them is a sum of all.
    both = probability_mass(noise, one + other)
    kept = np.log(both.mass)
    return _Gain(both.last, np.concatenate((np.zeros(1), kept[:-1] - kept[1:])))
