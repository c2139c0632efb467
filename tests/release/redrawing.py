"""Attack A26, whatever the domain: stop a run, keep what reached the disk, run the same request again, until a draw pleases."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

import starling
from starling.ledger.opening import Ledger
from starling.release import bundle
from starling.release.encrypted import CommittedFiles
from tests.release.striking import AFTER, AROUND, BEFORE, Point

STEPS: dict[str, Point] = {
    **BEFORE,
    **AROUND,
    **AFTER,
}
"""Where a run may be stopped; a domain adds its own reading, drawing and writing."""


@dataclass
class Thief:
    """Whoever starts the runs of a request, and keeps a copy of every file that a stopped one left.

    Attributes:
        url: Of the ledger that pays.
        ledger: It, opened.
        out: Where the release belongs.
        run: Publishes; given a request id or none, and perhaps another folder.
        room: A folder for the copies.
        loot: The copies.
    """

    url: str
    ledger: Ledger
    out: Path
    run: Callable[..., Any]
    room: Path
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
