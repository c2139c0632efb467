"""`starling open`: the pages of a release in the browser, on this machine alone, without a server."""

from pathlib import Path
from typing import Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working

IDLE: Final = 30
"""Minutes without a request after which it ends."""


@command("open", example="starling open release")
@click.argument("release", type=options.PATH)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Start the browser.")
@options.signer
def open_(release: Path, *, browser: bool, key: str | None) -> Result:
    """Show a release in the browser, on this machine alone.

    RELEASE, a folder or its zip, is compared with its signature. Its address works once. It ends with Ctrl-C, or after half an hour
    without a request.
    """
    from starling.cli.auditing import pin
    from starling.cli.browser import show
    from starling.cli.opening.serving import Serving
    from starling.cli.opening.site import Site
    from starling.verification import open_release

    working("checking the release")
    with open_release(release, key=None if key is None else pin(key)) as opened:
        serving = Serving(Site(opened, release).answer)
        click.echo(f"starling: open {serving.address} once; Ctrl-C ends it", err=True)
        if browser:
            show(serving.address)
        serving.run(IDLE * 60)
    return Result(lambda: "ended", lambda: {"release": str(release)})
