"""One tree of typed errors. Each says which field is at fault, what is wrong, and one fix; none carries a confidential value.

The class gives the command line its exit code and the server its HTTP status.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

SHOWN = 20
"""How many problems of one file a message shows; all of them are kept on the error."""
LISTED = 1_000_000
"""How many faults of records `validate` lists where all are asked for; it counts the rest."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        field: Name of the parameter, key or column at fault.
        problem: The exact condition that failed, never a person's value.
        fix: One thing to do about it.
        file: File the field stands in, where there is one.
        line: Line of that file, counted from 1 with the header as line 1.
    """

    field: str
    problem: str
    fix: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "
        return plain(f"{place}{self.field} {self.problem}; {self.fix}")


def plain(text: str) -> str:
    r"""A text on one line in which nothing is left that a terminal would obey: names of files, too, come from anybody.

    >>> plain("Doña Ana"), plain("a\x1b[2Jb\u202ec")
    ('Doña Ana', 'a\\x1b[2Jb\\u202ec')
    """
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def number_of(many: int, what: str) -> str:
    """So many of something.

    >>> number_of(1, "record"), number_of(5_000, "record")
    ('1 record', '5,000 records')
    """
    return f"{many:,} {what}" if many == 1 else f"{many:,} {what}s"


class StarlingError(Exception):
    """The root: whatever Starling refuses or fails at.

    Args:
        field: The field at fault, where there is one problem.
        problem: What is wrong with it.
        fix: What to do.
        problems: Instead of the three above: every problem found.
    """

    exit_code: ClassVar[int] = 70
    status: ClassVar[int] = 500

    def __init__(
        self, field: str = "", problem: str = "", fix: str = "", *, problems: Sequence[Problem] | None = None
    ) -> None:
        self.problems: tuple[Problem, ...] = (Problem(field, problem, fix),) if problems is None else tuple(problems)
        super().__init__(str(self))

    @classmethod
    def check(cls, problems: Iterable[Problem]) -> None:
        """Raise an error of this class with all of these problems, unless there are none."""
        every = tuple(problems)
        if every:
            raise cls(problems=every)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        left = len(self.problems) - SHOWN
        if left > 0:
            lines.append(f"and {left:,} more")
        return "\n".join(lines)


class ParameterError(StarlingError):
    """A parameter of a call or an option of a command is not acceptable."""

    exit_code = 2
    status = 422


class BudgetRefused(StarlingError):
    """The budget left does not cover the charge."""

    exit_code = 3
    status = 403


class PolicyRefused(StarlingError):
    """A rule of the ledger or of the house forbids it, whatever the budget."""

    exit_code = 4
    status = 403


class BoundaryError(PolicyRefused):
    """Somebody tried to look at a confidential value, or to forge a released one."""


class IntegrityError(StarlingError):
    """Something that was written is not what was signed or chained."""

    exit_code = 5
    status = 409


class RequestConflict(StarlingError):
    """A request id was used before, for another request."""

    exit_code = 6
    status = 409


class PlanError(StarlingError):
    """A plan or one of its public definitions is wrong or inconsistent. Found before anything confidential is opened."""

    exit_code = 65
    status = 422


class SourceError(StarlingError):
    """An input file cannot be opened as what it should be, found by its public shape (header, kind), never by a record."""

    exit_code = 65
    status = 422


class RecordsInvalid(StarlingError):
    """`validate` found records that break the rules; raised on the custodian's side alone.

    Args:
        problems: What is told of them, all of it.
        more: How many problems are counted beside them.
    """

    exit_code = 65
    status = 422

    def __init__(self, *, problems: Sequence[Problem], more: int) -> None:
        self.more = more
        super().__init__(problems=problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.more:
            lines.append(f"and {self.more:,} more: --all (in Python `most`) lists them")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Findings:
    """Some faults of records, as `validate` counts them.

    Attributes:
        total: How many there are; a line may have several.
        by_field: How many in each field; only fields that have some.
        listed: The first of them, as many as were asked for.
        decisive: What is wrong with the records as a whole (the coding, the join of two files); to be told before all others, and not
            counted among them.
    """

    total: int
    by_field: dict[str, int]
    listed: tuple[Problem, ...]
    decisive: tuple[Problem, ...] = ()

    @property
    def none(self) -> bool:
        """Whether nothing was found."""
        return not self.total and not self.decisive

    @property
    def more(self) -> int:
        """How many faults are counted and not listed."""
        return self.total - len(self.listed)

    def refuse(self) -> None:
        """Raises RecordsInvalid unless nothing was found: what is decisive first, then how many faults there are, then those listed."""
        if self.none:
            return
        summary = []
        if self.total:
            fields = ", ".join(f"{field} {count:,}" for field, count in self.by_field.items())
            summary = [
                Problem("records", f"have {number_of(self.total, 'problem')} ({fields})", "correct them and look again")
            ]
        raise RecordsInvalid(problems=[*self.decisive, *summary, *self.listed], more=self.more)


class StarlingWarning(UserWarning):
    """Something that is allowed and probably not meant, in the words of a problem; the command line shows it on stderr."""


class OutputError(StarlingError):
    """The output cannot be written: not a place for it, no permission, or a full disk."""

    exit_code = 74
    status = 507


class LedgerUnavailable(StarlingError):
    """The ledger did not answer, or nobody can know whether it committed; the same request id finds out."""

    exit_code = 75
    status = 503


class AuditFailed(StarlingError):
    """`starling audit` refuted a mechanism, or missed a mutant: a fault of this installation, and of no input."""


class RunFailed(StarlingError):
    """A run stopped after its charge. One constant message for every cause, so that it tells nothing about the data."""

    exit_code = 75
    status = 503

    def __init__(self) -> None:
        super().__init__(
            field="release",
            problem="stopped after its charge; nothing was published and the charge stands",
            fix="check disk, memory and the input files, then run the same again: nothing is paid twice",
        )
