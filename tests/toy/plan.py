"""The plan of a histogram: its categories and its cost. It opens no records.

Privacy. Neighbours: add or remove one person. A person is in one category, so the counts have L1 sensitivity 1, and discrete Laplace noise
of scale 1/epsilon in each category, empty or not, is epsilon-DP.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from starling.errors import PlanError
from starling.pages.parts import Section, Table
from starling.planfile.toml import read_file
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Described


@dataclass(frozen=True, repr=False)
class Plan(Described):
    """What is counted, every category whether or not anybody is in it, and the cost."""

    title: str
    categories: tuple[str, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or not self.categories or len(set(self.categories)) < len(self.categories):
            raise PlanError("plan", "has no cost, or no category, or one twice", "name each category once")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        file = read_file(Path(path))
        file.only({"title", "categories", "epsilon"})
        categories = tuple(file.texts("categories", "list them"))
        return cls(
            file.text("title", "say what is counted"), categories, file.number("epsilon", "say it") or Fraction(0)
        )

    @property
    def noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(1 / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        return measurement("histogram", ADD_REMOVE_PERSON, self.noise)

    @property
    def margin(self) -> int:
        return margin(self.noise, Fraction(1, 20))

    def _facts(self) -> list[tuple[str, str]]:
        return [("plan", self.title), ("cost", str(self.guarantee.cost))]

    def as_json(self) -> dict[str, Json]:
        return {"cost": str(self.guarantee.cost)}


@dataclass(frozen=True, repr=False)
class Preview(pages.Preview):
    """How far each count may be off."""

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

    def as_json(self) -> dict[str, Json]:
        return {"margin": self.plan.margin}
