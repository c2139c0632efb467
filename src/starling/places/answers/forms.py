"""What answers of all kinds have in common: their level, and of arrays a table with a row for each query."""

from abc import abstractmethod
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from starling.errors import SHOWN, ParameterError
from starling.places.arrays import Bool
from starling.privacy.budget import Exact, exact
from starling.release.codec import Json
from starling.release.session import Described, Grid, Part


class ArrayAnswers(Described):
    """Answers to queries, in their order: a dataclass of arrays, some of which may be None.

    Attributes:
        clipped: bool (queries,): whether a part of the query lies beyond the grid; nothing lies in that part.
    """

    __slots__ = ()

    clipped: Bool

    @property
    def outside_note(self) -> str:
        """What is said where numbers, as whole ones, lie outside their intervals; else empty."""
        return ""

    @abstractmethod
    def _columns(self, first: slice) -> dict[str, list[str]]:
        """The columns of the table, of some of the answers."""

    def _facts(self) -> list[tuple[str, str]]:
        many = len(self.clipped)
        more = [("below", f"the first {SHOWN:,}")] if many > SHOWN else []
        return [("answers", f"{many:,} {'query' if many == 1 else 'queries'}"), *more]

    def _parts(self) -> tuple[Part, ...]:
        parts = (self.grid(SHOWN), self.outside_note) if len(self.clipped) else ()
        return tuple(part for part in parts if part)

    def grid(self, most: int | None = None) -> Grid:
        """The header and the rows of a table of the answers, of all or of the first ones."""
        first = slice(most)
        clipped = self.clipped[first].tolist()
        columns = {"query": [f"{number:,}" for number in range(1, len(clipped) + 1)], **self._columns(first)}
        if self.clipped.any():
            columns[""] = ["reaches beyond the grid" if each else "" for each in clipped]
        return [name.rstrip() for name in columns], list(zip(*columns.values(), strict=True))

    def as_json(self) -> dict[str, Json]:
        """Each attribute as a list, with an entry for each query; what is no number is null."""
        own: Any = self
        return {each.name: stated(getattr(self, each.name)) for each in fields(own)}


def stated(values: npt.NDArray[Any] | None) -> list[Any] | None:
    """The entries of an array, None for what is no number; None where there is no array.

    >>> stated(np.array([0.5, np.nan])), stated(np.array([1, 2])), stated(None)
    ([0.5, None], [1, 2], None)
    """
    return None if values is None else [None if each != each else each for each in values.tolist()]  # noqa: PLR0124 - NaN


def shown(values: npt.NDArray[np.float64]) -> list[str]:
    """Estimates in words, each with a digit behind the point."""
    return [f"{each:z,.1f}" for each in values.tolist()]


def whole(values: npt.NDArray[np.int64]) -> list[str]:
    """Whole numbers in words."""
    return [f"{each:,}" for each in values.tolist()]


def checked_level(level: Exact, field: str = "level") -> Fraction:
    """The probability with which an interval holds the true number; raises ParameterError where it is not between 0 and 1."""
    chance = exact(level, field=field)
    if not 0 < chance < 1:
        raise ParameterError(field, "is not between 0 and 1", 'give one such as "0.95"')
    return chance
