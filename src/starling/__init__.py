"""Statistics about people under differential privacy: the shape of the flock, never the bird."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starling.ledger.opening import open_ledger
    from starling.verification import open_release, verify

_HOME = {
    "open_ledger": "ledger.opening",
    "open_release": "verification",
    "verify": "verification",
}

__all__ = ["open_ledger", "open_release", "verify"]


def __getattr__(name: str) -> Any:
    # Lazy: naming the package costs nothing, and `starling --help` answers at once.
    if name in _HOME:
        return getattr(import_module(f"starling.{_HOME[name]}"), name)
    raise AttributeError(f"starling has no {name}")
