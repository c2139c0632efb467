"""PostgreSQL stops and starts under a running server: while it is away requests are refused, then none fails and none pays twice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import pytest

from starling.ledger.opening import create_ledger, open_ledger, read_ledger
from starling.ledger.rules import UNIT, canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home, make_home
from tests.ledger.clusters import Cluster, cluster
from tests.ledger.worlds import costing
from tests.server.conftest import Asker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]
ANALYSTS = [f"analyst-{number}" for number in range(8)]
READS = ("/readyz", "/v1/datasets", "/v1/datasets/census", "/v1/releases/{release}")
RELEASES = "/v1/datasets/census/releases"


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


@pytest.fixture
def home(server: Cluster, tmp_path: Path) -> Home:
    """A home whose ledger is there, with a dataset that each analyst may charge once."""
    url = server.database()
    create_ledger(url).close()
    made = make_home(tmp_path / "served", ledger=url)
    with closing(open_ledger(url)) as ledger:
        ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, len(ANALYSTS))
        ledger.custody.add_dataset("census", "people", {}, len(ANALYSTS))
        ledger.custody.delegate("census", made.key.public, days=1)
        ledger.custody.accept("census", "0" * 64)
        for analyst in ANALYSTS:
            ledger.custody.grant("people", analyst, 1)
    request = canonical({"count": "persons"})
    Catalogue(made.folder / "datasets").add(Dataset("census", "tables", "A count", request, costing(1), deadline=8))
    return made


@pytest.mark.parametrize("how", ["fast", "immediate"])
@pytest.mark.parametrize("asked_meanwhile", [False, True])
def test_after_a_restart_every_request_succeeds_and_none_pays_twice(
    server: Cluster, home: Home, how: Literal["fast", "immediate"], *, asked_meanwhile: bool
) -> None:
    tokens = {}
    for name in ANALYSTS:
        home.access.add_user(name, "analyst")
        tokens[name], _ = home.access.issue(name, days=1)
    with closing(Charges(home)) as charges:
        asker = Asker(make_app(home, charges))

        def ask(analyst: str) -> int:
            return asker.post(RELEASES, tokens[analyst], {"request_id": "first"}).status_code

        first, *others = ANALYSTS
        release = asker.post(RELEASES, tokens[first], {"request_id": "first"}).json()["id"]
        reads = [path.format(release=release) for path in READS]

        def read() -> set[int]:
            return {asker.get(path, tokens[first]).status_code for path in reads}

        assert read() == {HTTPStatus.OK}
        with ThreadPoolExecutor(1) as pool:
            for change in (partial(server.stop, how), server.start):
                changed = pool.submit(change)
                while asked_meanwhile and not changed.done():
                    assert set(map(ask, others[:3])) <= {HTTPStatus.ACCEPTED, HTTPStatus.SERVICE_UNAVAILABLE}
                    # Less often than a token may.
                    wait([changed], timeout=0.1)
                changed.result()
                if asked_meanwhile and change != server.start:
                    refused = asker.post(RELEASES, tokens[others[-1]], {"request_id": "first"})
                    assert refused.status_code == HTTPStatus.SERVICE_UNAVAILABLE
                    assert "nothing is paid twice" in refused.text
        assert {ask(analyst) for analyst in ANALYSTS} == {HTTPStatus.ACCEPTED}
        assert read() == {HTTPStatus.OK}
    with closing(read_ledger(home.settings.ledger)) as ledger:
        assert ledger.reading.account("people").cap("population", "people").spent == len(ANALYSTS) * UNIT
        assert sorted(charge.analyst for charge in ledger.reading.charges(0, 100)) == ANALYSTS
        ledger.reading.verify()
