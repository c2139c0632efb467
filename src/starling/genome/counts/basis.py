"""What score tests are adjusted for: one orthonormal basis of a study's intercept, covariates and components.

Privacy. No phenotype is read here: the basis is the same for all neighbours that differ by a person's phenotype.
"""

from functools import partial

import numpy as np

from starling.genome.adjusted import covariate_basis, principal_components
from starling.genome.arrays import Float64
from starling.genome.plan import Plan
from starling.genome.source import Genotypes, read
from starling.genome.source.covariates import read_covariates


def study_basis(
    plan: Plan, genotypes: Genotypes, covariates: tuple[str, ...] | None = None, components: int | None = None
) -> Float64:
    """The basis, float64 (n, r), of intercept, covariates and components in this order: what those before it explain is left out.

    Args:
        plan: Of a study whose unit is the phenotype.
        genotypes: Checked, but unread.
        covariates: Some of the plan's; all of them without it.
        components: How many principal components of the plan's SNPs; the plan's number without it.

    Raises:
        SourceError: when a file is no longer what was checked; never because of what a line or a call says.
    """
    names = plan.covariates if covariates is None else covariates
    values = np.empty((plan.people, 0))
    if names:
        assert genotypes.covariates is not None  # opened where the plan names some
        values = read_covariates(genotypes.covariates, genotypes.people, names, plan.people)
    count = plan.components if components is None else components
    if count:
        values = np.column_stack((values, principal_components(partial(read, genotypes, plan), plan.people, count)))
    return covariate_basis(values)
