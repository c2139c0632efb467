"""What a genome release says of itself: its parameters for privacy.json, and its words for the registry of deployments."""

from typing import Final

from starling.genome.artifact.files import DRAWN, PLAN, QUESTION, SNPS
from starling.genome.plan import Explore, ExploreEffects, LocBlock, LocSig, NumSig, Plan, Question, Scan, SnpEffects
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.plan.missing import missing_call, needs_sites
from starling.genome.plan.quantitative import missing_in_words
from starling.genome.postprocess.p_values import CONFIDENCE
from starling.release.codec import Json, plain
from starling.release.registry import Product
from starling.release.statement import Particulars

SOURCE: Final = "Johnson and Shmatikov 2013, Privacy-Preserving Data Exploration in Genome-Wide Association Studies"


SCAN_SOURCE: Final = "Warner 1965, Randomized response; score tests of one response"
_SCALE: Final = ("OBS_CT", "A1_FREQ", "the scale of its score")
_EXACT: Final = {
    "scan": ("OBS_CT", "A1_FREQ", "XX"),
    "snp_effects": _SCALE,
    "explore_effects": _SCALE,
    "snp_pval": ("how many people carry the allele, do not, and lack a call",),
}
EXACT: Final = {
    kind: tuple(f"{what} of each SNP: genotypes are not protected" for what in whats) for kind, whats in _EXACT.items()
}
"""What answers about phenotypes show of genotypes as it is."""


def title(plan: Plan, question: Question) -> str:
    """The title of a release."""
    of_phenotypes = f". {UNPROTECTED}" if plan.unit == "phenotype" else ""
    return f"{plan.title}: {question.subject}{of_phenotypes}"


def particulars(plan: Plan, question: Question) -> Particulars:
    """What privacy.json says of a release: the plan's choices, the question, and what bounds the part of one person."""
    parameters: dict[str, Json] = {
        "name": question.kind,
        "source": SCAN_SOURCE if isinstance(question, Scan) else SOURCE,
        "plan": PLAN,
        "snps": SNPS,
        "question": QUESTION,
        "measurements": DRAWN,
        "plan_sha256": plan.digest,
        "build": plan.build,
        "model": plan.model,
        "p_threshold": str(plan.p_threshold),
        "asked": plain(question),
        "mechanisms": list[Json](mechanisms(plan, question)),
        "confidence": str(CONFIDENCE),
    }
    person, call = plan.unit == "person", missing_call(plan, question.kind).removeprefix("the ")
    bounds: dict[str, Json] = {
        "people": plan.people,
        **({"genotypes_of_a_person": len(plan.snps)} if person else {}),
        "phenotypes_of_a_person": 1,
        **({} if person else {"unprotected": UNPROTECTED}),
        "missing_call": "not a carrier" if person and not needs_sites(plan) else call,
        "missing_phenotype": missing_in_words(plan).removeprefix("a "),
    }
    if not person:
        parameters |= {"covariates": list[Json](plan.covariates), "components": plan.components}
        parameters |= {"chromosome_out": True} if plan.chromosome_out else {}
    return Particulars("genome", parameters, bounds, EXACT.get(question.kind, ()) if plan.unit == "phenotype" else ())


def mechanisms(plan: Plan, question: Question) -> tuple[str, ...]:
    """How the noise of a question's answer is made; of an exploration, of each of its parts."""
    if isinstance(question, Explore):
        return (
            f"{_number(question)}, epsilon/4",
            f"{_PLACES}{_PATIENT}, epsilon/4",
            "loc_block: exponential mechanism, iterated outside the blocks found, sensitivity 1 patient, epsilon/4 in all",
            f"snp_pval: {NOISE[question.noise]}, epsilon/4 in all",
        )
    if isinstance(question, NumSig | LocSig):
        cases = () if question.prevalence_epsilon is None else (_CASES,)
        return (*cases, _number(question) if isinstance(question, NumSig) else f"{_PLACES}{_unit(question)}")
    if isinstance(question, LocBlock):
        return ("loc_block: exponential mechanism by distance to being the longest valid block, sensitivity 1 patient",)
    if isinstance(question, Scan):
        stored = "" if question.response is None else f" that event {question.response} of the ledger paid for"
        of, effects = "", "odds ratios"
        if plan.between is not None:
            of, effects = f", of which of {question.values} intervals it is in", "effects"
        median = () if question.median_epsilon is None else (_MEDIAN,)
        return (
            *median,
            f"scan: one randomized response{stored}, a coin for each person's phenotype{of}; score tests and {effects} are made of it",
        )
    if isinstance(question, SnpEffects | ExploreEffects):
        cases = () if question.prevalence_epsilon is None else (_CASES,)
        selections = (_number(question), f"{_PLACES}{_PHENOTYPE}") if isinstance(question, ExploreEffects) else ()
        return (*cases, *selections, _MOMENTS if plan.by_moments else _SCORES)
    noise = _CASES_OF_COLUMNS if plan.unit == "phenotype" else NOISE[question.noise]
    return (f"{question.kind}: {noise}",)


def _unit(question: NumSig | LocSig | Explore | ExploreEffects) -> str:
    return _PHENOTYPE if question.test == "score" else _PATIENT


def _number(question: NumSig | Explore | ExploreEffects) -> str:
    return f"num_sig: {question.selection} selection by distance to significance{_unit(question)}"


_PATIENT: Final = ", sensitivity 1 patient"
_PHENOTYPE: Final = " of the score test with covariates, sensitivity 1 phenotype"
_PLACES: Final = "loc_sig: exponential mechanism without replacement by distance to significance"
_MEDIAN: Final = (
    "median: exponential mechanism over the steps of the range by people on the smaller side, sensitivity 1 phenotype"
)
_CASES: Final = "number of cases, or sum of squares: discrete Laplace noise, sensitivity 1 phenotype"
_SCORES: Final = "snp_effects: discrete Laplace noise on the score of each SNP, L1 sensitivity of all scores together"
_MOMENTS: Final = (
    "snp_effects: discrete Laplace noise on centred, weighted moments of copies and phenotype, L1 sensitivity of all sums together for"
    " one person who is replaced"
)
_CASES_OF_COLUMNS: Final = "discrete Laplace noise on the cases of each column of a table, sensitivity 1 phenotype"
NOISE: Final = {
    "lattice": "lattice noise on the counts of a table, which keeps their sum; one replaced patient is one move",
    "laplace": "discrete Laplace noise on each count of a table, L1 sensitivity 2",
}


def product(plan: Plan, question: Question) -> Product:
    """A release in the words of the registry."""
    subject = question.subject.capitalize()
    but = " but their ids, which the plan declares public" if plan.ids == "public" else ""
    bounds = (
        f"A person is one row: all genotypes and the phenotype. A missing call is {missing_call(plan, question.kind)}, a missing"
        " phenotype a control."
    )
    public = "the number of people, the SNP list, the carried alleles and the question are public"
    unprotected = f"None of the people's{but}: {public}."
    if plan.by_moments:
        bounds = (
            "A person is one row: all genotypes and the phenotype. Who lacks a call is left out of that SNP, who lacks the phenotype of"
            " all; how many are, is noisy."
        )
    if plan.unit == "phenotype":
        bounds = f"A person is one phenotype. {UNPROTECTED}. A missing phenotype is {missing_in_words(plan)}."
        unprotected = f"{UNPROTECTED}; {public}."
    study, phenotype = "case-control study", "whether the person is a case"
    if plan.between is not None:
        study, phenotype = "study of a quantitative phenotype", "the person's phenotype"
    how = "; ".join(mechanisms(plan, question))
    return Product(
        description=f"{subject} in a {study} of {plan.people:,} people and {len(plan.snps):,} SNPs.",
        intended_use="Exploration of genotypes by researchers who have no access to them.",
        region="The people of the study",
        domain=f"Genotypes of each person at the SNPs of a public list, and {phenotype}.",
        bounds=bounds,
        mechanisms=f"{SCAN_SOURCE if isinstance(question, Scan) else SOURCE}: {how}. Exact over the integers.",
        post_processing="p-values and correlations are those of the noisy counts, negative ones taken as 0; their intervals follow from"
        " the distribution of the noise.",
        composition="Sequential over the parts of an exploration; each other question is one mechanism. The tree is in privacy.json.",
        unprotected=unprotected,
    )
