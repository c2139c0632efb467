"""Score tests of every SNP of a study against a response, with the plan's covariates: one pass over the genotypes, or each chromosome."""

from collections.abc import Iterable
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
from starling.genome.source import Calls, Dosages, Genotypes, read, read_dosages
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

    def of_calls(tests: ScoreTests, calls: Calls) -> Scores:
        counted = men.calls(calls)
        scores = tests.score(counted)
        return scores._replace(frequencies=men.frequencies(scores, counted))

    def of_dosages(tests: ScoreTests, dosages: Dosages) -> Scores:
        counted = men.dosages(dosages)
        scores = tests.score_dosages(counted)
        return scores._replace(frequencies=men.frequencies(scores, counted))

    for indices, basis in study_bases(plan, genotypes):
        tests = ScoreTests.of(cast(Coding, plan.model), response, basis)
        ranks.append(basis.shape[1] - 1)
        # As large as the chunks: the tests have what they need of it.
        del basis
        if plan.genotypes == "dosages":
            _fill(out, read_dosages(genotypes, plan, partial(of_dosages, tests), indices))
        else:
            _fill(out, read(genotypes, plan, partial(of_calls, tests), indices, chunk=chunk_bytes()))
    return out._replace(adjusted=min(ranks))


def _fill(out: SnpScores, parts: Iterable[Scores]) -> None:
    """Write the tests of some SNPs to their rows."""
    for part in parts:
        out.scores[part.snps], out.variances[part.snps], out.squares[part.snps] = (
            part.scores,
            part.variances,
            part.squares,
        )
        out.calls[part.snps], out.frequencies[part.snps] = part.calls, part.frequencies
