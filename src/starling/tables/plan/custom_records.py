"""Custom records, as a plan declares them: columns with public domains, the public table of areas, and the families of groups.

Privacy. A record lies in one area at most, so in one region of a level at most, and has of each column at most a public number of values.
What bounds the groups of a record is derived from this alone (stability.py). A record without an area of the table, or without a cell of
the detail, is dropped; a value outside a domain is in no group, and no set holds all values of such a record. Nothing of it is counted.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.errors import PlanError, Problem
from starling.planfile.spelling import name_problem, shown
from starling.release.codec import OPTIONAL, Json
from starling.tables.plan.aggregates import Aggregate
from starling.tables.plan.blocks import Geography
from starling.tables.plan.columns import Column, Decimals, Integers, RecordColumns, Unit, codes_of
from starling.tables.plan.counting_sql import CUSTOM_SQL, custom_tables
from starling.tables.plan.custom_families import MOST_VALUES, CustomFamily
from starling.tables.plan.detail import Detail
from starling.tables.plan.idle_choices import idle_custom
from starling.tables.plan.iterations import Attribute, Definitions
from starling.tables.plan.levels import Level
from starling.tables.plan.region_levels import WHOLE, RegionLevels
from starling.tables.plan.wording import CUSTOM, WITHOUT_REGIONS, Wording
from starling.text_format import PLAIN, TextFormat

if TYPE_CHECKING:
    from starling.tables.plan.choices import Choices
    from starling.tables.plan.cross import Cross

MOST_AREAS: Final = 1_000_000
EXPECTED: Final = 100_000
"""Records that are expected where the plan says nothing."""


@dataclass(frozen=True, slots=True)
class CustomAreas:
    """The public table of the smallest areas.

    Attributes:
        column: The column of the records that says the area; empty where there is the one area WHOLE.
        codes: The areas, ascending.
        regions: Of each level the region of each area, "" for none.
    """

    column: str
    codes: tuple[str, ...]
    regions: tuple[tuple[str, ...], ...]

    def ids(self, place: int) -> tuple[str, ...]:
        """The regions of a level, ascending."""
        return tuple(sorted({*self.regions[place]} - {""}))

    def parents(self, above: int, below: int) -> tuple[int, ...] | None:
        """The position, among the regions of the level `above`, of the region that each region of `below` lies in.

        None unless they are nested: every area of the one level lies in a region of the other, and a region below in one above.
        """
        pairs = {pair for pair in zip(self.regions[above], self.regions[below], strict=True) if any(pair)}
        of = {lower: upper for upper, lower in pairs}
        if len(of) < len(pairs) or not all(all(pair) for pair in pairs):
            return None
        position = {region: at for at, region in enumerate(self.ids(above))}
        return tuple(position[of[region]] for region in self.ids(below))

    def problems(self, levels: int) -> Iterator[Problem]:
        """What is wrong with it."""
        if len(self.regions) != levels:
            yield Problem("regions", "are of other levels than the plan", "give a column for each level")
            return
        if not self.codes or len(self.codes) > MOST_AREAS or list(self.codes) != sorted(set(self.codes)):
            fix = f"list 1 to {MOST_AREAS:,} areas, each once"
            yield Problem("regions", "have no areas, too many, or one twice", fix)
        texts = (*self.codes, *(text for part in self.regions for text in set(part) if text))
        if wrong := next(filter(None, map(name_problem, texts)), None):
            yield Problem("regions", f"have an area, a region or a name that {wrong}", "write names")
        for place, of_area in enumerate(self.regions):
            if len(of_area) != len(self.codes) or not self.ids(place):
                yield Problem("regions", "have a level without regions", "fill its column")


EVERYWHERE: Final = CustomAreas("", (WHOLE,), ((WHOLE,),))
"""The table of records without areas."""


@dataclass(frozen=True)
class CustomRecords:
    """What a plan says of its records; raises PlanError with all problems where that is nothing that records can be.

    Attributes:
        columns: The columns that are read, but for that of the areas.
        families: The families of groups, numbered from 1.
        detail: The columns that the attributes of the plan's detail are read from, in their order.
        expected: About how many records there are, a public guess by which previews assume sizes of groups; nothing is measured by it.
        unit: The column that says whose a record is, and how many records of one are counted; None where each has one record.
    """

    columns: tuple[Column, ...]
    areas: CustomAreas
    families: tuple[CustomFamily, ...]
    detail: tuple[str, ...] = ()
    expected: int = EXPECTED
    unit: Unit | None = None
    protects: Literal["person", "household"] = "person"
    format: TextFormat = field(default=PLAIN, metadata=OPTIONAL)
    states: ClassVar[frozenset[str]] = frozenset()
    several_parts: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, int]] = MappingProxyType({})

    def __post_init__(self) -> None:
        names = [*(column.name for column in self.columns), *([self.areas.column] if self.areas.column else [])]
        problems = [
            Problem("column", f"has a name that {wrong}", "write the name of the column")
            for name in names
            if (wrong := name_problem(name)) is not None
        ]
        if len(set(names)) < len(names):
            problems.append(Problem("columns", "are two of one name", "declare each once, the area in [regions] alone"))
        problems += self.areas.problems(len(self.areas.regions))
        families = [family.name for family in self.families]
        if len(set(families)) < len(families):
            problems.append(Problem("groups", "are none, or two of one name", "give each [[groups]] a name of its own"))
        if not problems:
            problems += [problem for family in self.families for problem in family.problems(self.by_name)]
        several = [
            name
            for name in self.detail
            if name in self.by_name and (self.by_name[name].several or isinstance(self.by_name[name].domain, Decimals))
        ]
        cut = [each.name for each in self.columns if isinstance(each.domain, Integers) and each.domain.cuts]
        if several or not set(self.detail) <= self.by_name.keys():
            fix = "name columns of which a record has one value, not decimals"
            problem = "is of a column of several values or of decimals, or of none of the plan"
            problems.append(Problem("detail", problem, fix))
        if cut:
            fix = "cut them where groups or the detail are made"
            problems.append(Problem(f"column {cut[0]}", "has whole numbers that are cut already", fix))
        if not problems and sum(len(family.values(self.by_name)) for family in self.families) > MOST_VALUES:
            fix = "take fewer columns, or cuts"
            problems.append(Problem("groups", f"have more than {MOST_VALUES:,} combinations of values in all", fix))
        if not problems and (repeated := self._code_twice()):
            fix = "rename a family, or a value: commas and colons between names and values are read as part of them"
            problems.append(Problem("groups", f"give two groups the one code {shown(repeated)}", fix))
        PlanError.check(problems)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    def _code_twice(self) -> str | None:
        """A code of two groups, or of two values of families; also where sets of values hide it, records would count for either."""
        codes = [code for code, _ in self.definitions.codes]
        groups = [each.code for each in self.definitions.iterations]
        return next((first for some in (codes, groups) for first, second in pairwise(some) if first == second), None)

    def read(self, aggregates: Iterable[Aggregate] = (), cross: "Cross | None" = None) -> RecordColumns:
        """All that is read of a record: the area, the columns of families as these cut them, those of the detail or of cross tables, and of
        aggregates.
        """
        area = Column(self.areas.column, codes_of(self.areas.codes)) if self.areas.column else None
        groups = dict.fromkeys(column for family in self.families for column in family.read(self.by_name))
        detail = tuple(self.by_name[name] for name in self.detail) if cross is None else cross.read(self.by_name)
        numbers = dict.fromkeys(self.by_name[each.column] for each in aggregates)
        return RecordColumns(area, tuple(groups), detail, self.unit, numbers=tuple(numbers), format=self.format)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The families as attributes."""
        return tuple(family.attribute(self.by_name) for family in self.families)

    @cached_property
    def definitions(self) -> Definitions:
        """The groups of all families, and their values."""
        iterations = [
            each for level, family in enumerate(self.families, 1) for each in family.iterations(level, self.by_name)
        ]
        codes = [pair for family in self.families for pair in family.values(self.by_name)]
        return Definitions(tuple(sorted(iterations, key=lambda each: each.code)), tuple(sorted(codes)))

    def problems(self, families: tuple[str, ...], definitions: Definitions) -> list[Problem]:
        """Families and groups are those of the declared columns."""
        if families == tuple(family.name for family in self.families) and definitions == self.definitions:
            return []
        return [Problem("groups", "are others than the plan's families have", "read them from a plan file")]

    def idle_choices(self, plan: "Choices") -> list[Problem]:
        """Those of idle_choices.py."""
        return [*idle_custom(plan)]

    def stated_regions(self, levels: RegionLevels, tabulated: Collection[str]) -> Geography | None:
        """The areas as units, and the regions of the tabulated levels."""
        if len(self.areas.regions) != len(levels.levels):
            raise PlanError("regions", "are of other levels than the plan", "give a column for each level")
        regions: dict[str, tuple[str, ...]] = {}
        region_of_unit: dict[str, npt.NDArray[np.int32]] = {}
        for at, level in enumerate(levels.names):
            if level in tabulated:
                regions[level] = self.areas.ids(at)
                number = {region: position for position, region in enumerate(regions[level])} | {"": -1}
                region_of_unit[level] = np.array([number[region] for region in self.areas.regions[at]], dtype=np.int32)
        return Geography(len(self.areas.codes), pa.table({}), regions, region_of_unit, regions)

    def chains(self, levels: RegionLevels, tabulated: Collection[str]) -> list[list[str]]:
        """From the first tabulated level on each that is nested in the one before; another one is part of no sum."""
        chain: list[str] = []
        for level in levels.names:
            nested = not chain or self.areas.parents(*map(levels.order, (chain[-1], level))) is not None
            if level in tabulated and nested:
                chain.append(level)
        return [chain]

    def parents(
        self, levels: RegionLevels, above: str, below: str, regions: Mapping[str, Sequence[str]]
    ) -> Sequence[int] | None:
        """By the table of areas."""
        return self.areas.parents(levels.order(above), levels.order(below))

    def median(self, level: Level, levels: RegionLevels) -> float:
        """An equal part of the records that the plan expects."""
        return max(self.expected / (len(self.areas.ids(levels.order(level.geography))) * len(level.iterations)), 1)

    def wording(self, levels: RegionLevels) -> Wording:
        """With regions or without."""
        return WITHOUT_REGIONS if levels.names == (WHOLE,) else CUSTOM

    def counting(self, detail: Detail) -> tuple[str, dict[str, str]]:
        """By area, groups and cell."""
        return CUSTOM_SQL, custom_tables(detail)

    @property
    def bounds(self) -> dict[str, Json]:
        """Values of each column, and regions."""
        values: dict[str, Json] = {column.name: column.most for column in self.columns}
        return {"values_of_a_person": values, "regions_of_a_person_in_a_level": 1}

    @property
    def area(self) -> str:
        """How many areas there are."""
        return f"{len(self.areas.codes):,} areas of the plan" if self.areas.column else "All areas together"


def custom_records(plan: "Choices") -> CustomRecords:
    """The records that a plan of custom tables is about, for their reader and writer; raises PlanError for those of the Census."""
    if not isinstance(plan.records, CustomRecords):
        raise PlanError("plan", "is of the Census, and a plan of custom tables is needed", "declare [[columns]]")
    return plan.records
