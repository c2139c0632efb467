"""What a plan of tables is stated by: its levels and every other public choice, whatever file they come from."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from starling.errors import PlanError
from starling.privacy.budget import DELTA, Cost, Epsilon, Measure, Rho
from starling.privacy.neighbours import ADD_REMOVE_HOUSEHOLD, ADD_REMOVE_PERSON, Relation
from starling.tables.plan.aggregates import Aggregate
from starling.tables.plan.census_levels import GeographyLevel
from starling.tables.plan.census_records import CensusRecords
from starling.tables.plan.cross import Cross
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.detail import Detail
from starling.tables.plan.iterations import ITERATION_LEVELS, Attribute, Definitions
from starling.tables.plan.levels import Level
from starling.tables.plan.region_levels import RegionLevels
from starling.tables.plan.variants import Variants
from starling.tables.plan.wording import Wording

LevelKey: TypeAlias = tuple[GeographyLevel, int]
"""A geography level and an iteration level of the Census."""
Records: TypeAlias = CensusRecords | CustomRecords
"""What a plan says of its records. Only readers and writers ask of which kind they are (docs/decisions/0023-tables-of-ones-own.md)."""
STRUCTURE: Final = re.compile(r"[A-Za-z][\w.-]{0,59}:[\w@$-]{1,60}\([0-9][0-9.]{0,19}\+?\)", re.ASCII)
"""A data structure by its agency, its name and its version."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Every public choice of a tables release, as a plan file or a folder states it; `Plan` checks that they go together.

    Attributes:
        measure: The privacy measure. "epsilon": pure DP, discrete Laplace noise; "rho": zCDP, discrete Gaussian noise.
        levels: The levels in plan order; at least one, each with a budget above 0.
        gamma: Share of a group's budget for the stage-1 total, in (0, 1).
        suppression: Probability, in [0, 1): below the state, a bare total is dropped unless above this quantile of its noise. 0
            is off.
        allow_negative: Whether negative noisy counts are published; otherwise each is clamped at 0.
        variants: What the plan makes of its measurements: stages combined, totals that add up, intervals given what is published, a
            top-up of an earlier release (variants.py).
        families: What the families of iterations are called, from iteration level 1 on.
        records: What a record is, which groups and regions it can be in, and the words for it.
        aggregates: Sums and quantiles of declared columns of numbers, in plan order.
        cross: Tables of several columns, measured together; such a plan has no levels and no aggregates.
        delta: At which the epsilon of (epsilon, delta)-DP is stated, as `chance_text` writes it.
        data_structure: The SDMX data structure that the numbers keep, AGENCY:ID(1.0); empty for none.
    """

    title: str
    measure: Measure
    levels: tuple[Level, ...]
    gamma: Fraction
    suppression: Fraction
    allow_negative: bool
    definitions: Definitions
    variants: Variants = field(default_factory=Variants)
    detail: Detail
    regions: RegionLevels
    families: tuple[str, ...]
    records: Records
    aggregates: tuple[Aggregate, ...] = ()
    data_structure: str = ""
    cross: Cross | None = None
    delta: str = DELTA

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of a record that groups look at."""
        return self.records.attributes

    @property
    def wording(self) -> Wording:
        """The words for the records and their regions."""
        return self.records.wording(self.regions)

    @property
    def relation(self) -> Relation:
        """Neighbouring databases, and who is protected."""
        return ADD_REMOVE_HOUSEHOLD if self.records.protects == "household" else ADD_REMOVE_PERSON

    @property
    def records_of_one(self) -> int:
        """k: the most records that are counted of one person, or of one household where that is protected."""
        return most_of_one(self.records)

    def degree(self, level: Level) -> int:
        """What the budget of a level is divided by for what a group of it spends on one record.

        One record is in at most s groups, s being the level's stability. Of one person's k records m_g are in group g, where m_g <= k and
        the m_g add up to at most k s. By group privacy the level costs at most the sum of m_g epsilon_g, so k s epsilon_g; or the sum of
        m_g^2 rho_g, so k^2 s rho_g. Both are reached where the k records are alike (docs/decisions/0023-tables-of-ones-own.md).
        """
        return degree(self.measure, level.stability, self.records_of_one)

    @property
    def every_level(self) -> tuple[Level, ...]:
        """The levels of counts, and those that aggregates are of."""
        return (*self.levels, *(each.level for each in self.aggregates))

    @property
    def tabulated(self) -> frozenset[str]:
        """The levels of regions of which there are numbers."""
        crossed = self.cross.levels if self.cross else ()
        return frozenset((*crossed, *(level.geography for level in self.every_level)))

    @property
    def staged(self) -> bool:
        """Whether the detail of any group is chosen by a noisy total."""
        return not all(level.single_stage for level in self.levels)

    @property
    def codes(self) -> tuple[str, ...]:
        """All values that groups are made of, such as race and ethnicity codes, ascending: the code indices of the counting kernel."""
        return tuple(code for code, _ in self.definitions.codes)


def most_of_one(records: Records) -> int:
    """The most records that are counted of whom a plan protects."""
    return 1 if records.unit is None else records.unit.most


def degree(measure: Measure, stability: int, records: int) -> int:
    """`Choices.degree` of a level of this stability, where at most so many records of one person are counted.

    >>> degree("epsilon", 3, 5), degree("rho", 3, 5)
    (15, 75)
    """
    return stability * (records if measure == "epsilon" else records**2)


def cost_of(measure: Measure, amount: Fraction) -> Cost:
    """An amount of epsilon or rho."""
    return Epsilon(amount) if measure == "epsilon" else Rho(amount)


def all_levels(*, us: bool, pr: bool) -> Iterator[LevelKey]:
    """Geography and iteration levels that a run of the United States and/or Puerto Rico has, in plan order."""
    for geography in GeographyLevel:
        if pr if geography.puerto_rico else us:
            for level in ITERATION_LEVELS:
                yield geography, level


@contextmanager
def within(file: str) -> Iterator[None]:
    """Name the file in problems of the plan as a whole, which have none."""
    try:
        yield
    except PlanError as error:
        problems = [problem if problem.file else replace(problem, file=file) for problem in error.problems]
        raise PlanError(problems=problems) from None
