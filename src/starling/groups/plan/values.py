"""A plan of group sizes as the values of its plan file, which `readable` reads back as the same plan."""

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starling.errors import PlanError
from starling.planfile.formats import format_values
from starling.planfile.values import exact_text

if TYPE_CHECKING:
    from starling.groups.plan.model import Plan


def values_of(plan: "Plan", regions: str, folder: Path) -> dict[str, Any]:
    """The values that state a plan.

    Args:
        plan: The plan.
        regions: The name of the file of its regions.
        folder: Where the plan file will lie, from which the path of a register is stated.

    Raises:
        PlanError: nobody knows where the register lies.
    """
    return {
        "title": plan.title,
        "group": plan.group,
        "member": plan.member,
        "regions": {"file": regions, "levels": list(plan.regions.levels)},
        "sizes": {"largest": plan.largest, "quantity": plan.quantity},
        "totals": {"public": plan.totals, "groups": plan.groups},
        "input": {"kind": plan.kind, **_register(plan, folder)},
        **format_values(plan.format),
        "privacy": {
            "unit": plan.unit,
            "neighbours": "add-remove",
            plan.measure: exact_text(plan.budget.whole),
            "method": plan.method,
            **_budget(plan),
        },
    }


def _register(plan: "Plan", folder: Path) -> dict[str, str]:
    if plan.register is None:
        return {}
    if plan.register.path is None:
        problem = "is that of a release, which knows no more of it than its hash"
        raise PlanError("input.register", problem, "save the plan that was released")
    return {"register": os.path.relpath(plan.register.path, folder)}


def _budget(plan: "Plan") -> dict[str, Any]:
    """The shares that the budget follows from, or the amount of each level in each band."""
    if plan.shares is not None:
        sizes = zip(plan.shares.sizes, plan.shares.shares, strict=True)
        shares = [{"size": size, "share": exact_text(share)} for size, share in sizes]
        importance = plan.shares.importance
        return {"shares": shares} | ({} if importance is None else {"importance": _texts(importance)})
    bands = [
        {"from": first, "split": _texts(amounts)}
        for first, amounts in zip(plan.budget.bands, plan.budget.amounts, strict=True)
    ]
    return {"split": bands[0]["split"]} if len(bands) == 1 else {"bands": bands}


def _texts(amounts: tuple[Fraction, ...]) -> list[str]:
    return list(map(exact_text, amounts))
