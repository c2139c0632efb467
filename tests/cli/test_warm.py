"""What is compiled beforehand: by a command, by the demo for its next chapters, and that neither leaves anything."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from starling.cli.demo import study
from starling.cli.warm import DOMAINS, warming
from starling.domains import DOMAINS as REGISTERED
from starling.errors import ParameterError
from starling.privacy import compiling
from tests.cli.conftest import Call


class Process:
    """A process that is not started, and what was done to it."""

    def __init__(self, line: Sequence[str]) -> None:
        self.line, self.ended = line, [False, False]

    def terminate(self) -> None:
        self.ended[0] = True

    def wait(self) -> None:
        self.ended[1] = True


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    processes: list[Process] = []

    def start(line: Sequence[str], **_: object) -> Process:
        processes.append(Process(line))
        return processes[-1]

    monkeypatch.setattr("starling.cli.warm.subprocess.Popen", start)
    return processes


def test_every_domain_can_be_warmed_and_nothing_stays(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert set(DOMAINS) == set(REGISTERED)
    result = call("warm", "groups", "places")
    assert result.exit_code == 0, result.output
    assert result.stdout == "compiled for groups, places\n"
    assert [path.name for path in tmp_path.iterdir()] == []


def test_another_process_compiles_once_this_one_begins_to_and_ends_with_it(started: list[Process]) -> None:
    with warming("genome", "places"):
        assert started == []
        compiling.begins(kept=True)
        compiling.begins(kept=True)
        [process] = started
        assert process.line[-3:] == ["warm", "genome", "places"]
        assert process.ended == [False, False]
    assert process.ended == [True, True]


def test_where_nothing_is_kept_no_process_is_started(started: list[Process]) -> None:
    with warming("genome"):
        compiling.begins(kept=False)
    compiling.begins(kept=True)
    assert started == []


def test_a_chapter_of_the_demo_is_shown_before_the_next_begins(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ParameterError("study", "is not begun here", "nothing")

    monkeypatch.setattr(study, "chapter", refused)
    result = call("demo", "--persons", "2000", "--out", tmp_path / "d")
    assert result.exit_code == ParameterError.exit_code
    assert result.stdout.startswith("1. A nation, published\n\nAn invented nation: 2,000 persons")
    assert "2. " not in result.stdout
