"""What a scan with covariates makes of genotypes and covariates alone, and the score tests of a response given them.

Privacy. The relation is "replace one person's phenotype". Nothing here reads a phenotype: basis and columns are the same for all
neighbours. A response comes in `ScoreTests` alone, already randomised, so what they give is post-processing.
"""

from starling.genome.adjusted.columns import Coding, Columns, covariate_basis
from starling.genome.adjusted.components import components_without, principal_components
from starling.genome.adjusted.dosages import residual_tiles
from starling.genome.adjusted.scores import Scores, ScoreTests

__all__ = [
    "Coding",
    "Columns",
    "ScoreTests",
    "Scores",
    "components_without",
    "covariate_basis",
    "principal_components",
    "residual_tiles",
]
