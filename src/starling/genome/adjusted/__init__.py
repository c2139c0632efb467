"""What a scan with covariates makes of genotypes and covariates alone, and the score tests of a response given them.

Privacy. The relation is "replace one person's phenotype". Nothing here reads a phenotype: basis and columns are the same for all
neighbours. A response comes in `score_tests` and `score_calls` alone, already randomised, so what they give is post-processing.
"""

from starling.genome.adjusted.columns import Coding, Columns, covariate_basis, residual_columns, tiles
from starling.genome.adjusted.scores import Scores, score_calls, score_tests

__all__ = ["Coding", "Columns", "Scores", "covariate_basis", "residual_columns", "score_calls", "score_tests", "tiles"]
