"""A chapter of the demo, as a value: each domain makes one, and the command shows them all."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Chapter:
    """What the demo shows of one domain.

    Attributes:
        text: What people read.
        json: What programs read.
        next: Commands that work when pasted.
    """

    text: str
    json: dict[str, Any]
    next: tuple[str, ...]
