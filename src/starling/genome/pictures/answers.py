"""What a picture may show: released answers of one plan, put together from any number of releases."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, TypeVar

from starling.errors import ParameterError, Problem
from starling.genome.measurements import Block, SelectedSnps
from starling.genome.plan import Plan
from starling.genome.postprocess import Answer, Correlated, Exploration
from starling.genome.postprocess import PValue as Estimated
from starling.genome.postprocess.wording import PERCENT

SURE: Final = PERCENT
"""The probability of every interval that is drawn, each by itself."""
_AnyRow = TypeVar("_AnyRow")
_Row = TypeVar("_Row", "PValue", "Pair")


@dataclass(frozen=True, slots=True)
class PValue:
    """A released p-value.

    Attributes:
        snp: Id.
        test: The test that the p-value is of.
        log10_p: log10 of the estimate, 0 or below.
        low: log10 of the smallest p-value that the noise leaves open.
        high: log10 of the largest; 0 is p = 1.
        found: The study itself told which SNP to look at (an exploration).
    """

    snp: str
    test: str
    log10_p: float
    low: float
    high: float
    by_study: bool = False


@dataclass(frozen=True, slots=True)
class SnpRange:
    """A released block: a run of SNPs of the list, both ends included.

    Attributes:
        first: Id.
        last: Id of the last SNP; that of the first for a block of one SNP.
    """

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A released correlation.

    Attributes:
        first: Id.
        second: Id.
        measure: "r2" or "dprime".
        value: The correlation of the noisy counts, 0 to 1.
        low: The least that the noise leaves open.
        high: The most.
    """

    first: str
    second: str
    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Answers:
    """Released answers of one plan.

    Attributes:
        plan: With the public SNP list.
        p_values: Released p-values in the order in which they were asked.
        located: Ids of SNPs that the study named as most significant.
        blocks: Released blocks in the order in which they were asked; answers of "no block" are left out.
        pairs: Released correlations in the order in which they were asked.
        data: Name of the data in the ledger that was charged; empty where that is not known.
    """

    plan: Plan = field(repr=False)
    p_values: tuple[PValue, ...] = ()
    located: tuple[str, ...] = ()
    blocks: tuple[SnpRange, ...] = ()
    pairs: tuple[Pair, ...] = ()
    data: str = ""

    @property
    def threshold(self) -> Fraction:
        """alpha/m."""
        return self.plan.p_threshold

    @property
    def only_located(self) -> tuple[str, ...]:
        """SNPs that were located and have no p-value, each once, in order of the list."""
        with_p_value = {each.snp for each in self.p_values}
        return tuple(sorted(set(self.located) - with_p_value, key=self.plan.snps.index))

    def selected(self, each: PValue) -> bool:
        """Whether the study told to look at this SNP: such p-values are small by selection."""
        return each.by_study or each.snp in self.located


def combined(parts: Iterable[tuple[str, Answers]]) -> Answers:
    """The answers of several releases of one plan, in their order; the same answer twice counts once.

    Args:
        parts: Name of each release, for messages, and what it holds; at least one. Each is looked at once and only its answers are kept,
            so that twenty releases of a long SNP list need the memory of one.

    Raises:
        ParameterError: when releases differ in the data they are about, the SNP list, the number of people, the genome build, the
            model, alpha or the word for a case; all of them are named.
    """
    rest = iter(parts)
    named, first = next(rest)
    held, problems = [first], []
    for name, answers in rest:
        if differs := _differences(first, answers):
            problem = f"has another {' and another '.join(differs)} than {named}"
            problems.append(Problem(name, problem, "draw releases of one plan together"))
        held.append(replace(answers, plan=first.plan))
    if problems:
        raise ParameterError(problems=problems)
    return replace(
        first,
        p_values=_once(each for answers in held for each in answers.p_values),
        located=_once(each for answers in held for each in answers.located),
        blocks=_once(each for answers in held for each in answers.blocks),
        pairs=_once(each for answers in held for each in answers.pairs),
        data=next((answers.data for answers in held if answers.data), ""),
    )


def shortest(rows: Iterable[_Row], key: Callable[[_Row], Any]) -> dict[Any, _Row]:
    """The row with the shortest interval for each key, in the order in which the keys were asked."""
    chosen: dict[Any, _Row] = {}
    for row in rows:
        known = chosen.setdefault(key(row), row)
        if row.high - row.low < known.high - known.low:
            chosen[key(row)] = row
    return chosen


def _once(rows: Iterable[_AnyRow]) -> tuple[_AnyRow, ...]:
    return tuple(dict.fromkeys(rows))


def _differences(one: Answers, other: Answers) -> list[str]:
    here, there = one.plan, other.plan
    choices = {
        "data set": one.data and other.data and one.data != other.data,
        "SNP list": here.snps.digest != there.snps.digest,
        "number of people": here.people != there.people,
        "genome build": here.build != there.build,
        "model": here.model != there.model,
        "alpha": here.alpha != there.alpha,
        "word for a case": here.case != there.case,
    }
    return [name for name, differ in choices.items() if differ]


def answers(plan: Plan, answer: Answer, data: str = "") -> Answers:
    """The parts of an answer that have a place in the genome; a number has none, nor has the answer that no block is valid.

    Args:
        plan: The plan of the release.
        answer: What it tells.
        data: Name of the data in the ledger that was charged; empty where that is not known.
    """
    if isinstance(answer, SelectedSnps):
        return Answers(plan, located=answer.snps, data=data)
    if isinstance(answer, Block):
        return Answers(plan, blocks=_snp_ranges((answer,)), data=data)
    if isinstance(answer, Estimated):
        return Answers(plan, (_p_value(answer),), data=data)
    if isinstance(answer, Correlated):
        value = answer.value
        pair = Pair(answer.first, answer.second, answer.measure, value.estimate, value.low, value.high)
        return Answers(plan, pairs=(pair,), data=data)
    if isinstance(answer, Exploration):
        p_values = tuple(_p_value(each, by_study=True) for each in answer.p_values)
        return Answers(plan, p_values, answer.located.snps, _snp_ranges(answer.blocks), data=data)
    return Answers(plan, data=data)


def _p_value(estimated: Estimated, *, by_study: bool = False) -> PValue:
    log10 = estimated.log10
    return PValue(estimated.snp, estimated.test, log10.estimate, log10.low, log10.high, by_study)


def _snp_ranges(blocks: tuple[Block, ...]) -> tuple[SnpRange, ...]:
    return tuple(SnpRange(block.first, block.last) for block in blocks if block.first and block.last)
