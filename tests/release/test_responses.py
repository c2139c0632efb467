"""What the custodian keeps of a draw: where it lies, who can read it, and that nothing else is taken for it."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import IntegrityError
from starling.ledger.responses import PaidResponse, Stored
from starling.privacy.budget import Epsilon
from starling.release.encrypted import STORED, EncryptedFile
from starling.release.responses import Vault
from tests.ledger.worlds import World as LedgerWorld
from tests.ledger.worlds import costing, request, sqlite_world
from tests.release.test_commitment import NAME, commitment

CONTENT = b"bits of a response"
DRAW = bytes(range(32))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LedgerWorld]:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with sqlite_world(tmp_path) as world:
        (tmp_path / "home" / "responses").mkdir(parents=True)
        yield world


def paid(draw: bytes) -> PaidResponse:
    stored = Stored(hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    return PaidResponse(7, "people", "census", Epsilon(Fraction(1)), "0" * 64, draw.hex(), stored)


def test_it_is_read_by_both_halves_of_its_key_alone(made: LedgerWorld) -> None:
    vault = Vault(made.ledger.book)
    for draw in (DRAW, DRAW[::-1]):
        with EncryptedFile(*vault.place(7, draw)) as file:
            file.write(CONTENT)
    assert vault.read(paid(DRAW)) == CONTENT
    vault.settle(7, DRAW)
    assert [path.name for path in vault.place(7, DRAW).path.parent.iterdir()] == [vault.place(7, DRAW).path.name]
    assert CONTENT not in vault.place(7, DRAW).path.read_bytes()
    for other in (paid(bytes(32)), replace(paid(DRAW), charge=8), replace(paid(DRAW), stored=Stored("0" * 64, 18))):
        with pytest.raises(IntegrityError, match="is not here as it was drawn"):
            vault.read(other)


def test_a_ledger_inside_a_release_keeps_nothing(made: LedgerWorld, tmp_path: Path) -> None:
    account = commitment(made.ledger.account(request(1)), tmp_path / "work" / "release", inside=True)
    account.charge(costing(1))
    for name in (NAME, STORED):
        with account.create(name) as file:
            file.write(CONTENT)
    account.commit("")
    assert [path.name for path in (tmp_path / "work").rglob("*") if path.name == STORED] == []
    assert [*(tmp_path / "home" / "responses").iterdir()] == []
