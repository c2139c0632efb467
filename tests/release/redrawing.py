"""Attack A26, whatever the domain: stop a run, keep what reached the disk, run the same request again, until a draw pleases."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import pytest

import starling
from starling.ledger.opening import Ledger
from starling.ledger.rules import UNIT
from starling.release import bundle
from starling.release.encrypted import CommittedFiles
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_database
from tests.release.striking import AFTER, AROUND, BEFORE, Point

STEPS: dict[str, Point] = {
    **BEFORE,
    **AROUND,
    **AFTER,
}
"""Where a run may be stopped; a domain adds its own reading, drawing and writing."""
ANSWERED = ("after the answer", "before the rename", "after the rename")
"""Where a run is stopped that has answered its request."""
READING = "while reading"
DRAWN = tuple(STEPS).index("after the draw is committed to")
BEFORE_THE_DRAW = (*tuple(STEPS)[:DRAWN], READING)
"""Where a run is stopped that has drawn nothing that anybody could see."""


@contextmanager
def ledger_url(store: str, folder: Path) -> Iterator[str]:
    """Where a ledger may be made: a file of SQLite in the folder, or a database of PostgreSQL."""
    if store == "sqlite":
        yield f"sqlite:///{folder / 'ledger.sqlite'}"
    else:
        with postgres_database(postgres_url()) as url:
            yield url


@dataclass
class Thief:
    """Whoever starts the runs of a request, and keeps a copy of every file that a stopped one left.

    Attributes:
        url: Of the ledger that pays.
        ledger: It, opened.
        out: Where the release belongs.
        run: Publishes; given a request id or none, and perhaps another folder.
        room: A folder for the copies.
        population: The population whose people the release is about.
        loot: The copies.
    """

    url: str
    ledger: Ledger
    out: Path
    run: Callable[..., Any]
    room: Path
    population: str = "people"
    loot: list[Path] = field(default_factory=list)

    def copy(self) -> None:
        """Keep what lies there now."""
        for path in self.out.parent.iterdir():
            if path.name.startswith(f".{self.out.name}.partial-"):
                self.loot.append(self.room / f"loot-{len(self.loot)}")
                shutil.copytree(path, self.loot[-1])

    def interrupted(self, point: Point, request_id: str | None) -> None:
        """A run that is stopped with Ctrl-C when it comes to a point; the copies are made at the last moment."""
        owner, name, after = point
        plain: Callable[..., Any] = getattr(owner, name)

        def struck(*arguments: Any, **named: Any) -> NoReturn:
            if after:
                plain(*arguments, **named)
            self.copy()
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, name, struck)
            with pytest.raises(KeyboardInterrupt):
                self.run(request_id)
        self.copy()
        # As two minutes would: stopped between the charge and its ticket, a run leaves its lease.
        self.ledger.book.store.atomically(lambda tx: tx.run("UPDATE charges SET lease_until = 0"))

    def events(self) -> Counter[str]:
        """How many events of each kind follow the custodian's."""
        kinds = ("charge", "takeover", "drawn", "redrawn", "answer")
        return Counter(event.kind for event in self.ledger.reading.events() if event.kind in kinds)

    def spent(self) -> Fraction:
        """What was charged to the people of the population in all."""
        return Fraction(self.ledger.reading.account(self.population).caps[0].spent, UNIT)

    def check_one_charge(self, points: Mapping[str, Point], point: str, cost: Fraction) -> None:
        """Stopped at a point, copied and repeated until it is published, a request is charged once and shows one draw."""
        self.interrupted(points[point], None)
        if point == "before the charge":
            assert self.events() == Counter()
        if point in ANSWERED:
            # Nothing is left to be stopped: what was answered is put into place.
            assert self.run(None).receipt is None
        else:
            if point in BEFORE_THE_DRAW:
                self.interrupted(points[point], None)
            assert self.run(None).receipt is not None
        assert self.run(None).receipt is None
        assert self.spent() == cost
        runs = 0 if point in ANSWERED or point == "before the charge" else 2 if point in BEFORE_THE_DRAW else 1
        assert self.events() == Counter(charge=1, drawn=1, answer=1, takeover=runs)
        self.check_one_draw()
        assert [path.name for path in self.out.parent.iterdir()] == ["out"]

    def check_one_draw(self) -> None:
        """Every byte of a measurement that anybody could read, then or now, is of the draw that was published; all is as it should be."""
        published = measurements(self.out)
        assert published
        keys = [json.loads(event.body) for event in self.ledger.reading.events() if event.kind == "drawn"]
        for number, copied in enumerate(self.loot):
            for name, content in measurements(copied / bundle.CONTENT).items():
                # Half a file, where the run was stopped while it was decrypted.
                assert published[name].startswith(content)
            for draw in keys:
                opened = self.room / f"opened-{number}"
                if CommittedFiles(copied / bundle.DRAW, draw["sha256"], draw["key"]).decrypt(opened):
                    assert measurements(opened) == published
        self.ledger.reading.verify()
        found = starling.verify(self.out, ledger=self.url)
        found.refuse()
        assert found.counts is not None
        assert (found.counts.draws, found.counts.redraws) == (1, 0)


def measurements(folder: Path) -> dict[str, bytes]:
    """What was drawn, as it lies in the folder of a release, file by file."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in found if path.parent.name == "measurements"
    }
