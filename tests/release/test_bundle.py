"""A release is there as a whole or not at all, whatever stops the run that writes it."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.errors import OutputError
from starling.release import bundle

CONSTANT = "could not be written (full disk or failing device); nothing was published"


def names(folder: Path) -> list[str]:
    """What is in a folder, hidden names too."""
    return sorted(path.name for path in folder.iterdir())


def run(code: str, out: Path) -> "subprocess.Popen[str]":
    """A child process that runs `code` with `out` and `bundle` at hand."""
    head = f"import os, resource, signal, time\nfrom pathlib import Path\nfrom starling.release import bundle\nout = Path({str(out)!r})\n"
    return subprocess.Popen([sys.executable, "-c", head + textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)


def test_a_release_appears_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "release"
    with bundle.writing(out) as folder:
        (folder / "data").mkdir()
        (folder / "data" / "a.txt").write_text("1")
        assert not out.exists()
        assert folder.parent.stat().st_mode & 0o077 == 0, "a draw that may be lost is closed to others"
    assert (out / "data" / "a.txt").read_text() == "1"
    assert names(tmp_path) == ["release"]
    assert [path.name for path in out.iterdir()] == ["data"], "no lock or temporary file is left in it"


@pytest.mark.parametrize(
    "spelled", [Path, Path.absolute], ids=["as mkdtemp is asked", "absolute, as since Python 3.12"]
)
@pytest.mark.parametrize("out", [Path("release"), Path("./release"), Path("below/release"), Path("below/../release")])
def test_a_relative_folder_is_written_by_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: Path, spelled: Callable[[Path], Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("below").mkdir()
    mkdtemp = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **options: str(spelled(Path(mkdtemp(**options)))))
    bundle.check(out)
    with bundle.writing(out) as folder:
        assert bundle.held(folder.parent)
        (folder / "a.txt").write_text("1")
    assert [path.name for path in out.iterdir()] == ["a.txt"]
    assert set(names(tmp_path)) <= {"below", "release"}
    assert set(names(tmp_path / "below")) <= {"release"}


@pytest.mark.parametrize("failure", [ValueError("x"), KeyboardInterrupt()])
def test_an_exception_leaves_nothing(tmp_path: Path, failure: BaseException) -> None:
    def fail() -> None:
        with bundle.writing(tmp_path / "release") as folder:
            (folder / "a").write_text("1")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert not names(tmp_path)


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    for make in (Path.mkdir, Path.touch, lambda path: path.symlink_to("nowhere")):
        out = tmp_path / f"release{len(names(tmp_path))}"
        make(out)
        with pytest.raises(OutputError, match="exists"):
            bundle.check(out)
        with pytest.raises(OutputError, match="exists"), bundle.writing(out):
            pytest.fail("the block must not begin")


def test_a_missing_parent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no parent folder; make it first: mkdir -p"):
        bundle.check(tmp_path / "missing" / "release")


def test_an_unwritable_place_is_refused() -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        bundle.check(Path("/proc/sys/release"))


def test_check_leaves_nothing(tmp_path: Path) -> None:
    bundle.check(tmp_path / "release")
    assert not names(tmp_path)


def test_a_killed_run_leaves_no_release_and_the_next_reports_and_removes(tmp_path: Path) -> None:
    out = tmp_path / "release"
    code = """
        with bundle.writing(out) as folder:
            (folder / "a").write_text("1")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run(code, out).wait() == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert left.startswith(".release.partial-")
    bundle.check(out)
    assert names(tmp_path) == [left], "a check reports and removes nothing"
    told: list[str] = []
    with bundle.writing(out, told.append) as folder:
        (folder / "b").write_text("2")
    assert told == [f"removed {left}: left by a run that was killed before it published anything"]
    assert names(tmp_path) == ["release"]
    assert names(out) == ["b"]


def test_a_folder_killed_before_its_lock_is_removed_too(tmp_path: Path) -> None:
    (tmp_path / ".release.partial-abc").mkdir()
    with bundle.writing(tmp_path / "release"):
        pass
    assert names(tmp_path) == ["release"]


def test_folders_of_other_names_are_left_alone(tmp_path: Path) -> None:
    others = {".release.partial-a.partial-b", ".release2.partial-a", ".release.partial-A B"}
    for name in others:
        (tmp_path / name).mkdir()
    with bundle.writing(tmp_path / "release"):
        pass
    assert set(names(tmp_path)) == {*others, "release"}


def test_a_running_run_is_not_taken_for_a_killed_one(tmp_path: Path) -> None:
    out = tmp_path / "release"
    code = """
        with bundle.writing(out) as folder:
            print("ready", flush=True)
            time.sleep(60)
    """
    child = run(code, out)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        with pytest.raises(OutputError, match="is being written by another run"):
            bundle.check(out)
        with pytest.raises(OutputError, match="is being written by another run"), bundle.writing(out):
            pytest.fail("the block must not begin")
        assert len(names(tmp_path)) == 1
    finally:
        child.kill()
        child.communicate()
    bundle.check(out)


def test_a_full_disk_gives_one_message_and_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "release"
    code = """
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        try:
            with bundle.writing(out) as folder:
                (folder / "secret-name").write_bytes(bytes(1 << 20))
        except Exception as error:
            print(type(error).__name__, error.exit_code, error, sep="|")
    """
    child = run(code, out)
    printed, _ = child.communicate()
    kind, exit_code, message = printed.strip().split("|")
    assert (kind, exit_code) == ("OutputError", "74")
    assert CONSTANT in message
    assert "secret-name" not in message
    assert not names(tmp_path)


def test_a_failing_flush_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError) as caught, bundle.writing(tmp_path / "release") as folder:
        (folder / "a").write_text("1")
    assert CONSTANT in str(caught.value)
    assert not names(tmp_path)


def test_every_file_and_folder_is_flushed_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "release"
    flushed: list[tuple[str, bool]] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        flushed.append((Path(f"/proc/self/fd/{descriptor}").readlink().name, out.exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with bundle.writing(out) as folder:
        (folder / "data").mkdir()
        (folder / "data" / "a").write_text("1")
    assert flushed == [("a", False), ("data", False), ("release", False), (tmp_path.name, True)]


def test_a_place_taken_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "release"

    def take() -> None:
        with bundle.writing(out) as folder:
            (folder / "a").write_text("1")
            out.mkdir()
            (out / "theirs").write_text("2")

    with pytest.raises(OutputError):
        take()
    assert names(out) == ["theirs"]
    assert names(tmp_path) == ["release"]
