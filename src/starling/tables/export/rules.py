"""What an office does to numbers before it prints them: not showing some, and rounding. A function of released values and public choices.

None of it protects anybody, for the release with every number is public; each rule says in a sentence what it does to sums. No row is
dropped: a number that is not shown is missing in its row, and so are its interval and its standard deviation, which would tell it.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.tables.export.described import COUNT, DescribedTable, Number

MOST: Final = 10**9
SHOWN: Final = "shown"
_SHOWN: Final = Number(SHOWN, pa.bool_(), "Whether the number is shown; false where a rule of the export leaves it out")


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for counts; none of them by default. Raises ParameterError.

    Attributes:
        round_to: Counts are rounded to multiples of it, in public; 1 for whole numbers.
        hide_below: Smaller counts are not shown.
        hide_wider: Counts are not shown whose interval's half width is above this.
    """

    round_to: int | None = None
    hide_below: int | None = None
    hide_wider: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("round_to", 1), ("hide_below", 1), ("hide_wider", 0)):
            value = getattr(self, name)
            if value is not None and not least <= value <= MOST:
                raise ParameterError(name, f"is not {least} to {MOST:,}", "write a number such as 5, or leave it out")

    @property
    def hiding(self) -> bool:
        """Whether some counts may not be shown."""
        return self.hide_below is not None or self.hide_wider is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """What each rule does, to sums too."""
        notes = []
        if self.hide_wider is not None:
            notes.append(
                f"Not shown: counts whose interval has a half width above {self.hide_wider:g}. Sums of counts that are shown lack"
                " them, and need not agree with totals."
            )
        if self.hide_below is not None:
            notes.append(
                f"Not shown: counts below {self.hide_below:,}. Sums of counts that are shown lack them, and need not agree with"
                " totals. Shown counts of small groups are too high on average, for they are shown where their noise is high."
            )
        if self.round_to is not None:
            most = f"{self.round_to / 2:g}"
            notes.append(
                f"Rounded to multiples of {self.round_to:,} after the noise, halves away from 0; ends of intervals outwards. Counts that"
                f" added up need not any more: a sum of k of them moves by up to {most} times k, and its interval does not say so."
            )
        return tuple(notes)

    def applied(self, table: DescribedTable) -> DescribedTable:
        """A table by these rules; itself where there are none.

        Raises:
            ParameterError: the table holds no counts.
        """
        if not self.notes:
            return table
        if table.estimate != COUNT:
            fix = "name the tables of counts"
            raise ParameterError("tables", f"hold statistics ({table.name}), and rules are for counts", fix)
        numbers = tuple(
            replace(each, type=pa.int64()) if self.round_to and each.name in (COUNT, "lower", "upper") else each
            for each in table.numbers
        )
        numbers += (_SHOWN,) if self.hiding else ()
        notes = (*table.notes, *self.notes)
        return replace(table, numbers=numbers, pieces=lambda: map(self._piece, table.pieces()), notes=notes)

    def _piece(self, piece: pa.Table) -> pa.Table:
        count, lower, upper = (piece[name].to_numpy() for name in (COUNT, "lower", "upper"))
        hidden = np.zeros(len(piece), dtype=bool)
        if self.hide_wider is not None:
            hidden |= (upper - lower) / 2 > self.hide_wider
        if self.hide_below is not None:
            hidden |= count < self.hide_below
        if self.round_to is not None:
            rounded = {COUNT: nearest(count, self.round_to)}
            rounded |= {"lower": -_up(-lower, self.round_to), "upper": _up(upper, self.round_to)}
            for name, values in rounded.items():
                piece = piece.set_column(piece.schema.get_field_index(name), name, pa.array(values))
        if not self.hiding:
            return piece
        shown = pa.array(~hidden)
        for name in (COUNT, "lower", "upper", "standard_deviation"):
            left = pc.if_else(shown, piece[name], pa.scalar(None, piece[name].type))
            piece = piece.set_column(piece.schema.get_field_index(name), name, left)
        return piece.append_column(SHOWN, shown)


def nearest(values: npt.NDArray[np.int64] | npt.NDArray[np.float64], base: int) -> npt.NDArray[np.int64]:
    """The nearest multiples of a base, halves away from 0.

    >>> nearest(np.array([-8, -7, 2, 3, 12]), 5).tolist(), nearest(np.array([-0.5, 2.4, 7.5]), 1).tolist()
    ([-10, -5, 0, 5, 10], [-1, 2, 8])
    """
    size = np.abs(values)
    # In whole numbers where they are whole, so that none is too large to be exact.
    steps = (2 * size + base) // (2 * base) if np.issubdtype(size.dtype, np.integer) else np.floor(size / base + 0.5)
    multiples: npt.NDArray[np.int64] = (np.sign(values) * steps).astype(np.int64) * base
    return multiples


def _up(values: npt.NDArray[np.int64] | npt.NDArray[np.float64], base: int) -> npt.NDArray[np.int64]:
    """The least multiples of a base that are not smaller."""
    multiples: npt.NDArray[np.int64] = (-(-values // base)).astype(np.int64) * base
    return multiples
