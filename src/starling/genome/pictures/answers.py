"""What a picture may show: released answers of one plan, put together from any number of releases."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log10
from typing import Any, Final, TypeVar

from starling.errors import ParameterError, Problem
from starling.genome.inference.adaptive_plan import snp_ranges
from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.inference.scans import Region, ScanRows
from starling.genome.measurements import Block, SelectedSnps
from starling.genome.plan import Plan
from starling.genome.plan.exploring import SnpRanges
from starling.genome.postprocess.estimates import (
    Answer,
    Correlated,
    EffectsAnswer,
    EffectsExploration,
    Exploration,
    ScanAnswer,
)
from starling.genome.postprocess.p_values import PValue
from starling.genome.postprocess.wording import PERCENT

SURE: Final = PERCENT
"""The probability of every interval that is drawn, each by itself."""
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Answers:
    """Released answers of one plan.

    Attributes:
        plan: With the public SNP list.
        p_values: Released p-values in the order in which they were asked.
        located: Ids of SNPs that the study named as most significant.
        blocks: First and last SNP of released blocks in the order in which they were asked; answers of "no block" are left out.
        pairs: Released correlations in the order in which they were asked.
        data: Name of the data in the ledger that was charged; empty where that is not known.
        scan: The numbers of every SNP of a scan.
        regions: Its regions of significant SNPs.
        effects: Released effects of SNPs in the order in which they were asked.
    """

    plan: Plan = field(repr=False)
    p_values: tuple[PValue, ...] = ()
    located: tuple[str, ...] = ()
    blocks: SnpRanges = ()
    pairs: tuple[Correlated, ...] = ()
    data: str = ""
    scan: ScanRows | None = field(default=None, repr=False, compare=False)
    regions: tuple[Region, ...] = ()
    effects: tuple[SnpEffect, ...] = ()

    @property
    def threshold(self) -> Fraction:
        """alpha/m."""
        return self.plan.p_threshold

    @property
    def limit(self) -> float:
        """log10 of the threshold: an estimate at or below it is significant, and surely so where its whole interval is."""
        return log10(float(self.threshold))

    @property
    def only_located(self) -> tuple[str, ...]:
        """SNPs that were located and have no p-value, each once, in order of the list."""
        return tuple(sorted(set(self.located) - {each.snp for each in self.p_values}, key=self.plan.snps.index))

    def selected(self, each: PValue) -> bool:
        """Whether the study told to look at this SNP: such p-values are small by selection."""
        return each.snp in self.located


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
        here, there = first.plan, answers.plan
        choices = {
            "data set": first.data and answers.data and first.data != answers.data,
            "SNP list": here.snps.digest != there.snps.digest,
            "number of people": here.people != there.people,
            "genome build": here.build != there.build,
            "model": here.model != there.model,
            "alpha": here.alpha != there.alpha,
            "word for a case": (here.case, here.above) != (there.case, there.above),
            "way of counting missing calls": here.missing != there.missing,
            "range of phenotypes": (here.between, here.steps) != (there.between, there.steps),
        }
        if differs := [choice for choice, differ in choices.items() if differ]:
            problem = f"has another {' and another '.join(differs)} than {named}"
            problems.append(Problem(name, problem, "draw releases of one plan together"))
        held.append(replace(answers, plan=first.plan))
    ParameterError.check(problems)
    once: dict[str, Any] = {
        name: tuple(dict.fromkeys(each for answers in held for each in getattr(answers, name)))
        for name in ("p_values", "located", "blocks", "pairs", "effects")
    }
    scanned = next((answers for answers in held if answers.scan is not None), first)
    data = next((answers.data for answers in held if answers.data), "")
    return replace(first, data=data, scan=scanned.scan, regions=scanned.regions, **once)


def shortest(rows: Iterable[_Row], key: Callable[[_Row], Any], interval: Callable[[_Row], Interval]) -> dict[Any, _Row]:
    """The row with the shortest interval for each key, in the order in which the keys were asked."""

    def width(row: _Row) -> float:
        return interval(row).high - interval(row).low

    chosen: dict[Any, _Row] = {}
    for row in rows:
        if width(row) < width(chosen.setdefault(key(row), row)):
            chosen[key(row)] = row
    return chosen


def answers(plan: Plan, answer: Answer, data: str = "", rows: ScanRows | None = None) -> Answers:
    """The parts of an answer that have a place in the genome; a number has none, nor has the answer that no block is valid.

    Args:
        plan: The plan of the release.
        answer: What it tells.
        data: Name of the data in the ledger that was charged; empty where that is not known.
        rows: Of a scan, the numbers of every SNP.
    """
    if isinstance(answer, ScanAnswer):
        return Answers(plan, data=data, scan=rows, regions=answer.regions)
    if isinstance(answer, EffectsAnswer | EffectsExploration):
        effects = answer.effects if isinstance(answer, EffectsExploration) else answer
        return Answers(plan, data=data, effects=effects.effects)
    if isinstance(answer, Exploration):
        return Answers(plan, answer.p_values, answer.located.snps, snp_ranges(answer.blocks), data=data)
    return Answers(
        plan,
        (answer,) if isinstance(answer, PValue) else (),
        answer.snps if isinstance(answer, SelectedSnps) else (),
        snp_ranges((answer,)) if isinstance(answer, Block) else (),
        (answer,) if isinstance(answer, Correlated) else (),
        data,
    )
