"""Statistics about people under differential privacy: the shape of the flock, never the bird."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.ledger.opening import open_ledger
    from starling.verification import open_release, verify

__all__ = ["open_ledger", "open_release", "verify"]

lazy(__name__, {"open_ledger": "ledger.opening", "open_release": "verification", "verify": "verification"})
