"""A named check of a release: what holds where it found nothing, or what it found. Verification is a list of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from starling.errors import Problem

NameT = TypeVar("NameT", bound=str)
State: TypeAlias = Literal["holds", "fails", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: A word or two.
        says: What holds where nothing was found, as a sentence without its stop.
        findings: Everything that is wrong.
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


class Findings(Generic[NameT]):
    """What was found wrong, by check, and which checks were carried to the end.

    Args:
        says: Of each check by its name: what holds where nothing is found; in the order in which they are told.
    """

    def __init__(self, says: Mapping[NameT, str]) -> None:
        self._says = says
        self._found: dict[NameT, list[Problem]] = {name: [] for name in says}
        self._reached: set[NameT] = set()
        self._left_open: dict[NameT, str] = {}

    def add(self, name: NameT, *problems: Problem) -> None:
        """Note them."""
        self._found[name] += problems

    def reached(self, *names: NameT) -> None:
        """These were carried to the end."""
        self._reached.update(names)

    def leave_open(self, name: NameT, phrase: str) -> None:
        """This check was not carried to the end, although nothing is wrong; `phrase` names what nobody knows."""
        self._left_open[name] = phrase

    def checks(self) -> tuple[Check, ...]:
        """All of them."""
        return tuple(
            Check(str(name), self._says[name], tuple(found), name in self._reached, self._left_open.get(name, ""))
            for name, found in self._found.items()
        )
