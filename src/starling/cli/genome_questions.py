"""What may be asked of a study, as text and for machines, and the options of questions, each declared once as a decorator of a command."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli.options import PATH, Decorator, with_options
from starling.errors import ParameterError
from starling.release.text import facts, table

if TYPE_CHECKING:
    from starling.genome.plan import Plan
    from starling.genome.plan.exploring import SnpRanges
    from starling.genome.plan.queries import Correlation
    from starling.release.statement import Json

QUESTIONS: Final = (
    ("num-sig", "how many SNPs are significant"),
    ("loc-sig", "which are, or are nearest to it"),
    ("loc-block", "the block of correlated SNPs around a SNP"),
    ("snp-pval", "the p-value of a SNP"),
    ("snp-corr", "the correlation of two SNPs"),
    ("explore", "all of these, a quarter each"),
)
"""Command and what it tells."""
MOST_REGIONS: Final = 30
"""In the text."""


def genotypes(function: Any) -> Any:
    """--genotypes and --phenotype, which open records."""
    prefix = "Confidential: the prefix of .bed, .bim, .fam or .pgen, .pvar, .psam, or a .vcf, .vcf.gz or .bcf."
    cases = "Who is a case: ids and a phenotype on each line. Needed for VCF; else in place of the .fam's."
    return with_options(
        function,
        click.option("--genotypes", type=PATH, required=True, metavar="PREFIX", help=prefix),
        click.option("--phenotype", type=PATH, metavar="FILE", help=cases),
    )


test = click.option(
    "--test",
    metavar="NAME",
    help="One of the plan's tests: g, chi2, fisher, logistic, wald, trend.  [default: its first]",
)

regions = click.option("--regions", metavar="NAME,NAME,...", help="Regions of the plan to look in.  [default: all]")

corr = click.option(
    "--corr",
    type=click.Choice(["r2", "dprime"]),
    default="r2",
    show_default=True,
    help="Measure of correlation: r squared or |D'|.",
)

delta_c = click.option(
    "--delta-c",
    metavar="X",
    help="What a correlation must exceed in a block.  [default: 0.2 for r2, 0.8 for dprime]",
)

longest = click.option(
    "--longest",
    type=int,
    metavar="N",
    help="Most SNPs of a block; needed where the regions hold more than 10,000 SNPs.",
)

most = click.option(
    "--most", type=int, default=10, show_default=True, metavar="N", help="Follow up at most so many SNPs."
)

epsilon = click.option("--epsilon", required=True, metavar="X", help="What the answer may cost, exact: 0.5, 2, 1/3.")
"""--epsilon of one question."""

excluding = click.option(
    "--excluding",
    multiple=True,
    metavar="FIRST..LAST",
    help="Leave out a stretch, such as a released block, by its first and last SNP. May be given again.",
)

noise = click.option(
    "--noise",
    type=click.Choice(["lattice", "laplace"]),
    default="lattice",
    show_default=True,
    help="Of the counts: lattice, or laplace as published.",
)

selection = click.option(
    "--selection",
    type=click.Choice(["permute-and-flip", "exponential"]),
    default="permute-and-flip",
    show_default=True,
    help="How the number is selected: exponential is as published.",
)


def k(text: str) -> Decorator:
    """--k, which each question explains."""
    return click.option("--k", type=int, default=1, show_default=True, metavar="N", help=text)


def chosen_test(plan: "Plan", text: str | None) -> str:
    """The test that is meant: the one given, else the plan's first that has a distance."""
    return plan.first_test if text is None else text


def regions_of(plan: "Plan", text: str | None) -> tuple[str, ...] | None:
    """Names of regions, apart by commas; a name may hold some itself when it is the only one."""
    if text is None:
        return None
    return (text,) if text in plan.ranges else tuple(name.strip() for name in text.split(","))


def delta_c_of(corr: "Correlation", text: str | None) -> Fraction:
    """What a correlation must exceed."""
    from starling.genome.plan.exploring import DELTA_C
    from starling.privacy.budget import exact

    return exact(DELTA_C[corr] if text is None else text, field="--delta-c")


def epsilon_of(text: str) -> Fraction:
    """An exact cost above 0.

    Raises:
        ParameterError: for anything else.
    """
    from starling.privacy.budget import positive

    return positive(text, field="--epsilon")


def snp_ranges_of(texts: tuple[str, ...]) -> "SnpRanges":
    """Ranges of SNPs, each written FIRST..LAST, or as one SNP.

    Raises:
        ParameterError: for anything else.
    """
    ranges = [tuple(text.split("..")) for text in texts]
    if any(len(ends) > len(("first", "last")) or not all(ends) for ends in ranges):
        problem, fix = "is not a first and a last SNP", "write it like rs10..rs20"
        raise ParameterError("--excluding", problem, fix)
    return tuple((ends[0], ends[-1]) for ends in ranges)


def plan_text(plan: "Plan") -> str:
    """Sizes, choices, regions, questions."""
    from starling.genome.plan.choices import P_VALUE_ONLY
    from starling.genome.plan.queries import OF_CARRIERS
    from starling.privacy.budget import decimal_up

    snps = plan.snps
    searching = [test for test in plan.tests if test not in P_VALUE_ONLY]
    public = "; who takes part is public" if plan.ids == "public" else ""
    pairs = [
        ("plan", plan.title),
        ("protects", f"one person, all genotypes and the phenotype ({plan.relation}; n is public)"),
        ("people", f"{plan.people:,}; a case is {plan.case!r}, everybody else a control{public}"),
        ("SNPs", f"{len(snps):,} on {_many(len(snps.chromosome_ranges), 'chromosome')}, list {snps.digest[:16]}"),
        ("build", plan.build or "not stated: positions are of no stated reference genome"),
        ("carried", f"public alleles, such as {snps.carried[0]} of {snps.ids[0]}"),
        ("model", f"{plan.model}; tests {', '.join(plan.tests)}"),
        ("threshold", f"p at or below {float(plan.p_threshold):.4g} = {decimal_up(plan.alpha)} / {len(snps):,}"),
    ]
    rows = [
        (region.name, region.chromosome, f"{region.low:,}", f"{region.high:,}", f"{stop - start:,}")
        for region, (start, stop) in zip(plan.regions, plan.ranges.values(), strict=True)
    ]
    regions = table(("region", "chromosome", "from", "to", "SNPs"), rows[:MOST_REGIONS], left=2)
    if len(rows) > MOST_REGIONS:
        regions += f"\nand {len(rows) - MOST_REGIONS:,} more: --json has all of them"
    choices = [
        (command, tells, _tests(command, plan.tests, searching))
        for command, tells in QUESTIONS
        if searching or command not in ("num-sig", "loc-sig", "explore")
    ]
    questions = table(("question", "answers", "by"), choices, left=3)
    return (
        f"{facts(pairs)}\n\n{regions}\n\n{questions}\n\n"
        "Each answer costs the epsilon that is asked for it, of every person's budget; asked again under the same request id it costs"
        f" nothing.\nWhat an epsilon buys: starling genome preview.\n{OF_CARRIERS}"
    )


def _tests(command: str, tests: tuple[str, ...], searching: list[str]) -> str:
    if command == "snp-pval":
        return ", ".join(tests)
    return "r2, dprime" if command in ("loc-block", "snp-corr") else ", ".join(searching)


def _many(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"


def plan_json(plan: "Plan") -> "dict[str, Json]":
    """What `plan_text` says, for programs."""
    return {
        "title": plan.title,
        "neighbours": str(plan.relation),
        "people": plan.people,
        "case": plan.case,
        "phenotype": plan.phenotype,
        "ids": plan.ids,
        "snps": len(plan.snps),
        "snps_sha256": plan.snps.digest,
        "build": plan.build,
        "model": plan.model,
        "tests": list(plan.tests),
        "alpha": str(plan.alpha),
        "p_threshold": {"exact": str(plan.p_threshold), "float": float(plan.p_threshold)},
        "regions": [
            {
                "name": region.name,
                "chromosome": region.chromosome,
                "from": region.low,
                "to": region.high,
                "snps": plan.ranges[region.name][1] - plan.ranges[region.name][0],
            }
            for region in plan.regions
        ],
    }
