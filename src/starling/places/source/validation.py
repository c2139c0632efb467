"""What is wrong with the records, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (source/__init__.py). Here every record that would be dropped is counted, and the
first are named with their line; what is shown of values, release/causes.py says. What concerns the file as a whole is stated before all
else: columns that are swapped, degrees in place of metres, a box that lies elsewhere.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa

from starling.engine.bounded_records import persons_of
from starling.engine.delimited import labels
from starling.engine.plain_text import times_of
from starling.engine.times import no_times
from starling.errors import SHOWN, Findings, Problem, number_of
from starling.places.arrays import Int64
from starling.places.plan import Plan
from starling.places.plan.grid import EAST, NORTH
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.records import PlanOfRecords
from starling.places.source import Held, Records, read_part
from starling.places.source.cells import categories_of, periods_of, points_of, units_of
from starling.places.source.geojson import TYPES
from starling.places.source.values import geometry_types
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.domain import Validated
from starling.release.faults import Tally, notes_of_persons

TallyT = TypeVar("TallyT", bound=Tally)
FIX: Final = "correct it; a release drops it, uncounted"
MOST_FAULTY: Final = "look at the columns, the units and the box before anything else"
LARGE: Final = 1000
"""Plain units of a side of the box from which on points within 180 of 0 look like degrees."""

METRES: Final = 2.1e7
"""Beyond the metres and feet of common projections."""


@dataclass(slots=True)
class _Tally(Tally):
    """Faults, and what the points look like as a whole.

    Attributes:
        swapped: Points that would lie in the box if x were y.
        small: Points within the range of longitudes and latitudes.
        unsigned: Points that would lie in the box with another sign of x or y.
        scaled: Points that would lie in the box as whole numbers of so many decimal places.
    """

    swapped: int = 0
    small: int = 0
    unsigned: int = 0
    scaled: dict[int, int] = field(default_factory=lambda: dict.fromkeys((6, 7), 0))


def validate(plan: Plan, records: Records | Held, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian which of them a release would drop, and why.

    Args:
        plan: Public choices.
        records: The checked records.
        most: How many faults are listed; all are counted.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    tally = _Tally(most, FIX)
    return inspected(partial(_check, plan), plan, records, tally, MOST_FAULTY, partial(_decisive, plan, tally))


def inspected(
    check: Callable[[pa.Table, Int64, str, TallyT], None],
    plan: PlanOfRecords,
    records: Records | Held,
    tally: TallyT,
    most_faulty: str,
    decisive: Callable[[str], Iterable[Problem]] = lambda _: (),
) -> NotPrivate[Validated]:
    """What is wrong with the records of a plan, whatever kind it is of.

    Args:
        check: Adds the faults of some records, given with the line of each and their file.
        plan: Public choices.
        records: The checked records.
        tally: Counts faults; it has none yet.
        most_faulty: What to do about a fault that most records have.
        decisive: What is wrong with the records as a whole, by their name, after all were looked at.

    Raises:
        SourceError: a file is no longer what was checked.
    """

    def validated() -> Validated:
        for table, lines, file in tally.tables(records, partial(read_part, records)):
            check(table, lines, file, tally)
        problems = tally.findings((*decisive(records.name), *tally.decisive(records.name, most_faulty)))
        return Validated(problems, _notes(plan, records), number_of(tally.total, "record"), {"records": tally.total})

    return inspect(Confidential(validated))


def _check(plan: Plan, table: pa.Table, here: Int64, file: str, tally: _Tally) -> None:
    """Add the faults of some records."""
    x, y = points_of(plan, table)
    where = plan.columns.geometry or plan.columns.h3 or f"{plan.columns.x}, {plan.columns.y}"
    none = np.isnan(x) | np.isnan(y)
    shape = np.zeros(len(x), dtype=np.int64)
    if plan.columns.geometry:
        shape = np.where(none, geometry_types(table[plan.columns.geometry]), 0)
        for number, named in enumerate(TYPES[1:], start=2):
            tally.add(where, f"is a {named}, not a point", shape == number, here, file)
    absent = "is missing or no H3 cell in hexadecimal" if plan.columns.h3 else "is missing or no point"
    endless = ~none & (np.isinf(x) | np.isinf(y))
    beyond = ~none & ~endless & (np.abs(y) > NORTH) if plan.grid.crs != "plain" else np.zeros(len(x), np.bool_)
    tally.add(where, absent, none & (shape <= 1), here, file)
    tally.add(where, "is infinite", endless, here, file)
    tally.add(where, "is beyond latitude 90", beyond, here, file)
    tally.add(where, "is outside the box", ~none & ~endless & ~beyond & ~plan.grid.holds(x, y), here, file)
    tally.swapped += int(np.count_nonzero(plan.grid.holds(y, x)))
    tally.unsigned += int(np.count_nonzero(plan.grid.holds(-x, y) | plan.grid.holds(x, -y) | plan.grid.holds(-x, -y)))
    for places in tally.scaled:
        with np.errstate(invalid="ignore"):  # of coordinates that are no numbers
            inside = plan.grid.holds(x / 10.0**places, y / 10.0**places) & (np.maximum(np.abs(x), np.abs(y)) > METRES)
        tally.scaled[places] += int(np.count_nonzero(inside))
    tally.small += int(np.count_nonzero((np.abs(x) <= EAST) & (np.abs(y) <= NORTH)))
    check_value(plan, table, here, file, tally)
    check_unit(plan, table, here, file, tally)


def check_value(plan: PlanOfPoints, table: pa.Table, here: Int64, file: str, tally: Tally) -> None:
    """Add the missing values of some records."""
    if plan.value is not None:
        tally.add(plan.columns.value, "is missing or no finite number", units_of(plan, table) < 0, here, file)


def check_unit(plan: PlanOfRecords, table: pa.Table, here: Int64, file: str, tally: Tally) -> None:
    """Add the faults of the times and persons of some records."""
    if plan.slices is not None:
        unread = (
            no_times(times_of(table[plan.columns.time], plan.format))
            if plan.slices.bounds is not None
            else np.zeros(len(table), np.bool_)
        )
        tally.add(plan.columns.time, "is no time", unread, here, file)
        tally.add(plan.columns.time, "is in no slice", (periods_of(plan, table) < 0) & ~unread, here, file)
    if plan.columns.category:
        tally.add(plan.columns.category, "is in no slice", categories_of(plan, table) < 0, here, file)
    if plan.columns.person:
        missing = labels(table[plan.columns.person]).is_null().to_numpy(zero_copy_only=False)
        tally.add(plan.columns.person, "is missing", missing, here, file)


def _decisive(plan: Plan, tally: _Tally, file: str) -> Iterator[Problem]:
    """What makes most points lie outside the box, if they do."""
    outside = sum(many for (_, problem), many in tally.counts.items() if "outside" in problem or "beyond" in problem)
    x0, y0, x1, y1 = plan.grid.ends
    if 2 * outside > tally.total:
        if 2 * tally.swapped > tally.total:
            yield Problem(
                "input", "has x and y swapped: most points lie in the box the other way round", "swap them", file
            )
        elif 2 * tally.unsigned > tally.total:
            problem = "has coordinates without their sign: most points lie in the box with it changed"
            yield Problem("input", problem, "write longitudes west and latitudes south as negative numbers", file)
        elif places := next((places for places, many in tally.scaled.items() if 2 * many > tally.total), 0):
            problem = f"has degrees times {10**places:,}: most points lie in the box when divided"
            yield Problem("input", problem, "divide them, or store degrees", file)
        elif plan.grid.crs == "plain" and 2 * tally.small > tally.total and max(x1 - x0, y1 - y0) > LARGE:
            yield Problem(
                "grid.crs", f"is {plan.grid.crs_name}, and most points look like degrees", "name the units", file
            )
        elif plan.grid.crs != "plain" and 2 * tally.small < tally.total:
            yield Problem(
                "grid.crs", "takes points in degrees, and most look like metres or feet", "name the units", file
            )


def _notes(plan: PlanOfRecords, records: Records | Held) -> Findings:
    """How many persons have more records than count, and whether a person is rather the number of a row."""
    if not plan.columns.person:
        return Findings(0, {}, ())
    person = plan.columns.person
    read = (labels(table[person]) for part in records.parts for table in read_part(records, part))
    key = f"{plan.record}s_per_person"
    return notes_of_persons(person, persons_of(read, plan.most), plan.most, key, records.name)
