"""`starling genome preview`: what each question's answer will be worth at some costs, and what a wanted error costs. Opens no genotypes."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import genome_questions as questions
from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.genome_questions import QUESTIONS, chosen_test, delta_c_of, epsilon_of, regions_of
from starling.cli.progress import working
from starling.cli.verbs import previewed
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.plan import Question
    from starling.genome.plan.queries import Correlation
    from starling.genome.preview import Assumed, ExpectedErrors
    from starling.release.statement import Json

COSTS: Final = "0.2,0.5,1,2,5"
"""Costs that are looked at when none is named."""
UNNAMED: Final = ("snp", "snps", "first", "second", "excluding")
OF: Final = {
    "num-sig": ("test", "k"),
    "loc-sig": ("test", "k", "regions"),
    "loc-block": ("corr", "delta_c", "longest", "regions"),
    "snp-pval": ("test",),
    "snp-corr": ("corr",),
    "explore": ("test", "k", "regions", "corr", "delta_c", "longest", "most"),
}
"""Which options each question has."""


@command("preview", example="starling genome preview study/plan.toml --question explore --epsilon 2,4,8")
@options.plan_file
@click.option(
    "--question",
    type=click.Choice([name for name, _ in QUESTIONS]),
    metavar="NAME",
    help=f"{', '.join(name for name, _ in QUESTIONS)}.  [default: all of them]",
)
@click.option("--epsilon", metavar="X,X,...", help=f"Costs to look at.  [default: {COSTS}]")
@questions.test
@click.option(
    "--k",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="num-sig answers numbers one by one up to it, loc-sig finds so many SNPs, explore is supposed to follow up so many.",
)
@questions.regions
@questions.corr
@questions.delta_c
@questions.longest
@questions.most
@click.option("--cases", type=int, metavar="N", help="Suppose that so many people are cases.  [default: half of them]")
@click.option(
    "--rarest",
    metavar="X",
    default="0.01",
    show_default=True,
    help="Suppose that alleles of the list are no rarer. Rare ones are easily mistaken for significant.",
)
@click.option(
    "--error",
    type=float,
    metavar="X",
    help="Of one question: the least epsilon with an error of at most X, 95 times of 100. In patients; for snp-pval the width of"
    " the interval of log10 p, for snp-corr of the correlation.",
)
@options.page
@click.pass_context
def preview(  # noqa: PLR0913 - one for each option
    context: click.Context,
    plan: Path,
    *,
    question: str | None,
    epsilon: str | None,
    test: str | None,
    k: int,
    regions: str | None,
    corr: "Correlation",
    delta_c: str | None,
    longest: int | None,
    most: int,
    cases: int | None,
    rarest: str,
    error: float | None,
    out: Path | None,
) -> Result:
    """How far each answer may be off, by what it costs, before anything is spent. Opens no genotypes.

    What holds for every study is stated in patients: how many records would have to be replaced to make the answer the right one. What
    that means in odds ratios is stated for typical studies, which are supposed, not looked at: half of the people cases, alleles in
    Hardy-Weinberg proportions, all SNPs but the causal ones without effect.
    """
    from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, SnpCorr, SnpPval
    from starling.genome.preview import Assumed, GenomePage, epsilon_for, expected_errors

    used = {
        name for name in context.params if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    _check_options(question, used)
    chosen = Plan.load(plan)
    costs = [epsilon_of(text) for text in (epsilon or COSTS).split(",")]
    assumed = Assumed.of(chosen, cases, rarest)
    searched, named = chosen_test(chosen, test), regions_of(chosen, regions)
    above, one = delta_c_of(corr, delta_c), costs[0]
    first, last = chosen.snps.ids[0], chosen.snps.ids[-1]
    every: dict[str, Question] = {
        "num-sig": NumSig(searched, k, one),
        "loc-sig": LocSig(searched, k, one, named),
        "loc-block": LocBlock(corr, above, (), one, named, longest),
        "snp-pval": SnpPval(first, searched, one),
        "snp-corr": SnpCorr(first, last, corr, one),
        "explore": Explore(searched, corr, above, one, named, longest, most),
    }
    chosen_questions = _possible(assumed, every) if question is None else {question: every[question]}
    working("computing how far each answer may be off")
    errors = expected_errors(assumed, chosen_questions, costs, followed=k)
    least = None
    if error is not None and question is not None:
        least = epsilon_for(assumed, every[question], error, followed=k)
    result = Result(
        lambda: preview_text(errors, least, error, whole=question is not None), lambda: preview_json(errors, least)
    )
    return previewed(result, lambda: GenomePage(errors), out)


def _possible(assumed: "Assumed", questions: "dict[str, Question]") -> "dict[str, Question]":
    """Those that the plan has; why one is left out is printed."""
    from starling.genome.preview import check

    possible = {}
    for name, question in questions.items():
        try:
            check(assumed, question)
        except ParameterError as error:
            click.echo(f"starling: {name} is left out: {error}", err=True)
        else:
            possible[name] = question
    return possible


def _check_options(question: str | None, used: set[str]) -> None:
    options = {name for names in OF.values() for name in names}
    if question is None:
        if "error" in used:
            raise ParameterError("--error", "is of one question", "add --question NAME")
        return
    for name in sorted((used & options) - set(OF[question])):
        spelled = f"--{name.replace('_', '-')}"
        raise ParameterError(spelled, f"is not of {question}", "leave it out")


def preview_text(errors: "ExpectedErrors", least: Fraction | None, error: float | None, *, whole: bool) -> str:
    """What is supposed, then each question with its tables; of an exploration the first alone, unless it is the question."""
    from starling.genome.preview import grids, note, question_text
    from starling.privacy.budget import decimal_up
    from starling.release.text import facts, table

    plan = errors.assumed.plan
    pairs = [
        ("plan", plan.title),
        ("study", f"{plan.people:,} people, {len(plan.snps):,} SNPs, {plan.model} model"),
        ("supposed", errors.supposed),
    ]
    if least is not None and error is not None:
        pairs.append(("for an error of", f"{error:g}, 95 times of 100: epsilon {decimal_up(least)}"))
    parts = [facts(pairs)]
    for name, expected in errors.expected.items():
        parts.append(f"{name}: {question_text(expected[0].query)}")
        drawn = grids(expected) if whole or name != "explore" else grids(expected)[:1]
        parts += [f"{grid.title}\n\n{table(grid.header, grid.rows, left=grid.words)}" for grid in drawn]
        parts.append(note(expected))
    return "\n\n".join(filter(None, parts))


def preview_json(errors: "ExpectedErrors", least: Fraction | None) -> "dict[str, Json]":
    """What `preview_text` says, for programs: everything that is expected, by question and cost."""
    from starling.release.codec import plain

    plan, assumed = errors.assumed.plan, errors.assumed
    return {
        "title": plan.title,
        "people": plan.people,
        "snps": len(plan.snps),
        "model": plan.model,
        "supposed": {"cases": assumed.cases, "rarest": str(assumed.rarest)},
        "epsilon_for_error": None if least is None else str(least),
        "questions": {name: [_nameless(plain(one)) for one in expected] for name, expected in errors.expected.items()},
    }


def _nameless(value: "Json") -> "Json":
    """Without which SNPs a question names: none was looked at."""
    if isinstance(value, dict):
        return {name: _nameless(each) for name, each in value.items() if name not in UNNAMED}
    return [_nameless(each) for each in value] if isinstance(value, list) else value
