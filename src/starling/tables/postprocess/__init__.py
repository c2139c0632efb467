"""From noisy measurements to the tables T1 and T2, piece by piece: public in, public out, no randomness, bit for bit the same each time.

    measurements of a piece -> estimates: the numbers of its published groups, with their spread -> rows of T1 and T2

What makes better estimates of the same measurements stands between the first two.
"""

from starling.tables.postprocess.estimates import (
    Estimates,
    Numbers,
    estimate,
)
from starling.tables.postprocess.rows import T1_SCHEMA, T2_SCHEMA, Tables, Tabulated, tabulate

__all__ = [
    "T1_SCHEMA",
    "T2_SCHEMA",
    "Estimates",
    "Numbers",
    "Tables",
    "Tabulated",
    "estimate",
    "tabulate",
]
