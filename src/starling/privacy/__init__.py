"""The privacy core: exact noise, exact selection, and what they cost. Knows no domain, no file, no database."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.privacy.sampling.noise import discrete_gaussian, discrete_laplace
    from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip

__all__ = ["discrete_gaussian", "discrete_laplace", "exponential_mechanism", "permute_and_flip"]

lazy(
    __name__,
    {
        "discrete_gaussian": "sampling.noise",
        "discrete_laplace": "sampling.noise",
        "exponential_mechanism": "sampling.selection",
        "permute_and_flip": "sampling.selection",
    },
)
