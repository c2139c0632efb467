"""`starling genome preview`: what each question's answer will be worth at some costs, and what a wanted error costs. Opens no genotypes."""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import genome_questions as questions
from starling.cli import verbs
from starling.cli.genome_questions import delta_c_of, epsilon_of
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.plan.queries import Correlation

COSTS: Final = "0.2,0.5,1,2,5"
"""Costs that are looked at when none is named."""
OF: Final = {
    "num-sig": ("test", "k"),
    "loc-sig": ("test", "k", "regions"),
    "loc-block": ("corr", "delta_c", "longest", "regions"),
    "snp-pval": ("test",),
    "snp-corr": ("corr",),
    "explore": ("test", "k", "regions", "corr", "delta_c", "longest", "most"),
}
"""Which options each question has."""


def _costs(_: click.Context, __: click.Parameter, text: str | None) -> list[Fraction]:
    return [epsilon_of(each) for each in (text or COSTS).split(",")]


def _with_its_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses an option that the question has not, and makes what a correlation must exceed exact."""

    @wraps(function)
    def checked(*, question: str | None, corr: "Correlation", delta_c: str | None, **values: Any) -> Any:
        context = click.get_current_context()
        used = {
            each
            for each in context.params
            if context.get_parameter_source(each) is click.core.ParameterSource.COMMANDLINE
        }
        if question is None and "error" in used:
            raise ParameterError("--error", "is of one question", "add --question NAME")
        foreign = {name for names in OF.values() for name in names} - set(OF.get(question or "explore", ()))
        for name in sorted(used & foreign):
            raise ParameterError(f"--{name.replace('_', '-')}", f"is not of {question}", "leave it out")
        return function(question=question, corr=corr, delta_c=delta_c_of(corr, delta_c), **values)

    return checked


preview = verbs.previewing(
    "genome",
    """How far each answer may be off, by what it costs, before anything is spent. Opens no genotypes.

    What holds for every study is stated in patients: how many records would have to be replaced to make the answer the right one. What
    that means in odds ratios is stated for typical studies, which are supposed, not looked at: half of the people cases, alleles in
    Hardy-Weinberg proportions, all SNPs but the causal ones without effect.
    """,
    "starling genome preview study/plan.toml --question explore --epsilon 2,4,8",
    click.option(
        "--question",
        type=click.Choice(list(OF)),
        metavar="NAME",
        help=f"{', '.join(OF)}.  [default: all of them]",
    ),
    click.option(
        "--epsilon", "costs", metavar="X,X,...", callback=_costs, help=f"Costs to look at.  [default: {COSTS}]"
    ),
    questions.test,
    click.option(
        "--k",
        type=int,
        default=1,
        show_default=True,
        metavar="N",
        help="num-sig answers numbers one by one up to it, loc-sig finds so many SNPs, explore is supposed to follow up so many.",
    ),
    questions.regions,
    questions.corr,
    questions.delta_c,
    questions.longest,
    questions.most,
    click.option(
        "--cases", type=int, metavar="N", help="Suppose that so many people are cases.  [default: half of them]"
    ),
    click.option(
        "--rarest",
        metavar="X",
        default="0.01",
        show_default=True,
        help="Suppose that alleles of the list are no rarer. Rare ones are easily mistaken for significant.",
    ),
    click.option(
        "--error",
        type=float,
        metavar="X",
        help="Of one question: the least epsilon with an error of at most X, 95 times of 100. In patients; for snp-pval the width of"
        " the interval of log10 p, for snp-corr of the correlation.",
    ),
    _with_its_options,
    step="computing how far each answer may be off",
)
