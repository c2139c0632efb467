"""Genome: an analyst explores a case-control study under a budget (Johnson and Shmatikov 2013)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starling.genome.distance import distance_to_significance

_HOME = {"distance_to_significance": "distance"}

__all__ = ["distance_to_significance"]


def __getattr__(name: str) -> Any:
    # Lazy: naming this package costs no Numba.
    if name in _HOME:
        return getattr(import_module(f"starling.genome.{_HOME[name]}"), name)
    raise AttributeError(f"starling.genome has no {name}")
