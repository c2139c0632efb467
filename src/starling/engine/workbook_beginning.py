"""A workbook up to the header of its sheet, by bounded work whatever the file is.

openpyxl reads here what it reads later, so that a workbook which it cannot open is refused. Two things differ: no more than MOST_UNPACKED
bytes are unpacked for all of it, and texts that cells share, which a workbook holds as one table, are looked up for the header alone.
"""

import io
import zipfile
from typing import IO, Any, BinaryIO, Final, Literal
from xml.etree import ElementTree as ET

from openpyxl.cell.text import Text
from openpyxl.reader.excel import ExcelReader
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS

MOST_UNPACKED: Final = 8 << 20
MOST_TEXTS: Final = 64 << 20
"""Unpacked bytes of the table of texts in which those of the header are looked up."""
_BUFFER: Final = 1 << 14
_TEXT: Final = f"{{{SHEET_MAIN_NS}}}si"


class TooFar(Exception):
    """What is looked for lies beyond the bytes that are unpacked."""


class Archive(zipfile.ZipFile):
    """An archive of which a bounded number of bytes is unpacked.

    Attributes:
        left: How many more may be.
        texts: The part with the texts that cells share; "" for none.
    """

    left = MOST_UNPACKED
    texts = ""

    def open(
        self,
        name: str | zipfile.ZipInfo,
        mode: Literal["r", "w"] = "r",
        pwd: bytes | None = None,
        *,
        force_zip64: bool = False,
    ) -> IO[bytes]:
        """A part for reading."""
        return io.BufferedReader(_Counted(super().open(name, mode, pwd, force_zip64=force_zip64), self), _BUFFER)


class _Counted(io.RawIOBase):
    """A part whose bytes are counted as they are unpacked."""

    def __init__(self, part: IO[bytes], archive: Archive) -> None:
        self._part, self._archive = part, archive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._part.read(len(buffer))
        self._archive.left -= len(data)
        if self._archive.left < 0:
            raise TooFar
        buffer[: len(data)] = data
        return len(data)


class _Shared(int):
    """The place of a text in the table of texts."""


class _Places:
    """Stands for the table of texts: gives places in it."""

    def __getitem__(self, at: int) -> _Shared:
        return _Shared(at)


class _Reader(ExcelReader):  # type: ignore[misc]
    """Leaves the table of texts unread."""

    def read_strings(self) -> None:
        part = self.package.find(SHARED_STRINGS)
        self.archive.texts = part.PartName[1:] if part else ""
        self.shared_strings = _Places()


def beginning_of_workbook(file: BinaryIO) -> tuple[Any, Archive]:
    """A workbook, opened for reading row by row, whose shared texts are places; and the archive for `resolved`.

    Raises:
        TooFar: it takes more bytes than are unpacked.
        Exception: whatever a damaged part makes its reader raise.
    """
    reader = _Reader(file, read_only=True, data_only=True, keep_links=False)
    reader.archive = Archive(file)
    reader.read()
    return reader.wb, reader.archive


def resolved(row: tuple[Any, ...], archive: Archive) -> list[Any]:
    """The cells of a row with the texts that they share; raises as `beginning_of_workbook` does."""
    wanted = {each for each in row if isinstance(each, _Shared)}
    texts = _texts(archive, wanted) if wanted else {}
    return [texts[each] if isinstance(each, _Shared) else each for each in row]


def _texts(archive: Archive, wanted: set[_Shared]) -> dict[int, str]:
    """Those of the table of texts that are wanted; raises KeyError where there is none."""
    archive.left, at, root = MOST_TEXTS, 0, None
    texts: dict[int, str] = {}
    with archive.open(archive.texts) as file:
        for event, node in ET.iterparse(file, ("start", "end")):  # noqa: S314 - bounded, and expat bounds what entities grow to
            if root is None:
                root = node
            if event == "end" and node.tag == _TEXT:
                if at in wanted:
                    texts[at] = Text.from_tree(node).content.replace("x005F_", "")
                at += 1
                root.clear()
                if len(texts) == len(wanted):
                    break
    return texts
