"""`starling genome num-sig|loc-sig|loc-block|snp-pval|snp-corr|explore`: each charges a question, answers it, and publishes the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import genome_questions as questions
from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.genome import STUDY
from starling.cli.genome_questions import chosen_test, delta_c_of, epsilon_of, regions_of, snp_ranges_of
from starling.cli.publishing import Destination, destination
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.plan import Plan, Question
    from starling.genome.plan.queries import Correlation, Noise, Selection
    from starling.genome.publish import Answered
    from starling.release.statement import Json

PAIR: Final = 2
"""SNPs of a correlation."""


@dataclass(frozen=True, slots=True)
class QuestionCommand:
    """A question as a command has it.

    Attributes:
        words: The options of the example in its help.
        own: The options of the question, in the order of the help.
        make: Makes the question of a plan, an epsilon and the options.
    """

    words: str
    own: tuple[options.Decorator, ...]
    make: Callable[..., "Question"]


QUESTIONS: Final[dict[str, QuestionCommand]] = {}
"""Every question by the word that calls its command, here and at a server."""


def _question(name: str, words: str, *own: options.Decorator) -> Callable[[Callable[..., "Question"]], click.Command]:
    """A decorator that makes a function, from a plan, an epsilon and options to a question, the command that asks it.

    Args:
        name: The word that calls the command.
        words: The options of the example in its help, but for the study and for what every example has.
        own: The options of the question, in the order of the help.
    """

    def decorate(make: Callable[..., "Question"]) -> click.Command:
        QUESTIONS[name] = QuestionCommand(words, own, make)

        @wraps(make)
        def ask(
            plan: Path, genotypes: Path, phenotype: Path | None, epsilon: str, destination: Destination, **values: Any
        ) -> Result:
            from starling.genome.plan import Plan

            cost, chosen = epsilon_of(epsilon), Plan.load(plan)
            return _ask(chosen, make(chosen, cost, **values), genotypes, phenotype, destination)

        options_of_all = (options.plan_file, questions.genotypes, questions.epsilon)
        asking = options.with_options(ask, *options_of_all, *own, destination)
        return command(name, example=f"starling genome {name} {STUDY} {words} --unvalidated --yes")(asking)

    return decorate


@_question(
    "num-sig",
    "--k 10 --epsilon 1 --out number",
    questions.test,
    questions.k("Numbers up to it are answered one by one, larger ones as ranges that double."),
    questions.selection,
)
def num_sig(plan: "Plan", cost: Fraction, *, test: str | None, k: int, selection: "Selection") -> "Question":
    """How many SNPs are significant at the plan's threshold: a number, or a range of numbers."""
    from starling.genome.plan import NumSig

    return NumSig(chosen_test(plan, test), k, cost, selection)


@_question(
    "loc-sig",
    "--k 2 --epsilon 2 --out significant",
    questions.test,
    questions.k("How many SNPs."),
    questions.regions,
    questions.excluding,
)
def loc_sig(
    plan: "Plan", cost: Fraction, *, test: str | None, k: int, regions: str | None, excluding: tuple[str, ...]
) -> "Question":
    """Which SNPs are significant, or nearest to it, by the most patients: k of them, in the order in which they were selected."""
    from starling.genome.plan import LocSig

    return LocSig(chosen_test(plan, test), k, cost, regions_of(plan, regions), snp_ranges_of(excluding))


@_question(
    "loc-block",
    "--snp s10 --epsilon 1 --out block",
    click.option(
        "--snp", "snps", multiple=True, required=True, metavar="ID", help="Around it. May be given again: any."
    ),
    questions.corr,
    questions.delta_c,
    questions.longest,
    questions.regions,
    questions.excluding,
)
def loc_block(
    plan: "Plan",
    cost: Fraction,
    *,
    snps: tuple[str, ...],
    corr: "Correlation",
    delta_c: str | None,
    longest: int | None,
    regions: str | None,
    excluding: tuple[str, ...],
) -> "Question":
    """The longest block of correlated SNPs that contains one of some SNPs, or that there is none."""
    from starling.genome.plan import LocBlock

    above, outside = delta_c_of(corr, delta_c), snp_ranges_of(excluding)
    return LocBlock(corr, above, snps, cost, regions_of(plan, regions), longest, outside)


@_question(
    "snp-pval",
    "--snp s10 --epsilon 0.5 --out pvalue",
    click.option("--snp", required=True, metavar="ID", help="Of the plan's list."),
    questions.test,
    questions.noise,
)
def snp_pval(plan: "Plan", cost: Fraction, *, snp: str, test: str | None, noise: "Noise") -> "Question":
    """The p-value of a SNP, with the range that holds the exact one."""
    from starling.genome.plan import SnpPval

    return SnpPval(snp, chosen_test(plan, test), cost, noise)


@_question(
    "snp-corr",
    "--snp s10 --snp s11 --epsilon 0.5 --out correlation",
    click.option("--snp", "snps", multiple=True, required=True, metavar="ID", help="Of the plan's list. Given twice."),
    questions.corr,
    questions.noise,
)
def snp_corr(_: "Plan", cost: Fraction, *, snps: tuple[str, ...], corr: "Correlation", noise: "Noise") -> "Question":
    """The correlation of two SNPs among all people, with the range that holds the exact one."""
    from starling.genome.plan import SnpCorr

    if len(snps) != PAIR:
        raise ParameterError("--snp", "is not given twice", "name the two SNPs: --snp A --snp B")
    first, second = snps
    return SnpCorr(first, second, corr, cost, noise)


@_question(
    "explore",
    "--epsilon 8 --out explored",
    questions.test,
    questions.most,
    questions.regions,
    questions.corr,
    questions.delta_c,
    questions.longest,
    questions.noise,
    questions.selection,
    click.option(
        "--independent",
        is_flag=True,
        help="Find one SNP at a time, each outside the blocks found before.  [default: all at once]",
    ),
)
def explore(
    plan: "Plan",
    cost: Fraction,
    *,
    test: str | None,
    corr: "Correlation",
    delta_c: str | None,
    regions: str | None,
    **values: Any,
) -> "Question":
    """How many SNPs are significant, which, in which blocks, with which p-values: a quarter of epsilon each, charged at the start.

    Where no SNP is significant it ends there, and what is left is spent too.
    """
    from starling.genome.plan import Explore

    above = delta_c_of(corr, delta_c)
    return Explore(chosen_test(plan, test), corr, above, cost, regions_of(plan, regions), **values)


def _ask(
    plan: "Plan", question: "Question", genotypes: Path, phenotype: Path | None, destination: Destination
) -> Result:
    """Charge a question, answer it, publish the answer, and show it."""
    from starling.cli import publishing
    from starling.genome.preview import question_text
    from starling.genome.publish import release

    answered = publishing.publish(
        destination,
        lambda: f"{plan.title}\n{question_text(question)}.",
        partial(release, plan, question, genotypes, phenotype=phenotype),
    )
    repeating = publishing.repeating(answered.request_id)
    return Result(
        partial(_answer_text, answered, repeating),
        lambda: publishing.published_json(question.guarantee, answered) | _answer_json(answered, repeating),
    )


def _answer_text(answered: "Answered", repeating: str) -> str:
    from starling.cli.publishing import published_text
    from starling.genome.postprocess.wording import answer_text, error_text

    answer = answer_text(answered.plan, answered.question, answered.answer)
    summary = published_text(
        answered.question.guarantee, answered, [("release", str(answered.folder)), ("again, free", repeating)]
    )
    return "\n".join([*answer, "", *error_text(answered.plan, answered.question, answered.error), "", summary])


def _answer_json(answered: "Answered", repeating: str) -> "dict[str, Json]":
    from starling.genome.plan import kind
    from starling.genome.postprocess.wording import answer_text, error_text
    from starling.release.codec import plain

    return {
        "question": {"ask": kind(answered.question), **plain(answered.question)},
        "answer": plain(answered.answer),
        "answer_in_words": answer_text(answered.plan, answered.question, answered.answer),
        "error_in_words": error_text(answered.plan, answered.question, answered.error),
        "again": {"command": repeating, "python": answered.code},
    }
