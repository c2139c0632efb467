"""Records of each kind as a server is given them, and lines that a record of theirs might be in the hands of an attacker."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starling.worker.sources import Registered, source_of
from tests.groups.worlds import write_world
from tests.worker.test_jobs import places, tables_of_ones_own


@dataclass(frozen=True)
class Kind:
    """Records of one kind.

    Attributes:
        write: Writes them, with their plan, into a folder.
        file: By which name their domain calls them.
        hostile: One record more: lines that are no record, and one of a category that is new.
    """

    write: Callable[[Path], Registered]
    file: str
    hostile: tuple[bytes, ...]

    def records(self, source: Registered) -> Path:
        """Their file."""
        return source.files[self.file]


def _groups(folder: Path) -> Registered:
    return source_of("groups", str(folder / "plan.toml"), {"records": write_world(folder)})


NO_RECORD: Final = (b"\xff\xfe\x00\n", b'"', b"9" * 5000 + b"\n", b",,,,,,,,,\n", b"NaN,NaN,inf,-1e999\n")
KINDS: Final = {
    "groups": Kind(_groups, "records", (*NO_RECORD, b"nowhere,1\n", b"e1,99\n")),
    "places": Kind(places, "records", (*NO_RECORD, b"p999,180,90,night\n")),
    "tables of one's own": Kind(tables_of_ones_own, "persons", (*NO_RECORD, b"7,X,z,w99\n")),
}
