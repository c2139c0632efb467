"""What the plan of a study may choose from: whom it protects, models with their tests, builds, whose ids are public, and bounds."""

from fractions import Fraction
from typing import Final, Literal, TypeAlias, get_args

from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE, Relation

Unit: TypeAlias = Literal["person", "phenotype"]
"""Whose data the guarantee hides: all of one person, or one person's phenotype and nothing else."""
RELATIONS: Final[dict[Unit, Relation]] = {"person": REPLACE_PERSON, "phenotype": REPLACE_PHENOTYPE}
UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
UNPROTECTED: Final = "Genotypes, covariates and who takes part are not protected"
"""What every plan, preview, report and answer about phenotypes says at once."""
WHOLE_PERSON: Final = "Each person is protected whole: all genotypes and the phenotype"
"""What answers about a quantitative phenotype say at once where all of a person is protected."""

Model: TypeAlias = Literal["dominant", "recessive", "genotypic", "allelic", "additive"]
"""What is compared between cases and controls: people with at least one copy of the carried allele, people with two, people by number of
copies (0, 1, 2), or copies; additive is the number of copies as a regressor."""

Ids: TypeAlias = Literal["confidential", "public"]
"""Whether the names of people in the files may be told."""

Counted: TypeAlias = Literal["calls", "dosages"]
"""What a person's copies are counted by: calls, each 0, 1 or 2, or dosages, the expected number of copies by an imputation."""

TESTS: Final[dict[Model, tuple[str, ...]]] = {
    "dominant": ("g", "chi2", "fisher", "logistic", "wald"),
    "recessive": ("g", "chi2", "fisher", "logistic", "wald"),
    "genotypic": ("g", "chi2", "trend"),
    "allelic": ("g", "chi2", "fisher", "logistic", "wald"),
}
"""Which tests each model has; `logistic` is the likelihood-ratio test. Under the genotypic model `g` and `chi2` compare people by number of
copies, with 2 degrees of freedom, and `trend` (Cochran-Armitage) looks for odds that grow or fall with every copy, with 1."""
PHENOTYPE_TESTS: Final[dict[Model, tuple[str, ...]]] = dict.fromkeys(("additive", "dominant", "recessive"), ("score",))
"""The same where the unit is the phenotype: `score` is the score test of a column of genotypes beside covariates and components."""
TESTS_OF: Final[dict[Unit, dict[Model, tuple[str, ...]]]] = {"person": TESTS, "phenotype": PHENOTYPE_TESTS}
MOMENT_TESTS: Final[dict[Model, tuple[str, ...]]] = {"additive": ("score",)}
"""The same where all of a person is protected and the phenotype is quantitative: by noisy moments (plan/moments.py)."""
MODELS: Final[tuple[Model, ...]] = get_args(Model)
MOST_COVARIATES: Final = 50
MOST_COMPONENTS: Final = 50
Build: TypeAlias = Literal["NCBI36", "GRCh37", "GRCh38", "T2T-CHM13v2.0"]
"""The reference genome that positions count on: hg18, hg19, hg38 and hs1 by the names of UCSC."""
BUILDS: Final[tuple[Build, ...]] = get_args(Build)
COUNTED: Final[tuple[Counted, ...]] = get_args(Counted)
IDS: Final[tuple[Ids, ...]] = ("confidential", "public")
P_VALUE_ONLY: Final = ("wald",)
"""Tests without a distance: their p-value can be asked for, not what is significant by them."""
ALPHA: Final = Fraction(5, 100)
"""Chance of any false finding that a plan allows unless it says otherwise."""
LEAST_PEOPLE: Final = 2
CASE: Final = "2"
"""The word for a case unless the plan says otherwise: that of PLINK."""
MOST_ABOVE: Final = 10**15
"""The largest number that divides a quantitative phenotype, or is an end of its range, up or down."""

OF_CARRIERS: Final = (
    "r2 and D' are of who carries the allele of the list, not of copies: where it is the commoner one, strong pairs look weak. Which are"
    " common in the study is confidential; take the rarer allele of a public panel."
)
"""What whoever asks for a correlation must know beforehand; it follows from the plan alone."""
QUESTIONS: Final = {
    "num_sig": ("number of significant SNPs", "how many SNPs are significant"),
    "loc_sig": ("the most significant SNPs", "which are, or are nearest to it"),
    "loc_block": ("longest correlation block", "the block of correlated SNPs around a SNP"),
    "snp_pval": ("p-value of a SNP", "the p-value of a SNP"),
    "snp_corr": ("correlation of two SNPs", "the correlation of two SNPs"),
    "explore": ("exploration", "all of these, a quarter each"),
    "scan": ("scan of all SNPs", "a test and an odds ratio of every SNP"),
    "snp_effects": ("effects of SNPs", "the p-value and the effect of some SNPs, together"),
    "explore_effects": ("exploration of effects", "how many SNPs, which, and their effects, a third each"),
}
"""Each kind of question: what it is about, and what it answers; its command has - for _."""
ONLY_OF_PHENOTYPES: Final = ("scan", "snp_effects", "explore_effects")
"""Kinds of questions of cases and controls of which only a person's phenotype is protected."""
PHENOTYPE_QUESTIONS: Final = ("num_sig", "loc_sig", "scan", "snp_effects", "explore_effects")
"""Kinds of questions that have a proof where the unit is the phenotype."""
MOMENT_QUESTIONS: Final = ("snp_effects",)
"""Kinds of questions that have one where all of a person is protected and the phenotype is quantitative."""


def tests_of(unit: Unit, *, quantitative: bool) -> dict[Model, tuple[str, ...]]:
    """The models of plans of a unit, each with its tests; of quantitative phenotypes others where all of a person is protected."""
    return MOMENT_TESTS if unit == "person" and quantitative else TESTS_OF[unit]


TITLES: Final = {
    "test": "Test",
    "k": "How many",
    "prevalence_epsilon": "Of which for the number of cases, or the variance",
    "epsilon": "What it costs (epsilon)",
    "response": "Release whose response is scanned again",
    "intervals": "Intervals of a quantitative phenotype",
    "median_epsilon": "Of which for its median",
    "selection": "Way of selecting",
    "regions": "Regions",
    "excluding": "Leave out",
    "correlation": "Measure of correlation",
    "delta_c": "Least correlation",
    "snps": "SNPs",
    "snp": "SNP",
    "first": "First SNP",
    "second": "Second SNP",
    "longest": "Longest block",
    "most": "How many SNPs at most",
    "noise": "Noise",
    "independent": "One SNP at a time",
}
"""What a form calls the fields of questions."""
