"""`starling genome num-sig|loc-sig|loc-block|snp-pval|snp-corr|explore|scan|snp-effects|explore-effects`: each charges a question, and
publishes the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import genome_questions as questions
from starling.cli import options, publishing
from starling.cli.commands import command
from starling.cli.genome import STUDY
from starling.cli.genome_questions import delta_c_of, median_of, prevalence_of, priced, snp_ranges_of
from starling.cli.publishing import Destination, destination
from starling.errors import ParameterError
from starling.release.session import Described

if TYPE_CHECKING:
    from starling.genome.plan import Plan, Question
    from starling.genome.plan.queries import Correlation, Noise, Selection

MIXED: Final = STUDY.replace("study/", "mixed/")
"""A study whose plan protects phenotypes, as `generate --populations` makes it."""
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


def _question(
    name: str, words: str, *own: options.Decorator, study: str = STUDY
) -> Callable[[Callable[..., "Question"]], click.Command]:
    """A decorator that makes a function, from a plan, an epsilon and options to a question, the command that asks it.

    Args:
        name: The word that calls the command.
        words: The options of the example in its help, but for the study and for what every example has.
        own: The options of the question, in the order of the help.
        study: The study of the example.
    """

    def decorate(make: Callable[..., "Question"]) -> click.Command:
        QUESTIONS[name] = QuestionCommand(words, own, make)

        @wraps(make)
        def ask(
            plan: Path,
            genotypes: Path,
            phenotype: Path | None,
            covariates: Path | None,
            sample: Path | None,
            destination: Destination,
            **values: Any,
        ) -> Described:
            from starling.genome.plan import Plan
            from starling.genome.preview.grids import question_text
            from starling.genome.publish import release

            chosen = Plan.load(plan)
            question = priced(make, chosen, **values)
            spending = f"{chosen.title}\n{question_text(question, moments=chosen.by_moments)}."
            opened = partial(release, chosen, question, genotypes, phenotype=phenotype)
            publish_answer = partial(opened, covariates=covariates, sample=sample)
            answered = publishing.publish(destination, lambda: spending, publish_answer)
            return replace(answered, command=publishing.repeating(answered.request_id))

        options_of_all = (options.plan_file, questions.genotypes, questions.price)
        asking = options.with_options(ask, *options_of_all, *own, destination)
        return command(name, example=f"starling genome {name} {study} {words} --unvalidated --yes")(asking)

    return decorate


@_question(
    "num-sig",
    "--k 10 --epsilon 1 --out number",
    questions.test,
    questions.k("Numbers up to it are answered one by one, larger ones as ranges that double."),
    questions.selection,
    questions.prevalence,
)
def num_sig(
    plan: "Plan", cost: Fraction, *, test: str | None, k: int, selection: "Selection", prevalence_epsilon: str | None
) -> "Question":
    """How many SNPs are significant at the plan's threshold: a number, or a range of numbers."""
    from starling.genome.plan import NumSig

    return NumSig(test or plan.first_test, k, cost, selection, prevalence_of(prevalence_epsilon))


@_question(
    "loc-sig",
    "--k 2 --epsilon 2 --out significant",
    questions.test,
    questions.k("How many SNPs."),
    questions.regions,
    questions.excluding,
    questions.prevalence,
    questions.delta,
)
def loc_sig(
    plan: "Plan",
    cost: Fraction,
    *,
    test: str | None,
    k: int,
    regions: str | None,
    excluding: tuple[str, ...],
    prevalence_epsilon: str | None,
    delta: str | None,
) -> "Question":
    """Which k SNPs are significant, or nearest to it, by the most patients, as they were selected."""
    from starling.genome.plan import LocSig
    from starling.genome.plan.exploring import regions_of
    from starling.genome.plan.long_lists import at_delta

    ranges, part = snp_ranges_of(excluding), prevalence_of(prevalence_epsilon)
    question = LocSig(test or plan.first_test, k, cost, regions_of(plan, regions), ranges, part)
    return question if delta is None else at_delta(question, delta)


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
    from starling.genome.plan.exploring import regions_of

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

    return SnpPval(snp, test or plan.first_test, cost, noise)


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
    options.flag(
        "--independent", help="Find one SNP at a time, each outside the blocks found before.  [default: all at once]"
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
    from starling.genome.plan.exploring import regions_of

    above = delta_c_of(corr, delta_c)
    return Explore(test or plan.first_test, corr, above, cost, regions_of(plan, regions), **values)


@_question("scan", "--epsilon 2 --out scan", questions.response, questions.intervals, questions.median, study=MIXED)
def scan(
    plan: "Plan", cost: Fraction, *, response: int | None, intervals: int | None, median_epsilon: str | None
) -> "Question":
    """A score test and an effect of every SNP, adjusted as the plan says. Of plans that protect phenotypes alone.

    Genotypes, covariates and who takes part are not protected. The first scan draws a response and costs epsilon. Further scans of it cost
    nothing: of other models, covariates or SNPs of the same people. The costs of two responses add up.
    """
    from starling.genome.plan import Scan

    return Scan(cost, response, intervals, median_of(median_epsilon)).at_best(plan)


@_question(
    "snp-effects",
    "--snp s10 --snp s11 --epsilon 1 --out effects",
    click.option("--snp", "snps", multiple=True, required=True, metavar="ID", help="Of the plan's list. Repeatable."),
    questions.prevalence,
    options.flag(
        "--chosen",
        help="These people's phenotypes named the SNPs, as by loc-sig: wider intervals, which hold all the same.",
    ),
    study=MIXED,
)
def snp_effects(
    _: "Plan", cost: Fraction, *, snps: tuple[str, ...], prevalence_epsilon: str | None, chosen: bool
) -> "Question":
    """The effect and the p-value of some SNPs, adjusted as the plan says. Of plans that protect phenotypes alone.

    Genotypes, covariates and who takes part are not protected. Noise is on all scores together: several SNPs at once cost less than
    one by one. Of a quantitative phenotype (between) also of plans that protect whole persons: the slope of each, by noisy moments; then
    genotypes are protected too, and noise grows with the number of SNPs.
    """
    from starling.genome.plan import SnpEffects

    return SnpEffects(snps, cost, prevalence_of(prevalence_epsilon), chosen)


@_question(
    "explore-effects",
    "--epsilon 6 --out explored-effects",
    questions.test,
    questions.most,
    questions.regions,
    questions.selection,
    questions.prevalence,
    study=MIXED,
)
def explore_effects(
    plan: "Plan",
    cost: Fraction,
    *,
    test: str | None,
    regions: str | None,
    prevalence_epsilon: str | None,
    **values: Any,
) -> "Question":
    """How many SNPs are significant, which, and their effects: a third of epsilon each. Of plans that protect phenotypes alone.

    Genotypes, covariates and who takes part are not protected; no blocks are looked for, since correlations are of genotypes. All is
    charged at the start: where no SNP is significant it ends there, and what is left is spent too.
    """
    from starling.genome.plan import ExploreEffects
    from starling.genome.plan.exploring import regions_of

    part = prevalence_of(prevalence_epsilon)
    return ExploreEffects(test or plan.first_test, cost, regions_of(plan, regions), prevalence_epsilon=part, **values)
