"""A home within the home, whose records are invented: with a ledger, a server's key and a custodian of its own, and nothing confidential.

sandbox/           a home as home.py has it, with the settings, users and log of the home around it
sandbox/custodian/ the key that opens its caps and grants, and how far its ledger had come when that key wrote last
sandbox/invented/  the invented records of each dataset, with their plans

Its budget is play money: every analyst may spend as much as a ledger can count, and what is spent leaves the real ledger as it was. So its
custodian's key may be the web process's own. It signs nothing in any other ledger, and has no right in one.
"""

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from starling.errors import OutputError, PolicyRefused
from starling.ledger import keys
from starling.ledger.delegation import DAY, MOST_DAYS
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.rules import MOST, Request
from starling.ledger.witness import Witness
from starling.server.approval_requests import Requests
from starling.server.budgets import Budget
from starling.server.charges import Charges
from starling.server.datasets import Dataset, Entry
from starling.server.home import CUSTODIAN, FOLDERS, INVENTED, KEY, LEDGER, REQUESTS, SANDBOX, Home
from starling.server.rates import Rates, TooOften

CAP: Final = MOST
"""Epsilon, or rho, of each population, dataset and analyst: the most that a ledger counts."""
AHEAD: Final = 100 * DAY
"""Seconds before the end of a right to charge at which it is given anew."""
BURST: Final = 100.0
PER_SECOND: Final = 1 / 30
"""How many releases an analyst may ask for at once, and in the long run: no budget bounds them, and each takes time and room."""
SPARE_KEY: Final = "sandbox.key"
"""In a copied home: the key of its sandbox's server, which clients have pinned; nothing else of it is copied (backup.py)."""


def make_sandbox(home: Home) -> Home:
    """The sandbox of a home, made where there is none yet: as a whole, or not at all; raises OutputError where it cannot be written."""
    if (sandbox := home.sandbox) is not None:
        return sandbox
    partial, spare = home.folder / f".{SANDBOX}.partial", home.folder / SPARE_KEY
    try:
        # Left by one that was cut off; nobody could see it.
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        for name in (*FOLDERS, CUSTODIAN, INVENTED):
            (partial / name).mkdir(mode=0o700)
        Requests(partial / REQUESTS).create()
        if spare.exists():
            shutil.copy2(spare, partial / KEY)
        else:
            keys.write(partial / KEY)
        key = keys.write(partial / CUSTODIAN / KEY)
        _create_ledger(partial, key)
        partial.rename(home.folder / SANDBOX)
        spare.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError("sandbox", f"cannot be made ({error.strerror})", "make room in the folder") from None
    sandbox = home.sandbox
    assert sandbox is not None
    return sandbox


def _create_ledger(folder: Path, custodian: keys.Key) -> None:
    """An empty ledger, whose beginning the server's key has witnessed, too."""
    url = f"sqlite:///{folder / LEDGER}"
    with closing(create_ledger(url, key=custodian, witness=lambda ledger: _witness(folder, ledger))) as ledger:
        seen = Witness(ledger.book.id, folder / "heads" / f"{ledger.book.id}.jsonl")
        seen.advance(ledger.reading.head(), keys.read(folder / KEY, checked=True))


def open_custody(sandbox: Home) -> Ledger:
    """The ledger of a sandbox, to do there what a custodian does; raises as `opening.open_ledger`."""
    key = keys.read(sandbox.folder / CUSTODIAN / KEY, checked=True)
    return open_ledger(sandbox.settings.ledger, key=key, witness=lambda ledger: _witness(sandbox.folder, ledger))


def _witness(folder: Path, ledger: str) -> Witness:
    return Witness(ledger, folder / CUSTODIAN / f"{ledger}.jsonl")


class FreeCharges(Charges):
    """The charges of a sandbox: an analyst who asks is granted what is needed, at once."""

    def __init__(self, home: Home, *, now: Callable[[], float] = time.time) -> None:
        super().__init__(home, now=now)
        often = partial(TooOften, field="sandbox", problem="is asked for more releases than it may be")
        self._rates = Rates(now, per_second=PER_SECOND, burst=BURST, refused=often)
        self._granting = threading.Lock()
        self._custody: Ledger | None = None
        self._until: dict[tuple[str, str], float] = {}

    def charge(self, analyst: str, dataset: Dataset, request_id: str, question: Any = None) -> int:
        """See `Charges.charge`; no grant is asked for. Raises TooOften besides, for new releases alone."""
        self._grant(analyst, dataset.name)
        request = Request(analyst, request_id, dataset.name, dataset.request)
        if self._ledger()[0].charging.find(request) is None:
            self._rates.take(analyst)
        return super().charge(analyst, dataset, request_id, question)

    def budget(self, analyst: str, dataset: Entry) -> Budget:
        """See `Charges.budget`; no grant is asked for."""
        self._grant(analyst, dataset.name)
        return super().budget(analyst, dataset)

    def close(self) -> None:
        """See `Charges.close`."""
        super().close()
        with self._granting:
            if self._custody is not None:
                self._custody.close()
                self._custody = None

    def _grant(self, analyst: str, dataset: str) -> None:
        """Let an analyst spend on a dataset, and this server charge it, for a year from now unless that was done lately."""
        now = self._now()
        with self._granting:
            if now < self._until.get((analyst, dataset), 0):
                return
            if self._custody is None:
                self._custody = open_custody(self._home)
            reading, custody = self._custody.reading, self._custody.custody
            population = reading.population_of(dataset)
            caps = {(cap.scope, cap.name) for cap in reading.account(population, latest=1).caps}
            if ("analyst", analyst) not in caps:
                with suppress(PolicyRefused):
                    # Another process may have been first.
                    custody.grant(population, analyst, CAP)
            key = self._home.key.public
            if not self._custody.book.rights().held(key.text, dataset, int(now) + AHEAD):
                custody.delegate(dataset, key, days=MOST_DAYS)
            self._until[analyst, dataset] = now + DAY
