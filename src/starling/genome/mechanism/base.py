"""What all mechanisms are: a question that the plan has, with its guarantee; and what they ask of the exact counts.

A mechanism checks its question when it is made, so that a question that the plan does not have is refused before anything is charged.
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from starling.genome.arrays import Flags, Float64, Int16, Int64
from starling.genome.distance.joint_scores import JointScores
from starling.genome.distance.rules import Rule
from starling.genome.measurements import SnpScores
from starling.genome.plan import Plan, Question
from starling.genome.scores.candidates import Candidates
from starling.privacy.guarantee import Guarantee


class ExactStudy(Protocol):
    """Exact counts; counts/study.py gives them. Indices are positions in the plan's SNP list, all different."""

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        """The table of each SNP, or of those at `indices`: int64 (m, 4), or (m, 6) under the genotypic and allelic models, and where the
        plan counts missing calls apart.
        """
        ...

    def is_case(self) -> Flags:
        """Who is a case, bool (n,)."""
        ...

    def levels(self) -> Int64:
        """The phenotype of everybody, int64 (n,): 0 or 1, or the step of a quantitative one."""
        ...

    def score_distances(self, indices: Int64 | None, threshold: int, /) -> Int64:
        """The signed distance by the score test of each SNP, or of those at `indices`, to C (distance/adjusted.py): int64 (m,)."""
        ...

    def joint_scores(self, indices: Int64, scale: int, /) -> JointScores:
        """The scores of those at `indices`, of L1 sensitivity `scale` (distance/joint_scores.py)."""
        ...

    def moments(self, indices: Int64, /) -> tuple[Int64, Int64]:
        """The sums over people that plan/moments.py names, before weights: of the SNPs at `indices` int64 (k, 4), of the phenotype (3,)."""
        ...

    def score_tests(self, response: Float64, /) -> SnpScores:
        """The score tests of all SNPs against a response, float64 (n,) from 0 to 1, which was randomized before, with the covariates."""
        ...

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """People with both SNPs, the first alone, the second alone, neither: int64 (pairs, 4), of pairs int64 (pairs, 2)."""
        ...

    def blocks(self, indices: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """Signed distances of pairs to the rule, as `block_scores` takes them, and how many carry each SNP.

        `among` numbers SNPs by their position in `indices`.
        """
        ...


QuestionT = TypeVar("QuestionT", bound=Question)


@dataclass(frozen=True, slots=True)
class BaseMechanism(Generic[QuestionT]):
    """A question to a study."""

    plan: Plan
    query: QuestionT

    def __post_init__(self) -> None:
        self.query.check(self.plan)

    @property
    def guarantee(self) -> Guarantee:
        """The question's, for whom the plan protects; nothing else states this cost."""
        return self.query.guaranteed(self.plan.relation)
