"""What is kept of a response, and the study that a further scan of it reads: the response, genotypes and covariates, and no phenotype.

A response is of these people in this order, and of one phenotype. What is kept says so: a digest of the list of people, which this relation
does not protect, the plan's word for a case, the name of the file of phenotypes, and how many values it has where they are more than two.
Whoever reads it compares all of it before anything is
charged. It begins with random bytes, so that its SHA-256, which the ledger states, can't be found by trying.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np

from starling.errors import SourceError
from starling.genome.arrays import Float64, Int64
from starling.genome.counts.scan import read_scores
from starling.genome.measurements import SnpScores
from starling.genome.plan import Plan
from starling.genome.plan.same_response import difference, other_intervals, public_of
from starling.genome.source import Genotypes
from starling.genome.source.people import People
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential

SALT: Final = 32
"""Random bytes at the beginning."""


def stored_content(plan: Plan, people: People, response: Int64, values: int = 2) -> bytes:
    """What is kept of a response, int64 (n,) from 0 to k - 1: a bit a person of two values, else a byte."""
    of = json.dumps(_of(plan, people) | ({"values": values} if values > 2 else {})).encode()
    answers = np.packbits(response.astype(np.bool_)) if values == 2 else response.astype(np.uint8)
    return fresh_bytes(SALT) + of + b"\n" + answers.tobytes()


def read_stored(plan: Plan, people: People, content: bytes, values: int | None = None) -> tuple[Int64, int]:
    """The response that was kept, int64 (n,), and how many values it has; raises SourceError where it is of other people, of another
    phenotype or, where `values` says how many are wanted, of another number, by what is public.
    """
    text, _, bits = content[SALT:].partition(b"\n")
    drawn, now = json.loads(text), _of(plan, people)
    held = drawn.get("values", 2)
    wrong = difference(drawn, now) or other_intervals(held, held if values is None else values)
    if wrong is not None:
        raise SourceError(problems=[wrong])
    answers = np.frombuffer(bits, dtype=np.uint8)
    return (np.unpackbits(answers, count=plan.people) if held == 2 else answers).astype(np.int64), held


def _of(plan: Plan, people: People) -> dict[str, str | None]:
    """What a response is of."""
    names = people.keys(family=people.file is not None and people.file.has_families)
    listed = sha256(b"\n".join(b"\t".join(each) for each in names)).hexdigest()
    return public_of(plan) | {
        "people": f"{plan.people} {listed}",
        "file": None if people.phenotypes is None else people.phenotypes.path.name,
    }


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """A `mechanism.scan.StoredStudy`. Made by `count_stored` alone."""

    plan: Plan
    genotypes: Genotypes
    response: Int64
    values: int

    def score_tests(self, response: Float64, /) -> SnpScores:
        """The score tests of a response, as `ExactStudy` asks for them."""
        return read_scores(self.plan, self.genotypes, response)


def count_stored(plan: Plan, genotypes: Genotypes, response: Int64, values: int) -> Confidential[StoredCounts]:
    """The computation of all that a scan of a kept response may ask; `read_scores` says what it raises."""
    return Confidential(lambda: StoredCounts(plan, genotypes, response, values))
