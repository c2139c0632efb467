"""The corners of the signs that stand in pictures."""

from math import cos, pi, sin
from typing import Final, TypeAlias

_CORNERS: Final = {"s": (4, 45.0), "D": (4, 0.0), "d": (4, 0.0), "p": (5, 90.0), "h": (6, 90.0), "^": (3, 90.0)}
"""Corners of signs, and the angle of the first."""

Point: TypeAlias = tuple[float, float]
"""A place on a sheet: x to the right, y up."""


def sign(kind: str, x: float, y: float, size: float) -> list[Point]:
    """The corners of a sign around a place: "s", "D", "d", "p", "h", "^" or "x"."""
    half = size / 2
    if kind == "x":
        return [(x - half, y - half), (x + half, y + half), (x, y), (x - half, y + half), (x + half, y - half)]
    corners, first = _CORNERS[kind]
    narrow = 0.62 if kind == "d" else 1.0
    angles = [first * pi / 180 + 2 * pi * corner / corners for corner in range(corners)]
    return [(x + narrow * half * cos(angle), y + half * sin(angle)) for angle in angles]
