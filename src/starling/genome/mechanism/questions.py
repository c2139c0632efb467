"""The mechanism of each question."""

from starling.genome.measurements import Drawn
from starling.genome.mechanism.exact import ExactStudy
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.mechanism.queries import query_mechanism
from starling.genome.plan import Explore, Plan, Question
from starling.privacy.trust import Mechanism


def mechanism_of(plan: Plan, question: Question) -> Mechanism[ExactStudy, Drawn]:
    """What answers a question.

    Raises:
        ParameterError: when the plan has no such question.
    """
    return ExploreMechanism(plan, question) if isinstance(question, Explore) else query_mechanism(plan, question)
