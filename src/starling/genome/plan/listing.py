"""Public text files of a study as PLINK's users have them: a line a record, fields apart by white space, no quoting.

All of these are public: SNP lists, lists of ids, regions, genes, carried alleles. What is wrong with one is told with its line. A UTF-8
byte order mark at the start is passed over: as part of the first field it would make a chromosome or an id of its own.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from starling.errors import Problem
from starling.planfile.foreign import opened
from starling.planfile.spelling import LONGEST_NAME, name_problem, shown

LONGEST_FILE: Final = 4 << 30
"""Bytes of a public list; that of 50 million SNPs has about 1.5 GB."""
LONGEST_LINE: Final = 1 << 16
"""Bytes of a line that is looked at; a .pvar may hold much after its first columns, which is skipped."""
_MARK: Final = b"\xef\xbb\xbf"
_UNUSUAL: Final = re.compile(rb"[^\t\n\r -~]")
"""Whatever is no plain letter or sign; most lines have none, and need no closer look."""
MOST_PROBLEMS: Final = 1000
"""Problems of one file that are listed; after so many it is not read on."""


class Listing:
    """A public text file, read line by line; what is wrong is collected.

    Args:
        path: Where the file is.
        problems: What is wrong is appended here.
    """

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path, self._problems = path, problems
        self._most = len(problems) + MOST_PROBLEMS

    def refuse(self, field: str, problem: str, fix: str, line: int | None = None) -> None:
        """Collect one problem."""
        self._problems.append(Problem(shown(field), problem, fix, self.path.name, line))

    def records(self, columns: int) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of each line that is not empty; at most `columns` fields and one of what is left.

        Ends early after MOST_PROBLEMS problems.
        """
        try:
            with opened(self.path, LONGEST_FILE) as file:
                for line, content in enumerate(_lines(file), start=1):
                    if len(self._problems) >= self._most:
                        return
                    if b"\0" in content:
                        # What follows may be as long as a disk.
                        self.refuse("file", "is not text", "check what it is", line)
                        return
                    try:
                        text = content.removeprefix(_MARK if line == 1 else b"")
                        fields = text.decode("utf-8").rstrip().split(None, columns)
                    except UnicodeDecodeError:
                        self.refuse("line", "is not UTF-8", "save the file as UTF-8", line)
                        continue
                    if _UNUSUAL.search(content) or len(content) > LONGEST_NAME:
                        named = fields if columns < 0 else fields[:columns]
                        problem = next(filter(None, map(name_problem, named)), None)
                        if problem is not None:
                            self.refuse("line", f"has a field that {problem}", "correct it or leave the line out", line)
                            continue
                    if fields:
                        yield line, fields
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
            self.refuse("file", f"cannot be read ({reason})", "check the path")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The first LONGEST_LINE bytes of each line; what comes after them is read and forgotten."""
    while content := file.readline(LONGEST_LINE):
        yield content
        while len(content) == LONGEST_LINE and not content.endswith(b"\n"):
            content = file.readline(LONGEST_LINE)
