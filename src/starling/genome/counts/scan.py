"""Score tests of every SNP of a study against a response, with the plan's covariates: one pass over the genotypes, or each chromosome."""

from functools import partial
from typing import Final, cast

import numpy as np

from starling.engine.machine import processors
from starling.genome.adjusted import Coding, Scores, ScoreTests
from starling.genome.arrays import Float64
from starling.genome.counts.basis import study_bases
from starling.genome.counts.men import Men
from starling.genome.measurements import SnpScores
from starling.genome.plan import Plan
from starling.genome.source import Calls, Dosages, Genotypes, read_counted
from starling.genome.source.calls import CHUNK

HELD_BYTES: Final = 128 << 20
"""Bytes of packed calls that all threads work on at a time: what people have in common is tabled once for the SNPs of a chunk."""


def chunk_bytes() -> int:
    """Bytes of a chunk of a .bed: the more processors there are, the less each has, so that memory stays bounded."""
    return max(CHUNK, HELD_BYTES // processors())


def read_scores(plan: Plan, genotypes: Genotypes, response: Float64) -> SnpScores:
    """The tests of a response that was randomized before, float64 (n,) from 0 to 1, in the plan's order.

    Raises SourceError when a file is no longer what was checked; never because of what a call or a line says.
    """
    size, ranks = len(plan.snps), []
    scores, variances, squares, frequencies = (np.zeros(size) for _ in range(4))
    out = SnpScores(0, scores, variances, squares, np.zeros(size, dtype=np.int64), frequencies)
    men = Men.of(plan, genotypes)

    def work(tests: ScoreTests, part: Calls | Dosages) -> Scores:
        counted = men.counted(part)
        scores = tests.score(counted)
        return scores._replace(frequencies=men.frequencies(scores, counted))

    for indices, basis in study_bases(plan, genotypes):
        tests = ScoreTests.of(cast(Coding, plan.model), response, basis)
        ranks.append(basis.shape[1] - 1)
        # As large as the chunks: the tests have what they need of it.
        del basis
        for tested in read_counted(genotypes, plan, partial(work, tests), indices, chunk=chunk_bytes()):
            for name in SnpScores._fields[1:]:
                getattr(out, name)[tested.snps] = getattr(tested, name)
    return out._replace(adjusted=min(ranks))
