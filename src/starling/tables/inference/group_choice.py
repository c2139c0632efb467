"""Which groups of a plan of custom tables add up to the people with given values: `number(sex="F")` of a release.

Where several families could answer, as people of both sexes are the sum of two groups of one family and one group of another, the one is
taken whose sum has the least variance. The choice follows from the plan alone.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from starling.errors import ParameterError
from starling.tables.inference.totals import deviation_of
from starling.tables.plan import Geography, Level, Plan
from starling.tables.plan.columns import Column
from starling.tables.plan.custom_families import CustomFamily, value_texts
from starling.tables.plan.detail import TOTAL_ONLY

Values: TypeAlias = str | int | Collection[str | int]
"""One value of a column, or several."""
Chosen: TypeAlias = dict[str, tuple[str, ...]]
"""The values that are chosen of columns, or the regions of levels, by their names."""

_FIX: Final = "look at `plan`, or take `number` of a table and its rows"


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """Groups of one level, by ids of regions and codes of iterations, whose sum is the number of people with the given values."""

    level: Level
    regions: tuple[str, ...]
    codes: tuple[str, ...]


def choose_groups(plan: Plan, geography: Geography, values: Mapping[str, Values]) -> ChosenGroups:
    """The groups of least variance that add up to the people with these values.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        values: Of a column, or of a level of regions by its name, the values that people have; of a column of whole numbers a class of
            the plan, such as "0 to 9".

    Raises:
        ParameterError: the plan declares no columns, has no such column or value, or no family of groups looks at all these columns.
    """
    records = plan.records
    if not records.families:
        raise ParameterError("table", "is not named, and the plan declares no columns", "name t1 or t2, and a row")
    columns, where = apart(values, plan.regions.names)
    chosen: list[tuple[float, ChosenGroups]] = []
    for level in plan.levels:
        family = records.families[level.iteration_level - 1]
        if (where and level.geography not in where) or not columns.keys() <= set(family.columns) or family.groups:
            continue
        codes = _codes(family, records.by_name, columns)
        known = geography.regions[level.geography]
        regions = tuple(where.get(level.geography, known))
        if unknown := set(regions) - set(known):
            raise ParameterError(str(level.geography), f"has no region {min(unknown)[:40]!r}", _FIX)
        kind = TOTAL_ONLY if family.total_only else 0
        variance = len(codes) * len(regions) * deviation_of(plan, level, kind) ** 2
        chosen.append((variance, ChosenGroups(level, regions, codes)))
    if not chosen:
        together = " together" if len(values) != 1 else ""
        raise ParameterError("groups", f"by {', '.join(values) or 'no column'}{together} are not in the plan", _FIX)
    return min(chosen, key=lambda each: each[0])[1]


def texts(value: Values) -> tuple[str, ...]:
    """The values as a plan writes them."""
    return tuple(map(str, [value] if isinstance(value, str | int) else value))


def apart(values: Mapping[str, Values], levels: Collection[str]) -> tuple[Chosen, Chosen]:
    """The values of columns, and the regions of a level; raises ParameterError where they are of several levels."""
    columns, where = ({name: texts(values[name]) for name in values if (name in levels) == of} for of in (False, True))
    if len(where) > 1:
        raise ParameterError("regions", "are of several levels", "choose regions of one level")
    return columns, where


def known_codes(name: str, column: Column, wanted: Collection[str] = ()) -> list[str]:
    """The codes of a column; raises ParameterError where one that is wanted is none of them."""
    known = [code for code, _ in value_texts(column.domain)]
    if unknown := sorted(set(wanted) - set(known)):
        raise ParameterError(name, f"has no value {unknown[0][:40]!r}", f"take some of {', '.join(known[:12])}")
    return known


def _codes(
    family: CustomFamily, declared: Mapping[str, Column], wanted: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    columns = family.read(declared)
    choices = []
    for name, column in zip(family.columns, columns, strict=True):
        if column.several:
            raise ParameterError(name, "has several values of a person, whose groups do not add up", _FIX)
        known = known_codes(name, column, wanted.get(name, ()))
        choices.append([code for code in known if code in wanted.get(name, known)])
    if not choices:
        return tuple(each.code for each in family.iterations(1, {}))
    return tuple(f"{family.name}: {', '.join(each)}" for each in product(*choices))
