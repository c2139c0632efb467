"""The pages of a release of places: its map, with numbers and files."""

import re

from starling.release.reading import Release
from tests.screens.conftest import Reader


def test_a_map_has_its_page_numbers_and_files(releases: dict[str, Release]) -> None:
    reader = Reader(releases["places"])
    page = reader.read("/map").decode()
    assert 'data-source="/map/data"' in page
    assert reader.read("/map/data")[:2] == b"\x1f\x8b"
    (address, *_) = re.findall(r'href="(/map/[^"]*)" download', page)
    assert reader.get(address).status == 200
