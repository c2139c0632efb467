"""The question behind `explore`: the paper's Section 4 in one, with what it costs and which questions it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeAlias, TypedDict

from starling.genome.plan.effects import SnpEffects
from starling.genome.plan.exploring_effects import ExploreEffects
from starling.genome.plan.missing import check_kind
from starling.genome.plan.model import Plan
from starling.genome.plan.queries import (
    MOST_FOUND,
    BaseQuestion,
    Correlation,
    LocBlock,
    LocSig,
    Noise,
    NumSig,
    Query,
    Selection,
    SnpPval,
    check_noise,
    check_whole,
)
from starling.genome.plan.rounds import MOST_FOLLOWED, followed, in_rounds
from starling.genome.plan.scanning import Scan
from starling.privacy.budget import Exact, exact
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.neighbours import REPLACE_PERSON, Relation

DELTA_C: Final = {"r2": "0.2", "dprime": "0.8"}
"""What a correlation must exceed within a block, unless said otherwise."""
SnpRanges: TypeAlias = tuple[tuple[str, str], ...]
"""Ranges of SNPs of the list, each by the ids of its first and its last SNP."""


@dataclass(frozen=True)
class Explore(BaseQuestion):
    """All in one: how many SNPs are significant, which, in which blocks, with which p-values.

    Attributes:
        test: By which cases are compared with controls; one of the plan's that has a distance to significance.
        epsilon: What the whole costs, charged at the start, a quarter for each part: the more, the smaller the error.
        longest: The most SNPs of a block; no bound where nothing is said, for regions of up to 10,000 SNPs.

    All others are those of `ExploreOptions`; regions are None for all.
    """

    test: str
    correlation: Correlation
    delta_c: Fraction
    epsilon: Fraction
    regions: tuple[str, ...] | None = None
    longest: int | None = None
    most: int = MOST_FOUND
    noise: Noise = "lattice"
    independent: bool = False
    selection: Selection = "permute-and-flip"

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when one of its questions could not be asked, whatever the earlier answers are."""
        check_kind(plan, self.kind)
        check_whole("most", self.most, 1, MOST_FOLLOWED, "SNPs to follow up")
        k = self.clamped(plan, self.most)
        check_noise(self.epsilon, 4 * k * LEAST_LATTICE_RATE)
        self.number(plan).check(plan)
        self.locations(k, k).check(plan)
        snp = plan.snps.ids[plan.within(self.regions)[0][0]]
        self.block((snp,), k).check(plan)
        self.table(snp, k).check(plan)

    @cached_property
    def guarantee(self) -> Guarantee:
        """That of all of a person, worked out once."""
        return self.guaranteed(REPLACE_PERSON)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """Four quarters, charged at the start, whatever the answers leave unspent."""
        rounds = partial(in_rounds, relation=relation, most=self.most)
        counts = "noisy counts of the SNPs found, all of them"
        number = NumSig(self.test, self.most, self.epsilon / 4, self.selection)
        parts = (
            number.guaranteed(relation),
            rounds("most significant SNPs", "one SNP", event=lambda k: self.locations(1, k).event),
            rounds("longest correlation blocks, all rounds", "one block", event=lambda k: self.block((), k).event),
            rounds(counts, "counts of one SNP", event=lambda k: self.table("", k).event(relation)),
        )
        return sequential("exploration of a study", parts)

    def clamped(self, plan: Plan, high: int) -> int:
        """k: how many SNPs are followed up when up to `high` may be significant."""
        return followed(plan, self.regions, self.most, high)

    def number(self, plan: Plan) -> NumSig:
        """The first quarter."""
        return NumSig(self.test, min(self.most, len(plan.snps)), self.epsilon / 4, self.selection)

    def locations(self, count: int, k: int, excluding: SnpRanges = ()) -> LocSig:
        """`count` of the k parts of the second quarter."""
        return LocSig(self.test, count, self.epsilon / 4 * Fraction(count, k), self.regions, excluding)

    def block(self, snps: tuple[str, ...], k: int, excluding: SnpRanges = ()) -> LocBlock:
        """One of the k parts of the third quarter."""
        share = self.epsilon / (4 * k)
        return LocBlock(self.correlation, self.delta_c, snps, share, self.regions, self.longest, excluding)

    def table(self, snp: str, k: int) -> SnpPval:
        """One of the k parts of the last quarter."""
        return SnpPval(snp, self.test, self.epsilon / (4 * k), self.noise)


Question: TypeAlias = Query | Explore | Scan | SnpEffects | ExploreEffects

Texts: TypeAlias = str | Sequence[str]
"""One text, or several."""


def regions_of(plan: Plan, text: str | None) -> tuple[str, ...] | None:
    """Names of regions, apart by commas; a name may hold some itself when it is the only one."""
    if text is None:
        return None
    return (text,) if text in plan.ranges else tuple(name.strip() for name in text.split(","))


def threshold(correlation: str, delta_c: Exact | None) -> Fraction:
    """What a correlation must exceed within a block, exactly: as given, or that of the measure.

    Raises:
        ParameterError: it is no exact number.

    >>> threshold("r2", None), threshold("r2", "0.5")
    (Fraction(1, 5), Fraction(1, 2))
    """
    # Of an unknown measure any will do: the question refuses it.
    return exact(DELTA_C.get(correlation, "0.5") if delta_c is None else delta_c, field="delta_c")


class ExploreOptions(TypedDict, total=False):
    """What an exploration may choose; what is left out is as `Explore` has it.

    Attributes:
        correlation: The measure of the blocks: "r2" or "dprime".
        delta_c: What each correlation within a block must exceed, in (0, 1); 0.2 for r2 and 0.8 for dprime without it.
        regions: Names of regions of the plan to look in, one or several; all of them without it. The number is that of the whole list.
        longest: The most SNPs of a block; without it there is no bound, and the regions may hold up to 10,000 SNPs.
        most: How many SNPs are followed up at most.
        noise: The noise of the counts behind p-values: "lattice", or "laplace" as published.
        independent: Whether to find one SNP at a time, each outside the blocks released before.
        selection: How the number is selected: "permute-and-flip", or "exponential" as published.
    """

    correlation: Correlation
    delta_c: Exact | None
    regions: Texts | None
    longest: int | None
    most: int
    noise: Noise
    independent: bool
    selection: Selection


def exploration(plan: Plan, test: str | None, epsilon: Exact, options: ExploreOptions) -> Explore:
    """The question behind `explore`, by the plan's first test that has a distance to significance where none is named. Raises
    ParameterError where an amount is no exact number.
    """
    correlation = options.get("correlation", "r2")
    delta_c = threshold(correlation, options.get("delta_c"))
    choices: dict[str, Any] = {**options, "correlation": correlation, "delta_c": delta_c, "epsilon": epsilon}
    return Explore(test or plan.first_test, **choices)


def code_of(question: Question, request_id: str) -> str:
    """A call that asks the same of `study`.

    >>> from starling.genome.plan import NumSig
    >>> code_of(NumSig("g", 1, Fraction(1, 2)), "r1")
    "study.num_sig(test='g', k=1, epsilon='1/2', request_id='r1')"
    """
    return f"study.{question.kind}({question.stated}, request_id={request_id!r})"
