"""`starling crate`: a release as an RO-Crate, which catalogues read."""

from pathlib import Path

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working


@command(
    "crate",
    example="starling crate release --license https://creativecommons.org/licenses/by/4.0/ --publisher Office --out crate",
)
@click.argument("release", type=options.PATH)
@click.option("--license", required=True, metavar="URL", help="The address of the licence.")
@click.option("--publisher", required=True, metavar="NAME", help="The organisation.")
@click.option(
    "--agent", default="", metavar="NAME", help="Who answers for the release.  [default: whose key signed it]"
)
@click.option("--spatial", default="", metavar="TEXT", help="The area of the numbers.")
@click.option("--temporal", default="", metavar="TIME", help="Their time: 2025, or 2025-01-01/2025-12-31.")
@options.path("--out", required=True, metavar="FOLDER", help="Folder to make.")
@options.signer
def crate(release: Path, *, out: Path, key: str | None, **publishing: str) -> Result:
    """Write RELEASE as a Five Safes RO-Crate with the fields of DCAT."""
    from starling.cli.auditing import pin
    from starling.release.text import facts
    from starling.verification import open_release

    working("checking the release and copying it")
    with open_release(release, key=pin(key)) as opened:
        opened.crate(out, **publishing)
    return Result(lambda: facts([("written", str(out))]), lambda: {"written": str(out)})
