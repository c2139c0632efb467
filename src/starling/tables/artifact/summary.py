"""What the report says of the published tables, gathered piece by piece: how wide the intervals are, and a few groups to show."""

from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from starling.tables.measurements import BRANCHES, Int64
from starling.tables.plan import Plan
from starling.tables.postprocess import Tabulated

LADDER: Final = (1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300, 100, 30)
"""Published counts to which the shown groups are the nearest ones."""


class Widths(NamedTuple):
    """Published totals of a level, alike ones together: there are few kinds, however many groups.

    Attributes:
        size: Published count.
        width: From the lower to the upper end of the interval.
        rows: How many have both.
    """

    size: Int64
    width: Int64
    rows: Int64


class Shown(NamedTuple):
    """A row of T1 that is shown.

    Attributes:
        distance: From a step of the ladder, as a difference of logarithms.
        row: Its position in T1.
        values: By column.
    """

    distance: float
    row: int
    values: dict[str, Any]


class Summary:
    """Of the pieces that were added.

    Args:
        plan: The public choices of the release.

    Attributes:
        branches: Groups of each level that took each of BRANCHES, int64 (levels, branches).
        rows: The rows of T1 and of T2.
    """

    def __init__(self, plan: Plan) -> None:
        self.branches = np.zeros((len(plan.levels), len(BRANCHES)), dtype=np.int64)
        self.rows = {"t1": 0, "t2": 0}
        self._widths = [_WIDTHS.empty_table() for _ in plan.levels]
        self._shown: dict[int, Shown] = {}
        self._largest = 0

    def add(self, part: Tabulated) -> None:
        """The next piece."""
        level, t1 = part.piece.level, part.tables.t1
        self.branches[level] += part.branches
        if len(t1):
            self._show(t1)
            width = t1["upper"].to_numpy() - t1["lower"].to_numpy()
            new = pa.table([t1["count"].combine_chunks(), pa.array(width), pa.array(np.ones_like(width))], _WIDTHS)
            both = pa.concat_tables([self._widths[level], new]).group_by(["size", "width"], use_threads=False)
            self._widths[level] = both.aggregate([("rows", "sum")]).rename_columns(_WIDTHS.names)
        self.rows["t1"] += len(t1)
        self.rows["t2"] += len(part.tables.t2)

    def widths(self, level: int) -> Widths:
        """Of the published totals of a level."""
        return Widths(*(self._widths[level][name].to_numpy() for name in _WIDTHS.names))

    def ladder(self) -> list[dict[str, Any]]:
        """Rows of T1 whose counts are nearest to the steps of the ladder, by ratio; each once, large to small."""
        near = [self._shown[step] for step in LADDER if step in self._shown and step <= 2 * self._largest]
        return list({each.row: each.values for each in near}.values())

    def _show(self, t1: pa.Table) -> None:
        count = t1["count"].to_numpy()
        positive = np.flatnonzero(count > 0)
        if not len(positive):
            return
        self._largest = max(self._largest, int(count.max()))
        logs = np.log(count[positive])
        for step in LADDER:
            distances = np.abs(logs - np.log(step))
            nearest = int(np.argmin(distances))
            distance, row = float(distances[nearest]), int(positive[nearest])
            if step not in self._shown or distance < self._shown[step].distance:
                values = {name: t1[name][row].as_py() for name in t1.column_names}
                self._shown[step] = Shown(distance, self.rows["t1"] + row, values)


_WIDTHS: Final = pa.schema([("size", pa.int64()), ("width", pa.int64()), ("rows", pa.int64())])
