"""A question to a study as a canonical request: what is asked, in public terms, so that the same request is the same text."""

from typing import Final

from starling.genome.plan import Plan, Question, kind
from starling.ledger.rules import canonical
from starling.release.request import plain

VERSION: Final = 1
"""Of the meaning of a request; it grows when the same question would be answered by another distribution."""


def request_body(plan: Plan, question: Question) -> str:
    """Canonical JSON of a question: the question as it is, and a digest of every public choice; nothing of the records."""
    asked = {"ask": kind(question), **plain(question)}
    return canonical({"release": "genome", "version": VERSION, "plan": plan.digest, "question": asked})
