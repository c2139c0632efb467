"""What every table of a page says about where its figures come from."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Results: TypeAlias = Mapping[str, Any]
"""Of one benchmark, as its file holds them."""


def made(result: Results) -> str:
    """When and under what load a result was made."""
    return (
        f"*`{result['command']}`, {result['date']}, source {result['source']}; load {result['load_before']:g} before, others kept "
        f"{result['others_share']:.0%} of the machine busy during the run.*"
    )


def exact(result: Results) -> str:
    """Where exact figures come from."""
    return f"*`{result['command']}`, {result['date']}, source {result['source']}; exact, nothing is timed.*"


def untimed(result: Results) -> str:
    """Where figures come from that were drawn or computed, not timed."""
    return f"*`{result['command']}`, {result['date']}, source {result['source']}; nothing is timed.*"
