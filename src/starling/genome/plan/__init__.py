"""The plan of a case-control study: public lists, sizes and choices, and what may be asked; read before anything confidential is opened."""

from starling.genome.plan.choices import Model
from starling.genome.plan.effects import SnpEffects
from starling.genome.plan.exploring import Explore, Question
from starling.genome.plan.exploring_effects import ExploreEffects
from starling.genome.plan.model import Plan
from starling.genome.plan.queries import LocBlock, LocSig, NumSig, Query, SnpCorr, SnpPval
from starling.genome.plan.scanning import Scan
from starling.genome.plan.sites import Region
from starling.genome.plan.snps import Snps

__all__ = [
    "Explore",
    "ExploreEffects",
    "LocBlock",
    "LocSig",
    "Model",
    "NumSig",
    "Plan",
    "Query",
    "Question",
    "Region",
    "Scan",
    "SnpCorr",
    "SnpEffects",
    "SnpPval",
    "Snps",
]
