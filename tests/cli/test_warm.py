"""What is compiled beforehand leaves nothing, and the demo shows each chapter as it ends."""

from pathlib import Path

import pytest

from starling.cli.demo import study
from starling.cli.warm import DOMAINS
from starling.domains import DOMAINS as REGISTERED
from starling.errors import ParameterError
from tests.cli.conftest import Call


@pytest.mark.slow
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
