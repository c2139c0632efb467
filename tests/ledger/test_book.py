"""A book under a running process: replaced by an old one, or ahead of it."""

import os
import shutil
import warnings
from pathlib import Path

import pytest

from starling.errors import IntegrityError
from starling.ledger.book import WitnessWarning
from starling.ledger.keys import Pin
from tests.ledger.worlds import World, costing, request


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_a_ledger_rolled_back_under_a_running_server_is_found_at_its_next_charge(world: World, tmp_path: Path) -> None:
    path = Path(world.url.removeprefix("sqlite:///"))
    world.ledger.book.store.backup(str(tmp_path / "old"))
    world.charge(1)
    world.charge(2)
    with path.open("r+b") as file, (tmp_path / "old").open("rb") as old:
        # In place, so that the open connection sees it.
        shutil.copyfileobj(old, file)
        file.truncate()
    with pytest.raises(IntegrityError, match="rolled back or restored from an old backup"):
        world.charge(3)
    with pytest.raises(IntegrityError):
        world.again()


def test_another_process_that_came_further_is_no_rollback(world: World) -> None:
    other = world.again()
    seen = world.ledger.book.witness.advance

    def late(*arguments: object) -> object:
        # Between this commit and its look at the witness another process commits.
        world.ledger.book.witness.advance = seen  # type: ignore[method-assign]
        other.custody.grant("people", "eve", 1)
        return seen(*arguments)  # type: ignore[arg-type]

    world.ledger.book.witness.advance = late  # type: ignore[method-assign, assignment]
    world.charge(1)
    assert world.ledger.reading.verify().head.seq == 7
    other.close()


def test_a_book_knows_its_signer(world: World) -> None:
    world.ledger.book.check_signer(Pin.parse(world.ledger.book.key.public))
    assert world.again().book.id == world.ledger.book.id


def test_attack_a27_a_deleted_witness_is_said_and_so_is_a_first_use(world: World) -> None:
    world.charge(1)
    witness = next((Path(os.environ["STARLING_HOME"]) / "heads").glob("*.jsonl"))
    witness.unlink()
    with pytest.warns(WitnessWarning, match="no witnessed head of it, as at the first use"):
        again = world.again()
    again.charging.charge(request(2), costing(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.again().close()
    again.close()
