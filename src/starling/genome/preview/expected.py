"""What an answer will be worth, before anything is spent: for any question of the plan, and the cost that a wanted error takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from starling.errors import ParameterError
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
from starling.genome.plan.queries import LARGEST_EPSILON
from starling.genome.preview import effects, scanning, selections, slopes, tables
from starling.genome.preview.effects import ExpectedEffects
from starling.genome.preview.scanning import ExpectedScan
from starling.genome.preview.selections import ExpectedLocBlock, ExpectedLocSig, ExpectedNumSig
from starling.genome.preview.slopes import ExpectedSlopes
from starling.genome.preview.tables import ExpectedTables
from starling.genome.preview.typical import Assumed, ExpectedAnswer
from starling.privacy.budget import check_int
from starling.privacy.distributions.accuracy import smallest
from starling.privacy.least import check_least

CONFIDENCE: Final = Fraction(95, 100)
"""The confidence of the error that a cost is found for."""
STEP: Final = Fraction(1, 1000)
"""The steps of the cost that is found for a wanted error."""


@dataclass(frozen=True, repr=False)
class ExpectedExplore(ExpectedAnswer):
    """What to expect of an exploration that follows up k SNPs, as the first answer decides: quarter by quarter, of each block and table."""

    query: Explore
    k: int
    number: ExpectedNumSig
    located: ExpectedLocSig
    block: ExpectedLocBlock
    table: ExpectedTables


@dataclass(frozen=True, repr=False)
class ExpectedExploreEffects(ExpectedAnswer):
    """What to expect of an exploration of effects that follows up k SNPs, third by third."""

    query: ExploreEffects
    k: int
    number: ExpectedNumSig
    located: ExpectedLocSig
    effects: ExpectedEffects


ExpectedSelection: TypeAlias = ExpectedNumSig | ExpectedLocSig | ExpectedLocBlock
ExpectedExploration: TypeAlias = ExpectedExplore | ExpectedExploreEffects
OfScores: TypeAlias = ExpectedScan | ExpectedEffects | ExpectedSlopes
Expected: TypeAlias = ExpectedSelection | ExpectedTables | ExpectedExploration | OfScores


def preview(study: Plan | Assumed, question: Question, *, followed: int | None = None) -> Expected:
    """What to expect of an answer.

    Args:
        study: The plan, and what is supposed of the study where that is not as `Assumed.of` has it.
        question: That fits the plan. A LocBlock without SNPs stands for any; the names of a SnpPval or a SnpCorr do not matter.
        followed: How many SNPs an exploration is supposed to follow up; the most that it may without it.

    Raises:
        ParameterError: when the plan has no such question.
    """
    assumed = _assumed(study)
    if followed is not None:
        check_int(followed, field="followed")
    check(assumed, question)
    check_least(question.guaranteed(assumed.plan.relation))
    if isinstance(question, Explore):
        plan = assumed.plan
        k = question.clamped(plan, question.most if followed is None else followed)
        return ExpectedExplore(
            question,
            k,
            selections.num_sig(assumed, question.number(plan), k),
            selections.loc_sig(assumed, question.locations(k, k)),
            selections.loc_block(assumed, question.block((), k)),
            tables.noisy_tables(assumed, question.table(plan.snps.ids[0], k)),
        )
    if isinstance(question, ExploreEffects):
        return _explore_effects(assumed, question, followed)
    if isinstance(question, NumSig):
        return selections.num_sig(assumed, question, max(question.k, 1))
    expected: dict[type[Question], Callable[[Assumed, Any], Expected]] = {
        LocSig: selections.loc_sig,
        LocBlock: selections.loc_block,
        SnpPval: tables.noisy_tables,
        SnpCorr: tables.noisy_tables,
        Scan: scanning.scan,
        SnpEffects: slopes.snp_slopes if assumed.plan.by_moments else effects.snp_effects,
    }
    return expected[type(question)](assumed, question)


def _explore_effects(assumed: Assumed, question: ExploreEffects, followed: int | None) -> ExpectedExploreEffects:
    plan, paid = assumed.plan, question.prevalence_epsilon
    k = question.clamped(plan, question.most if followed is None else followed)
    located, scores = question.locations(k), question.effects(plan.snps.ids[:k])
    if paid is not None:
        # They follow from the number of cases as if each had paid for it.
        located = replace(located, epsilon=located.epsilon + paid, prevalence_epsilon=paid)
        if plan.between is None:
            scores = replace(scores, epsilon=scores.epsilon + paid, prevalence_epsilon=paid)
    return ExpectedExploreEffects(
        question,
        k,
        selections.num_sig(assumed, question.number(plan), k),
        selections.loc_sig(assumed, located),
        effects.snp_effects(assumed, scores),
    )


def _assumed(study: Plan | Assumed) -> Assumed:
    return study if isinstance(study, Assumed) else Assumed.of(study)


def check(assumed: Assumed, question: Question) -> None:
    """As the question does, with a SNP of its regions where a LocBlock names none."""
    plan = assumed.plan
    if isinstance(question, LocBlock) and not question.snps:
        question = replace(question, snps=(plan.snps.ids[plan.within(question.regions)[0][0]],))
    question.check(plan)


def error_of(assumed: Assumed, question: Question, *, followed: int | None = None) -> float:
    """The error that `epsilon_for` keeps, 95 times of 100; parameters as for `preview`.

    Returns:
        Patients of a selection, of an exploration those of its places; of a p-value the width of the widest typical interval in powers of
        ten; of a correlation the width of the widest typical interval, from 0 to 1.
    """
    plan = assumed.plan
    if isinstance(question, Explore | ExploreEffects):
        k = question.clamped(plan, question.most if followed is None else followed)
        return error_of(assumed, question.locations(k, k) if isinstance(question, Explore) else question.locations(k))
    if isinstance(question, SnpPval | SnpCorr):
        return tables.noisy_tables(assumed, question, (question.noise,)).widest()
    if isinstance(question, Scan):
        return scanning.error(assumed, question)
    if isinstance(question, SnpEffects):
        return slopes.error(assumed, question) if plan.by_moments else effects.error(assumed, question)
    return selections.error(plan, question).within(1 - CONFIDENCE)


UNITS: Final = {
    **dict.fromkeys(("num_sig", "loc_sig", "loc_block"), "patients"),
    "snp_pval": "powers of ten of p, between the ends of its interval",
    "snp_corr": "of the correlation, between the ends of its interval",
    **dict.fromkeys(("explore", "explore_effects"), "patients, in its second answer"),
    **dict.fromkeys(("scan", "snp_effects"), "as odds ratio of an allele of frequency 0.2 that is found"),
}
"""What the error of each kind of question is in."""


def unit_of(plan: Plan, kind: str) -> str:
    """What the error of a kind of question is in, in a study of this plan."""
    if kind == "scan" and plan.between is not None:
        return "standard deviations of the phenotype, as slope of an allele of frequency 0.2 that is found"
    if kind == "snp_effects" and plan.by_moments:
        return (
            "in the unit of the phenotype, between the ends of the interval of a slope, of an allele of frequency 0.2"
        )
    return UNITS[kind]


_SUCH_AN_ALLELE: Final = "Such an allele is at or below the threshold 95 times of 100"
MEANINGS: Final = {
    "num_sig": "The number is wrong at most by the SNPs that would cross the threshold if the records of so many patients were others",
    "loc_sig": "No SNP that is left out is ahead of a named one by more patients",
    "loc_block": "The block is wrong at most by conditions that would turn if the records of so many patients were others",
    **dict.fromkeys(("snp_pval", "snp_corr"), ""),
    **dict.fromkeys(
        ("explore", "explore_effects"),
        "Of its places: no SNP that is left out is ahead of a named one by more patients",
    ),
    **dict.fromkeys(("snp_effects", "scan"), f"{_SUCH_AN_ALLELE}, where half of the people are cases"),
}
"""What the error of each kind of question means, where its unit does not say it."""


def meaning_of(plan: Plan, kind: str) -> str:
    """What the error of a kind of question means in a study of this plan, where its unit does not say it."""
    if kind == "scan" and plan.between is not None:
        return f"{_SUCH_AN_ALLELE}, where the phenotype is normal"
    if kind == "snp_effects" and plan.by_moments:
        return "Where the phenotype is normal, its deviation a sixth of the way between the plan's ends"
    return MEANINGS[kind]


def epsilon_for(
    study: Plan | Assumed,
    question: Question,
    error: float | Fraction,
    *,
    followed: int | None = None,
    field: str = "error",
) -> Fraction:
    """The least cost, a multiple of STEP, at which the error is at most that; more never makes it larger.

    Args:
        study: As for `preview`.
        question: As for `preview`; its own epsilon does not matter.
        error: Wanted, in the unit of `error_of`.
        followed: As for `preview`.
        field: What the error is called in messages.

    Raises:
        ParameterError: for an error below 0, one that no epsilon keeps, or when the plan has no such question.
    """
    if not error >= 0:
        raise ParameterError(field, "is below 0", "give 0 or more")
    assumed = _assumed(study)
    if followed is not None:
        check_int(followed, field="followed")
    check(assumed, question)

    def is_enough(steps: int) -> bool:
        priced = replace(question, epsilon=steps * STEP)
        try:
            check(assumed, priced)
        except ParameterError:  # Too little for its smallest part.
            return False
        return error_of(assumed, priced, followed=followed) <= error

    if not is_enough(int(LARGEST_EPSILON / STEP)):
        raise ParameterError(field, "is kept at no epsilon", "ask for a larger one")
    return STEP * smallest(is_enough, int(1 / STEP))
