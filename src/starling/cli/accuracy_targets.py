"""The accuracy targets of a plan: what each costs, which is costly, and what another budget would give."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from starling.cli import plans
from starling.release.text import table

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.plan import AccuracyTarget, Overview, Plan, Price

HEADER: Final = ("level", "target", "gives", "needs", "relaxed to", "would save")


def scaled(plan: "Plan", scale: str | None, total: str | None) -> "tuple[Fraction | None, Plan]":
    """The plan that the options ask for, and the factor on its margins; the plan itself where neither is given."""
    from starling.privacy.budget import positive
    from starling.tables.plan import afford, solve

    if total is not None:
        return afford(plan, positive(total, field="--total"))
    if scale is None:
        return None, plan
    factor = positive(scale, field="--scale")
    return factor, solve(plan, scale=factor)


def plan_text(overview: "Overview", prices: "Sequence[Price]", factor: Fraction | None) -> str:
    """Costs and noise of a plan, then its accuracy targets."""
    parts = [plans.plan_text(overview)]
    if factor is not None:
        parts.append(f"Solved again with every accuracy target times {float(factor):g}, rounded down to whole persons.")
    if prices:
        parts.append(_targets(overview, prices))
    return "\n\n".join(parts)


def _targets(overview: "Overview", prices: "Sequence[Price]") -> str:
    from starling.privacy.budget import decimal_up
    from starling.tables.plan.labels import level_text

    measure = overview.cost.measure
    rows = [
        (
            level_text(price.level),
            str(price.target),
            f"± {price.given:,}",
            decimal_up(price.need),
            f"within {price.relaxed.reach}" if price.binding else "",
            _percent(price.saving) if price.binding else "nothing: another binds",
        )
        for price in prices
    ]
    listed = (
        f"Accuracy targets of the plan, and the {measure} that its level would need for each alone\n\n"
        f"{table(HEADER, rows, left=2)}"
    )
    costliest = max(prices, key=lambda price: price.saving)
    if not costliest.saving:
        return listed
    target = costliest.target
    return (
        f"{listed}\n\n"
        f"The costliest is {level_text(costliest.level)}, {target}: within {costliest.relaxed.reach} instead would save"
        f" {_percent(costliest.saving)} of the whole cost."
    )


def _percent(part: Fraction) -> str:
    return f"{float(100 * part):.1f} %"


def plan_json(overview: "Overview", prices: "Sequence[Price]", factor: Fraction | None) -> "dict[str, Json]":
    """The same for machines, amounts exact."""
    return plans.plan_json(overview) | {
        "margins_scaled_by": None if factor is None else str(factor),
        "accuracy_targets": [_price_json(price) for price in prices],
    }


def _price_json(price: "Price") -> "dict[str, Json]":
    return {
        "geography": str(price.level.geography),
        "iteration_level": price.level.iteration_level,
        **_target_json(price.target),
        "gives": price.given,
        "needs": str(price.need),
        "binds": price.binding,
        "relaxed": _target_json(price.relaxed),
        "saves_part_of_cost": float(price.saving),
    }


def _target_json(target: "AccuracyTarget") -> "dict[str, Json]":
    return {
        "number": target.number,
        "ages": target.ages,
        "persons": target.persons,
        "within": target.within if isinstance(target.within, int) else f"{target.within} of persons",
        "margin": target.margin,
        "confidence": str(target.confidence),
    }
