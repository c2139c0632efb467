"""The mechanism of each of the five queries."""

from starling.genome.measurements import Drawn
from starling.genome.mechanism.exact import ExactStudy
from starling.genome.mechanism.loc_block import LocBlockMechanism
from starling.genome.mechanism.loc_sig import LocSigMechanism
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.mechanism.num_sig import NumSigMechanism
from starling.genome.plan import LocBlock, LocSig, NumSig, Plan, Query, SnpPval
from starling.privacy.trust import Mechanism


def query_mechanism(plan: Plan, query: Query) -> Mechanism[ExactStudy, Drawn]:
    """What answers a query.

    Raises:
        ParameterError: when the plan has no such question.
    """
    if isinstance(query, NumSig):
        return NumSigMechanism(plan, query)
    if isinstance(query, LocSig):
        return LocSigMechanism(plan, query)
    if isinstance(query, LocBlock):
        return LocBlockMechanism(plan, query)
    if isinstance(query, SnpPval):
        return SnpPvalMechanism(plan, query)
    return SnpCorrMechanism(plan, query)
