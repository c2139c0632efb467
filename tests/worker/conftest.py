"""A home whose ledger lets the server charge a dataset, and what is registered under its name."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.server.datasets import Dataset
from starling.server.home import Home, make_home
from starling.worker.sources import Registered, Sources, source_of
from tests.groups.worlds import write_world as write_groups
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database
from tests.worker.previews import preview_of

Given = Callable[[Registered], Home]


@pytest.fixture
def ledger_at(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Where the ledger is: a database of PostgreSQL where a test asks for that, else a file in the home."""
    if getattr(request, "param", None) != "postgres":
        yield None
        return
    with postgres_database(postgres_url()) as url:
        yield url


@pytest.fixture
def served(tmp_path: Path, ledger_at: str | None) -> Home:
    """A home with an empty ledger."""
    made = make_home(tmp_path / "served", ledger=ledger_at)
    create_ledger(made.settings.ledger).close()
    return made


@pytest.fixture
def custodian(served: Home) -> Iterator[Ledger]:
    """The ledger, opened with the custodian's key."""
    with closing(open_ledger(served.settings.ledger)) as ledger:
        yield ledger


@pytest.fixture
def given(served: Home, custodian: Ledger) -> Given:
    """Registers something as `data`, which the server may charge five times, and the analyst ada three times."""

    def give(registered: Registered) -> Home:
        dataset = Sources(served).register("data", registered, deadline=8, preview=preview_of(registered))
        assert isinstance(dataset, Dataset)
        cost, relation = dataset.guarantee.cost, dataset.guarantee.relation
        custodian.custody.add_population("people", cost.measure, relation, 10 * cost.amount)
        custodian.custody.add_dataset("data", "people", {}, 5 * cost.amount)
        custodian.custody.grant("people", "ada", 3 * cost.amount)
        custodian.custody.delegate("data", served.key.public, days=1)
        return served

    return give


@pytest.fixture
def groups(tmp_path: Path) -> Registered:
    """Groups of few persons, with their plan."""
    records = write_groups(tmp_path)
    return source_of("groups", str(tmp_path / "plan.toml"), {"records": records})


@pytest.fixture
def registered(given: Given, groups: Registered) -> Home:
    """The home, with the groups registered as `data`."""
    return given(groups)
