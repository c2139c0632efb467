"""A server's home: the folder with its settings, users, tokens and log. Closed to other users of the machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starling.errors import OutputError, ParameterError, PolicyRefused
from starling.server.access import Access
from starling.server.settings import FILE, Settings, documented, read_settings

ACCESS: Final = "access.sqlite"


@dataclass(frozen=True, slots=True)
class Home:
    """A home that was opened.

    Attributes:
        settings: What its server.toml says.
        access: Its users, tokens and log.
    """

    settings: Settings
    access: Access


def make_home(folder: Path, *, ledger: str | None = None) -> Home:
    """Make a home in a new or empty folder.

    Args:
        folder: The folder.
        ledger: The URL of the ledger; without it a file `ledger.sqlite` in the home.

    Raises:
        ParameterError: the folder holds something.
        OutputError: it cannot be written.
        PlanError: the URL is not one.
    """
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ParameterError("home", "is a folder that holds something", "name a new or an empty folder")
        folder.chmod(0o700)
        url = ledger if ledger is not None else f"sqlite:///{folder / 'ledger.sqlite'}"
        settings = folder / FILE
        settings.write_text(documented(url), encoding="utf-8")
        try:
            read_settings(settings)
        except BaseException:
            settings.unlink()
            raise
        Access(folder / ACCESS).create()
    except OSError as error:
        raise OutputError("home", f"cannot be made ({error.strerror})", "name another folder") from None
    return open_home(folder)


def open_home(folder: Path) -> Home:
    """The home in a folder.

    Raises:
        ParameterError: there is none.
        PolicyRefused: other users of the machine may read or change it.
        PlanError: its server.toml is wrong.
    """
    folder = folder.absolute()
    for path in (folder, folder / FILE, folder / ACCESS):
        if not path.exists():
            raise ParameterError("home", f"has no {path.name}", "make a home: starling server init HOME")
    for path in (folder, folder / ACCESS):
        if path.stat().st_mode & 0o077:
            wanted = "700" if path == folder else "600"
            raise PolicyRefused(path.name, "is open to other users of this machine", f"close it: chmod {wanted} {path}")
    return Home(read_settings(folder / FILE), Access(folder / ACCESS))
