"""What a release is published with: an account that commits its charge to one draw before anybody can read a byte of it.

A charge pays for one draw. The measurements are written encrypted (encrypted.py) as they are drawn. Once all of them are on the
disk, the ledger keeps their hash and their key in one durable event, and only then are they decrypted. So wherever a run stops:

- Before that event nothing can be read, now or ever: the key died with the run. The next run of the request draws, and it is the first draw
  that anybody can see.
- After it the next run finishes that draw: it reads no record and draws nothing.
- Where the bytes of that draw are lost, somebody may have seen them. The next run is charged again, and the ledger says `redrawn`.

What a draw keeps beside its measurements (STORED, release/responses.py) is written before that event too, and the event states its hash.

A ledger inside the folder of its release goes with the folder where such a run dies, and nothing but that release can refer to it; all else
is the same.

Where a draw lies that was paid for and is not published yet, a note below STARLING_HOME says: a retry with another folder than the first
run's would find nothing beside it, and pay again for what is only elsewhere. The note names a place, nothing else; what lies there is
believed where it has the hash that the ledger keeps.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import FileIO, RawIOBase
from pathlib import Path
from tempfile import TemporaryFile
from typing import Generic, TypeVar

from starling.errors import OutputError, PolicyRefused
from starling.ledger.account import RequestAccount
from starling.ledger.keys import folder, make_home
from starling.ledger.responses import Stored
from starling.ledger.rules import Drawn
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Mechanism, Receipt
from starling.release import bundle
from starling.release.encrypted import STORED, CommittedFiles, EncryptedFiles
from starling.release.responses import FOLDER, Vault

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Written(Generic[T, R]):
    """A mechanism whose result is put into the files of the draw as soon as it is drawn."""

    mechanism: Mechanism[T, R]
    write: Callable[[R], None]

    @property
    def guarantee(self) -> Guarantee:
        """The mechanism's."""
        return self.mechanism.guarantee

    def draw(self, exact: T, /) -> R:
        """The mechanism's result, which is in the files too when this returns."""
        drawn = self.mechanism.draw(exact)
        self.write(drawn)
        return drawn


class Commitment(Generic[R]):
    """The account of one release in a folder of `bundle.writing`; `mark` and `vault` are None where the ledger that pays lies inside the
    folder: such a ledger pays for nothing else, so that nothing is kept.
    """

    def __init__(
        self,
        account: RequestAccount,
        folder: Path,
        read: Callable[[Path], R],
        mark: Callable[[str], str] | None,
        vault: Vault | None = None,
    ) -> None:
        self._account, self._folder, self._read, self._mark, self._vault = account, folder, read, mark, vault
        self._draw = folder.parent / bundle.DRAW
        self._encrypted: EncryptedFiles | None = None
        self._guarantee: Guarantee | None = None
        self._charge: int | None = None

    def create(self, name: str) -> RawIOBase:
        """A file for measurements, by its path in the release, or STORED; whoever asks for it closes it."""
        if name != STORED:
            return self._files().create(name)
        if self._vault is None or self._charge is None:
            return FileIO(os.devnull, "wb")
        return self._files().keep(partial(self._vault.place, self._charge))

    def _files(self) -> EncryptedFiles:
        # Made after the charge: a run that is refused writes nothing.
        if self._encrypted is None:
            self._encrypted = EncryptedFiles(self._draw)
        return self._encrypted

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """The receipt of the ledger; an open charge of the same request is taken over at no cost."""
        receipt = self._account.charge(guarantee)
        self._guarantee = guarantee
        self._charge = None if receipt.entry is None else receipt.entry.position
        return receipt

    def resume(self) -> R | None:
        """The draw that the charge is committed to, finished; None where one is to be made now, and where its bytes were lost is paid for.

        Raises:
            BudgetRefused: a lost draw cannot be paid for again.
            OutputError: the draw lies beside another folder.
        """
        drawn = self._account.drawn
        if drawn is None:
            return None
        if self._mark is not None and not CommittedFiles(self._draw, drawn.sha256, drawn.key).names:
            refuse_elsewhere(self._mark(self._account.request_id), drawn)
            assert self._guarantee is not None
            self._account.redraw(self._guarantee)
            return None
        return self._decrypted(drawn)

    def commit(self, drawn: R, /) -> R:
        """Commit the charge to what was written into the files; the same, as everybody may read it from now on.

        Raises:
            PolicyRefused: another run has taken the charge over; nobody has seen this draw, and nobody will.
            LedgerUnavailable, OutputError: nobody knows whether the ledger kept it: the folder stays for the next run.
        """
        del drawn
        files = self._files()
        sha256, key = files.finish()
        if self._mark is not None:
            mark = self._mark(self._account.request_id)
            remember(mark, self._folder.parent)
            bundle.claim(self._folder, mark)
        try:
            self._account.draw(sha256, key, None if files.stored is None else Stored(*files.stored))
        except PolicyRefused:
            bundle.unclaim(self._folder)
            raise
        if self._vault is not None and self._charge is not None and files.stored is not None:
            self._vault.settle(self._charge, bytes.fromhex(key))
        return self._decrypted(Drawn(sha256, key))

    def _decrypted(self, drawn: Drawn) -> R:
        if not CommittedFiles(self._draw, drawn.sha256, drawn.key).decrypt(self._folder):
            raise OutputError(
                "output",
                "has measurements that are not what was drawn: the disk failed, or they were changed",
                "mend the disk, then run the same again: nothing is paid twice",
            )
        return self._read(self._folder)


def drawn_files(temporary: Path, drawn: Drawn | None) -> tuple[str, ...]:
    """The files of a draw, by their paths in the release, where a temporary folder holds every byte of it; elsewhere none."""
    if drawn is None:
        return ()
    files = CommittedFiles(temporary / bundle.DRAW, drawn.sha256, drawn.key)
    return files.names if files.intact(temporary / bundle.CONTENT) else ()


def refuse_elsewhere(mark: str, drawn: Drawn) -> None:
    """Raises OutputError where the draw of a request lies whole beside another folder than the one that was named now."""
    temporary = remembered(mark)
    if temporary is None:
        return
    if bundle.held(temporary) or drawn_files(temporary, drawn):
        place = bundle.place_of(temporary)
        raise OutputError(
            "output",
            f"is not the folder that this request was drawn for: what was drawn lies beside {place}",
            f"publish it as {place}, at no further cost",
        )


def check_home() -> None:
    """Raises OutputError unless notes, witnessed heads and responses can be written below STARLING_HOME: all are, after a charge."""
    try:
        make_home()
        for name in ("draws", "heads", FOLDER):
            place = folder() / name
            place.mkdir(mode=0o700, exist_ok=True)
            with TemporaryFile(dir=place) as file:
                file.write(bytes(1))
    except OSError as error:
        fix = "make it writable, or set STARLING_HOME to the folder of your keys"
        raise OutputError(str(folder()), f"cannot be written ({error.strerror})", fix) from None


def remember(mark: str, temporary: Path) -> None:
    """Keep that the draw of the request with this mark lies in the folder `temporary`; raises OSError where it cannot be written."""
    path = _note(mark)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(os.fsencode(temporary.absolute()))


def remembered(mark: str) -> Path | None:
    """The folder that was kept last for the request with this mark; None where there is no note."""
    try:
        return Path(os.fsdecode(_note(mark).read_bytes()))
    except (OSError, ValueError):
        return None


def forget(mark: str) -> None:
    """Remove the note: the release is in place. Where that fails nothing is lost."""
    with suppress(OSError):
        _note(mark).unlink()


def _note(mark: str) -> Path:
    return folder() / "draws" / hashlib.sha256(mark.encode()).hexdigest()[:32]
