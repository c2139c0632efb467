"""`starling genome`: one command for each verb of the domain but its questions. They parse and call; the work is done in starling.genome.

`plan`, `preview` and `generate` have no option that could name genotypes; `plot` and `export` read releases alone.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import options
from starling.cli.auditing import pin
from starling.cli.commands import Group, Result, command
from starling.cli.genome_questions import genotypes
from starling.cli.progress import working
from starling.cli.verbs import schema_of, validating
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.analysis import GenomeRelease
    from starling.genome.export import Format
    from starling.genome.generate import Linkage
    from starling.genome.pictures.answers import Answers
    from starling.genome.pictures.gallery import Source
    from starling.ledger.keys import Pin

GENERATE: Final = "starling genome generate --people 2000 --snps 5000 --causal s10:2.5 --causal s3000:2.2 --out study"
STUDY: Final = "study/plan.toml --genotypes study/study"
"""What `generate`'s example makes."""
KINDS: Final = ("manhattan", "qq", "ld")
"""The pictures of the gallery."""
FORMATS: Final = ("gwas-ssf", "plink-assoc")
"""The formats of an export."""

genome = Group(
    "genome",
    example=GENERATE,
    help="Ask a case-control study of genomes, under a budget: how many SNPs are significant, which, in which blocks, with which"
    " p-values and correlations.\n\nPLAN is a plan file (TOML): how many people, a public list of SNPs, the genetic model, the tests.",
    lazy={
        "generate": "starling.cli.genome:generate",
        "plan": "starling.cli.genome:plan",
        "schema": "starling.cli.genome:schema",
        "preview": "starling.cli.genome_preview:preview",
        "validate": "starling.cli.genome:validate",
        "num-sig": "starling.cli.genome_asking:num_sig",
        "loc-sig": "starling.cli.genome_asking:loc_sig",
        "loc-block": "starling.cli.genome_asking:loc_block",
        "snp-pval": "starling.cli.genome_asking:snp_pval",
        "snp-corr": "starling.cli.genome_asking:snp_corr",
        "explore": "starling.cli.genome_asking:explore",
        "plot": "starling.cli.genome:plot",
        "export": "starling.cli.genome:export",
    },
)


@command("generate", example=GENERATE)
@click.option("--people", type=int, required=True, metavar="N", help="How many people to invent.")
@click.option("--snps", type=int, required=True, metavar="M", help="How many SNPs; they are called s1 to sM.")
@click.option("--out", type=options.PATH, required=True, metavar="DIR", help="Folder to make, with a plan in it.")
@options.seed
@click.option("--cases", type=int, metavar="N", help="How many of the people are cases.  [default: half of them]")
@click.option(
    "--causal",
    multiple=True,
    metavar="SNP:OR",
    help="A causal SNP and its odds ratio per copy of the allele, such as s10:2.5. May be given again.",
)
@click.option(
    "--linkage",
    type=click.Choice(["independent", "coalescent"]),
    default="independent",
    show_default=True,
    help="Each SNP alone, for scale; or real linkage from simulated genealogies (needs the extra demo).",
)
def generate(
    people: int, snps: int, out: Path, *, seed: int, cases: int | None, causal: tuple[str, ...], linkage: "Linkage"
) -> Result:
    """Invent a study to try everything with: genotypes, cases and controls, and a plan. Nobody in it exists."""
    from starling.genome.generate import generate as invent
    from starling.release.text import facts

    effects = _effects(causal)
    working(f"inventing a study of {people:,} people and {snps:,} SNPs")
    generated = invent(people=people, snps=snps, seed=seed, out=out, cases=cases, causal=effects, linkage=linkage)
    files = [
        ("genotypes", f"{generated.prefix}.bed, .bim, .fam"),
        ("plan", str(generated.plan)),
        ("note", str(generated.note)),
    ]
    invented = f"{people:,} people, {snps:,} SNPs, {len(effects)} of them causal"
    return Result(
        lambda: facts([*files, ("invented", invented)]),
        lambda: {"genotypes": str(generated.prefix), "plan": str(generated.plan), "note": str(generated.note)},
    )


@command("plan", example="starling genome plan study/plan.toml")
@options.plan_file
def plan(plan: Path) -> Result:
    """What a plan holds: people, SNPs, model, tests, threshold, regions, and what may be asked. Opens no genotypes."""
    from starling.cli.genome_questions import plan_json, plan_text
    from starling.genome.plan import Plan

    chosen = Plan.load(plan)
    return Result(partial(plan_text, chosen), partial(plan_json, chosen))


schema = schema_of("genome")
validate = validating(
    "genome",
    f"starling genome validate {STUDY}",
    "Find what is wrong with the records of a study, and who are relatives.",
    genotypes,
    step="reading every genotype and comparing people",
)


@command("plot", example="starling genome plot explored pvalue correlation --out pictures")
@click.argument("releases", nargs=-1, required=True, type=options.PATH, metavar="RELEASE...")
@options.new_folder
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Draw this kind. May be given again.  [default: every kind that has something to show]",
)
@options.signer
def plot(releases: tuple[Path, ...], *, out: Path, kinds: tuple[str, ...], key: str | None) -> Result:
    """Draw released answers, with their noise: Manhattan plot, QQ plot, LD heat map, each as SVG, and a page with all of them.

    RELEASE is a folder or its zip; several must be of one plan. Each is compared with its signature. What was not asked for is not
    drawn. Opens no genotypes and charges nothing.
    """
    from starling.genome.pictures.answers import combined
    from starling.genome.pictures.gallery import write
    from starling.release.text import facts

    working("checking the releases and drawing their answers")
    sources: list[Source] = []
    answers = combined(_opened(releases, None if key is None else pin(key), sources))
    page, *pictures = write(out, answers, sources, list(dict.fromkeys(kinds)))
    named = {path.stem: str(path) for path in pictures}
    return Result(lambda: facts([("page", str(page)), *named.items()]), lambda: {"page": str(page), "pictures": named})


def _opened(releases: tuple[Path, ...], key: "Pin | None", sources: "list[Source]") -> "Iterator[tuple[str, Answers]]":
    """Each release by its name, with what it has for pictures; where it is from is appended to `sources`."""
    from starling.genome.artifact.parameters import QUESTION_TEXTS
    from starling.genome.pictures.gallery import Source
    from starling.genome.plan import kind

    for path in releases:
        with _answer(path, key) as release:
            question = QUESTION_TEXTS[kind(release.question)]
            cost, signer = str(release.cost), release.signer.fingerprint
            sources.append(Source(path.name, question, cost, release.request_id, signer))
            yield path.name, release.pictured


def _answer(path: Path, key: "Pin | None") -> "GenomeRelease":
    """A release of a question, opened; raises ParameterError for one of another domain."""
    from starling.genome.analysis import GenomeRelease
    from starling.verification import open_release

    opened = open_release(path, key=key)
    if isinstance(opened, GenomeRelease):
        return opened
    with opened:
        domain = opened.statement["domain"]
        problem, fix = f"is a release of {domain}", "name releases of genome questions"
        raise ParameterError(str(path), problem, fix)


@command("export", example="starling genome export explored --format gwas-ssf --out explored.tsv")
@click.argument("release", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    required=True,
    help="GWAS-SSF 1.0.2 with its metadata, or PLINK's .assoc with a README.",
)
@click.option(
    "--out", type=options.PATH, required=True, metavar="FILE", help="File to make; one more is made beside it."
)
@options.signer
def export(release: Path, *, form: "Format", out: Path, key: str | None) -> Result:
    """Write released p-values for other programs, from the release alone. What it does not tell is missing, not guessed.

    RELEASE is a folder or its zip, of snp-pval or of explore; it is compared with its signature. The numbers are noisy estimates, which
    the file beside says. Opens no genotypes and charges nothing.
    """
    from starling.release.text import facts

    working("checking the release and writing its p-values")
    with _answer(release, None if key is None else pin(key)) as opened:
        _, written = opened.export(out, form)
    # Shown as the user named them.
    note = out.with_name(written.name)
    return Result(
        lambda: facts([("p-values", str(out)), ("what they are", str(note))]),
        lambda: {"data": str(out), "note": str(note)},
    )


def _effects(causal: tuple[str, ...]) -> dict[int, float]:
    """Number and odds ratio of each causal SNP."""
    effects: dict[int, float] = {}
    for text in causal:
        name, colon, ratio = text.partition(":")
        number = name.removeprefix("s")
        try:
            effect = float(ratio)
        except ValueError:
            effect = 0.0
        if not (colon and number.isascii() and number.isdecimal() and len(number) < 10 and effect > 0):
            problem, fix = "is not a SNP and an odds ratio above 0", "write it like s10:2.5"
            raise ParameterError("--causal", problem, fix)
        if int(number) in effects:
            raise ParameterError("--causal", "names a SNP twice", "name each once")
        effects[int(number)] = effect
    return effects
