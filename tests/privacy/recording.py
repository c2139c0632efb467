"""A mechanism and an account that write down what is done with them, for tests of the boundary."""

from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.trust import Confidential, Receipt

SECRET = 271828
PAID = measurement("persons", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1)))


@dataclass(frozen=True)
class Noisy:
    """A mechanism that writes down when it draws; its noise is 1, so that the tests can tell."""

    story: list[str] = field(default_factory=list)

    @property
    def guarantee(self) -> Guarantee:
        self.story.append("guarantee")
        return PAID

    def draw(self, exact: int, /) -> int:
        self.story.append("draw")
        return exact + 1


@dataclass(frozen=True)
class Recording:
    """An account that writes down when it is charged, and may refuse."""

    story: list[str] = field(default_factory=list)
    refusal: Exception | None = None
    kept: int | None = None

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        self.story.append("charge")
        if self.refusal is not None:
            raise self.refusal
        return Receipt("request", guarantee, "test")

    def resume(self) -> int | None:
        self.story.append("resume")
        return self.kept

    def commit(self, drawn: int, /) -> int:
        self.story.append("commit")
        return drawn


def secret(story: list[str]) -> Confidential[int]:
    def read() -> int:
        story.append("read")
        return SECRET

    return Confidential(read)


def never_read() -> Confidential[int]:
    return Confidential(lambda: pytest.fail("the computation was run"))
