"""Many analysts at once at a server, bounded by their requests and not by time: no overspend, no lost answer, on both stores."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.server_load import answered, charged, charges_in, flushes, furnished, served
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database

ANALYSTS = 40
DATASETS = 3
AGAIN = 6
"""Requests of each analyst for what is charged."""


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
            again = answered(port, numbers, seconds=float("inf"), pace=None, most=AGAIN)
            assert flushes(site.home) - before < len(seen.charged), "charges share flushes"
        assert seen.statuses == {202: site.covered, 403: ANALYSTS * DATASETS - site.covered}
        assert len(seen.charged) == site.covered == 3 * ANALYSTS // 4 * DATASETS
        assert charges_in(site.home) == seen.charged
        having = sum(1 for mine in numbers.values() if mine)
        assert again.statuses == {202: having * AGAIN // 2, 200: having * AGAIN // 2}
        assert again.charged <= seen.charged
