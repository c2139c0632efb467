"""A ledger for tests of its commands: population `people` (rho, cap 10), dataset `census` (cap 8), analyst `ann` (cap 6), three charges."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from starling.ledger.keys import DEFAULT, load
from starling.ledger.opening import create_ledger, open_ledger, read_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.conftest import ROOT
from tests.ledger.worlds import costing, request


@dataclass(frozen=True)
class Book:
    """A ledger's file, or its URL, and what is in it."""

    place: str

    @property
    def path(self) -> Path:
        return Path(self.place)

    def charge(self, number: int | str, rho: int = 1) -> None:
        """One answered charge of ann's."""
        ledger = open_ledger(self.place)
        ticket = ledger.charging.charge(request(number), costing(rho))
        ledger.charging.answer(ticket, "bytes", "YQ==")
        ledger.close()

    def events(self) -> int:
        """How many it holds; all of them hold together."""
        ledger = read_ledger(self.place)
        head = ledger.reading.verify().head
        ledger.close()
        return head.seq

    @property
    def signer(self) -> str:
        return load(DEFAULT).public.text


def filled(place: str) -> Book:
    """A new one."""
    ledger = create_ledger(place)
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
    ledger.custody.add_dataset("census", "people", {"columns": ["age"]}, 8)
    ledger.custody.grant("people", "ann", 6)
    ledger.close()
    book = Book(place)
    for number in range(3):
        book.charge(number)
    return book


def limited(size: int, *words: object) -> "subprocess.CompletedProcess[str]":
    """`starling` where no file may grow beyond `size` bytes."""
    command = [sys.executable, "-m", "tests.cli.limited", str(size), *(str(word) for word in words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
