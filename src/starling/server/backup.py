"""A copy of a home from which it can be restored elsewhere, taken while the server goes on.

The parts are copied in an order in which none is ahead of what it depends on: first the witnessed heads, then the ledger, then what was
released. While ledger and releases are copied no worker begins a job, so that each charge of the copy either has its release there, or
nothing of it is. The web process goes on charging: its charges since are not in the copy.

Of the sandbox the key is copied alone: what it releases costs nothing, and it is made anew of what is registered (worker/sandbox.py).

A copy is as confidential as the home. A ledger that is older than heads witnessed elsewhere is refused, and has to be: what was charged
since is spent (ledger/witness.py).
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from starling.errors import OutputError, ParameterError
from starling.ledger.chain import Head
from starling.ledger.opening import read_ledger
from starling.release.responses import FOLDER
from starling.server.home import ACCESS, KEY, LEDGER, REQUESTS, Home, open_home
from starling.server.pauses import paused
from starling.server.sandbox import SPARE_KEY
from starling.server.settings import FILE, with_ledger

DUMP: Final = "ledger.dump"
"""What pg_dump made of a ledger in PostgreSQL, in its custom format."""


def back_up(home: Home, out: Path) -> Head:
    """Copy a home into a new folder, closed to other users; it is there as a whole or not at all. Its server and workers may run.

    Returns:
        The last event of the copied ledger: kept elsewhere, it tells later whether a ledger is older than the copy.

    Raises:
        ParameterError: the folder exists, or pg_dump is missing.
        OutputError: the copy cannot be written.
        StarlingError: the ledger cannot be read.
    """
    if out.exists():
        raise ParameterError("FOLDER", "exists already", "name a new folder")
    partial = out.with_name(f".{out.name}.partial")
    with _written(out):
        partial.mkdir(mode=0o700, parents=True)
        try:
            for name in (FILE, KEY):
                shutil.copy2(home.folder / name, partial / name)
            if home.sandbox is not None:
                shutil.copy2(home.sandbox.folder / KEY, partial / SPARE_KEY)
            shutil.copytree(home.folder / "heads", partial / "heads")
            for name in (ACCESS, REQUESTS):
                _copy_database(home.folder / name, partial / name)
            (partial / "releases").mkdir(mode=0o700)
            # Most of the bytes, before any worker has to wait; a zip never changes.
            _copy_zips(home.releases, partial / "releases")
            with paused(home.folder):
                head = _copy_ledger(home.settings.ledger, partial)
                _copy_zips(home.releases, partial / "releases")
                _copy_begun(home.releases, partial / "releases")
                for name in ("datasets", "questions", "worker"):
                    begun = shutil.ignore_patterns("*.lock", "*.partial")
                    shutil.copytree(home.folder / name, partial / name, ignore=begun)
                if (home.folder / FOLDER).exists():
                    shutil.copytree(home.folder / FOLDER, partial / FOLDER)
            os.sync()
            partial.rename(out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return head


def restore(copy: Path, folder: Path, *, ledger: str | None = None) -> tuple[Home, Head]:
    """Make a new home of what `back_up` wrote, and check its ledger as a whole; the last event of that comes back, too.

    `ledger` is its URL where it was restored already, from a dump of PostgreSQL say; without it the copied one is taken.

    Raises:
        ParameterError: one of the folders is not what it should be, or the URL is missing.
        IntegrityError: the ledger does not hold together, or is older than heads that are witnessed in the copy or on this machine.
        OutputError: the home cannot be written.
    """
    folder = folder.absolute()
    if folder.exists():
        raise ParameterError("HOME", "exists already", "name a new folder")
    if not (copy / FILE).is_file():
        raise ParameterError("FOLDER", f"has no {FILE}", "name a folder that starling server backup wrote")
    if ledger is None and not (copy / LEDGER).is_file():
        fix = f"restore it (pg_restore --dbname URL {copy / DUMP}), then add --ledger URL"
        raise ParameterError("--ledger", "is missing: the ledger is in PostgreSQL", fix)
    with _written(folder):
        try:
            shutil.copytree(copy, folder, ignore=shutil.ignore_patterns(DUMP, *([] if ledger is None else [LEDGER])))
            settings = folder / FILE
            url = ledger or f"sqlite:///{folder / LEDGER}"
            settings.write_text(with_ledger(settings.read_text(encoding="utf-8"), url), encoding="utf-8")
            home = open_home(folder)
            return home, _checked(home)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _checked(home: Home) -> Head:
    with closing(read_ledger(home.settings.ledger)) as ledger:
        seen = home.witness(ledger.book.id).read(home.key.public)
        return ledger.reading.verify([] if seen is None else [seen]).head


def _copy_database(source: Path, target: Path) -> None:
    """By SQLite itself: what is written meanwhile is in the copy as a whole or not at all."""
    try:
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as database,
            closing(sqlite3.connect(target)) as copied,
        ):
            database.backup(copied)
    except sqlite3.Error:
        raise OSError from None
    target.chmod(0o600)


def _copy_ledger(url: str, folder: Path) -> Head:
    """The last event of the copy at least: more may be in a dump, which is made after it was looked up."""
    with closing(read_ledger(url)) as ledger:
        head = ledger.reading.head()
        if url.startswith("sqlite:///"):
            ledger.book.store.backup(str(folder / LEDGER))
            (folder / LEDGER).chmod(0o600)
            with closing(read_ledger(f"sqlite:///{folder / LEDGER}")) as copied:
                return copied.reading.head()
    _dump(url, folder / DUMP)
    return head


def _dump(url: str, file: Path) -> None:
    from psycopg import conninfo

    parameters = conninfo.conninfo_to_dict(url)
    # Not among the arguments, which every user of the machine can read.
    password = parameters.pop("password", None)
    environment = os.environ | ({} if password is None else {"PGPASSWORD": str(password)})
    line = ["pg_dump", "--format=custom", f"--file={file}", f"--dbname={conninfo.make_conninfo('', **parameters)}"]
    try:
        subprocess.run(line, check=True, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    except FileNotFoundError:
        raise ParameterError("pg_dump", "is not there", "install the client programs of PostgreSQL") from None
    except subprocess.CalledProcessError:
        raise OutputError("ledger", "could not be dumped", "run pg_dump on it to see why") from None
    file.chmod(0o600)


def _copy_zips(source: Path, target: Path) -> None:
    """Those that are not there yet. The time of a file is kept: it says when an answer left."""
    for path in source.glob("*.zip"):
        if not path.name.startswith(".") and not (target / path.name).exists():
            shutil.copy2(path, target / path.name)


def _copy_begun(source: Path, target: Path) -> None:
    """Folders of releases that have no zip yet: what was drawn for them cannot be drawn again for the same charge."""
    for path in source.iterdir():
        number = path.name.removeprefix(".").partition(".")[0]
        if path.is_dir() and not (target / f"{number}.zip").exists():
            shutil.copytree(path, target / path.name)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise OutputError(path.name, "cannot be written", "make room, or name a folder open to you") from None
