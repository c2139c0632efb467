"""Tables: detailed race and ethnicity counts by geography (SafeTab), from person records to T1 and T2."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starling.tables.evaluate import evaluate
    from starling.tables.generate import generate
    from starling.tables.plan import Plan, load, read_geography
    from starling.tables.preview import preview
    from starling.tables.publish import release
    from starling.tables.source import validate

_HOME = {
    "Plan": "plan",
    "evaluate": "evaluate",
    "generate": "generate",
    "load": "plan",
    "preview": "preview",
    "read_geography": "plan",
    "release": "publish",
    "validate": "source",
}

__all__ = ["Plan", "evaluate", "generate", "load", "preview", "read_geography", "release", "validate"]


def __getattr__(name: str) -> Any:
    # Lazy: the command line names this package without paying for DuckDB or Numba.
    if name in _HOME:
        return getattr(import_module(f"starling.tables.{_HOME[name]}"), name)
    raise AttributeError(name)
