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
    text = "One of the plan's tests: g, chi2, fisher, logistic, wald.  [default: its first]"
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
