"""A charge as its request sees it."""

import re
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from starling.errors import ParameterError
from starling.ledger.rules import Request, State

_HEXADECIMAL = re.compile("([0-9a-f]{2})+")

AnswerKind: TypeAlias = Literal["bytes", "manifest"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draw that a charge has committed to, before anybody could see it.

    Attributes:
        sha256: The SHA-256 of the manifest of the measurements, as they will be published; hexadecimal.
        key: The key that they are encrypted with, hexadecimal. It is kept by the same commit that keeps the hash, so that
            measurements which can be read always belong to an event.
    """

    sha256: str
    key: str

    @classmethod
    def of(cls, sha256: str, key: str) -> Self:
        """Raises ParameterError for what is not lower-case hexadecimal, or no hash of 64 digits."""
        if len(sha256) != 64 or not (_HEXADECIMAL.fullmatch(sha256) and _HEXADECIMAL.fullmatch(key)):
            raise ParameterError(
                field="draw",
                problem="has a hash or a key that is not hexadecimal",
                fix="give both as lower-case digits",
            )
        return cls(sha256, key)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A charge, as its request sees it.

    Attributes:
        request: Who asked for what.
        state: "charged": compute and answer; "answered": `answer` is what was said; "voided": it failed for good.
        amount: Charged, in units of the population's measure.
        seq: Event of the charge.
        lease: Token that `answer` must show: of two workers on one charge, one answers.
        answer_kind: "bytes" (base64 text) or "manifest" (JSON: hash of each file of a release folder).
        answer: Text of the answer, of the kind that `answer_kind` says.
        fresh: Whether this very call made the charge.
        drawn: The draw that the charge has committed to; None before the draw, and where its bytes were lost and it was paid again.
    """

    request: Request
    state: State
    amount: int
    seq: int
    lease: str
    answer_kind: AnswerKind | None = None
    answer: str | None = None
    fresh: bool = False
    drawn: Drawn | None = None
