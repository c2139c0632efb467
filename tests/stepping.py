"""Bounds how many lines of Starling's own a call runs, on any machine: searches that walk where they could halve are found."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from starling import __path__ as root


class TooManyLines(AssertionError):
    """A call ran more lines than it may."""


@contextmanager
def at_most(lines: int) -> Iterator[None]:
    """Raises TooManyLines where the block runs more lines of `starling` than that; compiled kernels are not counted."""
    left = lines

    def local(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                raise TooManyLines(f"more than {lines:,} lines")
        return local

    def begin(frame: FrameType, _event: str, _argument: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(root[0]) else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        yield
    finally:
        sys.settrace(before)
