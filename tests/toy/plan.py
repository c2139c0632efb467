"""The plan of a histogram: its categories and its cost. It opens no records.

Privacy. Neighbours: add or remove one person. A person is in one category, so the counts have L1 sensitivity 1, and discrete Laplace noise
of scale 1/epsilon in each category, empty or not, is epsilon-DP.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from starling.errors import PlanError
from starling.planfile.toml import read_file
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.report.pages import Section, Table

MISSING = Fraction(1, 20)
"""The chance that a count is further off than its margin."""


@dataclass(frozen=True)
class Plan:
    """The public choices.

    Attributes:
        title: What is counted.
        categories: Every category, whether or not anybody is in it.
        epsilon: The cost, above 0.
    """

    title: str
    categories: tuple[str, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or not self.categories or len(set(self.categories)) < len(self.categories):
            raise PlanError(
                field="plan", problem="has no cost, or no category, or one twice", fix="name each category once"
            )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a plan file."""
        file = read_file(path)
        file.only({"title", "categories", "epsilon"})
        categories = tuple(file.texts("categories", "list them"))
        return cls(
            file.text("title", "say what is counted"), categories, file.number("epsilon", "say it") or Fraction(0)
        )

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of each count."""
        return DiscreteLaplace(1 / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """What is charged."""
        return measurement("histogram", ADD_REMOVE_PERSON, self.noise)

    @property
    def margin(self) -> int:
        """How far a count may be off, in persons, at 95 percent."""
        return margin(self.noise, MISSING)


@dataclass(frozen=True)
class Preview:
    """The page of a preview: a `release.report.pages.PreviewPage`."""

    plan: Plan

    @property
    def title(self) -> str:
        return self.plan.title

    @property
    def kind(self) -> str:
        return f"Expected error of a histogram; {self.plan.guarantee.cost} for {self.plan.guarantee.relation}"

    def sections(self) -> tuple[Section, ...]:
        row = (f"{len(self.plan.categories)}", f"± {self.plan.margin}")
        return (Section("Error", tables=(Table(("Categories", "95 % margin"), (row,), "Each count"),)),)
