"""Named checks of a release: what holds where nothing was found, or what was found. Verification is a list of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from starling.errors import IntegrityError, Problem
from starling.release.manifest import DOWNLOAD_AGAIN

State: TypeAlias = Literal["holds", "fails", "not checked"]

PRIVACY: Final = "privacy"
"""The check that mechanism and cost follow from the public plan."""
TABLES: Final = "tables"
"""The check that tables follow from measurements, where a domain has no finer ones."""
FORMS: Final = "forms"
"""The check that the files are those of such a release."""
PAGES: Final = "pages"
"""The check of report, registry entry and data package."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a release.

    Attributes:
        says: What holds where nothing was found, as a sentence without its stop.
        reached: Whether everything it needs could be read; where it could not, and nothing was found, nothing is known.
        left_open: What nobody knows even where nothing was found, as a phrase for a headline; empty where nothing is left open.
    """

    name: str
    says: str
    findings: tuple[Problem, ...] = ()
    reached: bool = True
    left_open: str = ""

    @property
    def state(self) -> State:
        """What is known."""
        if self.findings:
            return "fails"
        return "holds" if self.reached else "not checked"


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks that a domain makes of its releases, and which of them a difference breaks.

    Attributes:
        own: What holds where each check of the domain's own finds nothing, by its name, in the order in which they are shown.
        privacy: What holds where the check of the statement finds nothing.
        columns: The check of a published column, by the column's name; `other` of all others.
        rows: The check of the number of rows of a table, by the table's name; `other` of all others.
        parameters: The check of a parameter in privacy.json, by its name; `PRIVACY` of all others.
        types: The check of the types of integer columns.
        other: The check of all other columns and numbers of rows.
    """

    own: Mapping[str, str]
    privacy: str = "mechanism and cost are those that the public plan gives; nothing is exact"
    columns: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    types: str = FORMS
    other: str = TABLES

    @property
    def holds(self) -> dict[str, str]:
        """What holds where each check finds nothing: the statement, the domain's own checks, files, pages."""
        return {
            PRIVACY: self.privacy,
            **self.own,
            FORMS: "the files are those of such a release, and its texts say what its tables say",
            PAGES: "report, its pictures aside, registry entry and data package are what plan, charge and tables give",
        }

    def differences(self, computed: Any, stated: Any, path: str) -> list[tuple[str, str]]:
        """Where a stated parameter is not what the plan gives, as a path, and which check that breaks.

        >>> Checks({}, parameters={"cuts": "detail"}).differences({"a": 1, "cuts": [1, 2]}, {"a": 1, "cuts": [1, 3]}, "x")
        [('x.cuts', 'detail')]
        """
        if computed == stated:
            return []
        name = path.rsplit(".", 1)[-1]
        if name in self.parameters:
            # The parameter as a whole: what is below it may bear other parameters' names.
            return [(path, self.parameters[name])]
        if isinstance(computed, dict) and isinstance(stated, dict) and computed.keys() == stated.keys():
            return [each for key in computed for each in self.differences(computed[key], stated[key], f"{path}.{key}")]
        if isinstance(computed, list) and isinstance(stated, list) and len(computed) == len(stated) and computed:
            pairs = enumerate(zip(computed, stated, strict=True), 1)
            return [each for number, (one, other) in pairs for each in self.differences(one, other, f"{path}.{number}")]
        return [(path, PRIVACY)]


class InvalidRelease(IntegrityError):
    """A file of a release fails a check, so that no more can be read of it."""

    def __init__(self, check: str, name: str, problem: str) -> None:
        super().__init__(name, problem, DOWNLOAD_AGAIN)
        self.failed = check


class Findings:
    """What was found wrong, by check, and which checks were carried to the end; `says` has what holds where one finds nothing, in order."""

    def __init__(self, says: Mapping[str, str]) -> None:
        self._says = says
        self._problems: dict[str, list[Problem]] = {name: [] for name in says}
        self._reached: set[str] = set()
        self._left_open: dict[str, str] = {}

    def add(self, name: str, *problems: Problem) -> None:
        """Note what is wrong."""
        self._problems[name] += problems

    def reached(self, *names: str) -> None:
        """These checks were carried to the end."""
        self._reached.update(names)

    def leave_open(self, name: str, phrase: str) -> None:
        """This check was not carried to the end, although nothing is wrong; `phrase` names what nobody knows."""
        self._left_open[name] = phrase

    def checks(self) -> tuple[Check, ...]:
        """All checks."""
        return tuple(
            Check(name, self._says[name], tuple(problems), name in self._reached, self._left_open.get(name, ""))
            for name, problems in self._problems.items()
        )
