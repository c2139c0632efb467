"""Files are refused by name and reason, and a changed one is found."""

from pathlib import Path

import pytest

from starling.errors import SourceError
from starling.genome.source.input_checks import changed, read_all, refuse, size_of


def test_a_refusal_names_the_file_alone(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as error:
        refuse(tmp_path / "x.bed", "is odd", "mend it", line=3)
    assert str(error.value) == "x.bed:3: genotypes is odd; mend it"
    assert "changed or vanished" in str(changed(tmp_path / "x.bed"))


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert size_of(tmp_path / "x") == 5
    with pytest.raises(SourceError, match="cannot be opened"):
        size_of(tmp_path / "absent")
    with pytest.raises(SourceError, match="is not a plain file"):
        size_of(tmp_path)
    with pytest.raises(SourceError, match="cannot be opened"):
        size_of(Path("a\0b"))


def test_a_file_that_changed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_all(tmp_path / "x", 5) == b"12345"
    for size in (4, 6):
        with pytest.raises(SourceError, match="changed or vanished"):
            read_all(tmp_path / "x", size)
    with pytest.raises(SourceError, match="changed or vanished"):
        read_all(tmp_path / "absent", 5)
