"""`starling genome`: one command for each verb of the domain. They parse, call and print; the work is done in starling.genome.

`plan`, `preview` and `generate` have no option that could name genotypes.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import accepting, genome_inputs, inputs
from starling.cli.commands import Command, Group, show
from starling.cli.progress import working
from starling.errors import ParameterError

if TYPE_CHECKING:
    from typing import Unpack

    from starling.genome.generate import Linkage

STUDY: Final = "study/plan.toml --genotypes study/study"
"""What `generate`'s example makes."""


genome = Group(
    "genome",
    example="starling genome generate --people 2000 --snps 5000 --causal s10:2.5 --causal s3000:2.2 --out study",
    help="Ask a case-control study of genomes, under a budget: how many SNPs are significant, which, in which blocks, with which"
    " p-values and correlations.\n\nPLAN is a plan file (TOML): how many people, a public list of SNPs, the genetic model, the tests.",
    lazy={
        "generate": "starling.cli.genome:generate",
        "plan": "starling.cli.genome:plan",
        "preview": "starling.cli.genome_preview:preview",
        "validate": "starling.cli.genome:validate",
        "num-sig": "starling.cli.genome_asking:num_sig",
        "loc-sig": "starling.cli.genome_asking:loc_sig",
        "loc-block": "starling.cli.genome_asking:loc_block",
        "snp-pval": "starling.cli.genome_asking:snp_pval",
        "snp-corr": "starling.cli.genome_asking:snp_corr",
        "explore": "starling.cli.genome_asking:explore",
        "plot": "starling.cli.genome_plot:plot",
        "export": "starling.cli.genome_export:export",
    },
)


@click.command(
    "generate",
    cls=Command,
    example="starling genome generate --people 2000 --snps 5000 --causal s10:2.5 --causal s3000:2.2 --out study",
)
@click.option("--people", type=int, required=True, metavar="N", help="How many people to invent.")
@click.option("--snps", type=int, required=True, metavar="M", help="How many SNPs; they are called s1 to sM.")
@click.option("--out", type=inputs.PATH, required=True, metavar="DIR", help="Folder to make, with a plan in it.")
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="Public: the same gives the same bytes."
)
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
@inputs.as_json
def generate(
    people: int,
    snps: int,
    out: Path,
    *,
    seed: int,
    cases: int | None,
    causal: tuple[str, ...],
    linkage: "Linkage",
    as_json: bool,
) -> None:
    """Invent a study to try everything with: genotypes, cases and controls, and a plan. Nobody in it exists."""
    from starling.cli.text import facts
    from starling.genome.generate import generate as invent

    effects = _effects(causal)
    working(f"inventing a study of {people:,} people and {snps:,} SNPs")
    made = invent(people=people, snps=snps, seed=seed, out=out, cases=cases, causal=effects, linkage=linkage)
    if as_json:
        show({"genotypes": str(made.prefix), "plan": str(made.plan), "note": str(made.note)})
        return
    files = [("genotypes", f"{made.prefix}.bed, .bim, .fam"), ("plan", str(made.plan)), ("note", str(made.note))]
    invented = f"{people:,} people, {snps:,} SNPs, {len(effects)} of them causal"
    show(facts([*files, ("invented", invented)]))


@click.command("plan", cls=Command, example="starling genome plan study/plan.toml")
@genome_inputs.plan
@inputs.as_json
def plan(plan: Path, *, as_json: bool) -> None:
    """What a plan holds: people, SNPs, model, tests, threshold, regions, and what may be asked. Opens no genotypes."""
    from starling.cli.genome_plan import plan_json, plan_text
    from starling.genome.plan import Plan

    chosen = Plan.load(plan)
    show(plan_json(chosen) if as_json else plan_text(chosen))


@click.command("validate", cls=Command, example=f"starling genome validate {STUDY}")
@genome_inputs.plan
@genome_inputs.genotypes
@accepting.options
def validate(plan: Path, genotypes: Path, phenotype: Path | None, **accept: "Unpack[accepting.Accepting]") -> None:
    """Find what is wrong with the records of a study, and who are relatives. For their custodian alone; never publish it.

    It ends with the custodian's word: --accept keeps, in the ledger, that these files were looked at, which a release from it asks for.
    """
    from starling.genome.plan import Plan
    from starling.genome.source import open_genotypes
    from starling.genome.source import validate as check

    book = accepting.accepting_ledger(accept)
    chosen = Plan.load(plan)
    source = open_genotypes(genotypes, chosen, phenotype)
    working("reading every genotype and comparing people")
    found = check(chosen, source, most=accepting.listed(accept)).value
    missing = f"{100 * found.missing:.3g} % of the calls missing"
    words = f"{found.people:,} people, {found.cases:,} of them cases, {missing}"
    machine = {"people": found.people, "cases": found.cases, "missing_calls": found.missing}
    accepting.conclude(accept, book, source.files, (found.problems, found.notes), (words, machine))


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
            raise ParameterError(
                field="--causal", problem="is not a SNP and an odds ratio above 0", fix="write it like s10:2.5"
            )
        if int(number) in effects:
            raise ParameterError(field="--causal", problem="names a SNP twice", fix="name each once")
        effects[int(number)] = effect
    return effects
