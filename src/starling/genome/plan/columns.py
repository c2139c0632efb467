"""What the tests of a plan stand on beside the model: what counts as copies, covariates and components, and what is refused of them."""

from typing import TYPE_CHECKING, Final

from starling.errors import Problem
from starling.genome.plan.choices import COUNTED, MOST_COMPONENTS, MOST_COVARIATES
from starling.genome.plan.grammar import DOSAGES_FIX, OF_DOSAGES, OF_MEN, OF_MEN_FIX, OF_PHENOTYPES, OF_PHENOTYPES_FIX

if TYPE_CHECKING:
    from starling.genome.plan.model import Plan

LONGEST_COLUMN: Final = 80
"""Characters of the name of a column."""


def column_problems(plan: "Plan") -> list[Problem]:
    """What is wrong with genotypes, covariates and components; the unit is one that there is."""
    problems = []
    if plan.genotypes not in COUNTED:
        fix = "say what copies are counted by"
        problems.append(Problem("analysis.genotypes", f"are not {' or '.join(COUNTED)}", fix))
    elif plan.genotypes == "dosages" and (plan.model != "additive" or plan.unit == "person"):
        problems.append(Problem("analysis.genotypes", OF_DOSAGES, DOSAGES_FIX))
    if plan.x_model not in (1, 2) or (plan.x_model == 1 and (plan.model != "additive" or plan.unit == "person")):
        problems.append(Problem("analysis.x-model", OF_MEN, OF_MEN_FIX))
    if plan.unit == "person":
        stated = {"analysis.covariates": plan.covariates, "analysis.components": plan.components}
        stated |= {"analysis.chromosome-out": plan.chromosome_out}
        return problems + [Problem(name, OF_PHENOTYPES, OF_PHENOTYPES_FIX) for name, value in stated.items() if value]
    if not all(name and name.split() == [name] and len(name) <= LONGEST_COLUMN for name in plan.covariates):
        problems.append(Problem("analysis.covariates", "hold one that is no name of a column", "write one word"))
    if len(set(plan.covariates)) < len(plan.covariates) or len(plan.covariates) > MOST_COVARIATES:
        fix = f"name each once, {MOST_COVARIATES} at most"
        problems.append(Problem("analysis.covariates", "have a column twice, or are too many", fix))
    if not 0 <= plan.components <= MOST_COMPONENTS:
        fix = "take ten where populations mix"
        problems.append(Problem("analysis.components", f"are not 0 to {MOST_COMPONENTS}", fix))
    if plan.chromosome_out and (not plan.components or len(plan.snps.chromosome_ranges) == 1):
        problem = "leaves nothing out: there are no components, or SNPs on one chromosome alone"
        problems.append(Problem("analysis.chromosome-out", problem, "leave it out, or add components"))
    if len(plan.covariates) + plan.components + 2 >= plan.people:
        problems.append(Problem("analysis", "adjusts for as much as there are people", "adjust for less"))
    return problems
