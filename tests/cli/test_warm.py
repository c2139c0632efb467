"""The chapters of the demo are what is compiled first, and the demo shows each chapter as it ends."""

from pathlib import Path

import pytest

from starling.cli.demo import airports, flights, nation, study
from starling.cli.warm import DOMAINS, compile_demo
from starling.errors import ParameterError
from tests.cli.conftest import Call


def test_tests_compile_the_chapters_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, bool]] = []
    for each in (nation, study, flights, airports):
        monkeypatch.setattr(each, "chapter", lambda folder, *_: ran.append((folder.name, folder.parent.is_dir())))
    compile_demo(DOMAINS)
    assert ran == [(name, True) for name in DOMAINS]


@pytest.mark.slow
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
