"""What score tests are adjusted for: an orthonormal basis of a study's intercept, covariates and components.

Privacy. No phenotype is read here: the basis is the same for all neighbours that differ by a person's phenotype.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from starling.genome.adjusted import components_without, covariate_basis, principal_components
from starling.genome.arrays import Float64, Int64
from starling.genome.plan import Plan
from starling.genome.source import Genotypes, read
from starling.genome.source.covariates import read_covariates


def study_basis(plan: Plan, genotypes: Genotypes) -> Float64:
    """The basis, float64 (n, r), of intercept, covariates and components in this order: what those before it explain is left out.

    Raises SourceError when a file is no longer what was checked; never because of what a line or a call says.
    """
    values = _covariates(plan, genotypes)
    if plan.components:
        components = principal_components(partial(read, genotypes, plan), plan.people, plan.components)
        values = np.column_stack((values, components))
    return covariate_basis(values)


def study_bases(
    plan: Plan, genotypes: Genotypes, indices: Int64 | None = None
) -> Iterator[tuple[Int64 | None, Float64]]:
    """Every SNP, or those at `indices`, with the basis that its test is adjusted for: some SNPs and their basis, again and again.

    There is one basis, `study_basis`, unless the plan leaves a SNP's own chromosome out of components; then there is one for each
    (Yang et al. 2014, leave one chromosome out: a causal SNP is not adjusted for what its own neighbours say). None stands for all SNPs.
    """
    if not plan.chromosome_out:
        yield indices, study_basis(plan, genotypes)
        return
    values = _covariates(plan, genotypes)
    chosen = np.arange(len(plan.snps), dtype=np.int64) if indices is None else indices
    every = plan.snps.chromosome_ranges.values()
    ranges = [(low, high) for low, high in every if ((low <= chosen) & (chosen < high)).any()]
    parts = components_without(partial(read, genotypes, plan), plan.people, plan.components, ranges)
    for (low, high), components in zip(ranges, parts, strict=True):
        inside = chosen[(low <= chosen) & (chosen < high)]
        yield inside, covariate_basis(np.column_stack((values, components)))


def _covariates(plan: Plan, genotypes: Genotypes) -> Float64:
    if not plan.covariates:
        return np.empty((plan.people, 0))
    assert genotypes.covariates is not None  # opened where the plan names some
    return read_covariates(genotypes.covariates, genotypes.people, plan.covariates, plan.people)
