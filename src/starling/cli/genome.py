"""`starling genome`: what the domain adds to the commands of every domain but its questions, which have genome_asking.py."""

from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import genome_questions as questions
from starling.cli import options, verbs
from starling.cli.commands import Group, Result, command
from starling.cli.progress import working
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.export import Format
    from starling.genome.plan.queries import Correlation

GENERATE: Final = "starling genome generate --people 2000 --snps 5000 --causal s10:2.5 --causal s3000:2.2 --out study"
STUDY: Final = "study/plan.toml --genotypes study/study"
"""What `generate`'s example makes."""
KINDS: Final = ("manhattan", "qq", "ld", "effects", "scan", "scan-qq")
"""The pictures of the gallery."""
FORMATS: Final = ("gwas-ssf", "plink-assoc", "plink-glm")
"""The formats of an export."""

COSTS: Final = "0.2,0.5,1,2,5"
"""Costs that are looked at when none is named."""
OF: Final = {
    "num-sig": ("test", "k", "prevalence_epsilon"),
    "loc-sig": ("test", "k", "regions", "prevalence_epsilon"),
    "loc-block": ("corr", "delta_c", "longest", "regions"),
    "snp-pval": ("test",),
    "snp-corr": ("corr",),
    "explore": ("test", "k", "regions", "corr", "delta_c", "longest", "most"),
    "scan": ("median_epsilon",),
    "snp-effects": ("k",),
    "explore-effects": ("test", "k", "regions", "most", "prevalence_epsilon"),
}
"""Which options each question has."""

genome = Group(
    "genome",
    example=GENERATE,
    help="Ask a case-control study of genomes, under a budget: how many SNPs are significant, which, in which blocks, with which"
    " p-values and correlations.\n\nPLAN is a plan file (TOML): how many people, a public list of SNPs, the genetic model, the tests.",
    lazy={
        **{name: f"starling.cli.genome:{name}" for name in ("generate", "plan", "schema", "preview", "validate")},
        **{name: f"starling.cli.genome_asking:{name.replace('-', '_')}" for name in OF},
        "scan": "starling.cli.genome_filtering:scan",
        **{name: f"starling.cli.genome:{name}" for name in ("plot", "export", "combine")},
    },
)


def _effects(_: click.Context, __: click.Parameter, causal: tuple[str, ...]) -> dict[str, float]:
    """Name and odds ratio of each causal SNP."""
    effects: dict[str, float] = {}
    for text in causal:
        # An id may have a colon of its own.
        name, _colon, ratio = text.rpartition(":")
        try:
            effect = float(ratio)
        except ValueError:
            effect = 0.0
        if not (name and effect > 0):
            problem, fix = "is not a SNP and an odds ratio above 0", "write it like s10:2.5"
            raise ParameterError("--causal", problem, fix)
        if name in effects:
            raise ParameterError("--causal", "names a SNP twice", "name each once")
        effects[name] = effect
    return effects


def _costs(_: click.Context, __: click.Parameter, text: str | None) -> list[Fraction]:
    return [questions.epsilon_of(each) for each in (text or COSTS).split(",")]


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
            problem, fix = f"is not of {question}", "leave it out"
            if question is None:
                problem, fix = "is of some questions alone", "add --question NAME"
            raise ParameterError(f"--{name.replace('_', '-')}", problem, fix)
        return function(question=question, corr=corr, delta_c=questions.delta_c_of(corr, delta_c), **values)

    return checked


generate = verbs.generating(
    "genome",
    "Invent a study: genotypes, cases and controls, and a plan unless there is one. Nobody in it exists.",
    GENERATE,
    options.number("--people", help="Without PLAN: how many people."),
    click.option("--snps", type=int, metavar="M", help="Without PLAN: how many SNPs, s1 to sM."),
    options.number("--cases", help="How many of the people are cases.  [default: half of them]"),
    click.option(
        "--causal",
        multiple=True,
        metavar="SNP:OR",
        callback=_effects,
        help="A causal SNP and its odds ratio per copy of the allele, such as s10:2.5. Repeatable.  [default: four of PLAN]",
    ),
    options.with_default(
        "--linkage",
        type=click.Choice(["independent", "coalescent"]),
        default="independent",
        help="Without PLAN: each SNP alone, or as simulated genealogies have them (extra demo).",
    ),
    options.number(
        "--populations", default=1, help="Without PLAN: how many, which differ in frequencies and prevalence."
    ),
    plan=options.plan_file_if_any,
    step="inventing a study",
)
plan = verbs.planning(
    "genome",
    "What a plan holds: people, SNPs, model, tests, threshold, regions, and what may be asked. Opens no genotypes.",
    "starling genome plan study/plan.toml",
)
schema = verbs.schema_of("genome")
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
    options.number("--k", default=1, help="Numbers told one by one, SNPs located, or SNPs supposed to be followed up."),
    questions.regions,
    questions.prevalence,
    questions.median,
    questions.corr,
    questions.delta_c,
    questions.longest,
    questions.most,
    options.number("--cases", help="Suppose that so many people are cases.  [default: half of them]"),
    options.with_default(
        "--rarest",
        metavar="X",
        default="0.01",
        help="Suppose no rarer alleles: they are easily mistaken for significant.",
    ),
    click.option(
        "--error",
        metavar="X",
        help="Of one question: the least epsilon that keeps an error, 95 times of 100: patients, or the width of an interval.",
    ),
    _with_its_options,
    step="computing how far each answer may be off",
)
validate = verbs.validating(
    "genome",
    f"starling genome validate {STUDY}",
    "Find what is wrong with the records of a study, and who are relatives.",
    questions.genotypes,
    step="reading every genotype and comparing people",
)
plot = verbs.plotting(
    "genome",
    "Draw released answers, with their noise: Manhattan plot, QQ plot, LD heat map, each as SVG, and a page with all of them.\n\n"
    "RELEASE is a folder or its zip; several must be of one plan. Each is compared with its signature. What was not asked for is not"
    " drawn. Opens no genotypes and charges nothing.",
    "starling genome plot explored pvalue correlation --out pictures",
    click.option(
        "--kind",
        "kinds",
        type=click.Choice(KINDS),
        multiple=True,
        help="Draw this kind. Repeatable.  [default: every kind that has something to show]",
    ),
    several=True,
)


@command("export", example="starling genome export explored --format gwas-ssf --out explored.tsv")
@click.argument("release", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    required=True,
    help="GWAS-SSF 1.0.2, in a .tsv, with its metadata; or PLINK's .assoc or, of a scan or of effects, .glm, with a README.",
)
@options.path("--out", required=True, metavar="FILE", help="File to make; one more is made beside it.")
@options.signer
def export(release: Path, *, form: "Format", out: Path, key: str | None) -> Result:
    """Write released p-values for other programs, from the release alone.

    RELEASE is a folder or its zip, of snp-pval, explore, scan, snp-effects or explore-effects; it is compared with its signature. The
    numbers are noisy estimates, which the file beside says. Opens no genotypes and charges nothing.
    """
    from starling.release.text import facts

    working("checking the release and writing its p-values")
    answer: Any = verbs.opened_release(release, "genome", key)
    with answer as opened:
        _, written = opened.export(out, form)
    # Shown as the user named them.
    note = out.with_name(written.name)
    return Result(
        lambda: facts([("p-values", str(out)), ("what they are", str(note))]),
        lambda: {"data": str(out), "note": str(note)},
    )


@command("combine", example="starling genome combine scan-a scan-b --out together")
@click.argument("releases", nargs=-1, required=True, type=options.PATH, metavar="RELEASE...")
@options.new_folder
@options.signer
def combine(releases: tuple[Path, ...], *, out: Path, key: str | None) -> Result:
    """Combine scans, or effects of SNPs, of different people by inverse variance, from their releases alone.

    Each RELEASE is a folder or its zip, all of scan or all of snp-effects without --chosen, and of one model; it is compared with its
    signature. The folder has effect, standard error, p-value and heterogeneity of each SNP as a table with tabs, of scans regions,
    pictures, and origin.json, which names the releases. Opens no genotypes and charges nothing.
    """
    from starling.genome.combining import combine as together

    working("checking the releases and combining them")
    with ExitStack() as stack:
        opened: list[Any] = [stack.enter_context(verbs.opened_release(each, "genome", key)) for each in releases]
        combined = together(opened)
    combined.write(out)
    return Result(
        lambda: f"{combined}\nwritten  {out}",
        lambda: {**combined.as_json(), "data": str(out)},
    )
