"""What a scan with covariates makes of genotypes and covariates alone, and the score tests of a response given them.

Privacy. The relation is "replace one person's phenotype". Nothing here reads a phenotype: basis and columns are the same for all
neighbours. A response comes in `ScoreTests` alone, already randomised, so what they give is post-processing.
"""

from starling.genome.adjusted.columns import Coding, Columns, covariate_basis, residual_columns, tiles
from starling.genome.adjusted.components import CallReader, components_without, principal_components
from starling.genome.adjusted.dosages import residual_dosages, residual_tiles
from starling.genome.adjusted.scores import Scores, ScoreTests

__all__ = [
    "CallReader",
    "Coding",
    "Columns",
    "ScoreTests",
    "Scores",
    "components_without",
    "covariate_basis",
    "principal_components",
    "residual_columns",
    "residual_dosages",
    "residual_tiles",
    "tiles",
]
