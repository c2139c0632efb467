"""What answers will be worth and what a wanted error costs, before anything is spent: public, of the plan alone. It opens no genotypes."""

from starling.genome.preview.foresight import Foreseen, check, epsilon_for, foresee, preview
from starling.genome.preview.grids import asked, grids
from starling.genome.preview.page import GenomePage, note
from starling.genome.preview.typical import Assumed

__all__ = ["Assumed", "Foreseen", "GenomePage", "asked", "check", "epsilon_for", "foresee", "grids", "note", "preview"]
