"""`starling genome num-sig|loc-sig|loc-block|snp-pval|snp-corr|explore`: each charges a question, answers it, and publishes the answer."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import genome_inputs, inputs
from starling.cli.commands import Command, show
from starling.cli.genome import STUDY
from starling.cli.genome_questions import chosen_test, delta_c_of, epsilon_of, regions_of, stretches_of
from starling.errors import ParameterError

if TYPE_CHECKING:
    from typing import Unpack

    from starling.cli.publishing import Paying
    from starling.genome.plan import Plan, Question
    from starling.genome.plan.queries import Correlation, Noise, Selection
    from starling.genome.publish import Answered
    from starling.release.statement import Json

PAIR: Final = 2
"""SNPs of a correlation."""


@click.command(
    "num-sig",
    cls=Command,
    example=f"starling genome num-sig {STUDY} --k 10 --epsilon 1 --out number --unvalidated --yes",
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@genome_inputs.test
@genome_inputs.k("Numbers are told one by one up to it, then as ranges that double.")
@genome_inputs.selection
@inputs.publishing
def num_sig(
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    test: str | None,
    k: int,
    selection: "Selection",
    **paying: "Unpack[Paying]",
) -> None:
    """How many SNPs are significant at the plan's threshold: a number, or a range of numbers."""
    from starling.genome.plan import NumSig

    cost = epsilon_of(epsilon)
    _ask(plan, genotypes, phenotype, lambda chosen: NumSig(chosen_test(chosen, test), k, cost, selection), paying)


@click.command(
    "loc-sig",
    cls=Command,
    example=f"starling genome loc-sig {STUDY} --k 2 --epsilon 2 --out places --unvalidated --yes",
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@genome_inputs.test
@genome_inputs.k("How many SNPs.")
@genome_inputs.regions
@genome_inputs.excluding
@inputs.publishing
def loc_sig(
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    test: str | None,
    k: int,
    regions: str | None,
    excluding: tuple[str, ...],
    **paying: "Unpack[Paying]",
) -> None:
    """Which SNPs are significant, or nearest to it, by the most patients: k of them, in the order in which they were selected."""
    from starling.genome.plan import LocSig

    cost, outside = epsilon_of(epsilon), stretches_of(excluding)
    _ask(
        plan,
        genotypes,
        phenotype,
        lambda chosen: LocSig(chosen_test(chosen, test), k, cost, regions_of(chosen, regions), outside),
        paying,
    )


@click.command(
    "loc-block",
    cls=Command,
    example=f"starling genome loc-block {STUDY} --snp s10 --epsilon 1 --out block --unvalidated --yes",
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@click.option("--snp", "snps", multiple=True, required=True, metavar="ID", help="Around it. May be given again: any.")
@genome_inputs.corr
@genome_inputs.delta_c
@genome_inputs.longest
@genome_inputs.regions
@genome_inputs.excluding
@inputs.publishing
def loc_block(
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    snps: tuple[str, ...],
    corr: "Correlation",
    delta_c: str | None,
    longest: int | None,
    regions: str | None,
    excluding: tuple[str, ...],
    **paying: "Unpack[Paying]",
) -> None:
    """The longest block of correlated SNPs that contains one of some SNPs, or that there is none."""
    from starling.genome.plan import LocBlock

    cost, above, outside = epsilon_of(epsilon), delta_c_of(corr, delta_c), stretches_of(excluding)
    _ask(
        plan,
        genotypes,
        phenotype,
        lambda chosen: LocBlock(corr, above, snps, cost, regions_of(chosen, regions), longest, outside),
        paying,
    )


@click.command(
    "snp-pval",
    cls=Command,
    example=f"starling genome snp-pval {STUDY} --snp s10 --epsilon 0.5 --out pvalue --unvalidated --yes",
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@click.option("--snp", required=True, metavar="ID", help="Of the plan's list.")
@genome_inputs.test
@genome_inputs.noise
@inputs.publishing
def snp_pval(
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    snp: str,
    test: str | None,
    noise: "Noise",
    **paying: "Unpack[Paying]",
) -> None:
    """The p-value of a SNP, with the range that holds the exact one."""
    from starling.genome.plan import SnpPval

    cost = epsilon_of(epsilon)
    _ask(plan, genotypes, phenotype, lambda chosen: SnpPval(snp, chosen_test(chosen, test), cost, noise), paying)


@click.command(
    "snp-corr",
    cls=Command,
    example=f"starling genome snp-corr {STUDY} --snp s10 --snp s11 --epsilon 0.5 --out correlation --unvalidated --yes",
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@click.option("--snp", "snps", multiple=True, required=True, metavar="ID", help="Of the plan's list. Given twice.")
@genome_inputs.corr
@genome_inputs.noise
@inputs.publishing
def snp_corr(
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    snps: tuple[str, ...],
    corr: "Correlation",
    noise: "Noise",
    **paying: "Unpack[Paying]",
) -> None:
    """The correlation of two SNPs among all people, with the range that holds the exact one."""
    from starling.genome.plan import SnpCorr

    if len(snps) != PAIR:
        raise ParameterError(field="--snp", problem="is not given twice", fix="name the two SNPs: --snp A --snp B")
    cost, (first, second) = epsilon_of(epsilon), snps
    _ask(plan, genotypes, phenotype, lambda _: SnpCorr(first, second, corr, cost, noise), paying)


@click.command(
    "explore", cls=Command, example=f"starling genome explore {STUDY} --epsilon 8 --out explored --unvalidated --yes"
)
@genome_inputs.plan
@genome_inputs.genotypes
@genome_inputs.epsilon
@genome_inputs.test
@genome_inputs.most
@genome_inputs.regions
@genome_inputs.corr
@genome_inputs.delta_c
@genome_inputs.longest
@genome_inputs.noise
@genome_inputs.selection
@click.option(
    "--independent",
    is_flag=True,
    help="Find one SNP at a time, each outside the blocks found before.  [default: all at once]",
)
@inputs.publishing
def explore(  # noqa: PLR0913 - one for each option
    plan: Path,
    *,
    genotypes: Path,
    phenotype: Path | None,
    epsilon: str,
    test: str | None,
    most: int,
    regions: str | None,
    corr: "Correlation",
    delta_c: str | None,
    longest: int | None,
    noise: "Noise",
    selection: "Selection",
    independent: bool,
    **paying: "Unpack[Paying]",
) -> None:
    """How many SNPs are significant, which, in which blocks, with which p-values: a quarter of epsilon each, charged at the start.

    Where no SNP is significant it ends there, and what is left is spent too.
    """
    from starling.genome.plan import Explore

    cost, above = epsilon_of(epsilon), delta_c_of(corr, delta_c)

    def question(chosen: "Plan") -> "Question":
        found, named = chosen_test(chosen, test), regions_of(chosen, regions)
        return Explore(found, corr, above, cost, named, longest, most, noise, independent, selection)

    _ask(plan, genotypes, phenotype, question, paying)


def _ask(
    plan: Path, genotypes: Path, phenotype: Path | None, question: "Callable[[Plan], Question]", paying: "Paying"
) -> None:
    """Everything that can be refused first; then charge, answer, publish, tell."""
    from starling.cli import publishing
    from starling.genome.plan import Plan
    from starling.genome.preview import asked
    from starling.genome.publish import release

    chosen = Plan.load(plan)
    query = question(chosen)
    answered = publishing.publish(
        paying,
        lambda: f"{chosen.title}\n{asked(query)}.",
        partial(
            release,
            chosen,
            query,
            genotypes,
            paying["out"],
            phenotype=phenotype,
            ledger=publishing.paying_ledger(paying),
            dataset=paying["dataset"],
            analyst=paying["analyst"],
            request_id=paying["request_id"],
            unvalidated=paying["unvalidated"],
        ),
    )
    again = publishing.again(answered.request_id)
    if paying["as_json"]:
        show(publishing.published_json(query.guarantee, answered) | _answer_json(answered, again))
    else:
        show(_answer_text(answered, again))


def _answer_text(answered: "Answered", again: str) -> str:
    from starling.cli.publishing import published_text
    from starling.genome.postprocess.wording import answer_words, error_words

    answer = answer_words(answered.plan, answered.question, answered.answer)
    told = published_text(
        answered.question.guarantee, answered, [("release", str(answered.folder)), ("again, free", again)]
    )
    return "\n".join([*answer, "", *error_words(answered.plan, answered.question, answered.error), "", told])


def _answer_json(answered: "Answered", again: str) -> "dict[str, Json]":
    from starling.genome.plan import kind
    from starling.genome.postprocess.wording import answer_words, error_words
    from starling.release.request import plain

    return {
        "question": {"ask": kind(answered.question), **plain(answered.question)},
        "answer": plain(answered.answer),
        "answer_in_words": answer_words(answered.plan, answered.question, answered.answer),
        "error_in_words": error_words(answered.plan, answered.question, answered.error),
        "again": {"command": again, "python": answered.code},
    }
