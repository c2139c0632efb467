"""A line in, a line out, whatever the line is."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from starling.public.serving import serve
from tests.public.test_answering import task


def test_each_line_is_answered_and_a_fault_stops_nothing(plan: Path) -> None:
    lines = [b"nonsense\n", b"{}\n", b"[]\n", json.dumps(task(plan)).encode() + b"\n"]
    answers = io.BytesIO()
    serve(io.BytesIO(b"".join(lines)), answers)
    said = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [each.get("error") for each in said] == ["InternalError"] * 3 + [None]
    assert "title" in said[3]


@pytest.mark.slow
def test_the_process_ends_with_its_input() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from starling.public.serving import main; main()"],
        input=b"{}\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["error"] == "InternalError"
    assert done.stderr == b""
