"""Whether an answer is one that its question can have: of the right kind and size, among the public candidates."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

from starling.genome.inference.adaptive_plan import replay, replay_effects
from starling.genome.measurements import (
    FIXED,
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
    SnpScores,
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
from starling.genome.scores.locations import num_sig_outputs

FAR: Final = 2**26
"""Noise of the least epsilon of a count goes beyond it with a chance below e^-8000; so a larger count is no drawn one."""


def answer_problem(plan: Plan, question: Question, drawn: Drawn) -> str | None:
    """What is wrong with an answer, as the end of a sentence about it; None for one that the question can have. Raises ParameterError when
    the plan has no such question.
    """
    question.check(plan)
    problems: dict[type[Question], Callable[[Plan, Any, Drawn], str | None]] = {
        NumSig: _number,
        LocSig: _places,
        LocBlock: _block,
        SnpPval: _cells,
        SnpCorr: _cells,
        Explore: _explored,
        Scan: _scan,
        SnpEffects: _moments if plan.by_moments else _scores,
        ExploreEffects: _explored_effects,
    }
    return problems[type(question)](plan, question, drawn)


def _explored(plan: Plan, question: Explore, drawn: Drawn) -> str | None:
    if not isinstance(drawn, Explored):
        return "are not those of an exploration"
    try:
        queries = replay(plan, question, drawn)
    except (ValueError, TypeError, IndexError):
        return _NOT_ONE
    return next(filter(None, (answer_problem(plan, query, answer) for query, answer in queries)), None)


_NOT_ONE: Final = "are not those of one exploration: some are missing, or too many"


def _explored_effects(plan: Plan, question: ExploreEffects, drawn: Drawn) -> str | None:
    if not isinstance(drawn, ExploredEffects):
        return "are not those of an exploration of effects"
    problem = _number(plan, question.number(plan), drawn.number)
    try:
        queries = [] if problem else replay_effects(plan, question, drawn)
    except (ValueError, TypeError):
        return _NOT_ONE
    return problem or next(filter(None, (answer_problem(plan, query, answer) for query, answer in queries)), None)


def _cells(plan: Plan, query: SnpPval | SnpCorr, answer: Drawn) -> str | None:
    six = plan.missing is not None or plan.model in ("genotypic", "allelic")
    cells = 6 if isinstance(query, SnpPval) and six else 4
    if not isinstance(answer, Cells) or len(answer.counts) != cells:
        return "have another number of cells than the model's tables"
    if any(not -FAR <= count <= plan.people + FAR for count in answer.counts):
        return "have counts beyond all that noise gives"
    if query.noise == "lattice" and sum(answer.counts) != plan.people:
        return "do not add up to the number of people, as lattice noise leaves it"
    if plan.unit == "phenotype" and any(a + b < 0 for a, b in zip(answer.counts[:3], answer.counts[3:], strict=True)):
        return "have a column with fewer than no people"
    return None


def _scan(plan: Plan, question: Scan, answer: Drawn) -> str | None:
    if not isinstance(answer, Scanned) or len(answer.tests.scores) != len(plan.snps):
        return "are not one test for each SNP of the list"
    tests = answer.tests
    if not (0 <= answer.ones <= plan.people and 0 <= tests.adjusted <= len(plan.covariates) + plan.components):
        return "have more people or covariates than the plan"
    return _intervals(plan, question, answer) or _tests(plan, answer.tests)


def _intervals(plan: Plan, question: Scan, answer: Scanned) -> str | None:
    above = [answer.ones, *answer.above, 0]
    if len(answer.above) != question.values - 2 or any(low < high for low, high in pairwise(above)):
        return "have other intervals than were asked for"
    if (answer.median is None) != (question.median_epsilon is None) or not 0 <= (answer.median or 0) < plan.steps:
        return "have a median that was not asked for, or none of the steps"
    return None


def _tests(plan: Plan, tests: SnpScores) -> str | None:
    if not (tests.variances >= 0).all() or not (tests.squares >= 0).all() or not np.isfinite(tests.scores).all():
        return "have a variance below 0, or no number"
    if not ((tests.calls >= 0) & (tests.calls <= plan.people)).all():
        return "have other than 0 to all people with a call"
    return None if ((tests.frequencies >= 0) & (tests.frequencies <= 1)).all() else "have a frequency that is none"


def _moments(_: Plan, query: SnpEffects, answer: Drawn) -> str | None:
    if not isinstance(answer, NoisyMoments):
        return "are not noisy moments"
    of_snps = (answer.products, answer.copies, answer.squares, answer.missing)
    if any(len(sums) != len(query.snps) for sums in of_snps):
        return "are not one sum for each SNP that was asked for"
    if any(abs(value) >= 1 << 62 for sums in (*of_snps, answer.phenotype) for value in sums):
        return "have a sum beyond all that noise gives"
    return None


def _scores(plan: Plan, query: SnpEffects, answer: Drawn) -> str | None:
    if not isinstance(answer, NoisyScores) or not len(answer.scores) == len(answer.squares) == len(query.snps):
        return "are not one score for each SNP that was asked for"
    most = (answer.squares, FIXED * 4 * plan.people), (answer.calls, plan.people), (answer.frequencies, FIXED)
    if not 0 < answer.largest <= FIXED * len(query.snps) * 2 or not all(
        len(values) == len(query.snps) and 0 <= min(values) <= max(values) <= limit for values, limit in most
    ):
        return "have columns that no genotypes have"
    if any(abs(score) >= 1 << 62 for score in answer.scores):
        return "have a score beyond all that noise gives"
    if (answer.cases is None) != (query.prevalence_epsilon is None):
        return "have a number of cases that was not asked for, or none"
    if answer.cases is not None and not -FAR <= answer.cases <= plan.people + FAR:
        return "have a number of cases beyond all that noise gives"
    return None


def _number(plan: Plan, query: NumSig, answer: Drawn) -> str | None:
    outputs = num_sig_outputs(query.k, len(plan.snps))
    ranges = zip(outputs, (*outputs[1:], len(plan.snps) + 1), strict=True)
    if isinstance(answer, Number) and (answer.low, answer.high + 1) in ranges:
        return _cases(plan, query, answer)
    return "have a number of SNPs that is none of the ranges to choose from"


def _places(plan: Plan, query: LocSig, answer: Drawn) -> str | None:
    known = plan.snps.indices
    if not isinstance(answer, SelectedSnps) or len(answer.snps) != query.k or len(set(answer.snps)) != query.k:
        return "have other than as many different SNPs as were asked for"
    places = np.array([known.get(snp, -1) for snp in answer.snps])
    inside = np.zeros(len(places), dtype=np.bool_)
    for start, stop in query.ranges(plan):
        inside |= (start <= places) & (places < stop)
    return _cases(plan, query, answer) if inside.all() else "have a SNP that is not among those to choose from"


def _cases(plan: Plan, query: NumSig | LocSig, answer: Number | SelectedSnps) -> str | None:
    wanted, other = (answer.cases, answer.squares) if plan.between is None else (answer.squares, answer.cases)
    if (wanted is None) != (query.prevalence_epsilon is None) or other is not None:
        return "have a number of cases or squares that was not asked for, or none"
    if wanted is not None and not -FAR <= wanted <= plan.people + FAR:
        return "have a number of cases or squares beyond all that noise gives"
    return None


def _block(plan: Plan, query: LocBlock, answer: Drawn) -> str | None:
    if answer == Block(None, None, 0):
        return None
    known = plan.snps.indices
    if isinstance(answer, Block) and answer.first in known and answer.last in known:
        first, last = known[answer.first], known[answer.last]
        among = query.candidates(plan)
        if (
            answer.snps == last - first + 1 >= 1
            and (among.longest is None or answer.snps <= among.longest)
            and any(start <= first and last < stop for start, stop in among.regions)
            and any(first <= snp <= last for snp in among.snps)
        ):
            return None
    return "have a block that is not among those to choose from"
