"""A release of each domain, made once, and what reads its pages."""

from collections.abc import Iterator

import pytest

import starling
from starling.domains import DOMAINS
from starling.release.reading import Release
from starling.screens.frame import Frame
from starling.screens.release import Screens
from starling.screens.replies import Reply
from tests.four_domains import release, write

FRAME = Frame(path="release")


class Reader:
    """Reads the pages of a release."""

    def __init__(self, release: Release, frame: Frame = FRAME) -> None:
        self.release, self._screens, self._frame = release, Screens(release), frame

    def get(self, path: str, query: str = "") -> Reply:
        """The reply to an address."""
        return self._screens.reply(path, query, self._frame)

    def read(self, path: str, query: str = "") -> bytes:
        """The bytes of a reply."""
        with self.get(path, query).opened() as body:
            return body.read()


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Release]]:
    """An opened release of each domain."""
    folder = write(tmp_path_factory.mktemp("four"))
    for domain in DOMAINS:
        release(folder, domain)
    opened = {domain: starling.open_release(folder / domain / "out") for domain in DOMAINS}
    yield opened
    for each in opened.values():
        each.close()


@pytest.fixture(params=DOMAINS)
def reader(request: pytest.FixtureRequest, releases: dict[str, Release]) -> Reader:
    """What reads the pages of a release, of each domain."""
    return Reader(releases[request.param])
