"""A question is kept by the hash of its request, once, and is found as it was asked."""

from pathlib import Path

import pytest

from starling.errors import IntegrityError
from starling.ledger.rules import Request
from starling.server.stored_questions import Questions

FIRST = Request("ada", "first", "asthma", '{"ask":"num_sig"}')


def test_it_is_found_by_the_hash_that_the_ledger_has(tmp_path: Path) -> None:
    questions = Questions(tmp_path)
    questions.keep(FIRST, {"kind": "num_sig"})
    questions.keep(FIRST, {"kind": "num_sig"})
    assert questions.find(FIRST.hash) == {"kind": "num_sig"}
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(IntegrityError, match="not there as it was asked"):
        questions.find("0" * 64)
    (tmp_path / f"{FIRST.hash}.json").write_text("{")
    with pytest.raises(IntegrityError, match="not there as it was asked"):
        questions.find(FIRST.hash)


def test_what_root_keeps_belongs_to_the_account_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A custodian who approves for less keeps a question that the web process has to read."""
    given: list[tuple[Path, int, int]] = []
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    monkeypatch.setattr("os.chown", lambda *words: given.append(words))
    Questions(tmp_path).keep(FIRST, {})
    assert given == [(tmp_path / f"{FIRST.hash}.json", tmp_path.stat().st_uid, tmp_path.stat().st_gid)]
