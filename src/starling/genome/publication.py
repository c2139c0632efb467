"""An answer as the frame publishes it: what is charged and drawn for a question, and the files that follow from it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from starling.genome.artifact import write_release
from starling.genome.artifact.drawn import read_drawn, write_drawn
from starling.genome.measurements import Drawn
from starling.genome.mechanism import ExactStudy, mechanism_of
from starling.genome.plan import Plan, Question
from starling.genome.request import request_body
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Mechanism, Released
from starling.release.commitment import Written
from starling.release.encrypted import Create


@dataclass(frozen=True, slots=True)
class GenomePublication:
    """A `release.domain.Publication`.

    Attributes:
        plan: The public choices.
        question: What is asked.
    """

    plan: Plan
    question: Question
    domain: Final = "genome"

    @property
    def request(self) -> str:
        """The question as it is, and a digest of every public choice."""
        return request_body(self.plan, self.question)

    @property
    def guarantee(self) -> Guarantee:
        """The mechanism's. Raises ParameterError where the plan has no such question."""
        return mechanism_of(self.plan, self.question).guarantee

    @property
    def joint(self) -> Guarantee:
        """The mechanism's: an answer adds to no other."""
        return self.guarantee

    def prepare(self, folder: Path) -> None:
        """Nothing has to be there before."""

    def mechanism(self, folder: Path, create: Create) -> Mechanism[ExactStudy, Drawn]:  # noqa: ARG002 - all is in the draw
        """What answers the question; the answer is written as soon as it is drawn."""
        return Written(mechanism_of(self.plan, self.question), partial(write_drawn, create))

    def read(self, folder: Path) -> Drawn:
        """The noisy answer."""
        return read_drawn(folder, self.question)

    def write(self, folder: Path, drawn: Released[Drawn]) -> None:
        """Write all files but the noisy answer and the signature."""
        write_release(folder, self.plan, self.question, drawn)
