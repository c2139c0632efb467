"""What a genome release says of itself: its parameters for privacy.json, and its words for the registry of deployments."""

from typing import Any, Final

from starling.genome.artifact.drawn import DRAWN
from starling.genome.artifact.public_plan import PLAN, QUESTION, SNPS
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Question, SnpPval, kind
from starling.genome.postprocess.estimates import CONFIDENCE
from starling.release.registry import Product
from starling.release.request import plain
from starling.release.statement import Json, Particulars

SOURCE: Final = "Johnson and Shmatikov 2013, Privacy-Preserving Data Exploration in Genome-Wide Association Studies"

ASKED: Final = {
    "num_sig": "number of significant SNPs",
    "loc_sig": "the most significant SNPs",
    "loc_block": "longest correlation block",
    "snp_pval": "p-value of a SNP",
    "snp_corr": "correlation of two SNPs",
    "explore": "exploration",
}
"""Each kind of question in a few words."""


def title(plan: Plan, question: Question) -> str:
    """Of a release."""
    return f"{plan.title}: {ASKED[kind(question)]}"


def particulars(plan: Plan, question: Question) -> Particulars:
    """What privacy.json says of a release."""
    return Particulars("genome", parameters(plan, question), bounds(plan))


def bounds(plan: Plan) -> dict[str, Json]:
    """What bounds the part of one person: a row of genotypes and a phenotype, by rules that hold for every record."""
    return {
        "people": plan.people,
        "genotypes_of_a_person": len(plan.snps),
        "phenotypes_of_a_person": 1,
        "missing_call": "not a carrier",
        "missing_phenotype": "control",
    }


def parameters(plan: Plan, question: Question) -> dict[str, Json]:
    """The plan's choices and the question."""
    asked: dict[str, Any] = plain(question)
    return {
        "name": kind(question),
        "source": SOURCE,
        "plan": PLAN,
        "snps": SNPS,
        "question": QUESTION,
        "measurements": DRAWN,
        "plan_sha256": plan.digest,
        "build": plan.build,
        "model": plan.model,
        "p_threshold": str(plan.p_threshold),
        "asked": asked,
        "mechanisms": list[Json](mechanisms(question)),
        "confidence": str(CONFIDENCE),
    }


def mechanisms(question: Question) -> tuple[str, ...]:
    """How the noise of a question's answer is made."""
    if isinstance(question, NumSig):
        return (f"num_sig: {question.selection} selection by distance to significance, sensitivity 1 patient",)
    if isinstance(question, LocSig):
        return (
            "loc_sig: exponential mechanism without replacement by distance to significance, sensitivity 1 patient",
        )
    if isinstance(question, LocBlock):
        return ("loc_block: exponential mechanism by distance to being the longest valid block, sensitivity 1 patient",)
    if isinstance(question, Explore):
        number = question.selection
        return (
            f"num_sig: {number} selection by distance to significance, sensitivity 1 patient, epsilon/4",
            "loc_sig: exponential mechanism without replacement by distance to significance, sensitivity 1 patient, epsilon/4",
            "loc_block: exponential mechanism, iterated outside the blocks found, sensitivity 1 patient, epsilon/4 in all",
            f"snp_pval: {NOISE[question.noise]}, epsilon/4 in all",
        )
    name = "snp_pval" if isinstance(question, SnpPval) else "snp_corr"
    return (f"{name}: {NOISE[question.noise]}",)


NOISE: Final = {
    "lattice": "lattice noise on the counts of a table, which keeps their sum; one replaced patient is one move",
    "laplace": "discrete Laplace noise on each count of a table, L1 sensitivity 2",
}


def product(plan: Plan, question: Question) -> Product:
    """A release in the words of the registry."""
    who = " but their ids, which the plan declares public" if plan.ids == "public" else ""
    return Product(
        description=f"{ASKED[kind(question)].capitalize()} in a case-control study of {plan.people:,} people and {len(plan.snps):,} SNPs.",
        intended_use="Exploration of genotypes by researchers who have no access to them.",
        region="The people of the study",
        domain="Genotypes of each person at the SNPs of a public list, and whether the person is a case.",
        bounds="A person is one row: all genotypes and the phenotype. A missing call is a person without the allele, a missing"
        " phenotype a control.",
        mechanisms=f"{SOURCE}: {'; '.join(mechanisms(question))}. Exact over the integers.",
        post_processing="p-values and correlations are those of the noisy counts, negative ones taken as 0; their intervals follow from"
        " the distribution of the noise.",
        composition="Sequential over the parts of an exploration; each other question is one mechanism. The tree is in privacy.json.",
        unprotected=f"None of the people's{who}: the number of people, the SNP list, the carried alleles and the question are public.",
    )
