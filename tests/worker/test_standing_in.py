"""Twins of registered data: the same whatever the records are, made again where they were cut off, released by their own worker."""

import shutil
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from starling import domains
from starling.errors import OutputError, ParameterError
from starling.ledger.opening import create_ledger
from starling.release.domain import Delivering
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home, make_home
from starling.server.sandbox import FreeCharges
from starling.verification import open_release
from starling.worker import standing_in
from starling.worker.sources import Sources, source_of
from starling.worker.standing_in import fill_sandbox, stand_in
from tests.server.in_process import Here
from tests.toy import serving
from tests.worker.lanes import worker_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
PLAN = 'title = "Pets"\ncategories = ["cat", "dog", "none"]\nepsilon = 1\n'
KINDS = {"pets": "toy", "poll": "poll"}
"""Of which domain each dataset is."""


def use_toys(patch: pytest.MonkeyPatch) -> None:
    """Register the domains of tests."""
    for name, place in (("RELEASED", "toy"), ("ASKED", "poll")):
        found = domains.Registered(f"tests.toy.serving:{name}", "tests.toy.verbs:toy")
        patch.setitem(domains.DOMAINS, place, found)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Domains of tests are registered, and keys lie in a folder of the test's own."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    use_toys(monkeypatch)


def home_of(folder: Path, records: bytes) -> Home:
    """A home with both datasets, whose records are these bytes."""
    folder.mkdir()
    (folder / "plan.toml").write_text(PLAN)
    (folder / "persons.txt").write_bytes(records)
    home = make_home(folder / "home")
    create_ledger(home.settings.ledger).close()
    for name, kind in KINDS.items():
        source = source_of(kind, str(folder / "plan.toml"), {"persons": folder / "persons.txt"})
        Sources(home).register(name, source, deadline=60)
    return home


@pytest.fixture
def home(tmp_path: Path, toys: None) -> Home:
    """A home with both datasets and no sandbox."""
    return home_of(tmp_path / "real", b"cat\n" * 7)


def sandbox_of(home: Home) -> Home:
    """Its sandbox."""
    found = home.sandbox
    assert found is not None
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder but keys, databases and witnessed heads, which are drawn at random."""
    drawn = (".key", ".sqlite", ".jsonl")
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in drawn)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def delivering() -> Delivering:
    """How a server is given the data of tests."""
    found = serving.RELEASED.delivering
    assert found is not None
    return found


def ask(home: Home, name: str) -> int:
    """Charge a release of an invented dataset."""
    with closing(FreeCharges(home)) as charges:
        return charges.charge("ada", Catalogue(home.folder / "datasets").release(name), "first")


def test_each_has_a_twin_that_can_be_asked_at_once(home: Home) -> None:
    assert fill_sandbox(home) == (("pets", "poll"), ())
    sandbox = sandbox_of(home)
    catalogue = Catalogue(sandbox.folder / "datasets")
    assert [catalogue.find(name).title for name in catalogue.names()] == ["Invented: Pets"] * 2
    assert catalogue.preview("pets") == Catalogue(home.folder / "datasets").preview("pets")
    assert catalogue.plan_zip("poll").exists()
    number = ask(sandbox, "pets")
    told: list[str] = []
    worker_of(sandbox, told.append).round(threading.Event())
    assert f"release {number} of pets is done" in told
    assert (sandbox.releases / f"{number}.zip").exists()
    assert not list(home.releases.iterdir())


def test_a_plan_that_is_asked_questions_answers_them_there(home: Home) -> None:
    assert stand_in(home, "poll") is None
    sandbox, question = sandbox_of(home), {"kind": "counts", "epsilon": "2"}
    with closing(Here()) as understanding, closing(FreeCharges(sandbox)) as charges:
        asked = understanding.ask(Catalogue(sandbox.folder / "datasets"), "poll", question, user="ada")
        number = charges.charge("ada", asked, "first", question)
    worker_of(sandbox, lambda _: None).round(threading.Event())
    release = open_release(sandbox.releases / f"{number}.zip")
    assert release.request_id == "first"
    assert release.cost.amount == 2


@pytest.mark.usefixtures("toys")
def test_whatever_the_records_are_the_sandbox_is_the_same(tmp_path: Path) -> None:
    """Two worlds that differ in every record, and one in which none can be read any more."""
    worlds, folder = [], tmp_path / "world"
    for records in (b"cat\n" * 9, b"\xff\x00" * 999):
        home = home_of(folder, records)
        (folder / "persons.txt").chmod(0)
        fill_sandbox(home)
        worlds.append(contents(home.folder / "sandbox"))
        shutil.rmtree(folder)
    home = home_of(folder, b"cat\n")
    (folder / "persons.txt").unlink()
    fill_sandbox(home)
    assert worlds[0] == worlds[1] == contents(home.folder / "sandbox")
    assert any(b"cat" in content for name, content in worlds[0].items() if name.startswith("invented"))


def test_no_confidential_file_is_named_to_whoever_invents(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    toy = delivering()

    def inventing(plan: str, files: Any, folder: Path) -> Any:
        asked.append(tuple(files))
        assert toy.invent is not None
        return toy.invent(plan, files, folder)

    monkeypatch.setattr(standing_in, "delivering_of", lambda _: replace(toy, invent=inventing))
    assert stand_in(home, "pets") is None
    assert asked == [()]
    real = (home.folder.parent / "persons.txt").read_bytes()
    assert all(
        str(home.folder.parent / "persons.txt").encode() not in each
        for each in contents(home.folder / "sandbox").values()
    )
    assert real not in contents(home.folder / "sandbox").values()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ParameterError("input", "needs an extra", "install it"), "input needs an extra"),
        (ValueError("7 persons"), "a fault of Starling"),
    ],
)
def test_what_cannot_be_invented_is_told_and_made_later(
    home: Home, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def failing(*_: object) -> Any:
        raise error

    toy = delivering()
    with monkeypatch.context() as patch:
        patch.setattr(standing_in, "delivering_of", lambda _: replace(toy, invent=failing))
        missing = stand_in(home, "pets")
        assert missing is not None
        assert (missing.name, said in missing.why, "7 persons" in missing.why) == ("pets", True, False)
        patch.setattr(standing_in, "delivering_of", lambda _: replace(toy, invent=None))
        assert "invents no records" in fill_sandbox(home)[1][0].why
    assert Catalogue(home.folder / "datasets").names() == ["pets", "poll"]
    assert fill_sandbox(home) == (("pets", "poll"), ())


@pytest.mark.parametrize("point", ["open_custody", "_admit", "Sources.register"])
def test_a_twin_that_was_cut_off_is_made_again(home: Home, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    with monkeypatch.context() as patch:
        owner = Sources if "." in point else standing_in
        patch.setattr(owner, point.rpartition(".")[2], unwritable)
        assert stand_in(home, "pets") is not None
    sandbox = sandbox_of(home)
    assert Catalogue(sandbox.folder / "datasets").names() == []
    assert stand_in(home, "pets") is None
    number = ask(sandbox, "pets")
    worker_of(sandbox, lambda _: None).round(threading.Event())
    assert (sandbox.releases / f"{number}.zip").exists()


def unwritable(*_: object, **__: object) -> Any:
    raise OutputError("home", "cannot be written", "make room")


def test_a_worker_of_the_home_does_nothing_of_the_sandbox(home: Home) -> None:
    assert stand_in(home, "pets") is None
    sandbox = sandbox_of(home)
    number = ask(sandbox, "pets")
    worker_of(home, lambda _: None).round(threading.Event())
    assert not (sandbox.releases / f"{number}.zip").exists()
    with closing(Charges(home)) as charges, pytest.raises(ParameterError, match="is not there"):
        charges.progress(number, "ada")
