"""The witness remembers the furthest head, survives half a line, and knows its signer."""

from pathlib import Path

import pytest

from starling.errors import IntegrityError, OutputError
from starling.ledger.chain import Head
from starling.ledger.keys import Key
from starling.ledger.witness import ROOM, Witness

KEY = Key(bytes(range(32)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "heads" / "one.jsonl"


def head(seq: int) -> Head:
    return Head(seq, f"{seq:064x}")


def test_it_goes_forward_alone(path: Path) -> None:
    witness = Witness("one", path)
    assert witness.read(KEY.public) is None
    for seq, expected in ((3, 3), (2, 3), (7, 7), (7, 7)):
        witness.advance(head(seq), KEY)
        assert Witness("one", path).read(KEY.public) == head(expected)


def test_half_a_line_is_a_power_cut_and_the_one_before_holds(path: Path) -> None:
    witness = Witness("one", path)
    witness.advance(head(1), KEY)
    with path.open("ab") as file:
        file.write(b'{"seq": 2, "ha')
    assert witness.read(KEY.public) == head(1)
    witness.advance(head(3), KEY)
    assert witness.read(KEY.public) == head(3)


def test_it_does_not_grow_for_ever(path: Path) -> None:
    path.parent.mkdir()
    witness = Witness("one", path)
    witness.advance(head(1), KEY)
    path.write_bytes(path.read_bytes() * (ROOM // path.stat().st_size + 2))
    witness.advance(head(2), KEY)
    assert path.stat().st_size < ROOM
    assert witness.read(KEY.public) == head(2)


def test_a_head_of_another_ledger_or_key_or_no_head_is_refused(path: Path) -> None:
    Witness("one", path).advance(head(1), KEY)
    for name, key in (("two", KEY), ("one", Key(bytes(32)))):
        with pytest.raises(IntegrityError):
            Witness(name, path).read(key.public)
    path.write_bytes(path.read_bytes().replace(b'"seq": 1', b'"seq": 0'))
    with pytest.raises(IntegrityError):
        Witness("one", path).read(KEY.public)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "heads").write_text("a file where a folder should be")
    with pytest.raises(OutputError):
        Witness("one", tmp_path / "heads" / "one.jsonl").advance(head(1), KEY)


@pytest.mark.parametrize(
    "cut", [b"", b'{"seq": 1e999, "hash": "", "signature": ""}\n', b"\n", b"[]\n", b'{"seq": 3, "ha']
)
def test_attack_a27_a_witness_that_was_emptied_or_forged_is_told_and_holds_nothing_back(path: Path, cut: bytes) -> None:
    witness = Witness("one", path)
    witness.advance(head(3), KEY)
    path.write_bytes(cut)
    with pytest.raises(IntegrityError, match="witness"):
        witness.read(KEY.public)


def test_attack_a27_a_forged_head_far_ahead_is_not_believed(path: Path) -> None:
    witness = Witness("one", path)
    witness.advance(head(3), KEY)
    line = path.read_bytes().replace(b'"seq": 3', b'"seq": 99')
    path.write_bytes(line)
    with pytest.raises(IntegrityError, match="is not signed by the ledger's key"):
        witness.advance(head(4), KEY)


def test_what_another_process_wrote_is_checked_before_it_is_followed(path: Path) -> None:
    ours, theirs = Witness("one", path), Witness("one", path)
    ours.advance(head(3), KEY)
    theirs.advance(head(5), KEY)
    assert ours.advance(head(4), KEY) == head(5)
    path.write_bytes(path.read_bytes().replace(b'"seq": 5', b'"seq": 6'))
    with pytest.raises(IntegrityError, match="is not signed by the ledger's key"):
        ours.advance(head(7), KEY)
