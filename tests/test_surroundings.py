"""Releases and tests pass whatever surrounds them: locale, paths, disks, the folder of the user, Python's options, signals."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from starling import groups, places
from starling.engine import duck
from starling.engine.machine import CONTROL_GROUP
from starling.errors import OutputError, ParameterError, RunFailed, StarlingError
from starling.ledger.account import RequestAccount
from starling.release.payment import PaymentOptions
from tests import four_domains
from tests.conftest import ROOT

IGNORING = """
import os, signal, sys
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, 32, 33}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.umask(0o077)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""What `nohup` and a script's background job do, and more: the program that it becomes inherits it."""


def under(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with these words, started by a parent that ignores and blocks every signal."""
    command = [sys.executable, "-c", IGNORING, *words]
    made = os.environ | {"COLUMNS": "20", "FORCE_COLOR": "1"}
    return subprocess.run(command, cwd=ROOT, env=made, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_parent_that_ignores_signals_fails_no_test_of_signals() -> None:
    interrupting = "tests/engine/test_spill.py::test_nothing_stays_of_a_process_that_is_ended"
    result = under("-m", "pytest", "-n0", "-p", "no:cacheprovider", "--color=no", interrupting)
    assert result.returncode == 0, result.stdout
    assert "3 passed" in result.stdout


def test_children_of_tests_inherit_nothing() -> None:
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        assert signal.getsignal(number) is not signal.SIG_IGN
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    code = "import os; print(*(line for line in open('/proc/self/status') if line.startswith(('SigBlk', 'SigIgn', 'Umask'))), sep='')"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    said = dict(line.split(":\t") for line in shown.splitlines() if line)
    # The C library keeps two signals to itself, and ignores them in a program that it starts by posix_spawn.
    ignored = {number for number in signal.valid_signals() if int(said["SigIgn"], 16) >> (number - 1) & 1}
    assert ignored <= {signal.SIGPIPE, signal.SIGXFSZ}
    assert (int(said["SigBlk"], 16), said["Umask"]) == (0, "0022")


@pytest.mark.parametrize("name", ["COLUMNS", "NO_COLOR", "FORCE_COLOR"])
def test_no_wish_about_screens_reaches_a_test(name: str) -> None:
    assert name not in os.environ


# ---------------------------------------------------------------- what surrounds a release

AWKWARD = "mit Leerzeichen, 'Ümläut' und 鳥"
"""The name of a folder."""
COMMANDS = "import locale, sys; locale.setlocale(locale.LC_ALL, ''); from tests.four_domains import commands; commands(sys.argv[1])"


def release_all(folder: Path, env: Mapping[str, str | None], *options: str) -> "subprocess.CompletedProcess[bytes]":
    """Plan, release and verify in every domain, in a Python of its own with these options; a variable that is None is not there."""
    changed = {name: value for name, value in (os.environ | env).items() if value is not None}
    paths = changed | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, *options, "-c", COMMANDS, str(folder)]
    return subprocess.run(command, env=paths, capture_output=True, check=False)


@pytest.fixture(scope="module")
def comma_locale(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """German, in which 1/2 is written 0,5; made here, since it is installed in few places."""
    folder = tmp_path_factory.mktemp("locales")
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], check=True, capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Any:
    """A folder on another file system than those of tests."""
    (parent, *_) = (each for each in ("/dev/shm", ROOT) if Path(each).stat().st_dev != tmp_path.stat().st_dev)
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        yield folder


@pytest.mark.slow
def test_releases_in_the_c_locale_without_utf_8(tmp_path: Path) -> None:
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = release_all(four_domains.write(tmp_path / "world"), bare)
    assert done.returncode == 0, done.stderr
    four_domains.check(tmp_path / "world")


@pytest.mark.parametrize("utf8", ["0", "1"])
def test_a_path_that_the_locale_cannot_say_is_refused_before_the_charge(tmp_path: Path, utf8: str) -> None:
    bare = {"LC_ALL": "C", "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0"}
    code = "from pathlib import Path; from starling.release.bundle import check; check(Path('out').absolute())"
    (tmp_path / AWKWARD).mkdir()
    folder, command = tmp_path / AWKWARD, [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=os.environ | bare, capture_output=True, text=True, check=False)
    assert ("set PYTHONUTF8=1" in done.stderr) == (utf8 == "0")
    assert (done.returncode == 0) == (utf8 == "1")


@pytest.mark.slow
def test_releases_with_a_decimal_comma_other_disks_and_awkward_names_and_without_asserts(
    tmp_path: Path, comma_locale: Mapping[str, str], elsewhere: str
) -> None:
    """All at once: none of them hides what another would break. A warning is an error."""
    # /proc is written to by nobody, root included.
    around = {**comma_locale, "HOME": "/proc", "TMPDIR": elsewhere, "STARLING_HOME": str(tmp_path / "keys")}
    done = release_all(four_domains.write(tmp_path / AWKWARD), around, "-O", "-W", "error")
    assert done.returncode == 0, done.stderr
    four_domains.check(tmp_path / AWKWARD)
    assert not [*Path(elsewhere).iterdir()]


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_refused_before_the_charge(tmp_path: Path) -> None:
    done = release_all(four_domains.write(tmp_path / "world"), {"HOME": "/proc", "STARLING_HOME": None})
    assert done.returncode != 0
    assert b"set STARLING_HOME" in done.stderr
    assert b"charged" not in done.stderr
    assert not [*(tmp_path / "world" / "tables").glob("*out*")]


# ---------------------------------------------------------------- what is opened after a charge


INSTALLED = (ROOT, sys.prefix, sys.base_prefix)
TRACED = """
import json, sys
from pathlib import Path
from starling.ledger.account import RequestAccount
from tests import four_domains

folder, opened, charge = Path(sys.argv[1]), [], RequestAccount.charge
def charged(account, guarantee):
    receipt = charge(account, guarantee)
    opened.append(())
    return receipt
RequestAccount.charge = charged
def traced(event, arguments):
    if opened and event in ("open", "os.mkdir", "tempfile.mkdtemp", "import", "socket.connect", "subprocess.Popen"):
        opened.append((event, str(arguments[0])))
sys.addaudithook(traced)
found = {}
for domain in four_domains.RELEASES:
    opened.clear()
    four_domains.release(folder, domain)
    found[domain] = opened[1:]
    opened.clear()
print(json.dumps(found))
"""


@pytest.mark.slow
def test_after_the_charge_nothing_else_is_opened(tmp_path: Path) -> None:
    """Records, the release in its own folder, the folder for temporary files and kept kernels; the tests below make each of these fail."""
    four_domains.write(tmp_path / "world")
    (tmp_path / "temporary").mkdir()
    surroundings = {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}
    traced = subprocess.run(
        [sys.executable, "-c", TRACED, str(tmp_path / "world")],
        env=os.environ | surroundings,
        capture_output=True,
        check=True,
    )
    extras = {"h3", "pandas", "polars", "xlsxwriter", "pgenlib", "psycopg", "pyspark", "httpx", "fastapi", "ipywidgets"}
    for domain, opened in json.loads(traced.stdout).items():
        here = tmp_path / "world" / domain
        assert [name for event, name in opened if event == "open" and "partial" in name], "the trace sees the release"
        for event, name in opened:
            if event == "import":
                assert name.partition(".")[0] not in extras, name
                continue
            assert event in ("open", "os.mkdir", "tempfile.mkdtemp"), (event, name)
            assert (
                name.startswith((f"{here}/.out.", f"{here}/out/", str(tmp_path / "temporary")))
                or Path(name).parent == here  # records, and the folder of the release
                or name in (str(here), str(CONTROL_GROUP))
                or name.isdecimal()  # a descriptor that is open
                or not Path(name).is_absolute()  # within an open folder, as it is removed
                or any(Path(name).is_relative_to(place) for place in INSTALLED)  # code, and kept kernels
            ), (domain, event, name)


class Refused:
    """A connection of DuckDB that takes one setting from nobody."""

    def __init__(self, connection: Any, setting: str) -> None:
        self._connection, self._setting = connection, setting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, text: str) -> Any:
        if f"SET {self._setting} " in text:
            raise duckdb.InvalidInputException("not here")
        return self._connection.execute(text)


SETTINGS = (
    "temp_directory",
    "memory_limit",
    "threads",
    "preserve_insertion_order",
    "enable_external_access",
    "lock_configuration",
)


@pytest.fixture
def charges(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was charged, by a process that has not yet started an engine."""
    duck.check.cache_clear()
    made: list[object] = []
    charge = RequestAccount.charge

    def charged(account: RequestAccount, guarantee: Any) -> Any:
        made.append(guarantee)
        return charge(account, guarantee)

    monkeypatch.setattr(RequestAccount, "charge", charged)
    return made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return four_domains.write(tmp_path_factory.mktemp("worlds") / "world")


def refuse(world: Path, domain: str, charges: list[object], error: type[StarlingError], match: str) -> None:
    """A release is refused by this error before anything is charged, and leaves nothing."""
    with pytest.raises(error, match=match):
        four_domains.release(world, domain, "refused")
    assert not charges
    assert not [*(world / domain).glob("*refused*")]


@pytest.mark.series(2)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_that_is_refused_is_seen_before_the_charge(
    world: Path, charges: list[object], monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *words: Refused(connect(*words), setting))
    for domain in ("tables", "groups", "places"):
        refuse(world, domain, charges, OutputError, "cannot be started here")


@pytest.mark.slow
def test_a_progress_bar_that_cannot_be_had_is_ignored(
    world: Path, charges: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *words: Refused(connect(*words), "enable_progress_bar"))
    for domain in ("tables", "groups", "places"):
        four_domains.release(world, domain, "without-bar")
    assert len(charges) == 3


def test_a_missing_or_full_folder_for_temporary_files_is_seen_before_the_charge(
    world: Path, charges: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(world / "missing"))
        for domain in ("tables", "groups", "places"):
            refuse(world, domain, charges, OutputError, "folder for temporary files|disk for temporary files")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    for domain in ("tables", "groups", "places"):
        refuse(world, domain, charges, OutputError, "disk for temporary files")


def test_a_register_that_is_gone_is_seen_before_the_charge(tmp_path: Path, charges: list[object]) -> None:
    world = four_domains.write(tmp_path / "world")
    plan, payment = groups.Plan.load(world / "groups" / "plan.toml"), PaymentOptions(unvalidated=True)
    for change in (lambda path: path.write_text("group,region\n"), Path.unlink):
        change(world / "groups" / "register.csv")
        with pytest.raises(StarlingError) as refused:
            groups.release(plan, world / "groups" / "records.csv", world / "groups" / "out", payment=payment)
        assert not isinstance(refused.value, RunFailed)
    assert not charges


def test_spark_that_cannot_start_is_seen_before_the_charge(
    world: Path, charges: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(world))
    with pytest.raises(ParameterError, match=r"Java|pyspark"):
        places.release(
            places.Plan.load(world / "places" / "plan.toml"),
            world / "places" / "records.csv",
            world / "places" / "refused",
            engine="spark://local",
            payment=PaymentOptions(unvalidated=True),
        )
    assert not charges
