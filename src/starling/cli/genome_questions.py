"""The options of questions to a study, each declared once as a decorator of a command, and what their texts mean."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starling.genome.plan import Plan, Question
    from starling.genome.plan.exploring import SnpRanges
    from starling.genome.plan.queries import Correlation


def genotypes(function: Any) -> Any:
    """--genotypes, --phenotype, --covariates and --sample, which open records."""
    prefix = "Confidential: the prefix of .bed, .bim, .fam or .pgen, .pvar, .psam, or a .vcf, .vcf.gz, .bcf or .bgen."
    cases = "Who is a case: ids and a phenotype on each line. Needed for VCF and BGEN; else in place of the .fam's."
    people = "The .sample of a .bgen without names.  [default: the one beside it]"
    adjusted = "The plan's covariates, as PLINK's --covar takes them."
    return options.with_options(
        function,
        options.path("--genotypes", required=True, metavar="PREFIX", help=prefix),
        options.path("--phenotype", metavar="FILE", help=cases),
        options.path("--covariates", metavar="FILE", help=adjusted),
        options.path("--sample", metavar="FILE", help=people),
    )


test = click.option(
    "--test",
    metavar="NAME",
    help="One of the plan's tests: g, chi2, fisher, logistic, wald, trend, score.  [default: its first]",
)

regions = click.option("--regions", metavar="NAME,NAME,...", help="Regions of the plan to look in.  [default: all]")

corr = options.with_default(
    "--corr", type=click.Choice(["r2", "dprime"]), default="r2", help="Measure of correlation: r squared or |D'|."
)

delta_c = click.option(
    "--delta-c",
    metavar="X",
    help="What a correlation must exceed in a block.  [default: 0.2 for r2, 0.8 for dprime]",
)

longest = options.number("--longest", help="Most SNPs of a block; needed where the regions hold more than 10,000 SNPs.")

most = options.number("--most", default=10, help="Follow up at most so many SNPs.")


def price(function: Any) -> Any:
    """--epsilon or --margin of one question, which `priced` reads."""
    return options.with_options(
        function,
        click.option(
            "--epsilon", metavar="X", help="What the answer may cost, exact: 0.5, 2, 1/3; from 40 with a warning."
        ),
        click.option(
            "--margin",
            metavar="X",
            help="Instead: at most so far off (patients, or the width of an interval), 95 times of 100, at the least epsilon.",
        ),
    )


excluding = click.option(
    "--excluding",
    multiple=True,
    metavar="FIRST..LAST",
    help="Leave out a stretch, such as a released block, by its first and last SNP. Repeatable.",
)

noise = options.with_default(
    "--noise",
    type=click.Choice(["lattice", "laplace"]),
    default="lattice",
    help="Of the counts: lattice, or laplace as published.",
)

prevalence = click.option(
    "--prevalence-epsilon",
    metavar="X",
    help="Of phenotypes: the part of epsilon that pays a noisy number of cases, or the noisy variance of a quantitative phenotype, from"
    " which the threshold follows.",
)

delta = click.option(
    "--delta",
    metavar="X",
    help="Of long lists: epsilon is kept at this delta, such as 1e-6, and each SNP may cost more.  [default: 0]",
)

selection = options.with_default(
    "--selection",
    type=click.Choice(["permute-and-flip", "exponential"]),
    default="permute-and-flip",
    help="How the number is selected: exponential is as published.",
)


response = click.option(
    "--response",
    type=int,
    metavar="EVENT",
    help="Scan the kept response of an earlier scan again, by the event of its charge and at its epsilon: costs nothing.",
)


intervals = options.number(
    "--intervals",
    help="Divide a quantitative phenotype into 2, 3, 5 or 8.  [default: what suits epsilon: 2 up to 2, then 3, from 3.5 on 5, from 5 on 8]",
)


median = click.option(
    "--median-epsilon",
    metavar="X",
    help="Of a quantitative phenotype: the part of epsilon that pays its noisy median, about which its intervals lie.",
)


def k(text: str) -> options.Decorator:
    """--k, which each question explains."""
    return options.number("--k", default=1, help=text)


def delta_c_of(corr: "Correlation", text: str | None) -> Fraction:
    """What a correlation must exceed."""
    from starling.genome.plan.exploring import threshold
    from starling.privacy.budget import exact

    return threshold(corr, None if text is None else exact(text, field="--delta-c"))


def priced(
    make: "Callable[..., Question]", plan: "Plan", epsilon: str | None, margin: str | None, **values: Any
) -> "Question":
    """A question with its cost, or with the least that keeps a margin; raises ParameterError unless one of the two is stated."""
    from starling.genome.preview.expected import epsilon_for
    from starling.privacy.budget import exact

    if epsilon is not None and margin is not None:
        raise ParameterError("--margin", "stands beside --epsilon", "give one of the two")
    if margin is not None and values.get("delta") is not None:
        raise ParameterError("--margin", "stands beside --delta", "give --epsilon with it, or leave --delta out")
    if epsilon is not None:
        return make(plan, epsilon_of(epsilon), **values)
    if margin is None:
        raise ParameterError("--epsilon", "is missing", "give what the answer may cost, or --margin")
    question = make(plan, Fraction(1), **values)
    return make(plan, epsilon_for(plan, question, exact(margin, field="--margin"), field="--margin"), **values)


def epsilon_of(text: str) -> Fraction:
    """An exact cost above 0; raises ParameterError for anything else."""
    from starling.privacy.budget import positive

    return positive(text, field="--epsilon")


def prevalence_of(text: str | None) -> Fraction | None:
    """The part of a cost that pays for the number of cases, if any; raises ParameterError for anything else."""
    return _part_of(text, "--prevalence-epsilon")


def median_of(text: str | None) -> Fraction | None:
    """The part of a cost that pays for the median, if any; raises ParameterError for anything else."""
    return _part_of(text, "--median-epsilon")


def _part_of(text: str | None, option: str) -> Fraction | None:
    from starling.privacy.budget import positive

    return None if text is None else positive(text, field=option)


def snp_ranges_of(texts: tuple[str, ...]) -> "SnpRanges":
    """Ranges of SNPs, each written FIRST..LAST, or as one SNP; raises ParameterError for anything else."""
    ranges = [tuple(text.split("..")) for text in texts]
    if any(len(ends) > len(("first", "last")) or not all(ends) for ends in ranges):
        problem, fix = "is not a first and a last SNP", "write it like rs10..rs20"
        raise ParameterError("--excluding", problem, fix)
    return tuple((ends[0], ends[-1]) for ends in ranges)
