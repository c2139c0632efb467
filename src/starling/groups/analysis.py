"""A release of group sizes for who analyses it: its measured numbers with their noise, to be added, compared and divided.

Each number is a `Value` (release/intervals.py) that knows the draws of noise in it by name: a measured number of groups of size s is the
difference of two cumulative counts, so that neighbouring sizes share a draw, and their sum has the noise of its ends alone. The published,
consistent numbers are in the tables (`rows`, `table`); their error depends on the data, so that they are no `Value`.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from starling.errors import IntegrityError, ParameterError
from starling.groups.artifact import measurements_path, read_measurements, read_plan
from starling.groups.artifact.pages import headline
from starling.groups.measurements import Measured
from starling.pages.parts import Headline
from starling.privacy.distributions.discrete import Distribution
from starling.release.codec import Json
from starling.release.intervals import Value, total
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.reading import DomainRelease, Release, Rows
from starling.release.work import Work

if TYPE_CHECKING:
    from starling.release.plots import Plots

PER_SIZE: Final = 200_000
"""Steps (release/work.py) of a measured count, with its noise."""


@dataclass(frozen=True, slots=True)
class Number:
    """The measured number of groups of some sizes in a region: a question to a release, which costs nothing.

    Attributes:
        region: The region.
        least: The smallest of the sizes.
        most: The largest of them; None for the largest of the plan.
    """

    region: str
    least: int
    most: int | None = None

    def work(self, release: "GroupsRelease") -> Work:
        """Counts are added up one by one, but where they are measured cumulatively."""
        last = release.plan.largest if self.most is None else min(self.most, release.plan.largest)
        sizes = 2 if release.plan.cumulative else max(last - self.least + 1, 1)
        return Work(sizes * PER_SIZE, "ask for fewer sizes")


class GroupsRelease(DomainRelease):
    """An opened release of group sizes.

    Attributes:
        plan: The public plan of the release.
    """

    questions: ClassVar[Any] = Rows | Number
    main: ClassVar[str | None] = "regions"

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan = read_plan(self.folder)

    @cached_property
    def measured(self) -> Measured:
        """The noisy counts as they were drawn, int64 (regions, sizes) for each level."""
        return read_measurements(self.folder, self.plan)

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Level and row of each region."""
        return {name: (level, row) for level, ids in enumerate(self.plan.regions.ids) for row, name in enumerate(ids)}

    def number(self, region: str, size: int) -> Value:
        """The measured number of groups of this size in a region; raises ParameterError where the plan has none such."""
        return self.number_of_sizes(region, size, size)

    def number_of_sizes(self, region: str, least: int, most: int | None = None) -> Value:
        """The measured number of groups of at least one size and at most another, by default the largest.

        Raises:
            ParameterError: the plan has no such region or sizes.
        """
        last = self.plan.largest if most is None else most
        if region not in self._places:
            raise ParameterError("region", "is not in the plan", "look at `plan.regions.ids`")
        if not 0 <= least <= last <= self.plan.largest:
            fix = f"give sizes from 0 to {self.plan.largest:,}, the smaller first"
            raise ParameterError("size", "is not in the plan", fix)
        level, row = self._places[region]
        if self.plan.cumulative:
            upper = self._draw(level, row, last)
            below = [] if not least else [self._draw(level, row, least - 1).times(-1)]
            return replace(total([upper, *below]), least=Fraction(0))
        return total([self._draw(level, row, size) for size in range(least, last + 1)])

    def headline(self) -> Headline:
        """The published mean size in the root; raises IntegrityError where the table has no row of it."""
        root = self.plan.regions.ids[0][0]
        row = next(iter(self.rows("regions", region=root).to_pylist()), None)
        if row is None:
            raise IntegrityError("regions", f"has no row of {root}, the root of the plan", DOWNLOAD_AGAIN)
        return headline(self.plan, row["mean"], row["mean_lower"], row["mean_upper"])

    def plot(self, *regions: str, outlines: str | Path | None = None, error: bool = False) -> "Plots":
        """Pictures of the published numbers of groups by size in some regions, with their intervals of 95 %.

        Args:
            regions: Their ids; the root without any.
            outlines: GeoJSON of polygons, each with the property region: a map of mean sizes too.
            error: Whether the expected error by level is drawn too, which is simulated.

        Raises:
            ParameterError: the plan has no such region, or the file is no such GeoJSON or names none of its regions.
        """
        from starling.groups.pictures import plots

        return plots(self.plan, self.table, regions, None if outlines is None else Path(outlines), error=error)

    def _answered(self, question: Any) -> Json:
        """Of `Number`, the number with its standard deviation and its 95 % interval."""
        if not isinstance(question, Number):
            return super()._answered(question)
        return {**self.number_of_sizes(question.region, question.least, question.most).to_reply()}

    def _draw(self, level: int, row: int, size: int) -> Value:
        """One measured count."""
        plan = self.plan
        exact = Fraction(int(self.measured[level][row, size]))
        if plan.cumulative and size == plan.largest and (level == 0 or plan.totals == "region"):
            return Value(exact, least=exact)
        band = next(at for at, sizes in enumerate(plan.bands) if sizes.start <= size < sizes.stop)
        digest = self.hashes[measurements_path(plan.regions.levels[level])]
        draws: dict[Hashable, tuple[Distribution, Fraction]] = {
            (digest, row, size): (plan.noise(level)[band], Fraction(1))
        }
        return Value(exact, draws, least=Fraction(0))
