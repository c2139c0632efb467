"""A release of flows, for all that is asked of it."""

from pathlib import Path

import pytest

from starling.places.flows.publish import FLOWS
from starling.release.payment import PaymentOptions
from tests.places.flows.worlds import BY_MONTH, MANY, MONTHS, plan


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the records MANY."""
    folder = tmp_path_factory.mktemp("flows")
    FLOWS.release(plan(folder), MANY, folder / "out", payment=PaymentOptions(unvalidated=True))
    return folder / "out"


@pytest.fixture(scope="session")
def sliced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the records MONTHS, by month."""
    folder = tmp_path_factory.mktemp("sliced")
    FLOWS.release(plan(folder, **BY_MONTH), MONTHS, folder / "out", payment=PaymentOptions(unvalidated=True))
    return folder / "out"
