"""Records that were opened by their public shape alone: those of the Census, and custom ones in files or in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.errors import SourceError


@dataclass(frozen=True, slots=True)
class OpenedRecords:
    """Records whose public shape fits a plan. Holds nothing of any record.

    Attributes:
        source: The files, or what a session holds.
        reopened: Checks the files again, and gives what `source` was when they are still of the same shape.
    """

    source: Records | Held
    reopened: Callable[[], Records | Held]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files; none of what a session holds."""
        return self.source.files

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each file."""
        return self.source.sizes

    @property
    def name(self) -> str:
        """The name of the file, of the folder of several, or of what a session holds, for messages."""
        if not self.files:
            return "records"
        return self.files[0].name if len(self.files) == 1 else self.files[0].parent.name

    def check_unchanged(self) -> None:
        """Raise SourceError unless the files have the public shape that they had when they were checked."""
        try:
            same = self.reopened() == self.source
        except SourceError:
            same = False
        if not same:
            raise changed()


def changed() -> SourceError:
    """The error of files that are not what was checked."""
    return SourceError("records", "are not what was checked", "leave the file alone")
