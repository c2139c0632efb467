"""A release on this machine: its pages at the root of the address, and the static files beside them."""

from pathlib import Path

from starling.pages.rendering import static_file
from starling.release.reading import Release
from starling.screens.frame import Frame
from starling.screens.release import Screens
from starling.screens.replies import Reply

STATIC = "/static/"
IMMUTABLE = {"Cache-Control": "max-age=31536000, immutable"}


class Site:
    """What is replied to the paths of a release.

    Args:
        release: An opened release.
        path: As the user named it, for the lines that do the same.
    """

    def __init__(self, release: Release, path: Path) -> None:
        self._screens = Screens(release)
        self._frame = Frame(path=str(path))

    def answer(self, path: str, query: str) -> Reply:
        """The reply to a path, decoded, with the query of its address."""
        file = static_file(path.removeprefix(STATIC)) if path.startswith(STATIC) else None
        if file is not None:
            return Reply(*file, headers=IMMUTABLE)
        return self._screens.reply(path, query, self._frame)
