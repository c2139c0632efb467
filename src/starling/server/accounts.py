"""An account of its own for the web process, where the server is started as root: the operating system, too, keeps it from the data.

The home stays root's. In it the account owns what the web process writes: users and log, requests, the server's key, its witnessed heads,
and a ledger that lies in the home. It may read settings, datasets and releases, and nothing of the worker's. The home's folder is sticky,
so that the account can make the journals of its databases there, and can neither rename nor remove what is not its own. Of the sandbox
it owns the custodian's key, too, which has no right anywhere else.
"""

import os
import pwd
import stat
import sys
from pathlib import Path
from typing import Final

import numpy as np

from starling.errors import OutputError, ParameterError, PolicyRefused
from starling.server.home import ACCESS, CUSTODIAN, KEY, REQUESTS, SHARED, Home

OWN: Final = (ACCESS, REQUESTS, KEY, "heads", "questions", CUSTODIAN)
READ: Final = ("server.toml", "datasets")
"""Of a home; of its sandbox those that it has."""
NEEDED: Final = tuple(Path(str(each)) for each in (sys.executable, os.__file__, np.__file__, __file__))
"""Python, its modules, packages and Starling: read by the account where the web process loads something late or starts a process."""


def account_of(home: Home) -> pwd.struct_passwd | None:
    """The account that server.toml names for the web process; None where it names none.

    Raises:
        ParameterError: there is no such account, or it is root.
        PolicyRefused: this process may not take it.
    """
    name = home.settings.account
    if name is None:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ParameterError("account", "is no account of this machine", f"useradd --system {name}") from None
    if entry.pw_uid == 0:
        raise ParameterError("account", "is root", "name an account that may open nothing else")
    if os.geteuid() not in (0, entry.pw_uid):
        raise PolicyRefused("account", "can be taken by root alone", "start the server as root, or remove the setting")
    return entry


def check_entry(home: Home, account: pwd.struct_passwd) -> None:
    """Raises PolicyRefused unless the account can read `NEEDED` and enter the folder of the home; called by root."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        failed = 1
        try:
            become(account)
            os.write(sending, os.fsencode(_first_closed(home) or ""))
            failed = 0
        finally:
            os._exit(failed)
    os.close(sending)
    with os.fdopen(receiving, "rb") as reading:
        closed = os.fsdecode(reading.read())
    _, failed = os.waitpid(child, 0)
    if closed or failed:
        problem = f"is {account.pw_name}, who may not enter or read {closed}" if closed else "cannot be taken"
        fix = "keep Python, Starling and the home below folders that this account may enter, such as /opt and /srv"
        raise PolicyRefused("account", problem, fix)


def _first_closed(home: Home) -> Path | None:
    """The first folder or file that this process needs as a web process, and may not enter or read."""
    for needed, mode in (*((each, os.R_OK) for each in NEEDED), (home.folder.parent, os.X_OK)):
        for place in (Path(os.path.realpath(needed)), needed):
            for folder in reversed(place.parents):
                if not os.access(folder, os.X_OK):
                    return folder
            if not os.access(place, mode):
                return place
    return None


def hand_over(home: Home, account: pwd.struct_passwd) -> None:
    """Give the account what the web process writes, and let it read what it answers with; called by root.

    Raises:
        OutputError: the home cannot be changed.
        PolicyRefused: something in it is not what a home holds.
    """
    try:
        for each in (home, home.sandbox):
            if each is not None:
                _hand_over(each, account)
    except OSError:
        raise OutputError("home", "cannot be given to the account of the web process", "start as root") from None


def _hand_over(home: Home, account: pwd.struct_passwd) -> None:
    absent = (ACCESS, "server.toml") if home.invented else (CUSTODIAN,)
    for name in OWN:
        if name not in absent:
            _give(home.folder / name, account.pw_uid, account.pw_gid, file=0o600, folder=0o700)
    ledger = Path(home.settings.ledger.removeprefix("sqlite:///"))
    if ledger.parent == home.folder and ledger.exists():
        _give(ledger, account.pw_uid, account.pw_gid, file=0o600, folder=0o700)
    for name in READ:
        if name not in absent:
            # Files that root makes there later belong to the account's group, too.
            _give(home.folder / name, 0, account.pw_gid, file=0o640, folder=0o2750)
    _give(home.releases, 0, account.pw_gid, file=0o640, folder=0o2750, deep=False)
    os.chown(home.folder, 0, account.pw_gid)
    home.folder.chmod(SHARED)


def become(account: pwd.struct_passwd) -> None:
    """Take the account, with no way back; what is open stays open."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
        # It has no right to the folder of keys of the user who started the server.
        os.environ["HOME"] = account.pw_dir
        os.environ.pop("STARLING_HOME", None)


def _give(path: Path, owner: int, group: int, *, file: int, folder: int, deep: bool = True) -> None:
    """Set owner and mode of a file, or of a folder and the files in it; if `deep`, of the folders in it, too.

    By an open handle: who owned it before cannot put a link in its place.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not (stat.S_ISREG(status.st_mode) and status.st_nlink == 1):
            raise PolicyRefused(path.name, "is not the only name of a plain file", "find out who changed the home")
        os.fchown(handle, owner, group)
        wanted = folder if is_folder else file
        os.fchmod(handle, wanted)
        if stat.S_IMODE(os.fstat(handle).st_mode) != wanted:
            # Without the capability FSETID the group's bit of a folder is left out in silence.
            raise PermissionError
    finally:
        os.close(handle)
    for each in sorted(path.iterdir()) if is_folder else ():
        if (deep or each.is_file()) and not each.is_symlink():
            _give(each, owner, group, file=file, folder=folder)
