"""A named check of a release: what holds where it found nothing, or what it found. Verification is a list of them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from starling.errors import Problem

State: TypeAlias = Literal["holds", "fails", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: A word or two.
        says: What holds where nothing was found, as a sentence without its stop.
        findings: Everything that is wrong.
        reached: Whether everything it needs could be read; where it could not, and nothing was found, nothing is known.
    """

    name: str
    says: str
    findings: tuple[Problem, ...] = ()
    reached: bool = True

    @property
    def state(self) -> State:
        """What is known."""
        if self.findings:
            return "fails"
        return "holds" if self.reached else "not checked"
