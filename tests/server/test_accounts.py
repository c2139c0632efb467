"""The web process of a server that root started has an account of its own, which can open nothing confidential; and what is refused."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from starling.client import Client
from starling.errors import OutputError, ParameterError, PolicyRefused
from starling.ledger.opening import create_ledger, open_ledger
from starling.server.accounts import NEEDED, account_of, check_entry, hand_over
from starling.server.datasets import Dataset
from starling.server.home import SHARED, Home, make_home, open_home
from starling.worker.findings import Inspections
from starling.worker.sources import Sources, source_of
from starling.worker.standing_in import stand_in
from tests.groups.worlds import write_world
from tests.server.conftest import child_of
from tests.worker.previews import preview_of

STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]
UNCHECKED = [
    sys.executable,
    "-c",
    "from starling.server import running; running.check_entry = lambda *_: None; from starling.cli import main; main()",
]
"""A server that starts though its account cannot read this Python, where that or this checkout lies below a closed folder: what these tests
use is loaded before."""
ROOT = os.geteuid() == 0
ACCOUNT = pwd.getpwnam("nobody") if ROOT else pwd.getpwuid(os.geteuid())
"""Another account where these tests run as root; else their own, which gives nothing up."""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every account may pass through, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def served(open_folder: Path) -> Home:
    """A home whose web process has an account, with groups that the analyst ada may release; answers leave after a second."""
    home = make_home(open_folder / "served")
    settings = home.folder / "server.toml"
    text = settings.read_text().replace("port = 8470", "port = 0")
    settings.write_text(f'{text}account = "{ACCOUNT.pw_name}"\n')
    create_ledger(home.settings.ledger).close()
    records = open_folder / "records"
    records.mkdir(mode=0o700)
    source = source_of("groups", str(records / "plan.toml"), {"records": write_world(records)})
    dataset = Sources(home).register("data", source, deadline=1, preview=preview_of(source))
    assert isinstance(dataset, Dataset)
    with closing(open_ledger(home.settings.ledger)) as ledger:
        ledger.custody.add_population("people", "epsilon", dataset.guarantee.relation, 10)
        ledger.custody.add_dataset("data", "people", {}, 5)
        ledger.custody.grant("people", "ada", 3)
        ledger.custody.delegate("data", home.key.public, days=1)
        ledger.custody.accept("data", Inspections(home).token(Sources(home).open("data")))
    assert stand_in(home, "data") is None
    home.access.add_user("ada", "analyst")
    return open_home(home.folder)


@pytest.fixture
def server(served: Home) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process of its server, and its URL."""
    starling = STARLING if not ROOT or all(may("test", "-r", str(each)) for each in NEEDED) else UNCHECKED
    with subprocess.Popen([*starling, "serve", str(served.folder)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "listening on" in line, line
        # The workers are ready, too: the answers leave at the first deadline.
        looked = (each for each in process.stderr if "looked at" in each)
        assert {next(looked).startswith("starling: sandbox: ") for _ in range(2)} == {True, False}
        yield process, line.split()[-1]
        process.kill()


def sandbox_of(home: Home) -> Home:
    """Its sandbox."""
    found = home.sandbox
    assert found is not None
    return found


def may(*words: str) -> bool:
    """Whether the account may run a command."""
    done = subprocess.run(
        words, user=ACCOUNT.pw_uid, group=ACCOUNT.pw_gid, extra_groups=[], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.slow
def test_it_charges_and_answers_and_can_open_nothing_confidential(
    served: Home, server: tuple["subprocess.Popen[str]", str]
) -> None:
    process, url = server
    token, _ = served.access.issue("ada", days=1)
    with Client(url, token) as client:
        assert [each.name for each in client.datasets()] == ["data"]
        client.release("data", served.folder.parent / "data.zip")
        assert client.budget("data").more == 0
    with Client(f"{url}/sandbox", token) as client:
        assert client.release("data", served.folder.parent / "tried.zip").signer == sandbox_of(served).key.public
    web = child_of(process.pid, "web")
    status = Path(f"/proc/{web}/status").read_text().splitlines()
    for name, wanted in (("Uid:", ACCOUNT.pw_uid), ("Gid:", ACCOUNT.pw_gid)):
        (line,) = [each for each in status if each.startswith(name)]
        assert set(line.split()[1:]) == {str(wanted)}
    mapped = Path(f"/proc/{web}/maps").read_text()
    assert not [name for name in ("/_duckdb.", "/numba/", "/llvmlite/", "/pyarrow/", "records") if name in mapped]
    opened = [str(handle.readlink()) for handle in Path(f"/proc/{web}/fd").iterdir()]
    assert not [name for name in opened if "records" in name or "/worker/" in name]
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 0
    if ROOT:
        (source,) = (served.folder / "worker" / "sources").iterdir()
        assert may("test", "-r", str(served.folder / "access.sqlite"))
        assert not may("test", "-r", str(source))
        assert not may("ls", str(served.folder / "worker"))
        assert not may("mv", str(served.folder / "worker"), str(served.folder / "other"))
        assert not may("touch", str(served.folder / "datasets" / "other.json"))
        assert not may("ls", str(served.folder.parent / "records"))
        sandbox = sandbox_of(served).folder
        assert may("test", "-w", str(sandbox / "custodian" / "server.key"))
        assert not may("ls", str(sandbox / "worker"))
        assert not may("ls", str(sandbox / "invented"))
        assert not may("mv", str(sandbox / "invented"), str(sandbox / "other"))


def test_a_home_of_an_account_is_open_to_it_alone(served: Home) -> None:
    if ROOT:
        hand_over(served, ACCOUNT)
        assert stat.S_IMODE(served.folder.stat().st_mode) == SHARED
        assert open_home(served.folder).settings.account == ACCOUNT.pw_name
        assert open_home(served.folder / "sandbox").settings.account == ACCOUNT.pw_name
        os.chown(served.folder, 0, 1)
    served.folder.chmod(SHARED)
    if not ROOT or ACCOUNT.pw_gid != 1:
        with pytest.raises(PolicyRefused, match="open to other users"):
            open_home(served.folder)


@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_a_link_in_the_place_of_a_file_is_not_given_away(served: Home, open_folder: Path, link: str) -> None:
    secret = open_folder / "secret"
    secret.write_text("a secret")
    before = secret.stat()
    planted = served.folder / "access.sqlite"
    planted.unlink()
    if link == "symbolic":
        planted.symlink_to(secret)
    else:
        planted.hardlink_to(secret)
    with pytest.raises((PolicyRefused, OutputError), match=r"plain file|cannot be given"):
        hand_over(served, ACCOUNT)
    assert (secret.stat().st_uid, secret.stat().st_mode) == (before.st_uid, before.st_mode)


@pytest.mark.parametrize(("name", "said"), [("no-such-account", "is no account"), ("root", "is root")])
def test_an_account_that_is_none_is_refused(served: Home, name: str, said: str) -> None:
    other = replace(served, settings=replace(served.settings, account=name))
    with pytest.raises(ParameterError, match=said):
        account_of(other)


def test_nobody_but_root_takes_another_account(served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: ACCOUNT.pw_uid + 1)
    with pytest.raises(PolicyRefused, match="by root alone"):
        account_of(served)


@pytest.mark.series(1)
@pytest.mark.parametrize("closed", ["folder", "above", "file", "home", "linked"])
def test_what_the_account_cannot_enter_or_read_is_named_at_the_start(
    served: Home, open_folder: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    """Each of what it needs, behind each folder that leads to it."""
    if not ROOT:
        return
    file = open_folder / "above" / "folder" / "python"
    file.parent.mkdir(parents=True)
    file.touch()
    link = open_folder / "link"
    link.symlink_to(file)
    monkeypatch.setattr("starling.server.accounts.NEEDED", (link if closed == "linked" else file,))
    check_entry(served, ACCOUNT)
    place = {"folder": file.parent, "above": file.parent.parent, "file": file, "linked": file.parent}
    shut = place.get(closed, served.folder.parent)
    shut.chmod(0)
    with pytest.raises(PolicyRefused, match=f"is {ACCOUNT.pw_name}, who may not enter or read {shut}; keep"):
        check_entry(served, ACCOUNT)
    assert os.geteuid() == 0


@pytest.mark.slow
def test_a_server_whose_account_cannot_enter_its_home_says_so(served: Home, open_folder: Path) -> None:
    if not ROOT:
        return
    open_folder.chmod(0o700)
    done = subprocess.run([*STARLING, "serve", str(served.folder)], capture_output=True, text=True, check=False)
    assert done.returncode == PolicyRefused.exit_code
    assert f"account is {ACCOUNT.pw_name}, who may not enter or read " in done.stderr
    assert "listening" not in done.stderr
