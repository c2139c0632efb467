"""The mechanism of each question."""

from starling.genome.measurements import Drawn
from starling.genome.mechanism.exact import ExactStudy
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.mechanism.loc_block import LocBlockMechanism
from starling.genome.mechanism.loc_sig import LocSigMechanism
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.mechanism.num_sig import NumSigMechanism
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Question, SnpPval
from starling.privacy.trust import Mechanism


def mechanism_of(plan: Plan, question: Question) -> Mechanism[ExactStudy, Drawn]:
    """What answers a question.

    Raises:
        ParameterError: when the plan has no such question.
    """
    if isinstance(question, NumSig):
        return NumSigMechanism(plan, question)
    if isinstance(question, LocSig):
        return LocSigMechanism(plan, question)
    if isinstance(question, LocBlock):
        return LocBlockMechanism(plan, question)
    if isinstance(question, SnpPval):
        return SnpPvalMechanism(plan, question)
    if isinstance(question, Explore):
        return ExploreMechanism(plan, question)
    return SnpCorrMechanism(plan, question)
