"""A charge as its request sees it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from starling.ledger.rules import Request, State

AnswerKind: TypeAlias = Literal["bytes", "manifest"]


@dataclass(frozen=True, slots=True)
class Ticket:
    """A charge, as its request sees it.

    Attributes:
        request: Who asked for what.
        state: "charged": compute and answer; "answered": `answer` is what was said; "burned": it failed for good.
        amount: Charged, in units of the lineage's measure.
        seq: Event of the charge.
        lease: Token that `answer` must show: of two workers on one charge, one answers.
        answer_kind: "bytes" (base64 text) or "manifest" (JSON: hash of each file of a release folder).
        answer: See above.
        fresh: Whether this very call made the charge.
    """

    request: Request
    state: State
    amount: int
    seq: int
    lease: str
    answer_kind: AnswerKind | None = None
    answer: str | None = None
    fresh: bool = False
