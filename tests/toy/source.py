"""The confidential records of a histogram: a text file with the category of one person on each line."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from starling.errors import Findings, Problem, SourceError
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.domain import Validated
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
        return inspect(Confidential(self._counts))

    def validate(self, most: int) -> NotPrivate[Validated]:
        return inspect(Confidential(partial(self._validated, most)))

    def _validated(self, most: int) -> Validated:
        lines = self.path.read_text().splitlines()
        wrong = [at for at, line in enumerate(lines, 1) if line not in self.plan.categories]
        listed = tuple(Problem("category", "is not in the plan", "correct it", "persons", at) for at in wrong[:most])
        problems = Findings(len(wrong), {"category": len(wrong)} if wrong else {}, listed)
        return Validated(problems, Findings(0, {}, ()), f"{len(lines):,} records", {"lines": len(lines)})
