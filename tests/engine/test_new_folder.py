"""A folder of made-up data is there as a whole or not at all."""

from pathlib import Path

import pytest

from starling.engine.new_folder import new_file, new_folder
from starling.errors import OutputError


def test_it_appears_when_the_block_has_ended(tmp_path: Path) -> None:
    out = tmp_path / "a" / "made"
    with new_folder(out) as folder:
        (folder / "note").write_text("x")
        assert not out.exists()
    assert [path.name for path in out.parent.iterdir()] == ["made"]
    assert (out / "note").read_text() == "x"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_of_a_block_that_failed(tmp_path: Path, error: type[BaseException]) -> None:
    def made() -> None:
        with new_folder(tmp_path / "made") as folder:
            (folder / "note").write_text("x")
            raise error

    with pytest.raises(error):
        made()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left"), new_folder(tmp_path / "made"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(OutputError, match="exists"), new_folder(tmp_path):
        pass
    assert (tmp_path / "mine").read_text() == "x"


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "below" / "a.csv"

    def written_in_part() -> None:
        with new_file(out) as part:
            part.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written_in_part()
    assert list(out.parent.iterdir()) == []
    with new_file(out) as part:
        part.write_text("whole")
        assert not out.exists()
    assert [path.read_text() for path in out.parent.iterdir()] == ["whole"]
    with pytest.raises(OutputError, match="exists"), new_file(out):
        pass
