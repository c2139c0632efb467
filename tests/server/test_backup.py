"""A home is copied while it serves, and restored elsewhere; a ledger that is older than what was witnessed is refused."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, PlanError
from starling.ledger.opening import create_ledger, open_ledger, read_ledger
from starling.server import backup
from starling.server.app import make_app
from starling.server.backup import back_up, restore
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home, make_home
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database
from tests.server.conftest import Asker
from tests.server.test_releasing import answer

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

LATER = 4e9
"""A time, in seconds since 1970, at which every answer has left."""
ANALYSTS = ("analyst", "ada", "bob", "eve")
"""Who may ask for a release each; the same release asked for by another analyst is another charge."""


def later() -> float:
    return LATER


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """An empty database of PostgreSQL, beside that of the ledger."""
    with postgres_database(postgres_url()) as url:
        yield url


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A home whose ledger is empty, in a file, or in PostgreSQL where a test asks for that."""
    if getattr(request, "param", "sqlite") == "sqlite":
        made = make_home(tmp_path / "served")
        create_ledger(made.settings.ledger).close()
        yield made
        return
    with postgres_database(postgres_url()) as url:
        create_ledger(url).close()
        yield make_home(tmp_path / "served", ledger=url)


@pytest.fixture
def granted(selling: Home) -> Home:
    """The home, with a grant for each of the analysts."""
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        for analyst in ANALYSTS[1:]:
            ledger.custody.grant("people", analyst, 1)
    return selling


def ask(home: Home, analyst: str) -> int:
    """Charge a release, and let go of the ledger."""
    with closing(Charges(home)) as charges:
        return charges.charge(analyst, Catalogue(home.folder / "datasets").release("census"), "first")


def bundle(home: Home, seq: int, token: str) -> bytes:
    """What the server of a home gives as a release."""
    with closing(Charges(home, now=later)) as charges:
        reply = Asker(make_app(home, charges)).get(f"/v1/releases/{seq}/bundle", token)
    assert reply.status_code == 200, reply.text
    return reply.content


def charged(home: Home) -> list[int]:
    """The events of the charges in the ledger of a home."""
    with closing(read_ledger(home.settings.ledger)) as ledger:
        return [event.seq for event in ledger.reading.events() if event.kind == "charge"]


def test_a_home_is_copied_while_it_charges_and_restored_elsewhere(
    granted: Home, tokens: dict[str, str], tmp_path: Path
) -> None:
    first = ask(granted, "analyst")
    answer(granted, first, b"zip")
    serving = Charges(granted)
    dataset = Catalogue(granted.folder / "datasets").release("census")
    begun = threading.Event()

    def go_on() -> None:
        for analyst in ("ada", "bob"):
            serving.charge(analyst, dataset, "first")
            begun.set()

    others = threading.Thread(target=go_on)
    with closing(serving):
        others.start()
        begun.wait()
        head = back_up(granted, tmp_path / "copy")
        others.join()
    restored, found = restore(tmp_path / "copy", tmp_path / "restored")
    assert found == head
    assert restored.settings.ledger == f"sqlite:///{tmp_path / 'restored' / 'ledger.sqlite'}"
    assert charged(restored) in (charged(granted)[:2], charged(granted))
    assert bundle(restored, first, tokens["analyst"]) == bundle(granted, first, tokens["analyst"]) == b"zip"
    shutil.rmtree(granted.folder)
    assert ask(restored, "analyst") == first, "what was paid is paid there, too"
    assert ask(restored, "eve") > head.seq


def test_a_copy_is_closed_to_others_and_leaves_no_half(selling: Home, tmp_path: Path) -> None:
    back_up(selling, tmp_path / "copy")
    modes = {path: path.stat().st_mode & 0o077 for path in [tmp_path / "copy", *(tmp_path / "copy").iterdir()]}
    assert {path.name for path, mode in modes.items() if mode} <= {"server.toml"}
    assert {path.name for path in selling.folder.iterdir()} == {path.name for path in (tmp_path / "copy").iterdir()}
    with pytest.raises(ParameterError, match="exists already"):
        back_up(selling, tmp_path / "copy")
    Path(selling.settings.ledger.removeprefix("sqlite:///")).unlink()
    with pytest.raises(ParameterError, match="is not there"):
        back_up(selling, tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "served"]


def test_an_older_ledger_in_its_place_charges_nothing(granted: Home, tokens: dict[str, str], tmp_path: Path) -> None:
    ask(granted, "analyst")
    back_up(granted, tmp_path / "copy")
    ask(granted, "ada")
    shutil.copy(tmp_path / "copy" / "ledger.sqlite", granted.folder / "ledger.sqlite")
    with closing(Charges(granted)) as charges:
        asker = Asker(make_app(granted, charges))
        reply = asker.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "second"})
    assert (reply.status_code, reply.json()["error"]["kind"]) == (503, "LedgerUnavailable")
    with pytest.raises(IntegrityError, match="rolled back or restored from an old backup"):
        granted.open_ledger()
    assert len(charged(granted)) == 1


def test_an_older_ledger_is_not_restored(granted: Home, tmp_path: Path) -> None:
    """With heads of its own copy that are newer, or seen by the custodian's machine."""
    ask(granted, "analyst")
    back_up(granted, tmp_path / "older")
    ask(granted, "ada")
    back_up(granted, tmp_path / "newer")
    shutil.copy(tmp_path / "older" / "ledger.sqlite", tmp_path / "newer" / "ledger.sqlite")
    with pytest.raises(IntegrityError, match="cut or rolled back"):
        restore(tmp_path / "newer", tmp_path / "restored")
    restore(tmp_path / "older", tmp_path / "fits")
    with closing(open_ledger(granted.settings.ledger)) as ledger:
        ledger.custody.add_dataset("survey", "people", {}, 1)
    with pytest.raises(IntegrityError, match="rolled back or restored from an old backup"):
        restore(tmp_path / "older", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


@pytest.mark.slow
@pytest.mark.parametrize("served", ["postgres"], indirect=True)
def test_a_ledger_in_postgresql_is_dumped_with_its_home(
    granted: Home, tokens: dict[str, str], tmp_path: Path, elsewhere: str
) -> None:
    first = ask(granted, "analyst")
    answer(granted, first, b"zip")
    head = back_up(granted, tmp_path / "copy")
    with pytest.raises(ParameterError, match="pg_restore"):
        restore(tmp_path / "copy", tmp_path / "restored")
    subprocess.run(["pg_restore", "--dbname", elsewhere, tmp_path / "copy" / "ledger.dump"], check=True)
    restored, found = restore(tmp_path / "copy", tmp_path / "restored", ledger=elsewhere)
    assert (found, restored.settings.ledger) == (head, elsewhere)
    assert not (tmp_path / "restored" / "ledger.dump").exists()
    assert bundle(restored, first, tokens["analyst"]) == b"zip"
    assert ask(restored, "ada") > head.seq


def test_the_password_of_a_ledger_is_no_argument(
    selling: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, environments = [], []

    def run(line: list[str], *, env: dict[str, str], **_: object) -> None:
        lines.append(line)
        environments.append(env)
        (tmp_path / "dump").touch()

    monkeypatch.setattr("subprocess.run", run)
    backup._dump("postgresql://ada:secret@localhost/ledger", tmp_path / "dump")
    assert "secret" not in " ".join(lines[0])
    assert environments[0]["PGPASSWORD"] == "secret"


def test_what_is_no_copy_is_refused(selling: Home, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="has no server"):
        restore(tmp_path, tmp_path / "restored")
    back_up(selling, tmp_path / "copy")
    with pytest.raises(ParameterError, match="exists already"):
        restore(tmp_path / "copy", selling.folder)
    (tmp_path / "copy" / "server.toml").write_text("colour = 1\n")
    with pytest.raises(PlanError, match="colour"):
        restore(tmp_path / "copy", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()
