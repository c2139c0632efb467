"""The manifest names every file of a release and its hash, in one text; links and devices are refused, not followed."""

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest

from starling.errors import IntegrityError
from starling.release import manifest as manifest_module
from starling.release.manifest import answer, content, digest, digests, files_of, manifest, walk


def fill(folder: Path) -> None:
    """A release in miniature."""
    (folder / "data" / "deep").mkdir(parents=True)
    for name in ("b.txt", "data/a.txt", "data/deep/c", "SIGNATURE", "ledger.sqlite"):
        (folder / name).write_text(name)


def test_the_manifest_is_canonical_and_leaves_out_what_is_written_after_it(tmp_path: Path) -> None:
    fill(tmp_path)
    expected = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("b.txt", "data/a.txt", "data/deep/c")}
    assert manifest(tmp_path) == json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert answer(digests(files_of(tmp_path))) == manifest(tmp_path)
    assert list(files_of(tmp_path)) == ["SIGNATURE", "b.txt", "data/a.txt", "data/deep/c", "ledger.sqlite"]


def test_the_journal_of_a_ledger_at_work_is_no_content(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "ledger.sqlite-journal").write_text("comes and goes")
    assert list(content(tmp_path)) == ["b.txt", "data/a.txt", "data/deep/c"]
    assert "ledger.sqlite-journal" in files_of(tmp_path), "but whoever checks a release sees it"


def test_a_large_file_is_hashed_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 3_000_001)
    assert digest(tmp_path / "large") == hashlib.sha256(b"x" * 3_000_001).hexdigest()


def test_links_pipes_and_sockets_are_refused_and_not_opened(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").symlink_to(tmp_path / "data")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        files, problems = walk(tmp_path)
    assert len(files) == 5
    assert [problem.field for problem in problems] == ["dangling", "folder", "link", "pipe", "s"]
    with pytest.raises(IntegrityError, match="pipe is a link or a device"):
        manifest(tmp_path)


@pytest.mark.parametrize(
    ("size", "problem"), [(200 << 30, "is longer than any"), (1 << 30, "says to be longer than it is")]
)
def test_a_file_that_would_take_hours_is_not_read(tmp_path: Path, size: int, problem: str) -> None:
    fill(tmp_path)
    with (tmp_path / "sparse").open("wb") as file:
        file.write(b"x")
        file.truncate(size)
    files, problems = walk(tmp_path)
    assert "sparse" not in files
    assert [problem in str(each) for each in problems] == [True]


def test_a_folder_of_many_or_deep_folders_is_not_walked(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(30):
        deep /= "a"
        deep.mkdir()
    (deep / "x").write_text("x")
    files, (problem,) = walk(tmp_path)
    assert (files, str(problem).split(";")[0]) == ({}, "a/a/a/a/a/a/a/a lies deeper than any folder of a release")


def test_a_folder_of_many_files_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_module, "MOST_FILES", 20)
    for number in range(30):
        (tmp_path / str(number)).write_text("x")
    _, (problem,) = walk(tmp_path)
    assert "holds more files than a release has" in str(problem)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert walk(tmp_path) == ({}, []), "of a folder that holds nothing, nothing is wrong with what it holds"
    fill(tmp_path)
    (tmp_path / "data" / "Ann Smith has it").mkdir()
    files, problems = walk(tmp_path)
    assert len(files) == 5
    assert [str(problem).split(";")[0] for problem in problems] == ["data/Ann Smith has it is an empty folder"]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", b"\xff\xfe".decode(errors="surrogateescape"), "x\u202ey"])
def test_a_name_that_a_terminal_would_obey_is_refused_and_shown_escaped(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    files, (problem,) = walk(tmp_path)
    assert not files
    assert problem.problem == "has a name that cannot be printed"
    assert str(problem).isprintable()
