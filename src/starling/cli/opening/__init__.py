"""`starling open`: the pages of a release in the browser, on this machine alone, without a server."""

from pathlib import Path

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working


@command("open", example="starling open release")
@click.argument("release", type=options.PATH)
@options.with_default("--browser/--no-browser", default=True, help="Start the browser.")
@options.path("--other", "others", multiple=True, help="Another release, to compare maps.")
@options.signer
def open_(release: Path, *, browser: bool, others: tuple[Path, ...], key: str | None) -> Result:
    """Show a release in the browser, on this machine alone.

    RELEASE, a folder or its zip, is compared with its signature. Its address works once. It ends with Ctrl-C, or after half an hour
    without a request.
    """
    from starling.cli.auditing import pin
    from starling.cli.opening.site import open_site
    from starling.screens.release import Screens
    from starling.verification import open_release

    working("checking the release")
    signer = pin(key)
    for each in others:
        open_release(each, key=signer).close()
    with open_release(release, key=signer) as opened:
        open_site(Screens(opened), str(release), list(map(str, others)), browser=browser)
    return Result(lambda: "ended", lambda: {"release": str(release)})
