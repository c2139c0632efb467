"""One zip: the same bytes each time, and nothing that a hostile one could do."""

import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError, OutputError, ParameterError
from starling.release import zipped as zipped_module
from starling.release.zipped import EPOCH, MODE, check, opened, unpack, zipped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A few files."""
    folder = tmp_path / "release"
    (folder / "data").mkdir(parents=True)
    (folder / "SIGNATURE").write_text("signed")
    (folder / "data" / "t1.txt").write_bytes(bytes(range(256)) * 300)
    (folder / "data" / "empty").write_text("")
    (folder / "ä.txt").write_text("x")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_zipped_comes_back(folder: Path, tmp_path: Path) -> None:
    zipped(folder, tmp_path / "r.zip")
    with opened(tmp_path / "r.zip") as out:
        assert contents(out) == contents(folder)
    assert not out.exists()
    with opened(folder) as same:
        assert same == folder


def test_the_same_folder_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    zipped(folder, tmp_path / "a.zip")
    (folder / "SIGNATURE").touch()
    (folder / "SIGNATURE").chmod(0o600)
    zipped(folder, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["SIGNATURE", "data/empty", "data/t1.txt", "ä.txt"]


def test_nothing_is_overwritten_and_nothing_half_done_is_left(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "r.zip").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        zipped(folder, tmp_path / "r.zip")
    with pytest.raises(OutputError, match="has no parent folder"):
        zipped(folder, tmp_path / "no" / "r.zip")
    with pytest.raises(OutputError, match="exists"):
        check(tmp_path / "r.zip")
    (folder / "link").symlink_to("SIGNATURE")
    with pytest.raises(IntegrityError, match="link is a link"):
        zipped(folder, tmp_path / "s.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.zip", "release"]


def test_a_place_without_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not there"), opened(tmp_path / "nothing"):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ParameterError, match="is neither a folder nor a file"), opened(tmp_path / "pipe"):
        pass


def entry(name: str, *, mode: int = MODE, kind: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.create_system = 3
    info.external_attr = mode << 16
    info.compress_type = kind
    return info


Hostile = Callable[[zipfile.ZipFile], None]


@pytest.mark.parametrize(
    ("name", "hostile"),
    [
        ("is not a path", lambda archive: archive.writestr(entry("../evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("a/../../evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("/evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("a//evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("./evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("folder/"), "")),
        ("is not a path", lambda archive: archive.writestr(entry("..\\evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("C:evil"), "x")),
        ("is not a path", lambda archive: archive.writestr(entry("a\x1b[2J"), "x")),
        ("is in the zip twice", lambda archive: [archive.writestr(entry(each), "x") for each in ("a", "A")]),
        ("is not a plain file", lambda archive: archive.writestr(entry("link", mode=0o120777), "/etc/passwd")),
        ("is not a plain file", lambda archive: archive.writestr(entry("run", mode=0o100755), "x")),
        ("is compressed", lambda archive: archive.writestr(entry("bomb", kind=zipfile.ZIP_DEFLATED), bytes(3))),
        (
            "holds more than it can",
            lambda archive: archive.writestr(entry("bomb", kind=zipfile.ZIP_DEFLATED), bytes(10**7)),
        ),
        ("a file where it has a folder", lambda archive: [archive.writestr(entry(each), "x") for each in ("a", "a/b")]),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_hostile_zip_writes_nothing_outside_and_is_refused(tmp_path: Path, name: str, hostile: Hostile) -> None:
    inner = tmp_path / "inner" / "folder"
    inner.mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        hostile(archive)
    with pytest.raises(IntegrityError, match=name):
        unpack(tmp_path / "evil.zip", inner)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.zip", "inner"]
    assert [path.name for path in inner.parent.iterdir()] == ["folder"]
    assert not any(path.is_symlink() for path in inner.rglob("*"))


@pytest.mark.parametrize("name", ["a" * 300, "ä" * 200, "a/" * 200 + "b", "/".join(["a" * 250] * 30)])
def test_a_path_that_no_disk_takes_is_refused_as_what_it_is(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(entry(name), "x")
    with (
        pytest.raises(IntegrityError, match="is a longer path than a file of a release has"),
        opened(tmp_path / "evil.zip"),
    ):
        pass


@pytest.mark.parametrize("end", [b"", b"PK\5\6" + bytes(18), b"PK\5\6" + bytes(8) + b"\xff\xff\xff\x0f" + bytes(6)])
@pytest.mark.parametrize("size", [1 << 30, 200 << 30, 1 << 40])
def test_a_file_of_holes_is_no_zip(tmp_path: Path, end: bytes, size: int) -> None:
    with (tmp_path / "sparse.zip").open("wb") as file:
        file.truncate(size - len(end))
        file.seek(size - len(end))
        file.write(end)
    with (
        pytest.raises(IntegrityError, match=r"says to be longer than it is|is longer than any release"),
        opened(tmp_path / "sparse.zip"),
    ):
        pass


def test_a_long_list_of_files_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped_module, "LONGEST_DIRECTORY", 200)
    with zipfile.ZipFile(tmp_path / "long.zip", "w") as archive:
        for number in range(5):
            archive.writestr(entry(f"file-{number}"), "x")
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("read"))
    with pytest.raises(IntegrityError, match="lists more files than a release has"), opened(tmp_path / "long.zip"):
        pass


def test_planted_links_are_not_followed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    (tmp_path / ".r.zip.partial").symlink_to(victim)
    zipped(folder, tmp_path / "r.zip")
    assert victim.read_text() == "as it was"
    assert not (tmp_path / "r.zip").is_symlink()
    assert (tmp_path / "r.zip").stat().st_mode & 0o777 == 0o666 & ~umask()
    # Planted after the check, when the zip is written already.
    plain = zipped_module.write_entries

    def planted(*arguments: object) -> None:
        (tmp_path / "s.zip").symlink_to(victim)
        plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(zipped_module, "write_entries", planted)
    with pytest.raises(OutputError, match="exists"):
        zipped(folder, tmp_path / "s.zip")
    assert victim.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".r.zip.partial", "r.zip", "release", "s.zip", "victim"]


def umask() -> int:
    before = os.umask(0)
    os.umask(before)
    return before


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    # Fifield's bomb: many entries of the directory point at one content.
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(entry("a"), bytes(10_000))
        for number in range(5):
            copy = entry(f"b{number}")
            copy.header_offset, copy.CRC = archive.filelist[0].header_offset, archive.filelist[0].CRC
            copy.file_size = copy.compress_size = 10_000
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
    (tmp_path / "out").mkdir()
    with pytest.raises(IntegrityError, match="holds more than it can"):
        unpack(tmp_path / "evil.zip", tmp_path / "out")


@pytest.mark.parametrize("change", ["front", "behind", "comment", "time"])
def test_a_zip_that_we_would_not_write_so_is_refused(folder: Path, tmp_path: Path, change: str) -> None:
    path = tmp_path / "r.zip"
    if change == "time":
        with zipfile.ZipFile(path, "w") as archive:
            info = entry("SIGNATURE")
            info.date_time = (2026, 1, 1, 0, 0, 0)
            archive.writestr(info, "x")
    else:
        zipped(folder, path)
        data = path.read_bytes()
        if change == "comment":
            data = data[:-2] + struct.pack("<H", 3) + b"abc"
        path.write_bytes({"front": b"MZ" + data, "behind": data + b"x", "comment": data}.get(change, b""))
    (tmp_path / "out").mkdir()
    with pytest.raises(IntegrityError, match="zip"):
        unpack(path, tmp_path / "out")


@given(place=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_no_byte_of_a_zip_can_change_unseen(place: float, mask: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is flipped, the zip is refused or holds other files."""
    scratch = tmp_path_factory.mktemp("flip")
    made = scratch / "made"
    made.mkdir()
    (made / "SIGNATURE").write_text("signed")
    (made / "t1").write_text("numbers")
    zipped(made, scratch / "r.zip")
    data = bytearray((scratch / "r.zip").read_bytes())
    data[int(place * len(data))] ^= mask
    (scratch / "r.zip").write_bytes(data)
    out = scratch / "out"
    out.mkdir()
    try:
        unpack(scratch / "r.zip", out)
    except IntegrityError:
        return
    assert contents(out) != contents(made)


def test_a_cut_zip_is_refused(folder: Path, tmp_path: Path) -> None:
    zipped(folder, tmp_path / "r.zip")
    data = (tmp_path / "r.zip").read_bytes()
    for length in (0, 3, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.zip").write_bytes(data[:length])
        with pytest.raises(IntegrityError, match="is not a zip file"), opened(tmp_path / "cut.zip"):
            pass
