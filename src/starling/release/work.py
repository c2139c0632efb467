"""How much work a question takes that costs nothing, estimated from public values before it starts.

Work is counted in steps: what a core of a small machine does in about a nanosecond. Each kind of question has the estimate as its method
`work`; the numbers of steps in it were measured. A server refuses what would keep its processes busy for long.
"""

from dataclasses import dataclass

from starling.errors import ParameterError

MILLION = 10**6


@dataclass(frozen=True, slots=True)
class Work:
    """An estimate.

    Attributes:
        fix: What to ask instead, where these are too many.
    """

    steps: int
    fix: str


def check_work(work: Work, most: int) -> None:
    """Raises ParameterError for a question that takes more work than is allowed, in millions of steps."""
    if work.steps > most * MILLION:
        estimate = f"takes about {-(-work.steps // MILLION):,} million steps of work"
        limit = f"at most {most:,} million are allowed (question_work in server.toml)"
        raise ParameterError("question", f"{estimate}, and {limit}", work.fix)
