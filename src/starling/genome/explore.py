"""An exploration of a study in one call, without a session."""

from pathlib import Path

from starling.genome.plan import Explore, Plan
from starling.genome.plan.asking import Texts, amount, texts, threshold
from starling.genome.plan.queries import MOST_FOUND, Correlation, Noise, Selection
from starling.genome.publish import Answered, release
from starling.privacy.budget import Exact
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener


def explore(  # noqa: PLR0913 - one for each public choice
    plan: Plan | str | Path,
    genotypes: str | Path,
    out: str | Path,
    *,
    epsilon: Exact,
    test: str | None = None,
    correlation: Correlation = "r2",
    delta_c: Exact | None = None,
    regions: Texts | None = None,
    longest: int | None = None,
    most: int = MOST_FOUND,
    noise: Noise = "lattice",
    independent: bool = False,
    selection: Selection = "permute-and-flip",
    phenotype: str | Path | None = None,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Answered:
    """Publish an exploration of a study as the folder `out`: how many SNPs are significant, which, in which blocks, with which p-values.

    After Johnson and Shmatikov (2013), Section 4.

    Args:
        plan: Public choices, or the path of a plan file.
        genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
        out: Folder to make; must not exist, unless it is the answer of this very request.
        epsilon: What the whole costs, charged at the start whatever its parts leave unspent: a text such as "2", or an exact number.
        test: One of the plan's tests that has a distance to significance; the first of them without it.
        correlation: Of the blocks: "r2" or "dprime".
        delta_c: What each correlation within a block must exceed, in (0, 1); 0.2 for r2 and 0.8 for dprime without it.
        regions: Names of regions of the plan to look in, one or several; all of them without it. The number is that of the whole list.
        longest: Most SNPs of a block; without it there is no bound, and the regions may hold up to 10,000 SNPs.
        most: How many SNPs are followed up at most.
        noise: Of the counts behind p-values: "lattice", or "laplace" as published.
        independent: Find one SNP at a time, each outside the blocks released before.
        selection: Of the number: "permute-and-flip", or "exponential" as published.
        phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.

    Raises:
        PlanError, ParameterError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
    question = Explore(
        test or chosen.first_test,
        correlation,
        threshold(correlation, delta_c),
        amount(epsilon),
        texts(regions),
        longest,
        most,
        noise,
        independent,
        selection,
    )
    return release(
        chosen,
        question,
        genotypes,
        out,
        phenotype=phenotype,
        payment=payment,
        listener=listener,
    )
