"""The account of a release commits its charge to one draw, in the order in which nothing can be read too early or lost too late."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starling.errors import LedgerUnavailable, OutputError, PolicyRefused, StarlingError
from starling.ledger.account import RequestAccount
from starling.privacy.guarantee import Guarantee
from starling.release import bundle
from starling.release.commitment import Commitment, Written, drawn_files, forget, remember, remembered
from tests.ledger.worlds import Count, World, costing, request, sqlite_world

NAME = "measurements/drawn.txt"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with sqlite_world(tmp_path) as made:
        yield made


def commitment(account: RequestAccount, folder: Path, *, inside: bool = False) -> Commitment[str]:
    folder.mkdir(parents=True, exist_ok=True)
    return Commitment(
        account, folder, lambda place: (place / NAME).read_text(), None if inside else lambda name: f"mark {name}"
    )


def written(made: Commitment[str], text: str) -> None:
    with made.create(NAME) as file:
        file.write(text.encode())


def events(world: World) -> list[str]:
    return [event.kind for event in world.ledger.reading.events()][5:]


def test_nothing_is_readable_before_the_event_and_everything_after(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, account = tmp_path / "work" / "release", world.ledger.account(request(1))
    made = commitment(account, folder)
    assert made.charge(costing(1)).request_id == "request-1"
    assert made.resume() is None
    written(made, "seven")
    plain: Callable[[str, str], None] = account.draw
    seen: list[bool] = []

    def watching(sha256: str, key: str, stored: object) -> None:
        assert stored is None
        seen.append(any(b"seven" in path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()))
        assert (folder.parent / bundle.CLAIMED).read_text() == "mark request-1", (
            "it is claimed before it is committed to"
        )
        assert remembered("mark request-1") == folder.parent
        plain(sha256, key)

    monkeypatch.setattr(account, "draw", watching)
    assert made.commit("ignored: what was written is what is read") == "seven"
    assert seen == [False]
    assert events(world) == ["charge", "drawn"]
    assert (folder / NAME).read_text() == "seven"


def test_another_run_finishes_the_draw_and_a_folder_without_it_pays_again(world: World, tmp_path: Path) -> None:
    first = commitment(world.ledger.account(request(1)), tmp_path / "work" / "release")
    first.charge(costing(1))
    written(first, "seven")
    first.commit("")
    world.ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))
    second = commitment(world.ledger.account(request(1)), tmp_path / "work" / "release")
    second.charge(costing(1))
    assert second.resume() == "seven"
    world.ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))
    third = commitment(world.ledger.account(request(1)), tmp_path / "elsewhere" / "release")
    third.charge(costing(1))
    moved = tmp_path / f".out{bundle.MARK}abc"
    (tmp_path / "work").rename(moved)
    remember("mark request-1", moved)
    with pytest.raises(OutputError, match=f"lies beside {tmp_path / 'out'}"):
        third.resume()
    forget("mark request-1")
    assert third.resume() is None
    assert events(world) == ["charge", "drawn", "takeover", "takeover", "redrawn"]
    assert world.spent() == 2


@pytest.mark.parametrize(
    ("error", "stays"),
    [
        (PolicyRefused(field="draw", problem="is another run's", fix="wait"), False),
        (LedgerUnavailable(field="ledger", problem="is away", fix="wait"), True),
    ],
)
def test_where_nobody_knows_whether_the_ledger_kept_it_the_folder_stays(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: StarlingError, stays: bool
) -> None:
    account = world.ledger.account(request(1))

    def refused(*_: str) -> None:
        raise error

    def drawing() -> None:
        with bundle.writing(tmp_path / "out") as folder:
            made = commitment(account, folder)
            made.charge(costing(1))
            written(made, "seven")
            made.commit("")

    monkeypatch.setattr(account, "draw", refused)
    with pytest.raises(type(error)):
        drawing()
    assert (len(list(tmp_path.glob(".out.partial-*"))) == 1) is stays
    assert not list(tmp_path.rglob("drawn.txt")) or stays
    assert not any(b"seven" in path.read_bytes() for path in tmp_path.glob(".out*/**/*") if path.is_file())


def test_a_ledger_inside_goes_with_its_folder(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "work" / "release"
    made = commitment(world.ledger.account(request(1)), folder, inside=True)
    made.charge(costing(1))
    written(made, "seven")
    made.commit("")
    assert not (folder.parent / bundle.CLAIMED).exists()
    assert json.loads(list(world.ledger.reading.events())[-1].body)["charge"] == 6


def test_bytes_that_changed_while_they_were_decrypted_are_said(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commitment(world.ledger.account(request(1)), tmp_path / "work" / "release")
    made.charge(costing(1))
    written(made, "seven")
    monkeypatch.setattr("starling.release.encrypted.CommittedFiles.decrypt", lambda *_: False)
    with pytest.raises(OutputError, match="are not what was drawn"):
        made.commit("")


def test_a_mechanism_that_is_written_draws_once_and_costs_the_same() -> None:
    stored: list[int] = []
    mechanism = Written(Count(), stored.append)
    guarantee: Guarantee = mechanism.guarantee
    assert guarantee == Count().guarantee
    assert mechanism.draw(7) == 7
    assert stored == [7]


def test_a_charge_that_is_committed_to_nothing_has_no_files(tmp_path: Path) -> None:
    assert drawn_files(tmp_path, None) == ()
