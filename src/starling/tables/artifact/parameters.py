"""The public parameters of a tables release, for privacy.json: enough to recompute the cost and repeat post-processing."""

from fractions import Fraction
from typing import Final

from starling.privacy.accuracy import margin
from starling.release.statement import Json, law
from starling.tables import cells
from starling.tables.artifact.data import file_name
from starling.tables.plan import Geography, Level, Plan
from starling.tables.postprocess import CONFIDENCE, suppression_quantile

SOURCE: Final = "SafeTab-P, Algorithms 1 to 5 of SafeTab 2022 (Tumult Labs)"
BRANCH_NAMES: Final = ("total", "sex by 4 ages", "sex by 9 ages", "sex by 23 ages")


def parameters(plan: Plan, geography: Geography) -> dict[str, Json]:
    """The plan's choices and each level's noise."""
    return {
        "name": "SafeTab",
        "source": SOURCE,
        "title": plan.title,
        "stage_1_fraction": str(plan.gamma),
        "suppression_chance": str(plan.suppression),
        "negative_counts_published": plan.allow_negative,
        "max_race_codes": plan.max_race_codes,
        "states": list[Json](sorted(plan.states)),
        "puerto_rico": plan.puerto_rico,
        "confidence": str(CONFIDENCE),
        "branches": list[Json](BRANCH_NAMES),
        "levels": [_level(plan, geography, level) for level in plan.levels],
    }


def _level(plan: Plan, geography: Geography, level: Level) -> dict[str, Json]:
    laws = plan.laws(level)
    return {
        "geography": str(level.geography),
        "iteration_level": level.iteration_level,
        "measurements": f"data/measurements/{file_name(level)}",
        "budget": {plan.measure: str(level.budget)},
        "stability": level.stability,
        "thresholds": list[Json](level.thresholds),
        "regions": len(geography.regions[level.geography]),
        "iterations": len(level.iterations),
        "noise": {"total_only": law(laws.total_only), "stage_1": law(laws.stage1), "stage_2": law(laws.stage2)},
        "margins_of_error": {
            "total_only": margin(laws.total_only, missing()),
            "stage_1": margin(laws.stage1, missing()),
            "cell": margin(laws.stage2, missing()),
            "totals_by_branch": [margin(laws.stage2, missing(), size) for size in cells.BRANCH_CELLS],
        },
        "suppressed_up_to": suppression_quantile(plan, level),
    }


def missing() -> Fraction:
    """The chance that an interval misses."""
    return 1 - CONFIDENCE
