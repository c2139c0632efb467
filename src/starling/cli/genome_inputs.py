"""What more than one command on genomes is given: a plan, confidential files, choices of a question. Each is a decorator of the command."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from starling.cli.inputs import PATH

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def plan(function: Decorated) -> Decorated:
    """PLAN, a plan file."""
    return click.argument("plan", type=PATH)(function)


def genotypes(function: Decorated) -> Decorated:
    """--genotypes and --phenotype, which open records."""
    phenotype = "Who is a case: ids and a phenotype on each line. Needed for VCF; else in place of the .fam's."
    text = "Confidential: the prefix of .bed, .bim, .fam or .pgen, .pvar, .psam, or a .vcf, .vcf.gz or .bcf."
    function = click.option("--phenotype", type=PATH, metavar="FILE", help=phenotype)(function)
    return click.option("--genotypes", type=PATH, required=True, metavar="PREFIX", help=text)(function)


def test(function: Decorated) -> Decorated:
    """--test."""
    text = "One of the plan's tests: g, chi2, fisher, logistic, wald, trend.  [default: its first]"
    return click.option("--test", metavar="NAME", help=text)(function)


def regions(function: Decorated) -> Decorated:
    """--regions."""
    text = "Regions of the plan to look in.  [default: all]"
    return click.option("--regions", metavar="NAME,NAME,...", help=text)(function)


def corr(function: Decorated) -> Decorated:
    """--corr."""
    kind, text = click.Choice(["r2", "dprime"]), "Measure of correlation: r squared or |D'|."
    return click.option("--corr", type=kind, default="r2", show_default=True, help=text)(function)


def delta_c(function: Decorated) -> Decorated:
    """--delta-c."""
    text = "What a correlation must exceed in a block.  [default: 0.2 for r2, 0.8 for dprime]"
    return click.option("--delta-c", metavar="X", help=text)(function)


def longest(function: Decorated) -> Decorated:
    """--longest."""
    text = "Most SNPs of a block; needed where the regions hold more than 10,000 SNPs."
    return click.option("--longest", type=int, metavar="N", help=text)(function)


def most(function: Decorated) -> Decorated:
    """--most."""
    text = "Follow up at most so many SNPs."
    return click.option("--most", type=int, default=10, show_default=True, metavar="N", help=text)(function)


def epsilon(function: Decorated) -> Decorated:
    """--epsilon, of one question."""
    text = "What the answer may cost, exact: 0.5, 2, 1/3."
    return click.option("--epsilon", required=True, metavar="X", help=text)(function)


def k(text: str) -> Callable[[Decorated], Decorated]:
    """--k, which each question explains."""
    return click.option("--k", type=int, default=1, show_default=True, metavar="N", help=text)


def excluding(function: Decorated) -> Decorated:
    """--excluding."""
    text = "Leave out a stretch, such as a released block, by its first and last SNP. May be given again."
    return click.option("--excluding", multiple=True, metavar="FIRST..LAST", help=text)(function)


def noise(function: Decorated) -> Decorated:
    """--noise."""
    kind, text = click.Choice(["lattice", "laplace"]), "Of the counts: lattice, or laplace as published."
    return click.option("--noise", type=kind, default="lattice", show_default=True, help=text)(function)


def selection(function: Decorated) -> Decorated:
    """--selection."""
    kind = click.Choice(["permute-and-flip", "exponential"])
    text = "How the number is selected: exponential is as published."
    return click.option("--selection", type=kind, default="permute-and-flip", show_default=True, help=text)(function)
