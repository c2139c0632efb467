"""`starling genome plot`: pictures of what was released, from one release or from several of one plan."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from starling.cli import inputs
from starling.cli.auditing import PIN, pin
from starling.cli.commands import Command, show
from starling.cli.progress import working
from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.pictures.answers import Answers
    from starling.genome.pictures.gallery import Source
    from starling.ledger.keys import Pin

KINDS: Final = ("manhattan", "qq", "ld")
"""Of the gallery."""


@click.command("plot", cls=Command, example="starling genome plot explored pvalue correlation --out pictures")
@click.argument("releases", nargs=-1, required=True, type=inputs.PATH, metavar="RELEASE...")
@click.option("--out", type=inputs.PATH, required=True, metavar="DIR", help="Folder to make.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Draw this kind. May be given again.  [default: every kind that has something to show]",
)
@click.option("--key", metavar="KEY", help=f"Who should have signed: {PIN}.")
@inputs.as_json
def plot(releases: tuple[Path, ...], *, out: Path, kinds: tuple[str, ...], key: str | None, as_json: bool) -> None:
    """Draw released answers, with their noise: Manhattan plot, QQ plot, LD heat map, each as SVG, and a page with all of them.

    RELEASE is a folder or its zip; several must be of one plan. Each is compared with its signature. What was not asked for is not
    drawn. Opens no genotypes and charges nothing.
    """
    from starling.cli.text import facts
    from starling.genome.pictures.answers import together
    from starling.genome.pictures.gallery import write

    working("checking the releases and drawing their answers")
    sources: list[Source] = []
    answers = together(_opened(releases, None if key is None else pin(key), sources))
    files = write(out, answers, sources, list(dict.fromkeys(kinds)))
    if as_json:
        show({"page": str(files[0]), "pictures": {path.stem: str(path) for path in files[1:]}})
        return
    show(facts([("page", str(files[0])), *((path.stem, str(path)) for path in files[1:])]))


def _opened(releases: tuple[Path, ...], key: "Pin | None", sources: "list[Source]") -> "Iterator[tuple[str, Answers]]":
    """Each release by its name, with what it has for pictures; where it is from is appended to `sources`."""
    from starling.genome.analysis import GenomeRelease
    from starling.genome.artifact.parameters import ASKED
    from starling.genome.pictures.gallery import Source
    from starling.genome.pictures.released import answers
    from starling.genome.plan import kind
    from starling.verification import open_release

    for path in releases:
        with open_release(path, key=key) as release:
            if not isinstance(release, GenomeRelease):
                domain = release.statement["domain"]
                raise ParameterError(
                    field=str(path), problem=f"is a release of {domain}", fix="name releases of genome questions"
                )
            entry = release.statement["account"]["ledger"]
            data = "" if entry is None or entry["inside"] else entry["dataset"]
            question = ASKED[kind(release.question)]
            cost, signer = str(release.cost), release.signer.fingerprint
            sources.append(Source(path.name, question, cost, release.request_id, signer))
            yield path.name, answers(release.plan, release.answer, data)
