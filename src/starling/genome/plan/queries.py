"""What an analyst may ask of a study, and what each question costs: checked against the plan before anything is charged.

The event of each is stated here and nowhere else; the mechanisms that answer draw by it. Neighbours: replace one person, or one person's
phenotype where the plan protects that (`check_kind` refuses what has no proof there). Selections have scores of sensitivity 1 (scores/).
The counts (four, or six) of a SNP or pair change by one unit that leaves a cell for another: L1 sensitivity 2, one move of lattice noise.
Where phenotypes alone are protected, columns keep their totals, and the numbers of cases of a SNP's table change by 1 in one of them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from starling.errors import ParameterError
from starling.genome.plan.choices import P_VALUE_ONLY, QUESTIONS
from starling.genome.plan.missing import check_kind
from starling.genome.plan.model import Plan
from starling.genome.scores.candidates import Candidates, candidates
from starling.privacy.budget import check_int, exact, positive
from starling.privacy.events import DiscreteLaplaceNoise, ExponentialMechanism, LatticeNoise, PermuteAndFlip
from starling.privacy.guarantee import Guarantee, bounded_overlap, sequential
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE, Relation
from starling.release.codec import OPTIONAL, Json, name_of, plain

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from starling.genome.plan.effects import SnpEffects
    from starling.genome.plan.exploring_effects import ExploreEffects

Noise: TypeAlias = Literal["laplace", "lattice"]
Selection: TypeAlias = Literal["permute-and-flip", "exponential"]
Correlation: TypeAlias = Literal["r2", "dprime"]
CountNoise: TypeAlias = LatticeNoise | DiscreteLaplaceNoise
"""On the counts of one table: a replaced person moves one unit, which is 2 in the L1 norm."""
LARGEST_EPSILON = 4 * 10**9
"""The largest amount that a ledger counts: no less, since a test against the truth asks where no noise is left."""
_WHOLE = ("k", "most", "longest", "response", "intervals")
MOST_FOUND = 10
"""k_max of `Explore`: how many SNPs it follows up at most (Johnson and Shmatikov 2013, Section 4)."""


class BaseQuestion(ABC):
    """A question whose amounts may be given as texts, and whose lists as lists or as one text; it keeps exact numbers and tuples."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Raises ParameterError for an amount that is no exact number, a count that is no int, and a flag that is none, by its field."""
        for each in fields(cast("DataclassInstance", self)):
            value = getattr(self, each.name)
            if (each.name.endswith("epsilon") or each.name == "delta_c") and not (value is each.default is None):
                object.__setattr__(self, each.name, exact(value, field=each.name))
            elif each.name in _WHOLE and not (value is each.default is None):
                check_int(value, field=each.name)
            elif each.name == "independent" and not isinstance(value, bool):
                problem = f"is a {type(value).__name__}, not True or False"
                raise ParameterError(each.name, problem, "write True, or leave it out")
            elif each.name in ("regions", "snps") and value is not None:
                object.__setattr__(self, each.name, (value,) if isinstance(value, str) else tuple(value))
            elif each.name == "excluding":
                object.__setattr__(self, each.name, tuple((first, last) for first, last in value))

    @property
    def kind(self) -> str:
        """The name of its kind, such as num_sig."""
        return name_of(type(self))

    @property
    def subject(self) -> str:
        """What it is about, in a few words."""
        return QUESTIONS[self.kind][0]

    @abstractmethod
    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""

    @property
    def guarantee(self) -> Guarantee:
        """What the answer costs where a whole person is protected."""
        return self.guaranteed(REPLACE_PERSON)

    @property
    def stated(self) -> str:
        """Its choices as arguments of a call; what is as it is unless said otherwise is left out."""
        stated = []
        for each in fields(cast("DataclassInstance", self)):
            value = getattr(self, each.name)
            if value != each.default:
                stated.append(f"{each.name}={(str(value) if isinstance(value, Fraction) else value)!r}")
        return ", ".join(stated)

    def as_json(self) -> dict[str, Json]:
        """Its kind and its choices, with exact amounts."""
        return {"ask": self.kind, **plain(self)}


@dataclass(frozen=True, slots=True)
class NumSig(BaseQuestion):
    """How many SNPs are significant: one by one up to k, then as ranges that double.

    Attributes:
        test: By which cases are compared with controls; one of the plan's.
        k: Numbers up to it are told one by one, larger ones as ranges that double; at most the number of SNPs.
        epsilon: What the answer costs, above 0: the more, the smaller the error.
        selection: How the number is selected: permute-and-flip, or exponential as published.
        prevalence_epsilon: The part of epsilon that pays a noisy number of cases, or the noisy variance of a quantitative phenotype, from
            which the threshold of the score test follows; without it as many cases as controls are supposed.
    """

    test: str
    k: int
    epsilon: Fraction
    selection: Selection = "permute-and-flip"
    prevalence_epsilon: Fraction | None = field(default=None, metadata=OPTIONAL)

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        _check_epsilon(self.epsilon)
        check_prevalence(plan, self)
        _check_test(plan, self.test, distance=True)
        check_whole("k", self.k, 0, len(plan.snps), "the number of SNPs")
        if self.selection not in ("permute-and-flip", "exponential"):
            raise ParameterError("selection", "is not permute-and-flip or exponential", 'give "permute-and-flip"')

    @property
    def event(self) -> PermuteAndFlip | ExponentialMechanism:
        """A selection by scores of sensitivity 1."""
        return (PermuteAndFlip if self.selection == "permute-and-flip" else ExponentialMechanism)(selecting(self))

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""
        return with_prevalence(self, Guarantee("number of significant SNPs", relation, self.event))


@dataclass(frozen=True, slots=True)
class LocSig(BaseQuestion):
    """Which k SNPs are significant, or nearest to it, by the most patients.

    Attributes:
        test: By which cases are compared with controls; one of the plan's.
        k: How many SNPs are named, 1 to the number of SNPs of the regions.
        epsilon: What all k together cost, above 0: the more, the smaller the error.
        regions: Where to look, by names of regions of the plan; in all of them where none is named.
        excluding: Ranges of SNPs that are left out, each by its first and last SNP.
        prevalence_epsilon: The part of epsilon that pays a noisy number of cases, or the noisy variance of a quantitative phenotype, from
            which the threshold of the score test follows; without it as many cases as controls are supposed.
    """

    test: str
    k: int
    epsilon: Fraction
    regions: tuple[str, ...] | None = None
    excluding: tuple[tuple[str, str], ...] = ()
    prevalence_epsilon: Fraction | None = field(default=None, metadata=OPTIONAL)

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        _check_epsilon(self.epsilon)
        check_prevalence(plan, self)
        _check_test(plan, self.test, distance=True)
        held = sum(stop - start for start, stop in self.ranges(plan))
        check_whole("k", self.k, 1, held, "the number of SNPs of the regions")

    def ranges(self, plan: Plan) -> tuple[tuple[int, int], ...]:
        """The SNPs to choose from, as half-open ranges of the list: public. Raises ParameterError for unknown names, or when there are
        none.
        """
        return plan.within(self.regions, _ranges(plan, self.excluding))

    @property
    def event(self) -> ExponentialMechanism:
        """One of the k rounds: a selection by scores of sensitivity 1."""
        return ExponentialMechanism(selecting(self) / self.k)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What all k rounds cost those whom a relation protects."""
        each = Guarantee("one SNP among those left", relation, self.event)
        return with_prevalence(self, bounded_overlap(f"the {self.k} most significant SNPs", self.k, (each,)))


@dataclass(frozen=True, slots=True)
class LocBlock(BaseQuestion):
    """The longest block of correlated SNPs that contains one of some SNPs.

    Attributes:
        correlation: By which SNPs are compared: r2, or dprime for |D'|.
        delta_c: What each correlation within the block must exceed, in (0, 1); 0.2 for r2 and 0.8 for dprime where nothing is said.
        snps: Ids of SNPs, of which the block holds one.
        epsilon: What the answer costs, above 0: the more, the smaller the error.
        regions: Where to look, by names of regions of the plan; in all of them where none is named.
        longest: The most SNPs of a block; no bound where nothing is said, for regions of up to 10,000 SNPs.
        excluding: Blocks that are left out, each by its first and last SNP.
    """

    correlation: Correlation
    delta_c: Fraction
    snps: tuple[str, ...]
    epsilon: Fraction
    regions: tuple[str, ...] | None = None
    longest: int | None = None
    excluding: tuple[tuple[str, str], ...] = ()

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        _check_epsilon(self.epsilon)
        check_correlation(plan, self.correlation, self.delta_c)
        self.candidates(plan)

    def candidates(self, plan: Plan) -> Candidates:
        """The blocks to choose from: public. Raises ParameterError for unknown names, or when there are none."""
        indices = sorted({plan.snps.index(name, field="snps") for name in self.snps})
        ranges = plan.within(self.regions, _ranges(plan, self.excluding))
        return candidates(len(plan.snps), ranges, indices, self.longest)

    @property
    def event(self) -> ExponentialMechanism:
        """A selection by scores of sensitivity 1."""
        return ExponentialMechanism(self.epsilon)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""
        return Guarantee("longest correlation block", relation, self.event)


@dataclass(frozen=True, slots=True)
class SnpPval(BaseQuestion):
    """The p-value of one SNP, from noisy counts.

    Attributes:
        snp: Its id in the plan's list.
        test: By which cases are compared with controls; one of the plan's.
        epsilon: What the answer costs, at least 1/4096: the more, the smaller the error.
        noise: Of the counts: lattice, or laplace as published, which plans of phenotypes have not.
    """

    snp: str
    test: str
    epsilon: Fraction
    noise: Noise = "lattice"

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        _check_counts(self.epsilon, self.noise)
        if plan.unit == "phenotype" and self.noise != "lattice":
            problem = f"is {self.noise}, which is for plans that protect all of a person"
            raise ParameterError("noise", problem, "leave it out")
        _check_test(plan, self.test, distance=False)
        plan.snps.index(self.snp)

    def event(self, relation: Relation) -> CountNoise:
        """The noise of the table: lattice noise that keeps the total of each column is discrete Laplace noise on its cases."""
        if relation == REPLACE_PHENOTYPE:
            return DiscreteLaplaceNoise(1 / self.epsilon, Fraction(1))
        return _count_noise(self.epsilon, self.noise)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""
        return Guarantee(f"counts of {self.snp}", relation, self.event(relation))


@dataclass(frozen=True, slots=True)
class SnpCorr(BaseQuestion):
    """How strongly two SNPs are correlated, from noisy counts of the people who carry both, one or none.

    Attributes:
        first: Id of a SNP of the plan's list.
        second: Id of another one.
        correlation: By which they are compared: r2, or dprime for |D'|.
        epsilon: What the answer costs, at least 1/4096: the more, the smaller the error.
        noise: Of the counts: lattice, or laplace as published.
    """

    first: str
    second: str
    correlation: Correlation
    epsilon: Fraction
    noise: Noise = "lattice"

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        _check_counts(self.epsilon, self.noise)
        if self.correlation not in ("r2", "dprime"):
            raise ParameterError("correlation", "is no measure of correlation", 'give "r2" or "dprime"')
        if plan.snps.index(self.first, field="first") == plan.snps.index(self.second, field="second"):
            raise ParameterError("second", "is the first SNP again", "name two SNPs")

    @property
    def event(self) -> CountNoise:
        """The noise of the table."""
        return _count_noise(self.epsilon, self.noise)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""
        return Guarantee(f"counts of {self.first} with {self.second}", relation, self.event)


Query: TypeAlias = NumSig | LocSig | LocBlock | SnpPval | SnpCorr
Paying: TypeAlias = "NumSig | LocSig | SnpEffects | ExploreEffects"


def selecting(query: Paying) -> Fraction:
    """What is left of epsilon for the selection, or for the scores."""
    return query.epsilon - (query.prevalence_epsilon or 0)


def prevalence_event(query: Paying) -> DiscreteLaplaceNoise | None:
    """The noise of the number of cases, or of whole squares (distance/adjusted.py), which a replaced phenotype changes by 1 at most; None
    where it is not asked for.
    """
    epsilon = query.prevalence_epsilon
    return None if epsilon is None else DiscreteLaplaceNoise(1 / epsilon, Fraction(1))


def with_prevalence(query: Paying, selection: Guarantee) -> Guarantee:
    """The selection with the number that is paid for, if any: it is drawn first."""
    event = prevalence_event(query)
    if event is None:
        return selection
    paid = Guarantee("number of cases, or sum of squares", selection.relation, event)
    return sequential(selection.name, (paid, selection))


def check_prevalence(plan: Plan, query: Paying) -> None:
    """Raises ParameterError for a part of epsilon that pays for no number of cases."""
    part = query.prevalence_epsilon
    if part is None:
        return
    if plan.unit != "phenotype":
        problem = "is of the score test alone, which plans that protect all of a person have not"
        raise ParameterError("prevalence_epsilon", problem, "leave it out")
    if not LEAST_LATTICE_RATE <= part < query.epsilon:
        problem = f"is not from {LEAST_LATTICE_RATE} to less than epsilon, of which it is a part"
        raise ParameterError("prevalence_epsilon", problem, "give a tenth of epsilon, say")


def check_correlation(plan: Plan, measure: Correlation, delta_c: Fraction) -> None:
    """Raises ParameterError for a measure or a threshold that has no exact distance among the plan's people."""
    # It brings a compiler, which to read a plan should not wait for.
    from starling.genome.distance.rules import of_correlation

    of_correlation(measure, delta_c, plan.people)


def _ranges(plan: Plan, snp_ranges: tuple[tuple[str, str], ...]) -> list[tuple[int, int]]:
    field = "excluding"
    return [(plan.snps.index(first, field=field), plan.snps.index(last, field=field) + 1) for first, last in snp_ranges]


def _count_noise(epsilon: Fraction, noise: Noise) -> CountNoise:
    return LatticeNoise(epsilon) if noise == "lattice" else DiscreteLaplaceNoise(2 / epsilon, Fraction(2))


def _check_epsilon(epsilon: Fraction) -> None:
    if positive(epsilon, field="epsilon") > LARGEST_EPSILON:
        raise ParameterError("epsilon", f"is above {LARGEST_EPSILON}", "give less")


def _check_counts(epsilon: Fraction, noise: str) -> None:
    _check_epsilon(epsilon)
    check_noise(epsilon, LEAST_LATTICE_RATE)
    if noise not in ("laplace", "lattice"):
        raise ParameterError("noise", "is not laplace or lattice", 'give "lattice"')


def check_noise(epsilon: Fraction, least: Fraction) -> None:
    """Raises ParameterError for less than the noise of counts needs, by either noise."""
    if positive(epsilon, field="epsilon") < least:
        raise ParameterError("epsilon", f"is below {least}, the least for noisy counts", f"give at least {least}")


def _check_test(plan: Plan, test: str, *, distance: bool) -> None:
    known = [name for name in plan.tests if not (distance and name in P_VALUE_ONLY)]
    if distance and test in P_VALUE_ONLY and test in plan.tests:
        problem = f"{test} has no distance to significance that is private"
        fix = f"take {' or '.join(known) or 'another test'}; its p-value can be asked for"
        raise ParameterError("test", problem, fix)
    if test not in known:
        fix = f"take {' or '.join(known)}" if known else "add one to the plan's tests"
        raise ParameterError("test", "is not among the plan's tests", fix)


def check_whole(field: str, value: int, low: int, high: int, what: str) -> None:
    """Raises ParameterError unless the value is in the range."""
    if not low <= value <= high:
        raise ParameterError(field, f"is not a whole number from {low} to {high}, {what}", "give one that is")
