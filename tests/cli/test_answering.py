"""`starling answer`: what an opened release tells, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import starling
from tests.cli.conftest import Call, document
from tests.four_domains import release, write

ROWS = {"kind": "rows", "table": "t1", "most": 2}
TERM = {"table": "t1", "where": [["iteration_code", "sex: F"]]}
OTHER = {"table": "t1", "where": [["iteration_code", "sex: M"]]}


def test_it_says_what_the_opened_release_tells(call: Call, tmp_path: Path) -> None:
    release(write(tmp_path), "tables")
    here = tmp_path / "tables" / "out"
    with starling.open_release(here) as opened:
        questions: list[Any] = [ROWS, {"kind": "sum", "terms": [TERM, OTHER]}]
        for question in questions:
            assert document(call("answer", here, "--question", json.dumps(question), "--json")) == opened.tell(question)
        signer = opened.signer.fingerprint
    text = call("answer", here, "--question", json.dumps(ROWS), "--key", signer).stdout
    assert text.startswith("region_id")
    assert "There are more such rows" in text
    assert call("answer", here, "--question", '{"kind": "x"}').exit_code == 2
    assert call("answer", here, "--question", "[]").exit_code == 2
