"""Pages on this machine: of a release or of a plan, at the root of the address, and the static files beside them."""

from collections.abc import Sequence
from typing import Final, Protocol

import click

from starling.cli.opening.serving import Serving
from starling.pages.rendering import static_file
from starling.screens.frame import Frame
from starling.screens.replies import Reply

IDLE: Final = 30
"""Minutes without a request after which it ends."""
STATIC: Final = "/static/"
IMMUTABLE: Final = {"Cache-Control": "max-age=31536000, immutable"}


class Pages(Protocol):
    """What is replied to the paths below a root."""

    def reply(self, path: str, query: str, frame: Frame) -> Reply:
        """The reply to a path, decoded, with the query of its address."""


class Site:
    """What is replied to the paths of an address.

    Args:
        pages: What is shown.
        path: What it is of, as the user named it, for the lines that do the same.
        others: Other releases that it may be compared with.
    """

    def __init__(self, pages: Pages, path: str, others: Sequence[str] = ()) -> None:
        self._pages = pages
        named = {str(number): (other, other) for number, other in enumerate(others, start=1)}
        self._frame = Frame(path=path, others=named)

    def answer(self, path: str, query: str) -> Reply:
        """The reply to a path, decoded, with the query of its address."""
        file = static_file(path.removeprefix(STATIC)) if path.startswith(STATIC) else None
        if file is not None:
            return Reply(*file, headers=IMMUTABLE)
        return self._pages.reply(path, query, self._frame)


def open_site(pages: Pages, path: str, others: Sequence[str] = (), *, browser: bool = True) -> None:
    """Show pages in the browser, if that is wanted, until Ctrl-C or half an hour without a request."""
    from starling.cli.browser import show

    serving = Serving(Site(pages, path, others).answer)
    click.echo(f"starling: open {serving.address} once; Ctrl-C ends it", err=True)
    if browser:
        show(serving.address)
    serving.run(IDLE * 60)
