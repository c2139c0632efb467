"""The law of the house: exact noise, exact selection, and what they cost. Knows no domain, no file, no database."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starling.privacy.noise import discrete_gaussian, discrete_laplace
    from starling.privacy.selection import exponential_mechanism, permute_and_flip

_HOME = {
    "discrete_gaussian": "noise",
    "discrete_laplace": "noise",
    "exponential_mechanism": "selection",
    "permute_and_flip": "selection",
}

__all__ = ["discrete_gaussian", "discrete_laplace", "exponential_mechanism", "permute_and_flip"]


def __getattr__(name: str) -> Any:
    # Lazy: naming a budget costs no Numba.
    if name in _HOME:
        return getattr(import_module(f"starling.privacy.{_HOME[name]}"), name)
    raise AttributeError(f"starling.privacy has no {name}")
