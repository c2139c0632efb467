"""The headline of a release of tables, from the published rows of T1: the same for its report, a session and a page of a server."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.pages.parts import Headline
from starling.release.intervals import CONFIDENCE, total
from starling.release.stored_table import StoredTable
from starling.tables.artifact.row_values import RowValues
from starling.tables.inference.group_choice import ChosenGroups, choose_groups
from starling.tables.plan import Geography, Level, Plan, labels

MOST_SUMMED: Final = 10_000
"""Groups that are added up to the people in all."""


class FirstNumber:
    """Gathers what the headline is made of, piece by piece.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        folder: Its folder, with its measurements.
    """

    def __init__(self, plan: Plan, geography: Geography, folder: Path) -> None:
        self._plan, self._geography, self._folder = plan, geography, folder
        self._groups = _everybody(plan, geography)
        self._rows: list[dict[str, Any]] = []
        self._largest: dict[str, Any] | None = None
        self._published = 0

    def add(self, t1: pa.Table) -> None:
        """The next rows of T1, in their order."""
        if not len(t1):
            return
        self._published += len(t1)
        most = pc.max(t1["count"])
        if self._largest is None or most.as_py() > self._largest["count"]:
            self._largest = t1.slice(pc.index(t1["count"], most).as_py(), 1).to_pylist()[0]
        if self._groups is not None:
            here = pc.equal(t1["region_type"].cast(pa.string()), str(self._groups.level.geography))
            codes = pc.is_in(t1["iteration_code"].cast(pa.string()), pa.array(self._groups.codes, pa.string()))
            self._rows += t1.filter(pc.and_(here, codes)).to_pylist()

    def read(self, t1: StoredTable) -> None:
        """All rows of T1, of which few row groups are read."""
        self._published = t1.size
        self._largest = next(iter(t1.largest("count").to_pylist()), None)
        if self._groups is not None:
            where = {"region_type": [str(self._groups.level.geography)], "iteration_code": self._groups.codes}
            self._rows = [row for piece in t1.pieces(where) for row in piece.to_pylist()]

    def headline(self) -> Headline | None:
        """The people in all, where the plan declares columns and all groups of their sum are published with a known error; else the
        largest published total; None where there is none.
        """
        row, people = self._largest, self._people()
        if people is not None or row is None:
            return people
        return Headline(
            f"The largest published total: {labels.group(row)}",
            f"{row['count']:,}",
            f"{float(100 * CONFIDENCE):g} % interval: {row['lower']:,} to {row['upper']:,}",
            f"Of {self._published:,} totals; it was chosen by its noisy number, so that it is more often too high than too low.",
        )

    def _people(self) -> Headline | None:
        if self._groups is None or len(self._rows) < len(self._groups.regions) * len(self._groups.codes):
            return None
        releases = range(1 + len(self._plan.variants.releases))

        def drawn_in(level: Level) -> tuple[Hashable, ...]:
            return tuple((level.geography, level.iteration_level, release) for release in releases)

        values = RowValues(self._plan, self._geography, self._folder, drawn_in)
        try:
            return total(values.value(row) for row in self._rows).headline("People in all")
        except ParameterError:
            return None


def _everybody(plan: Plan, geography: Geography) -> ChosenGroups | None:
    """The groups that add up to the people in all; None where there are none, or very many."""
    try:
        groups = choose_groups(plan, geography, {})
    except ParameterError:
        return None
    return groups if len(groups.regions) * len(groups.codes) <= MOST_SUMMED else None
