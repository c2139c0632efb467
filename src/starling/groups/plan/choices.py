"""What a plan of group sizes chooses from: kinds of records, protected units, methods; and what all plans are bound by."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from starling.privacy.budget import Measure
from starling.privacy.neighbours import ADD_REMOVE_EVENT, ADD_REMOVE_MEMBER, Relation

Kind: TypeAlias = Literal["groups", "counts", "persons", "events"]
Totals: TypeAlias = Literal["root", "region"]
Unit: TypeAlias = Literal["member", "event"]
Method: TypeAlias = Literal["c_eb", "c_joint", "c_twostep", "h", "topdown", "h_relaxed"]

METHODS: Final[dict[Method, str]] = {
    "c_eb": "noisy cumulative counts, each region shrunk towards the sizes of the region around it as far as the counts support it",
    "c_joint": "noisy cumulative counts, least squares on the tree, monotone",
    "c_twostep": "noisy cumulative counts, monotone region by region, then the nearest consistent integers",
    "h": "noisy histograms, the nearest consistent integers",
    "topdown": "noisy histograms, the nearest integers level by level from the root down",
    "h_relaxed": "noisy histograms, the nearest consistent numbers, rounded: does not add up",
}
"""What each method measures and what it makes of it."""
ADDS_UP: Final[frozenset[Method]] = frozenset(METHODS) - {"h_relaxed"}
"""The methods whose numbers add up over regions and to the public totals."""
WITH_REGION_TOTALS: Final[tuple[Method, ...]] = ("c_eb", "c_joint", "h")
"""The methods that keep public totals of all regions."""
RELATIONS: Final[dict[Unit, Relation]] = {"member": ADD_REMOVE_MEMBER, "event": ADD_REMOVE_EVENT}
MOST_CELLS: Final = 1 << 26
"""Regions of all levels times sizes: what a release holds in memory, at some hundred bytes a cell."""


@dataclass(frozen=True, slots=True)
class Register:
    """The public list of all groups with their regions.

    Attributes:
        sha256: Of the file, hexadecimal.
        path: Where the file lies; None in a release, which holds the digest alone.
    """

    sha256: str
    path: Path | None = field(default=None, compare=False)


def default_method(quantity: int, measure: Measure) -> Method:
    """The method whose noise is least in a published count, by public facts alone.

    A count n[s] is the difference of two cumulative counts. With epsilon e a level, its variance is near 4 q^2/e^2 where those are measured
    and 8/e^2 where histograms are; with rho r it is q/r against 1/r. At equal variance cumulative counts win: they cannot fall from one
    size to the next.
    """
    worse = quantity**2 > 2 if measure == "epsilon" else quantity > 1
    return "h" if worse else "c_eb"
