"""Public text files of a study as PLINK's users have them: a line a record, fields apart by white space, no quoting.

All of these are public: SNP lists, lists of ids, regions, genes, carried alleles. What is wrong with one is told with its line. A UTF-8
byte order mark at the start is passed over: as part of the first field it would make a chromosome or an id of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from starling.errors import Problem
from starling.planfile.spelling import shown

LONGEST_FILE: Final = 4 << 30
"""Bytes of a public list; that of 50 million SNPs has about 1.5 GB."""
LONGEST_LINE: Final = 1 << 16
"""Bytes of a line that is looked at; a .pvar may hold much after its first columns, which is skipped."""
_MARK: Final = b"\xef\xbb\xbf"
MOST_PROBLEMS: Final = 1000
"""Of one file; after so many it is not read on."""


class Listing:
    """A public text file, read line by line; what is wrong is collected.

    Args:
        path: Of the file.
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
            if self.path.stat().st_size > LONGEST_FILE:
                self.refuse("file", f"is longer than {LONGEST_FILE} bytes", "check what it is")
                return
            with self.path.open("rb") as file:
                for line, content in enumerate(file, start=1):
                    if len(self._problems) >= self._most:
                        return
                    try:
                        text = content[:LONGEST_LINE].removeprefix(_MARK if line == 1 else b"")
                        fields = text.decode("utf-8").rstrip().split(None, columns)
                    except UnicodeDecodeError:
                        self.refuse("line", "is not UTF-8", "save the file as UTF-8", line)
                        continue
                    if fields:
                        yield line, fields
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
            self.refuse("file", f"cannot be read ({reason})", "check the path")
