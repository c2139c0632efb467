"""What a chapter of the demo tells."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Chapter:
    """A story about one domain.

    Attributes:
        text: For people.
        json: The same for programs.
        next: Commands that work when pasted.
    """

    text: str
    json: dict[str, Any]
    next: tuple[str, ...]
