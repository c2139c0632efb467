"""The release of points whose pages are read."""

import pytest

from starling.places.analysis import PlacesRelease
from starling.release.reading import Release


@pytest.fixture(scope="module")
def release(releases: dict[str, Release]) -> PlacesRelease:
    opened = releases["places"]
    assert isinstance(opened, PlacesRelease)
    return opened
