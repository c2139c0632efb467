"""A server's home: one folder, closed to other users of the machine.

server.toml      settings
access.sqlite    users, passwords, tokens, sessions, and the log
requests.sqlite  what analysts ask custodians to approve, and what was decided
server.key       the server's own key, which charges what custodians let it charge, and signs what it releases
heads/           how far its ledger had come when it wrote last
datasets/        what is public about registered data
questions/       what was asked of datasets that are asked questions
releases/        what was released
worker/          where records lie, and what was found in them: for the worker alone
sandbox/         a home of invented records, with these settings and users (sandbox.py)
"""

import pwd
import shutil
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from starling.errors import OutputError, ParameterError, PolicyRefused
from starling.ledger import keys
from starling.ledger.opening import Ledger, open_ledger, read_ledger
from starling.ledger.witness import Unwitnessed, Witness
from starling.server.access import Access
from starling.server.approval_requests import Requests
from starling.server.datasets import Catalogue
from starling.server.settings import FILE, Settings, documented, read_settings
from starling.server.stored_questions import Questions

ACCESS: Final = "access.sqlite"
REQUESTS: Final = "requests.sqlite"
KEY: Final = "server.key"
LEDGER: Final = "ledger.sqlite"
SANDBOX: Final = "sandbox"
CUSTODIAN: Final = "custodian"
"""In a sandbox: the folder of its custodian."""
INVENTED: Final = "invented"
"""In a sandbox: the folder of its records."""
FOLDERS: Final = ("heads", "datasets", "questions", "releases", "worker")
SHARED: Final = 0o1770
"""The mode of a home whose web process has an account of its own (accounts.py): sticky, open to root and to that account's group."""


@dataclass(frozen=True, slots=True)
class Home:
    """A home that was opened.

    Attributes:
        folder: The folder.
        settings: What its server.toml says.
        access: Its users, passwords, tokens, sessions and log.
        requests: What waits for a custodian's approval.
        invented: Whether it is a sandbox: nothing in it is of anybody.
        catalogue: What is public about its registered data, read once for each version of a file.
    """

    folder: Path
    settings: Settings
    access: Access
    requests: Requests
    invented: bool = False
    catalogue: Catalogue = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalogue", Catalogue(self.folder / "datasets"))

    @property
    def key(self) -> keys.Key:
        """The server's own key; raises ParameterError or IntegrityError where it is lost."""
        return keys.read(self.folder / KEY, checked=True)

    @property
    def releases(self) -> Path:
        """Holds a folder and a zip for each release, named by the event of its charge."""
        return self.folder / "releases"

    def witness(self, ledger: str) -> Witness:
        """What remembers how far the ledger of this id had come when this server wrote last."""
        return Witness(ledger, self.folder / "heads" / f"{ledger}.jsonl")

    @property
    def questions(self) -> Questions:
        """What was asked of datasets that are asked questions."""
        return Questions(self.folder / "questions")

    @property
    def sandbox(self) -> "Home | None":
        """The home of invented records within this one; None where there is none."""
        folder = self.folder / SANDBOX
        if not folder.is_dir():
            return None
        settings = replace(self.settings, ledger=f"sqlite:///{folder / LEDGER}")
        return Home(folder, settings, self.access, Requests(folder / REQUESTS), invented=True)

    def open_ledger(self) -> Ledger:
        """The ledger, to charge by the server's own key; raises as `opening.open_ledger`."""
        return open_ledger(self.settings.ledger, key=self.key, witness=self.witness)

    def read_ledger(self) -> Ledger:
        """The ledger, to read alone; raises as `opening.read_ledger`."""
        return read_ledger(self.settings.ledger, witness=Unwitnessed)


def make_home(folder: Path, *, ledger: str | None = None) -> Home:
    """Make a home in a new or empty folder, with its ledger at a URL, or in a file `ledger.sqlite` of its own.

    Raises:
        ParameterError: the folder holds something else than what was left by a run that was cut off.
        OutputError: it cannot be written.
        PlanError: the URL is not one.
    """
    folder = folder.absolute()
    begun = folder / f"{FILE}.partial"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if begun.exists() and not (folder / FILE).exists():
            # The settings come last: nobody has used what is there.
            for name in (ACCESS, REQUESTS, KEY):
                (folder / name).unlink(missing_ok=True)
            for name in FOLDERS:
                shutil.rmtree(folder / name, ignore_errors=True)
        elif any(folder.iterdir()):
            raise ParameterError("home", "is a folder that holds something", "name a new or an empty folder")
        folder.chmod(0o700)
        url = ledger if ledger is not None else f"sqlite:///{folder / LEDGER}"
        begun.write_text(documented(url), encoding="utf-8")
        try:
            read_settings(begun)
        except BaseException:
            begun.unlink()
            raise
        Access(folder / ACCESS).create()
        Requests(folder / REQUESTS).create()
        keys.write(folder / KEY)
        for name in FOLDERS:
            (folder / name).mkdir(mode=0o700)
        begun.rename(folder / FILE)
    except OSError as error:
        raise OutputError("home", f"cannot be made ({error.strerror})", "name another folder") from None
    return open_home(folder)


def open_home(folder: Path) -> Home:
    """The home in a folder, which may be the sandbox of a home.

    Raises:
        ParameterError: there is none.
        PolicyRefused: other users of the machine may read or change it.
        PlanError: its server.toml is wrong.
    """
    folder = folder.absolute()
    if folder.name == SANDBOX and not (folder / FILE).exists() and (folder.parent / FILE).exists():
        sandbox = open_home(folder.parent).sandbox
        if sandbox is None:
            raise ParameterError("home", "has no sandbox", "make it: starling server sandbox HOME")
        return sandbox
    for path in (folder, folder / FILE, folder / ACCESS, folder / REQUESTS, folder / KEY):
        if not path.exists():
            raise ParameterError("home", f"has no {path.name}", "make a home: starling server init HOME")
    settings = read_settings(folder / FILE)
    for path in (folder, folder / ACCESS, folder / REQUESTS):
        shared = path == folder and settings.account is not None and _shared(folder, settings.account)
        if path.stat().st_mode & 0o077 and not shared:
            wanted = "700" if path == folder else "600"
            raise PolicyRefused(path.name, "is open to other users of this machine", f"close it: chmod {wanted} {path}")
    access = Access(folder / ACCESS)
    access.check()
    return Home(folder, settings, access, Requests(folder / REQUESTS))


def _shared(folder: Path, account: str) -> bool:
    """Whether a home is root's, and open besides to the group of the web process's account alone."""
    status = folder.stat()
    try:
        group = pwd.getpwnam(account).pw_gid
    except KeyError:
        return False
    return (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) == (SHARED, 0, group)
