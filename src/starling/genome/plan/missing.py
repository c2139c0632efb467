"""How a plan counts missing calls, and which kinds of questions it has.

By one rule a missing call is a person without the allele, or in plans of phenotypes the mean of its SNP. With `missing = "cell"` tests
compare people who have a call, and those who lack one are counted beside them, cases and controls: tables have six cells in place of four.

Plans of phenotypes without covariates leave them out of every score anyway: the mean of its column is 0 once the column is centred. So
there the key adds the question whose counts show how many lack a call, and changes no other: a scan takes the mean.

A VCF often leaves out a SNP that nobody carries. As long as a missing call is a person without the allele, such a SNP reads as if its
record were there, so that a replaced person changes her own calls alone. Where calls of others tell who lacks one, her call would make
their missing ones appear with the record. So plans of persons that count who lacks a call (`needs_sites`) take .bed and .pgen, which
state their SNPs before any charge. Genotypes of plans of phenotypes are the same for neighbours: with `missing = "cell"` nobody has a
call of a SNP without a record.

Blocks and correlations are of pairs of SNPs, which may lack calls of one, of the other or of both: these questions are refused.
"""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from starling.errors import ParameterError, Problem
from starling.genome.plan.choices import MOMENT_QUESTIONS, ONLY_OF_PHENOTYPES, PHENOTYPE_QUESTIONS, QUESTIONS

if TYPE_CHECKING:
    from starling.genome.plan.model import Plan

Missing: TypeAlias = Literal["cell"]
"""What a plan may say of missing calls."""
MISSINGS: Final[tuple[Missing, ...]] = get_args(Missing)
MISSING_FIX: Final = 'write missing = "cell", or leave it out'
MODELS_OF_CELLS: Final = ("dominant", "recessive")
"""Models whose tables may have a cell more."""
CELL_QUESTIONS: Final = ("num_sig", "loc_sig", "snp_pval")
"""Kinds of questions that count missing calls apart where all of a person is protected."""


def missing_problems(plan: "Plan") -> list[Problem]:
    """What is wrong with how missing calls are counted; the unit is one that there is."""
    if plan.missing is None:
        return []
    field = "analysis.missing"
    if plan.missing not in MISSINGS:
        return [Problem(field, "is not cell", MISSING_FIX)]
    problems = []
    if plan.model not in MODELS_OF_CELLS:
        problem = f"is cell, which the {plan.model} model has not"
        problems.append(Problem(field, problem, 'write model = "dominant" or "recessive", or leave it out'))
    if plan.unit == "phenotype" and (plan.covariates or plan.components):
        problem = "is cell beside covariates or components, for which counts are not adjusted"
        problems.append(Problem(field, problem, "leave one of the two out"))
    if plan.between is not None:
        problem = "is cell, and a quantitative phenotype has no cases to count"
        problems.append(Problem(field, problem, "write study.above in place of between, or leave it out"))
    return problems


def needs_sites(plan: "Plan") -> bool:
    """Whether genotypes have to state their SNPs before the charge: all of a person is protected, and who lacks a call is counted."""
    return plan.unit == "person" and (plan.missing is not None or plan.by_moments)


def cell_in_words(plan: "Plan") -> str:
    """Where a plan counts missing calls that it counts apart."""
    by = "" if plan.unit == "person" else ", by snp-pval; a scan takes the mean"
    return f"in a cell of their own, for cases and for controls{by}"


def counts_apart(plan: "Plan", kind: str) -> bool:
    """Whether a kind of question counts who lacks a call in a cell of their own."""
    return plan.missing is not None and (plan.unit == "person" or kind == "snp_pval")


def missing_call(plan: "Plan", kind: str) -> str:
    """What a missing call counts as in a kind of question, in a few words."""
    if counts_apart(plan, kind):
        return "in a cell of its own"
    if plan.by_moments:
        return "left out of that SNP"
    return "a person without the allele" if plan.unit == "person" else "the mean of the SNP"


def kinds_of(plan: "Plan") -> tuple[str, ...]:
    """The kinds of questions that the plan has, in the order of QUESTIONS."""
    if plan.by_moments:
        return MOMENT_QUESTIONS
    if plan.unit == "phenotype":
        known: tuple[str, ...] = PHENOTYPE_QUESTIONS + (CELL_QUESTIONS if plan.missing is not None else ())
    else:
        known = CELL_QUESTIONS if plan.missing is not None else tuple(QUESTIONS)
    hidden = ONLY_OF_PHENOTYPES if plan.unit == "person" else ()
    return tuple(kind for kind in QUESTIONS if kind in known and kind not in hidden)


def check_kind(plan: "Plan", kind: str) -> None:
    """Raises ParameterError for a kind of question that is not proved for whom the plan protects, and for how it counts missing calls."""
    if kind in kinds_of(plan):
        return
    name, known = kind.replace("_", "-"), " or ".join(each.replace("_", "-") for each in kinds_of(plan))
    if plan.by_moments:
        problem = f"is {name}, which has no proof where all of a person is protected and the phenotype is quantitative"
        raise ParameterError("question", problem, f'ask {known}, or take a plan with above, or with unit = "phenotype"')
    if kind in ONLY_OF_PHENOTYPES:
        problem = f"is {kind}, which shows exact genotypes and protects phenotypes alone"
        with_range = "; or one with between" if kind in MOMENT_QUESTIONS else ""
        fix = f'take a plan with unit = "phenotype", or another question{with_range}'
        raise ParameterError("question", problem, fix)
    if plan.unit == "phenotype":
        problem = f"is {name}, which has no proof where phenotypes alone are protected"
        raise ParameterError("question", problem, f'ask {known}, or take a plan with unit = "person"')
    problem = f'is {name}, which does not count missing calls apart, and the plan has missing = "cell"'
    raise ParameterError("question", problem, f"ask {known}, or take a plan without analysis.missing")
