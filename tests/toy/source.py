"""The confidential records of a histogram: a text file with the category of one person on each line."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from starling.errors import Found, Problem, SourceError
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.statement import Json
from tests.toy.plan import Plan


@dataclass(frozen=True)
class Persons:
    """A `release.domain.Source`. A line that names no category is dropped, uncounted."""

    plan: Plan
    path: Path

    def files(self) -> Iterable[Path]:
        return (self.path,)

    def open(self) -> Callable[[ExitStack], Confidential[tuple[int, ...]]]:
        if not self.path.is_file():
            raise SourceError(field="--persons", problem="is not a file", fix="name the records")
        return lambda _: Confidential(self._counts)

    def _counts(self) -> tuple[int, ...]:
        found = Counter(self.path.read_text().splitlines())
        return tuple(found[category] for category in self.plan.categories)

    def exact(self) -> NotPrivate[tuple[int, ...]]:
        """The exact counts, for the custodian's own eyes."""
        return inspect(Confidential(self._counts))

    def validate(self, most: int) -> NotPrivate["Validation"]:
        """What is wrong with the records, for the custodian's own eyes."""
        return inspect(Confidential(lambda: Validation(self.plan, self.path.read_text().splitlines(), most)))


class Validation:
    """A `release.domain.Validated`."""

    def __init__(self, plan: Plan, lines: list[str], most: int) -> None:
        wrong = [at for at, line in enumerate(lines, 1) if line not in plan.categories]
        listed = tuple(Problem("category", "is not in the plan", "correct it", "persons", at) for at in wrong[:most])
        self.problems = Found(len(wrong), {"category": len(wrong)} if wrong else {}, listed)
        self.notes = Found(0, {}, ())
        self._lines = len(lines)

    def summary(self) -> tuple[str, dict[str, Json]]:
        return f"{self._lines:,} records", {"lines": self._lines}
