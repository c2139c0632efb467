"""What every test may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

# No deadline: the first example of a test may compile a kernel, on a machine that does something else besides.
settings.register_profile("starling", deadline=None)
settings.load_profile("starling")


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keys and witnessed heads of tests lie in a folder of their own, never in that of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STARLING_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data files that are not part of the project: STARLING_DATA, else ../shared/data."""
    folder = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no folder of public data: set STARLING_DATA to it")
    return folder
