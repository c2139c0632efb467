"""The query of a request: each parameter is given once, so that every reader finds the same value."""

from collections import Counter
from typing import Final

from fastapi import Request

from starling.errors import ParameterError, Problem

LISTS: Final = frozenset({"margins"})
"""Parameters that are lists: each of their values is a part of the query on its own."""


async def check_query(request: Request) -> None:
    """Raises ParameterError for a query that gives a parameter twice which is no list: of two values one would be believed."""
    times = Counter(name for name, _ in request.query_params.multi_items())
    ParameterError.check(
        Problem(f"query.{name}", "is given twice", "give it once")
        for name, number in times.items()
        if number > 1 and name not in LISTS
    )
