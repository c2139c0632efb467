"""Errors of a release, joined by level, true size, branch and kind of number: what the custodian sees of them. NOT PRIVATE."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from math import sqrt
from typing import Final

from starling.release.codec import Json
from starling.release.session import Described, Part, attributes
from starling.release.text import rounded
from starling.tables.evaluate.aggregates import AggregateErrors

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
"""Kinds of published numbers: a T1 row, a sum over the last attribute of the detail in T2, a cell of T2."""


ERRORS: Final = (
    "rows=errors.rows",
    "mean_error=errors.bias",
    "mean_absolute_error=errors.mean_absolute",
    "root_mean_square_error=errors.root_mean_square",
    "stated_standard_deviation=errors.stated",
    "covered=errors.covered",
)
"""The errors of a class of numbers, as `attributes` gives them."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Sums over published numbers, published minus true; `+` joins two kinds of numbers.

    Attributes:
        error, absolute, square: Sums of errors, in persons, of absolute and of squared errors.
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
        return Errors(*(one + another for one, another in zip(astuple(self), astuple(other), strict=True)))

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
        branch: From 0 on, or -1 for groups that are bare totals by plan.
        number: One of NUMBERS.
    """

    level: str
    size: int
    branch: int
    number: str
    errors: Errors


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of one level and size class: how many there are, how many of them are not published, and the persons in those, once for each
    group.
    """

    level: str
    size: int
    groups: int
    suppressed: int
    persons: int


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Described):
    """Errors of a release.

    Attributes:
        levels: The title of each level by its name, in plan order: "(COUNTY, 2)" is "County, detailed".
        classes: Every combination that has published numbers, in the order of the plan.
        groups: Every level and size class that has groups.
        details: What a group of each branch gets.
    """

    title: str
    levels: Mapping[str, str]
    classes: tuple[Class, ...]
    groups: tuple[Groups, ...]
    details: Mapping[int, str]
    aggregates: tuple[AggregateErrors, ...] = ()

    def by(self, *names: str) -> dict[tuple[int | str, ...], Errors]:
        """Errors joined over all but the named attributes of Class: `evaluation.by("level", "number")`."""
        joined: dict[tuple[int | str, ...], Errors] = {}
        for each in self.classes:
            key = tuple(getattr(each, name) for name in names)
            joined[key] = joined.get(key, Errors()) + each.errors
        return joined

    def _facts(self) -> list[tuple[str, str]]:
        return [(MARK, WARNING.removeprefix(f"{MARK}: ")), ("plan", self.title)]

    def _parts(self) -> list[Part]:
        """Errors by level and kind of number, what the release states beside them, and what was left out; then sums and quantiles."""
        parts: list[Part] = []
        if self.levels:
            rows = [
                (self.levels[str(level)], str(number), *_errors_row(errors))
                for (level, number), errors in self.by("level", "number").items()
            ]
            everything = sum((each.errors for each in self.classes), start=Errors())
            header = ("level", "number", "rows", "mean error", "mean |error|", "rms error", "stated", "covered")
            parts += [(header, [*rows, ("all", "numbers", *_errors_row(everything))]), self._left_out()]
        if self.aggregates:
            heads = ("sums and quantiles", "statistic", "groups", "mean |error|", "covered")
            lines = [
                (
                    each.title,
                    each.statistic,
                    f"{each.groups:,}",
                    rounded(each.mean_absolute_error),
                    f"{100 * each.coverage:z.2f} %",
                )
                for each in self.aggregates
            ]
            parts.append((heads, lines))
        return parts

    def _left_out(self) -> Part:
        gone: dict[str, tuple[int, int, int]] = {}
        for each in self.groups:
            groups, dropped, persons = gone.get(each.level, (0, 0, 0))
            gone[each.level] = (groups + each.groups, dropped + each.suppressed, persons + each.persons)
        rows = [
            (self.levels[level], f"{groups:,}", f"{dropped:,}", f"{persons / max(dropped, 1):z.2f}")
            for level, (groups, dropped, persons) in gone.items()
        ]
        return ("level", "groups", "not published", "persons in one of these"), rows

    def as_json(self) -> dict[str, Json]:
        """Every class and group count, under the warning."""
        return {
            "not_private": True,
            "warning": WARNING,
            "title": self.title,
            "classes": [
                {"level": each.level, "level_in_words": self.levels[each.level]}
                | attributes(each, "size", "branch", "number", *ERRORS)
                for each in self.classes
            ],
            "groups": [
                attributes(each, "level", "size", "groups", "suppressed", "persons_suppressed=persons")
                for each in self.groups
            ],
            "aggregates": [
                attributes(each, "title", "statistic", "groups", "mean_absolute_error", "coverage")
                for each in self.aggregates
            ],
        }


def _errors_row(errors: Errors) -> tuple[str, ...]:
    numbers = (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.stated)
    return (f"{errors.rows:,}", *(rounded(number) for number in numbers), f"{100 * errors.coverage:z.2f} %")
