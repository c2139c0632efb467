"""Tables: detailed race and ethnicity counts by geography (SafeTab), from person records to T1 and T2."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starling.tables.evaluate import evaluate
    from starling.tables.generate import generate
    from starling.tables.plan import Plan, afford, prices, read_geography, solve
    from starling.tables.preview import preview
    from starling.tables.publish import release
    from starling.tables.source import validate

_HOME = {
    "Plan": "plan",
    "afford": "plan",
    "evaluate": "evaluate",
    "generate": "generate",
    "preview": "preview",
    "prices": "plan",
    "read_geography": "plan",
    "release": "publish",
    "solve": "plan",
    "validate": "source",
}

__all__ = [
    "Plan",
    "afford",
    "evaluate",
    "generate",
    "preview",
    "prices",
    "read_geography",
    "release",
    "solve",
    "validate",
]


class _Room(ModuleType):
    """Gives each public function when it is asked for, so that naming this package costs no DuckDB or Numba.

    Some functions share their name with the module they live in. Importing that module would bind its name here over the
    function; that one binding is left out.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"starling.tables has no {name}")
        return getattr(import_module(f"starling.tables.{_HOME[name]}"), name)

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Room
