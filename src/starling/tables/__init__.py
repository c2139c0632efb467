"""Tables: detailed race and ethnicity counts by geography (SafeTab), from person records to T1 and T2."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.tables.evaluate import evaluate
    from starling.tables.generate import generate
    from starling.tables.plan import afford, prices, read_geography, solve, solve_at
    from starling.tables.preview import preview
    from starling.tables.publish import release
    from starling.tables.session import Plan, count, plan
    from starling.tables.source import validate

__all__ = [
    "Plan",
    "afford",
    "count",
    "evaluate",
    "generate",
    "plan",
    "preview",
    "prices",
    "read_geography",
    "release",
    "solve",
    "solve_at",
    "validate",
]

lazy(
    __name__,
    {
        "evaluate": "evaluate",
        "generate": "generate",
        "plan": "afford prices read_geography solve solve_at",
        "preview": "preview",
        "publish": "release",
        "session": "Plan count plan",
        "source": "validate",
    },
)
