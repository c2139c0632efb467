"""What the mechanisms draw: noisy answers, still without an estimate or a statement of error. Everybody may see them."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from starling.genome.arrays import Float64, Int64
from starling.release.codec import OPTIONAL
from starling.release.session import Fields


@dataclass(frozen=True, slots=True)
class Number(Fields):
    """How many SNPs are significant: from `low` to `high`, both included; and, where that was asked for, the noisy number of cases, or of
    a quantitative phenotype the noisy sum of squares about its mean, in whole squares of the plan's range.
    """

    low: int
    high: int
    cases: int | None = field(default=None, metadata=OPTIONAL)
    squares: int | None = field(default=None, metadata=OPTIONAL)

    @property
    def paid(self) -> dict[str, int]:
        """The noisy number by its name; nothing where none was asked for."""
        numbers = {"cases": self.cases, "squares": self.squares}
        return {name: number for name, number in numbers.items() if number is not None}


@dataclass(frozen=True, slots=True)
class SelectedSnps(Fields):
    """Ids of SNPs, in the order in which they were selected; and, where that was asked for, the noisy number that `Number` has."""

    snps: tuple[str, ...]
    cases: int | None = field(default=None, metadata=OPTIONAL)
    squares: int | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class Block(Fields):
    """A run of so many SNPs of the list, by the ids of its ends; None, None and 0 when the answer is that no block is valid."""

    first: str | None
    last: str | None
    snps: int


@dataclass(frozen=True, slots=True)
class Cells:
    """Noisy counts of one table, four (two rows of two) or six (two rows of three), negative ones among them perhaps."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """The answers of an exploration.

    Attributes:
        followed: k, how many SNPs it set out to follow up; each later answer cost epsilon / (4 k). 0 where it stopped at once.
        blocks: Fewer than SNPs where no eligible block was left.
    """

    number: Number
    followed: int
    located: SelectedSnps
    blocks: tuple[Block, ...]
    tables: tuple[Cells, ...]


class SnpScores(NamedTuple):
    """Score tests of every SNP of the list against a response from 0 to 1, in the list's order, each of shape (m,).

    Attributes:
        adjusted: Covariates and components that were taken out, those that depend on others not among them; the fewest of any chromosome.
        scores: u = x'r, float64; x the column of the SNP and r the response, without intercept and covariates.
        variances: v = sum of x_i^2 r_i^2, float64; 0 where covariates explain the SNP.
        squares: x'x, float64.
        calls: People with a call, int64, exact.
        frequencies: Share of the carried allele among the alleles of the calls, float64, exact.
    """

    adjusted: int
    scores: Float64
    variances: Float64
    squares: Float64
    calls: Int64
    frequencies: Float64


@dataclass(frozen=True, slots=True, eq=False)
class Scanned:
    """What a scan tells of its response; not the response.

    Attributes:
        ones: How many people's answers are yes, after the coins; of a quantitative phenotype, above the first cut.
        tests: The score tests.
        above: How many are above the second and each further cut.
        median: The step after which the people are divided in halves, where that was paid for.
    """

    ones: int
    tests: SnpScores
    above: tuple[int, ...] = ()
    median: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SavedResponse:
    """A response as the custodian keeps it. It is in no release.

    Attributes:
        answers: int64 (n,), from 0 to k - 1.
        values: k.
        median_epsilon: What its median cost, where one was paid for.
        median: That median, as `Scanned` has it.
    """

    answers: Int64
    values: int
    median_epsilon: Fraction | None = None
    median: int | None = None


@dataclass(frozen=True, slots=True)
class NoisyScores(Fields):
    """The noisy scores of some SNPs, and what is public of their scale (distance/joint_scores.py).

    Attributes:
        scores: S_j with noise.
        largest: M, in 2^-40.
        squares: |r_j|^2 of each, in 2^-40; 0 where covariates explain the SNP.
        calls: People with a call of each, exact.
        frequencies: Share of the carried allele among the alleles of the calls of each, in 2^-40, exact.
        cases: The noisy number of cases, where that was asked for.
    """

    scores: tuple[int, ...]
    largest: int
    squares: tuple[int, ...]
    calls: tuple[int, ...]
    frequencies: tuple[int, ...]
    cases: int | None = field(default=None, metadata=OPTIONAL)

    @staticmethod
    def fixed(value: float) -> int:
        """A number in 2^-40."""
        return round(float(value) * FIXED)


FIXED: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class NoisyMoments(Fields):
    """The noisy weighted moments of some SNPs and of a quantitative phenotype, as plan/moments.py has them.

    Attributes:
        products: Of u t, of each SNP.
        copies: Of u.
        squares: Of u^2.
        missing: Of people without the call or the phenotype.
        phenotype: Of t, of t^2 and of people without the phenotype.
    """

    products: tuple[int, ...]
    copies: tuple[int, ...]
    squares: tuple[int, ...]
    missing: tuple[int, ...]
    phenotype: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ExploredEffects:
    """The answers of an exploration of effects; no SNPs and no scores where the number was 0.

    Attributes:
        number: With the noisy number of cases, or of squares, of all answers, where that was asked for.
    """

    number: Number
    located: SelectedSnps
    scores: NoisyScores | None


Drawn: TypeAlias = (
    Number | SelectedSnps | Block | Cells | Explored | Scanned | NoisyScores | NoisyMoments | ExploredEffects
)
"""What a question is answered by."""
