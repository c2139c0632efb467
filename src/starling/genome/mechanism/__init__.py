"""The noisy answers to an analyst's questions (Johnson and Shmatikov 2013), each an immutable value with its guarantee.

All take the same exact counts, an `ExactStudy`, and draw by the privacy core alone. A mechanism checks its question against the plan when
it is made, so that a question that the plan does not have is refused before anything is charged.
"""

from starling.genome.mechanism.base import ExactStudy
from starling.genome.mechanism.explore import ExploreMechanism, mechanism_of
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.mechanism.selections import LocBlockMechanism, LocSigMechanism, NumSigMechanism

__all__ = [
    "ExactStudy",
    "ExploreMechanism",
    "LocBlockMechanism",
    "LocSigMechanism",
    "NumSigMechanism",
    "SnpCorrMechanism",
    "SnpPvalMechanism",
    "mechanism_of",
]
