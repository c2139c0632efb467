"""`starling genome export`: released p-values as a file of another format."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import inputs
from starling.cli.auditing import PIN, pin
from starling.cli.commands import Command, show
from starling.cli.progress import working
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.export import Format

NAMES: Final = ("gwas-ssf", "plink-assoc")
"""Of the formats."""


@click.command("export", cls=Command, example="starling genome export explored --format gwas-ssf --out explored.tsv")
@click.argument("release", type=inputs.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(NAMES),
    required=True,
    help="GWAS-SSF 1.0.2 with its metadata, or PLINK's .assoc with a README.",
)
@click.option(
    "--out", type=inputs.PATH, required=True, metavar="FILE", help="File to make; one more is made beside it."
)
@click.option("--key", metavar="KEY", help=f"Who should have signed: {PIN}.")
@inputs.as_json
def export(release: Path, *, form: "Format", out: Path, key: str | None, as_json: bool) -> None:
    """Write released p-values for other programs, from the release alone. What it does not tell is missing, not guessed.

    RELEASE is a folder or its zip, of snp-pval or of explore; it is compared with its signature. The numbers are noisy estimates, which
    the file beside says. Opens no genotypes and charges nothing.
    """
    from starling.cli.text import facts
    from starling.genome.analysis import GenomeRelease
    from starling.verification import open_release

    working("checking the release and writing its p-values")
    with open_release(release, key=None if key is None else pin(key)) as opened:
        if not isinstance(opened, GenomeRelease):
            domain = opened.statement["domain"]
            raise ParameterError(
                field=str(release), problem=f"is a release of {domain}", fix="name a release of a genome question"
            )
        data, beside = opened.export(out, form)
    if as_json:
        show({"data": str(data), "note": str(beside)})
        return
    show(facts([("p-values", str(data)), ("what they are", str(beside))]))
