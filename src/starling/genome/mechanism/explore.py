"""explore: how many SNPs are significant, which, in which blocks and with which p-values, in one piece.

Privacy. Neighbours: replace one patient, n public. num_sig costs epsilon/4. k, from 1 to a public most, is a function of its
answer. Then at most k times epsilon/(4 k) each go to loc_sig, to loc_block and to the tables. Every question is a function of
public choices and earlier answers (adaptive sequential composition), so the whole is epsilon-DP whatever the answers are. All
of it is charged at the start; what is left because it stopped early is lost. When it stops is a function of answers too.

Where phenotypes alone are protected, neighbours replace the phenotype of one patient, and there are three parts, each with a third of what
a noisy number of cases leaves: num_sig, loc_sig in k rounds, and the scores of the k SNPs together, which change by no more than their
scale whichever SNPs were named (distance/joint_scores.py). The number of cases is drawn once, first; that later thresholds follow from it
is post-processing.

Source: Johnson and Shmatikov 2013, Section 4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starling.genome.inference.adaptive_plan import follow, follow_effects
from starling.genome.measurements import Drawn, Explored, ExploredEffects, Number, SelectedSnps
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.mechanism.effects import SnpEffectsMechanism
from starling.genome.mechanism.moments import MomentsMechanism
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.mechanism.scan import ScanMechanism, StoredScanMechanism
from starling.genome.mechanism.selections import LocBlockMechanism, LocSigMechanism, NumSigMechanism
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Question,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.privacy.trust import Mechanism


@dataclass(frozen=True, slots=True)
class ExploreMechanism(BaseMechanism[Explore]):
    """num_sig, loc_sig, loc_block and snp_pval, composed."""

    def draw(self, exact: ExactStudy, /) -> Explored:
        """Exact counts in, all answers out."""
        return follow(self.plan, self.query, lambda query: mechanism_of(self.plan, query).draw(exact))


@dataclass(frozen=True, slots=True)
class ExploreEffectsMechanism(BaseMechanism[ExploreEffects]):
    """num_sig, loc_sig and snp_effects, composed."""

    def draw(self, exact: ExactStudy, /) -> ExploredEffects:
        """Exact counts in, all answers out."""

        def ask(query: Question, number: Number | None) -> Drawn:
            if isinstance(query, LocSig) and number is not None:
                return SelectedSnps(LocSigMechanism(self.plan, query).select(exact, number.paid))
            return mechanism_of(self.plan, query).draw(exact)

        return follow_effects(self.plan, self.query, ask)


def mechanism_of(plan: Plan, question: Question) -> Mechanism[Any, Drawn]:
    """What answers a question from an `ExactStudy`, or from a `StoredStudy` where it says so. Raises ParameterError when the plan has no
    such question.
    """
    if isinstance(question, Scan) and question.response is not None:
        return StoredScanMechanism(plan, question)
    if isinstance(question, SnpEffects) and plan.by_moments:
        return MomentsMechanism(plan, question)
    kinds: dict[type[Question], Callable[[Plan, Any], Mechanism[Any, Drawn]]] = {
        NumSig: NumSigMechanism,
        LocSig: LocSigMechanism,
        LocBlock: LocBlockMechanism,
        SnpPval: SnpPvalMechanism,
        SnpCorr: SnpCorrMechanism,
        Explore: ExploreMechanism,
        ExploreEffects: ExploreEffectsMechanism,
        Scan: ScanMechanism,
        SnpEffects: SnpEffectsMechanism,
    }
    return kinds[type(question)](plan, question)
