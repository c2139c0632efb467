"""200 analysts at once at a server for some seconds, on both stores: no overspend, no lost answer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.server_load import ANALYSTS, answered, charged, charges_in, flushes, furnished, served
from starling.server.rates import BURST
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database

pytestmark = pytest.mark.slow

DATASETS = 2
SECONDS = 3.0
"""For which they ask again for what is charged."""
PACE = BURST / SECONDS / 2
"""Requests a second of each: half of what a token may ask for at once, however unevenly the machine lets them ask."""


@contextmanager
def no_database() -> Iterator[None]:
    """None: the ledger is a file of the home."""
    yield None


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_nothing_is_overspent_and_no_answer_lost(tmp_path: Path, store: str) -> None:
    with no_database() if store == "sqlite" else postgres_database(postgres_url()) as url:
        site = furnished(tmp_path / "served", url, ANALYSTS, DATASETS)
        with served(site.home) as (port, _):
            before = flushes(site.home)
            seen, numbers = charged(site, port)
            assert flushes(site.home) - before < len(seen.charged), "charges share flushes"
            again = answered(port, numbers, SECONDS, PACE)
        assert seen.statuses == {202: site.covered, 403: ANALYSTS * DATASETS - site.covered}
        assert len(seen.charged) == site.covered == 3 * ANALYSTS // 4 * DATASETS
        assert charges_in(site.home) == seen.charged
        assert set(again.statuses) == {200, 202}
        assert again.rightly == sum(again.statuses.values()), "each answer was that of the request"
        assert again.charged <= seen.charged
        # How fast it has to be is the benchmark's to say, on a machine of its own.
        sys.stdout.write(f"{store}: p50 {again.share(0.5):.1f} ms, p99 {again.share(0.99):.1f} ms\n")
