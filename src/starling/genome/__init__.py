"""Genome: an analyst explores a case-control study under a budget (Johnson and Shmatikov 2013)."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.genome.combining import combine
    from starling.genome.distance.significance import distance_to_significance
    from starling.genome.generate import generate
    from starling.genome.plan import (
        Explore,
        ExploreEffects,
        LocBlock,
        LocSig,
        NumSig,
        Scan,
        SnpCorr,
        SnpEffects,
        SnpPval,
    )
    from starling.genome.plan.exploring import ExploreOptions
    from starling.genome.plan.long_lists import at_delta
    from starling.genome.preview.expected import preview
    from starling.genome.publish import release
    from starling.genome.session import Plan, plan
    from starling.genome.source import validate
    from starling.genome.study import Study, explore

__all__ = [
    "Explore",
    "ExploreEffects",
    "ExploreOptions",
    "LocBlock",
    "LocSig",
    "NumSig",
    "Plan",
    "Scan",
    "SnpCorr",
    "SnpEffects",
    "SnpPval",
    "Study",
    "at_delta",
    "combine",
    "distance_to_significance",
    "explore",
    "generate",
    "plan",
    "preview",
    "release",
    "validate",
]

lazy(
    __name__,
    {
        "combining": "combine",
        "distance.significance": "distance_to_significance",
        "generate": "generate",
        "plan": "Explore ExploreEffects LocBlock LocSig NumSig Scan SnpCorr SnpEffects SnpPval",
        "plan.exploring": "ExploreOptions",
        "plan.long_lists": "at_delta",
        "preview.expected": "preview",
        "publish": "release",
        "session": "Plan plan",
        "source": "validate",
        "study": "Study explore",
    },
)
