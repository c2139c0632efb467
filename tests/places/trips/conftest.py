"""A release of trips on a grid, for all that is asked of it."""

from pathlib import Path

import pytest

from starling.places.trips.publish import TRIPS
from starling.release.payment import PaymentOptions
from tests.places.trips.worlds import MANY, plan


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the records MANY."""
    folder = tmp_path_factory.mktemp("trips")
    TRIPS.release(plan(folder), MANY, folder / "out", payment=PaymentOptions(unvalidated=True))
    return folder / "out"
