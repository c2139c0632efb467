"""What is kept of a response, and the study that a further scan of it reads: the response, genotypes and covariates, and no phenotype.

A response is of these people in this order, and of one phenotype. What is kept says so: a digest of the list of people, which this relation
does not protect, the plan's word for a case, the name of the column of phenotypes (without a header that of their file), how many values it
has where they are more than two, and its median with what that cost, where one was paid for. Of phenotypes themselves no digest is kept: a
further scan reads none, and whether they were corrected since is not told. Whoever reads it compares all of it before anything is charged.
It begins with random bytes, so that its SHA-256, which the ledger states, can't be found by trying.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Final

import numpy as np

from starling.errors import SourceError
from starling.genome.arrays import Float64
from starling.genome.counts.scan import read_scores
from starling.genome.measurements import SavedResponse, SnpScores
from starling.genome.plan import Plan, Scan
from starling.genome.plan.same_response import difference, other_draw, public_of
from starling.genome.source import Genotypes
from starling.genome.source.people import People
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential
from starling.release.codec import Json

SALT: Final = 32
"""Random bytes at the beginning."""
BITS: Final = 2
"""Values that a bit holds."""


def stored_content(plan: Plan, people: People, response: SavedResponse) -> bytes:
    """What is kept of a response: a bit a person of two values, else a byte."""
    of: dict[str, Json] = dict(_of(plan, people))
    if response.values > BITS:
        of["values"] = response.values
    if response.median is not None:
        of |= {"median": response.median, "median_epsilon": str(response.median_epsilon)}
    answers = np.packbits(response.answers.astype(np.bool_))
    if response.values > BITS:
        answers = response.answers.astype(np.uint8)
    return fresh_bytes(SALT) + json.dumps(of).encode() + b"\n" + answers.tobytes()


def read_stored(plan: Plan, people: People, content: bytes, question: Scan | None = None) -> SavedResponse:
    """The response that was kept. Raises SourceError where it is of other people, of another phenotype or, where it is known what will be
    wanted, of another number of intervals or part of epsilon for the median, by what is public.
    """
    text, _, bits = content[SALT:].partition(b"\n")
    drawn, now = json.loads(text), _of(plan, people)
    held = drawn.get("values", BITS)
    part = Fraction(drawn["median_epsilon"]) if "median" in drawn else None
    wrong = difference(drawn, now) or other_draw((held, part), (held, part) if question is None else question.draw)
    SourceError.check([] if wrong is None else [wrong])
    answers = np.frombuffer(bits, dtype=np.uint8)
    known = (np.unpackbits(answers, count=plan.people) if held == BITS else answers).astype(np.int64)
    return SavedResponse(known, held, part, drawn.get("median"))


OTHERS: Final = {
    "people": "other people, or of these in another order",
    "column": "another column of phenotypes",
    "file": "phenotypes in another file",
}
"""What a response may be of that plans do not tell apart, in words."""


def identities(plan: Plan, people: People) -> dict[str, str]:
    """Digests of what a response of these people would be of beside what plans say, by the words for another; of plans of persons none."""
    if plan.unit != "phenotype":
        return {}
    of = _of(plan, people)
    return {words: sha256(str(of[name]).encode()).hexdigest() for name, words in OTHERS.items()}


def _of(plan: Plan, people: People) -> dict[str, str | None]:
    """What a response is of."""
    names = people.keys(family=people.file is not None and people.file.has_families)
    listed = sha256(b"\n".join(b"\t".join(each) for each in names)).hexdigest()
    return public_of(plan) | {
        "people": f"{plan.people} {listed}",
        "column": people.phenotype_column,
        "file": people.phenotypes.path.name if people.phenotypes and people.phenotype_column is None else None,
    }


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """A `mechanism.scan.StoredStudy`. Made by `count_stored` alone."""

    plan: Plan
    genotypes: Genotypes
    response: SavedResponse

    def score_tests(self, response: Float64, /) -> SnpScores:
        """The score tests of a response, as `ExactStudy` asks for them."""
        return read_scores(self.plan, self.genotypes, response)


def count_stored(plan: Plan, genotypes: Genotypes, response: SavedResponse) -> Confidential[StoredCounts]:
    """The computation of all that a scan of a kept response may ask; `read_scores` says what it raises."""
    return Confidential(lambda: StoredCounts(plan, genotypes, response))
