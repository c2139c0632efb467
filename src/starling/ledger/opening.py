"""Opening and making a ledger by its URL: `sqlite:///FILE` or `postgresql://...`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starling.distribution import install
from starling.errors import ParameterError
from starling.ledger import keys
from starling.ledger.account import RequestAccount
from starling.ledger.book import WALL, Book
from starling.ledger.charging import Charging
from starling.ledger.custody import Custody
from starling.ledger.keys import Key, Public
from starling.ledger.leases import Clock
from starling.ledger.reading import Reading
from starling.ledger.rules import Request
from starling.ledger.sqlite import SqliteStore
from starling.ledger.store import Store
from starling.ledger.witness import Witness


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger, by who uses it: custodians (`custody`), runs (`charging`) and auditors (`reading`), all over one `book`."""

    book: Book
    custody: Custody
    charging: Charging
    reading: Reading

    def account(self, request: Request) -> RequestAccount:
        """What `publish` charges for `request`; `replace` states what else there is to it."""
        return RequestAccount(self.charging, request, self.book.id)

    def close(self) -> None:
        """Let go of the store."""
        self.book.store.close()


def open_ledger(
    url: str, *, key: Key | None = None, witness: Callable[[str], Witness] = Witness, clock: Clock = WALL
) -> Ledger:
    """The ledger at `url`.

    Args:
        url: `sqlite:///FILE` or `postgresql://...`; a path of a file is a URL too.
        key: The custodian's key, or one that they let charge; the custodian's in STARLING_HOME without it.
        witness: Remembers the head, by the ledger's id; in STARLING_HOME without it.
        clock: What is known of time; the machine's own clocks without it.

    Raises:
        ParameterError: it is not there.
        OutputError, LedgerUnavailable: it cannot be reached.
        IntegrityError: it is damaged, changed, rolled back, of another version or signed by another key: who is going to write checks
            all of it first.
    """
    ledger = _ledger(Book(store_at(url), key or keys.load(), witness=witness, clock=clock))
    ledger.charging.follow()
    return ledger


def read_ledger(url: str, *, witness: Callable[[str], Witness] = Witness) -> Ledger:
    """Open a ledger for those who have no key of it, auditors, second custodians, a server that reads: whatever would write is refused.

    `witness` is as in `open_ledger`.
    """
    return _ledger(Book(store_at(url), None, witness=witness))


def create_ledger(
    url: str,
    *,
    key: Key | None = None,
    second: Public | None = None,
    witness: Callable[[str], Witness] = Witness,
    clock: Clock = WALL,
) -> Ledger:
    """A new ledger at `url`; the custodian's key is made at first use. `second` must approve every raised cap."""
    # A key that is refused leaves no empty file behind.
    key = key or keys.load_or_make()
    return _ledger(Book.create(store_at(url, create=True), key, second=second, witness=witness, clock=clock))


def _ledger(book: Book) -> Ledger:
    return Ledger(book, Custody(book), Charging(book), Reading(book))


def whole_url(url: str) -> str:
    """The URL of a ledger, or the path of its file, as a URL that means the same in every working folder.

    >>> whole_url("sqlite:////data/budget.sqlite"), whole_url("postgresql://host/name")
    ('sqlite:////data/budget.sqlite', 'postgresql://host/name')
    """
    file = url.removeprefix("sqlite:///")
    return f"sqlite:///{Path(file).absolute()}" if file and "://" not in file else url


def store_at(url: str, *, create: bool = False) -> Store:
    """The database that a URL names; with `create` a new SQLite file is made. See `open_ledger`."""
    url = whole_url(url)
    if url.startswith("sqlite:////"):
        return SqliteStore(Path(url.removeprefix("sqlite:///")), create=create)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from starling.ledger.postgres import PostgresStore
        except ImportError:
            raise ParameterError("ledger", "is PostgreSQL, whose driver is missing", install("postgres")) from None
        return PostgresStore(url)
    raise ParameterError(
        "ledger", "is no file and no known URL", "write FILE, sqlite:///FILE or postgresql://HOST/NAME"
    )
