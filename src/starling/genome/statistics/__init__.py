"""Statistics of contingency tables: public arithmetic on counts, whoever they belong to."""

from starling.genome.statistics.association import (
    Correlation,
    PTest,
    Test,
    allele_tables,
    chi_squared_statistic,
    correlation,
    d_prime,
    g_statistic,
    log10_p_values,
    p_values,
    r_squared,
    trend_statistic,
    wald_statistic,
)

__all__ = [
    "Correlation",
    "PTest",
    "Test",
    "allele_tables",
    "chi_squared_statistic",
    "correlation",
    "d_prime",
    "g_statistic",
    "log10_p_values",
    "p_values",
    "r_squared",
    "trend_statistic",
    "wald_statistic",
]
