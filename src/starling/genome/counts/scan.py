"""Score tests of every SNP of a study against a response, with the plan's covariates: one pass over the genotypes."""

from typing import cast

import numpy as np

from starling.genome.adjusted import Coding, Scores, ScoreTests
from starling.genome.arrays import Flags
from starling.genome.counts.basis import study_basis
from starling.genome.counts.men import Men
from starling.genome.measurements import SnpScores
from starling.genome.plan import Plan
from starling.genome.source import Calls, Dosages, Genotypes, read, read_dosages


def read_scores(plan: Plan, genotypes: Genotypes, response: Flags) -> SnpScores:
    """The tests of a response that was randomized before, bool (n,), in the plan's order.

    Raises SourceError when a file is no longer what was checked; never because of what a call or a line says.
    """
    basis = study_basis(plan, genotypes)
    tests = ScoreTests.of(cast(Coding, plan.model), response.astype(np.float64), basis)
    size = len(plan.snps)
    scores, variances, squares, frequencies = (np.zeros(size) for _ in range(4))
    out = SnpScores(basis.shape[1] - 1, scores, variances, squares, np.zeros(size, dtype=np.int64), frequencies)
    men = Men.of(plan, genotypes)

    def of_calls(calls: Calls) -> Scores:
        counted = men.calls(calls)
        return men.scores(tests.score(counted), counted)

    def of_dosages(dosages: Dosages) -> Scores:
        counted = men.dosages(dosages)
        return men.scores(tests.score_dosages(counted), counted)

    for part in (
        read_dosages(genotypes, plan, of_dosages) if plan.genotypes == "dosages" else read(genotypes, plan, of_calls)
    ):
        out.scores[part.snps], out.variances[part.snps], out.squares[part.snps] = (
            part.scores,
            part.variances,
            part.squares,
        )
        out.calls[part.snps], out.frequencies[part.snps] = part.calls, part.frequencies
    return out
