"""What stands around the pages of a release: a server, or the machine of one reader; and the lines that do the same there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from shlex import quote
from typing import Any

from starling.pages.parts import Line
from starling.pages.repeating import server_lines
from starling.release.codec import Json


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame of a reply.

    Attributes:
        path: Where the release lies, as its reader named it; empty at a server.
        base: The address of the server, as the browser reached it.
        number: The number of the release at the server.
        release: The path below which the pages of the release lie, without a slash at its end.
        here: The path below which the pages of the server lie, or of its sandbox.
        root: The path below which static files lie.
        user: `name` and `role` of the user who is signed in; None where nobody signs in.
        invented: Whether the records are invented.
        others: Releases that this one may be compared with, by the names that they have in addresses: their words, and where they lie.
        most: The most work of a question, in millions of steps (release/work.py); None for any.
    """

    path: str = ""
    base: str = ""
    number: int = 0
    release: str = ""
    here: str = ""
    root: str = ""
    user: Mapping[str, str] | None = None
    invented: bool = False
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    most: int | None = None

    def values(self) -> dict[str, Any]:
        """What templates show of it."""
        return asdict(self)

    @property
    def bundle(self) -> str:
        """Where the whole release is one file."""
        return f"{self.here}/v1/releases/{self.number}/bundle" if self.number else f"{self.release}/bundle"

    def lines(self, question: Mapping[str, Json], python: str) -> tuple[Line, ...]:
        """The lines that put a question to the release.

        Args:
            question: One that `Release.tell` takes.
            python: What an opened `release` is asked in Python, where it is at hand.
        """
        if not self.number:
            shell = f"starling answer {quote(self.path)} --question {quote(json.dumps(question))}"
            opened = f"import starling\n\nrelease = starling.open_release({self.path!r})"
            return (Line("Python", f"{opened}\n{python}"), Line("Shell", shell))
        return server_lines(
            self.base,
            f"/v1/releases/{self.number}/answers",
            f"client.answer({self.number}, {dict(question)!r})",
            f"starling remote answer {self.number} --question {quote(json.dumps(question))}",
            json.dumps({"question": question}),
        )
