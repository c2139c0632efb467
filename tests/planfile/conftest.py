"""A folder of the public files that plans name."""

from pathlib import Path

import pytest

from tests.planfile.examples import write_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The public files and the records of each domain."""
    folder = tmp_path_factory.mktemp("plans")
    write_files(folder)
    return folder
