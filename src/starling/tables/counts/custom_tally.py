"""What counting custom records fills: counted records, and those of each kind of aggregates."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from starling.engine.spill import Spill
from starling.tables.counts.contributions import Kind
from starling.tables.counts.kernels import Int32, Int64, UInt8
from starling.tables.counts.records import Records
from starling.tables.counts.spread_records import SpreadRecords
from starling.tables.plan import Aggregate

CombinedValues: TypeAlias = tuple[tuple[int, ...], ...]
"""What records say of the columns of groups: of each column its values."""


class Tally:
    """The records of a plan, put away on the disk as they come; confidential. Its methods raise OutputError when the disk is full.

    Args:
        kinds: The aggregates that need numbers of their own.
        units: How many areas there are.
        spill: Where they are put.

    Attributes:
        counted: Records by area, number of what they say, and cell.
        spread: Those of each kind of aggregates, by what they add to its cells.
    """

    def __init__(self, kinds: Mapping[Kind, Aggregate], units: int, spill: Spill) -> None:
        self.counted = Records(units, spill)
        self.spread = {kind: SpreadRecords(each, units, spill) for kind, each in kinds.items()}

    def add(self, unit: Int32, groups: Int32, cell: UInt8, records: Int64) -> None:
        """Some areas, numbers of what records say, and cells, with their records."""
        self.counted.add(unit, groups, np.zeros(len(unit), np.int16), cell, records)

    def put_away(self) -> None:
        """To be called after the last ones."""
        self.counted.put_away()
        for each in self.spread.values():
            each.put_away()
