"""Two releases compared number by number: which differ by more than their noise.

Compared are the noisy second measurements that both releases ship, before anything was dropped, clamped or made to add up. So which groups
were published, and whether negative counts were, bends nothing: the noise of every group has its whole law.

The rule for many comparisons. A family is all totals, or all cells, that both releases measured. Within a family the measurements are
independent of one another, so the p-values are, and the procedure of Benjamini and Hochberg (1995) at level 1 - confidence holds: of the
numbers told to differ, at most that share is expected to be equal in truth. The intervals beside them are those of Benjamini and
Yekutieli (2005), at 1 - (1 - confidence) R/N for R told of N: of the intervals told, at most that share is expected to miss; and
a number is told exactly when its interval does not hold 0.
"""

from starling.tables.comparison.results import SCHEMA, Comparison, Family, OnlyIn, Told, compare

__all__ = ["SCHEMA", "Comparison", "Family", "OnlyIn", "Told", "compare"]
