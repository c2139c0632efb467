"""What a release tells: the answer to its question, and how far it may be off.

Numbers are rounded, an interval outward, so that the last bits of a machine's logarithms do not change what is told.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from starling.genome.inference.adaptive_plan import replay
from starling.genome.inference.answers import SelectionError, correlation, selection_error
from starling.genome.inference.effects import SnpEffect, noise_share, snp_effects
from starling.genome.inference.intervals import Interval
from starling.genome.inference.medians import Median, paid_median
from starling.genome.inference.scans import (
    Region,
    ScanRows,
    inflation,
    prevalence,
    regions,
    scan_rows,
    share_left,
    share_of_intervals,
    significant,
)
from starling.genome.inference.slopes import snp_slopes, sums_of
from starling.genome.measurements import (
    Block,
    Cells,
    Drawn,
    Explored,
    ExploredEffects,
    NoisyMoments,
    NoisyScores,
    Number,
    Scanned,
    SelectedSnps,
)
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
from starling.genome.postprocess.p_values import PLACES, PValue, p_value_of, rounded
from starling.release.codec import OPTIONAL
from starling.release.session import Fields


@dataclass(frozen=True, slots=True)
class Correlated(Fields):
    """The correlation of two SNPs.

    Attributes:
        counts: Noisy, as they were drawn: people who carry both, the first alone, the second alone, neither.
        value: The correlation of the noisy counts, and the range that holds the exact one with a chance of CONFIDENCE or more.
    """

    first: str
    second: str
    measure: str
    counts: tuple[int, ...]
    value: Interval


@dataclass(frozen=True, slots=True)
class Exploration(Fields):
    """What an exploration found; SNPs and blocks in the order in which they were selected."""

    number: Number
    located: SelectedSnps
    blocks: tuple[Block, ...]
    p_values: tuple[PValue, ...]


@dataclass(frozen=True, slots=True)
class ExplorationError:
    """How far each answer of an exploration may be off; all SNPs together are None where it stopped before."""

    number: SelectionError
    located: SelectionError | None
    blocks: tuple[SelectionError, ...]
    p_values: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class ScanAnswer(Fields):
    """What a scan found; the numbers of every SNP are the rows of its tables.

    Attributes:
        tested: SNPs that say anything beside the covariates.
        significant: Those with a p-value at or below the plan's threshold.
        inflation: Lambda; None where no SNP says anything.
        prevalence: Estimated share of cases, from the response; None of a quantitative phenotype.
        adjusted: Covariates and components that were taken out.
        regions: Where the significant SNPs are.
        median: That of a quantitative phenotype, where it was paid for.
    """

    tested: int
    significant: int
    inflation: float | None
    prevalence: float | None
    adjusted: int
    regions: tuple[Region, ...]
    median: Median | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class EffectsAnswer(Fields):
    """What was asked of some SNPs.

    Attributes:
        effects: Of each SNP that covariates do not explain, in the order of the question.
        explained: Ids of the others.
        cases: The noisy number of cases, where that was asked for.
    """

    effects: tuple[SnpEffect, ...]
    explained: tuple[str, ...]
    cases: int | None


@dataclass(frozen=True, slots=True)
class EffectsError(Fields):
    """How much noise is in effects.

    Attributes:
        share: The noise's share of the variance of a score; of moments, where it is largest.
    """

    share: float


@dataclass(frozen=True, slots=True)
class EffectsExploration(Fields):
    """What an exploration of effects found; SNPs in the order in which they were selected, none where the number is 0."""

    number: Number
    located: SelectedSnps
    effects: EffectsAnswer


@dataclass(frozen=True, slots=True)
class EffectsExplorationError:
    """How far each answer of an exploration of effects may be off; but for the number, None where it stopped before."""

    number: SelectionError
    located: SelectionError | None
    effects: EffectsError | None


@dataclass(frozen=True, slots=True)
class ScanError(Fields):
    """How much noise is in a scan.

    Attributes:
        share: The share of the sample that the response leaves, at the estimated share of cases; of a quantitative phenotype the share of
            what its exact intervals would tell.
    """

    share: float


Answer: TypeAlias = (
    Number | SelectedSnps | Block | PValue | Correlated | Exploration | ScanAnswer | EffectsAnswer | EffectsExploration
)
Error: TypeAlias = SelectionError | Interval | ExplorationError | ScanError | EffectsError | EffectsExplorationError
"""Of a selection the chance to be off by more than some patients; of a p-value or a correlation an interval."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """An answer and how far it may be off."""

    answer: Answer
    error: Error
    rows: ScanRows | None = None
    """Of a scan the numbers of every SNP."""


def estimate(plan: Plan, question: Question, drawn: Drawn) -> Estimated:
    """What was drawn, as it is told; it is an answer that a question of this kind has (`inference.answer_validation`)."""
    estimates: dict[type[Question], Callable[[Plan, Any, Any], Estimated]] = {
        SnpPval: _p_value,
        SnpCorr: _correlated,
        Explore: _exploration,
        Scan: _scan,
        SnpEffects: _of_effects,
        ExploreEffects: _effects_exploration,
    }
    return estimates.get(type(question), _selected)(plan, question, drawn)


def _selected(plan: Plan, question: NumSig | LocSig | LocBlock, drawn: Number | SelectedSnps | Block) -> Estimated:
    return Estimated(drawn, selection_error(plan, question))


def _p_value(plan: Plan, question: SnpPval, drawn: Cells) -> Estimated:
    p = p_value_of(plan, question, drawn)
    return Estimated(p, p.log10)


def _correlated(plan: Plan, question: SnpCorr, drawn: Cells) -> Estimated:
    value = rounded(correlation(plan, question, drawn))
    return Estimated(Correlated(question.first, question.second, question.correlation, drawn.counts, value), value)


def _of_effects(plan: Plan, question: SnpEffects, drawn: NoisyMoments | NoisyScores) -> Estimated:
    if isinstance(drawn, NoisyMoments):
        share = max(each.spread.noise_share for each in sums_of(plan, question, drawn))
        return Estimated(EffectsAnswer(snp_slopes(plan, question, drawn), (), None), EffectsError(round(share, 4)))
    return Estimated(*_effects(plan, question, drawn))


def _effects(plan: Plan, question: SnpEffects, drawn: NoisyScores) -> tuple[EffectsAnswer, EffectsError]:
    effects = snp_effects(plan, question, drawn)
    explained = tuple(snp for snp, each in zip(question.snps, effects, strict=True) if each is None)
    answer = EffectsAnswer(tuple(each for each in effects if each is not None), explained, drawn.cases)
    return answer, EffectsError(round(noise_share(plan, question, drawn), 4))


def _effects_exploration(plan: Plan, explore: ExploreEffects, drawn: ExploredEffects) -> Estimated:
    number, located, scores = drawn.number, drawn.located, drawn.scores
    off = selection_error(plan, explore.number(plan))
    if scores is None:
        nothing = EffectsExploration(number, located, EffectsAnswer((), (), number.cases))
        return Estimated(nothing, EffectsExplorationError(off, located=None, effects=None))
    # The number of cases was drawn once, with the number of SNPs.
    effects, noise = _effects(plan, explore.effects(located.snps), replace(scores, cases=number.cases))
    places = selection_error(plan, explore.locations(len(located.snps)))
    return Estimated(EffectsExploration(number, located, effects), EffectsExplorationError(off, places, noise))


def _scan(plan: Plan, question: Scan, drawn: Scanned) -> Estimated:
    rows = scan_rows(plan, question, drawn)
    share = None
    if plan.between is None:
        share = prevalence(plan, question, drawn)
        left = share_left(min(max(share, 0.0), 1.0), question.epsilon)
    else:
        left = share_of_intervals(plan, question, drawn)
    answer = ScanAnswer(
        int(np.count_nonzero(~np.isnan(rows.z))),
        int(np.count_nonzero(significant(plan, rows))),
        inflation(rows),
        None if share is None else round(share, PLACES),
        drawn.tests.adjusted,
        regions(plan, rows),
        paid_median(plan, question, drawn),
    )
    return Estimated(answer, ScanError(round(left, 4)), rows)


def _exploration(plan: Plan, explore: Explore, drawn: Explored) -> Estimated:
    answered = replay(plan, explore, drawn)
    selected = [
        (query, selection_error(plan, query)) for query, _ in answered if isinstance(query, NumSig | LocSig | LocBlock)
    ]
    k = drawn.followed
    p_values = tuple(
        p_value_of(plan, query, answer)
        for query, answer in answered
        if isinstance(query, SnpPval) and isinstance(answer, Cells)
    )
    error = ExplorationError(
        number=selected[0][1],
        # One SNP at a time there are never more to choose from than at first.
        located=selection_error(plan, explore.locations(k, k)) if k else None,
        blocks=tuple(one for query, one in selected if isinstance(query, LocBlock)),
        p_values=tuple(p.log10 for p in p_values),
    )
    return Estimated(Exploration(drawn.number, drawn.located, drawn.blocks, p_values), error)
