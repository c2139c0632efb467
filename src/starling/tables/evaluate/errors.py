"""Errors of published numbers by level, true size, branch and kind of number. Not private."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from math import sqrt
from typing import Final

MARK: Final = "NOT PRIVATE"
WARNING: Final = (
    f"{MARK}: exact errors. Who has these and the release has the counts; publish neither this nor parts of it."
)

SIZES: Final = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
"""Where the classes of true group sizes begin, in persons."""

SIZE_NAMES: Final = (
    *("empty", "1 to 9", "10 to 99", "100 to 999", "1,000 to 9,999"),
    *("10,000 to 99,999", "100,000 to 999,999", "1,000,000 or more"),
)
"""The name of each size class."""

NUMBERS: Final = ("total", "sex", "cell")
"""Kinds of published numbers: a T1 row, a sex marginal of T2, a cell of T2."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Sums over published numbers, published minus true; `+` joins two kinds of numbers.

    Attributes:
        rows: How many numbers.
        error: Sum of errors, in persons.
        absolute: Sum of absolute errors.
        square: Sum of squared errors.
        variance: Sum of the variances that the release states.
        covered: How many intervals hold the true count.
    """

    rows: int = 0
    error: float = 0.0
    absolute: float = 0.0
    square: float = 0.0
    variance: float = 0.0
    covered: int = 0

    def __add__(self, other: "Errors") -> "Errors":
        return Errors(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def bias(self) -> float:
        """Mean error; 0 without rows, as all means here."""
        return self.error / max(self.rows, 1)

    @property
    def mean_absolute(self) -> float:
        """Mean absolute error."""
        return self.absolute / max(self.rows, 1)

    @property
    def root_mean_square(self) -> float:
        """Root mean square of the errors that happened."""
        return sqrt(self.square / max(self.rows, 1))

    @property
    def stated(self) -> float:
        """Root mean square of the stated standard deviations: what `root_mean_square` should be near."""
        return sqrt(self.variance / max(self.rows, 1))

    @property
    def coverage(self) -> float:
        """Share of intervals that hold the true count."""
        return self.covered / max(self.rows, 1)


@dataclass(frozen=True, slots=True)
class Class:
    """Published numbers of one kind, with their errors.

    Attributes:
        level: Name of the level, "(COUNTY, 2)".
        size: Where the size class begins, a value of SIZES.
        branch: 0 to 3, or -1 for groups that are bare totals by plan.
        number: One of NUMBERS.
        errors: The errors of these numbers.
    """

    level: str
    size: int
    branch: int
    number: str
    errors: Errors


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of one level and size class.

    Attributes:
        level: Name of the level.
        size: Where the size class begins.
        groups: How many there are.
        suppressed: How many of them are not published.
        persons: Persons in suppressed groups, once for each group.
    """

    level: str
    size: int
    groups: int
    suppressed: int
    persons: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Errors of a release.

    Attributes:
        title: The title of the release's plan.
        levels: The title of each level by its name, in plan order: "(COUNTY, 2)" is "County, detailed".
        classes: Every combination that has published numbers, in the order of the plan.
        groups: Every level and size class that has groups.
    """

    title: str
    levels: Mapping[str, str]
    classes: tuple[Class, ...]
    groups: tuple[Groups, ...]

    def by(self, *names: str) -> dict[tuple[int | str, ...], Errors]:
        """Errors joined over all but the named attributes of Class: `evaluation.by("level", "number")`."""
        joined: dict[tuple[int | str, ...], Errors] = {}
        for each in self.classes:
            key = tuple(getattr(each, name) for name in names)
            joined[key] = joined.get(key, Errors()) + each.errors
        return joined
