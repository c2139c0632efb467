"""A small release to verify, made once."""

import pytest

from tests.tables.bundles import Bundle, make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release of a small plan, charged to a ledger; not to be changed."""
    return make(tmp_path_factory.mktemp("made"), allow_negative=False)
