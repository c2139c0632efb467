"""What all mechanisms are: a question that the plan has, with its guarantee. Each states its draw besides.

A mechanism checks its question when it is made, so that a question that the plan does not have is refused before anything is charged.
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

from starling.genome.plan import Plan, Question
from starling.privacy.guarantee import Guarantee

QuestionT = TypeVar("QuestionT", bound=Question)


@dataclass(frozen=True, slots=True)
class Asked(Generic[QuestionT]):
    """A question to a study.

    Attributes:
        plan: SNPs, model, threshold, regions, how many people.
        query: What is asked.
    """

    plan: Plan
    query: QuestionT

    def __post_init__(self) -> None:
        self.query.check(self.plan)

    @property
    def guarantee(self) -> Guarantee:
        """The question's; nothing else states this cost."""
        return self.query.guarantee
