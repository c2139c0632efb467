"""The answers to an analyst's questions under the falsifier: the mechanisms themselves, on small studies that differ by one patient.

Each study is a few people and SNPs, written as copies of the carried allele and the status of each person. Where several SNPs are scored
the replaced patient moves all of them, as far as one patient can. Where phenotypes alone are protected, a patient's status is replaced.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt

from starling.audit.case import Case, Int64
from starling.genome.adjusted import covariate_basis
from starling.genome.counts.moments import snp_moments, trait_moments
from starling.genome.counts.pairs import carriers, pair_distances, pair_tables
from starling.genome.distance.adjusted import adjusted_distance, whole_columns
from starling.genome.distance.joint_scores import JointScores, joint_columns
from starling.genome.distance.rules import Rule
from starling.genome.measurements import (
    Block,
    Cells,
    Drawn,
    Explored,
    ExploredEffects,
    NoisyMoments,
    NoisyScores,
    Number,
    SavedResponse,
    Scanned,
    SelectedSnps,
    SnpScores,
)
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    Model,
    NumSig,
    Plan,
    Question,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
    Snps,
)
from starling.genome.plan.effects import SCALE
from starling.genome.plan.missing import Missing
from starling.genome.plan.moments import HALF, centred
from starling.genome.scores.candidates import Candidates
from starling.genome.source.counting import packed_bits
from starling.privacy.sampling.entropy import BitSource

Int16: TypeAlias = npt.NDArray[np.int16]
Patient: TypeAlias = tuple[int, ...]
"""Status (1 for a case), then copies of the carried allele at each SNP."""

P: Final = Fraction(1, 20)
"""A SNP is significant at or below this p-value."""
SNPS: Final = 6
MOST_STEPS: Final = 6
"""Of quantitative phenotypes."""
GRAIN: Final = SCALE // 4
"""Of scores: quarters of what a person can move."""
EDGES: Final = (4, -2, 2, -4)
"""Of weighted moments, in units of HALF^2: the exact ones of the second of two studies (_MOMENTS)."""
FINE: Final = 1000
"""Steps of a unit of a score, which tell all responses of a small study apart."""
LEAST: Final = 1
MOST: Final = 9
"""Noisy counts are clipped to LEAST to MOST, which is post-processing, so that a histogram of few outputs sees what matters."""


@dataclass(frozen=True, eq=False)
class SmallStudy:
    """Exact counts of a study in memory, as `genome.mechanism.ExactStudy` asks for them.

    Attributes:
        copies: Copies of the carried allele, integers (people, snps).
        cases: Who is a case, bool (people,).
        model: What is compared.
        apart: Whether a missing call, written as -1 copies, has a cell of its own.
        steps: Of a quantitative phenotype those of everybody, int64 (people,); None of cases and controls.
    """

    copies: npt.NDArray[np.integer]
    cases: npt.NDArray[np.bool_]
    model: Model
    apart: bool = False
    steps: Int64 | None = None
    _counted: dict[object, tuple[Int16, Int64]] = field(default_factory=dict, repr=False)

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        """The table of each SNP, or of some of them: int64 (m, 4), or (m, 6) by 0, 1 and 2 copies, or with missing calls."""
        copies = self.copies if indices is None else self.copies[:, indices]
        columns = [copies > 0, copies == 0] if self.model == "dominant" else [copies == number for number in range(3)]
        columns += [copies < 0] if self.apart else []
        sides = [column[side].sum(axis=0) for side in (self.cases, ~self.cases) for column in columns]
        return np.stack(sides, axis=1).astype(np.int64)

    def is_case(self) -> npt.NDArray[np.bool_]:
        """Who is a case, bool (people,)."""
        return self.cases

    def levels(self) -> Int64:
        """Cases as 1, or steps, int64 (people,)."""
        return self.cases.astype(np.int64) if self.steps is None else self.steps

    def score_distances(self, indices: Int64 | None, threshold: int, /) -> Int64:
        """The signed distance of each SNP by the score test, int64 (m,), with a covariate that counts the people."""
        copies = (self.copies if indices is None else self.copies[:, indices]).T
        coded = {"dominant": copies > 0, "recessive": copies == 2}.get(self.model, copies).astype(np.float64)
        basis = covariate_basis(np.arange(len(self.cases), dtype=np.float64)[:, np.newaxis])
        return adjusted_distance(whole_columns(coded - coded @ basis @ basis.T), self.cases, threshold)

    def score_tests(self, response: npt.NDArray[np.float64], /) -> SnpScores:
        """The score test of each SNP against a response, without covariates."""
        values = (self.copies - self.copies.mean(axis=0)).T
        rest = response - response.mean()
        squares, calls = (values**2).sum(axis=1), np.full(len(values), len(response))
        frequencies = self.copies.mean(axis=0) / 2
        return SnpScores(0, values @ rest, values**2 @ rest**2, squares, calls, frequencies)

    def stored(self, response: SavedResponse, /) -> bytes:  # noqa: ARG002 - nobody reads it
        """Nothing: no ledger pays."""
        return b""

    def joint_scores(self, indices: Int64, scale: int, /) -> JointScores:
        """The scores of some SNPs, of L1 sensitivity `scale`, without covariates."""
        copies = self.copies[:, indices].T.astype(np.float64)
        joint = joint_columns(copies - copies.mean(axis=1, keepdims=True), scale)
        calls, frequencies = np.full(len(copies), len(self.cases)), copies.mean(axis=1) / 2
        scores = joint.values @ self.cases.astype(np.int64)
        return JointScores(scores, joint.largest, joint.squares, calls, frequencies)

    def moments(self, indices: Int64, /) -> tuple[Int64, Int64]:
        """The sums of copies and of the phenotype, which is at the upper end of cases and at the lower of others."""
        phenotypes, known = centred(self.levels(), 1), np.ones(len(self.cases), dtype=np.bool_)
        columns = self.copies[:, indices].T.astype(np.int8)
        return np.array([snp_moments(column, phenotypes, known) for column in columns]), trait_moments(
            phenotypes, known
        )

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """People with both SNPs, the first alone, the second alone, neither: int64 (pairs, 4)."""
        return pair_tables(self._bits(), len(self.cases), pairs)

    def blocks(self, indices: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """Signed distances of pairs to the rule, and how many carry each SNP; counted once, however often they are asked for."""
        key = (*indices.tolist(), among.regions, among.longest)
        if key not in self._counted:
            bits = self._bits()[indices]
            self._counted[key] = pair_distances(bits, len(self.cases), rule, among), carriers(bits)
        distances, number = self._counted[key]
        return distances.copy(), number

    def _bits(self) -> npt.NDArray[np.uint64]:
        """Who carries each SNP, uint64 (snps, words)."""
        return packed_bits(self.copies.T > 0)


def small_plan(
    people: int, snps: int, model: Model = "dominant", *, apart: bool = False, score: bool = False, trait: bool = False
) -> Plan:
    """The plan of a small study: SNPs snp0, snp1, ... of one chromosome, tested by G at P; of phenotypes under the additive model, or where
    the score test is asked for; of whole persons with a `trait` of one step.
    """
    ids = tuple(f"snp{number}" for number in range(snps))
    listed = Snps(ids, ("1",) * snps, np.arange(1, snps + 1), ("A",) * snps, ("C",) * snps)
    if trait:
        between = (Fraction(0), Fraction(1))
        return Plan("A small study", people, listed, "additive", ("score",), alpha=P * snps, between=between, steps=1)
    missing: Missing | None = "cell" if apart else None
    if score or model == "additive":
        return Plan(
            "A small study", people, listed, model, ("score",), alpha=P * snps, unit="phenotype", missing=missing
        )
    return Plan("A small study", people, listed, model, ("g",), alpha=P * snps, missing=missing)


def coded(answer: Drawn, shown: tuple[int, ...] = (0, 1)) -> list[int]:
    """An answer as a few integers, many answers as the same ones perhaps: post-processing. Of noisy numbers those at `shown` count."""
    if isinstance(answer, Number):
        return [answer.low] if answer.cases is None else [answer.low, min(max(answer.cases, LEAST), MOST)]
    if isinstance(answer, SelectedSnps):
        return [_number(snp) for snp in answer.snps]
    if isinstance(answer, Block):
        return [-1 if answer.first is None else _number(answer.first), answer.snps]
    if isinstance(answer, Cells | NoisyScores | NoisyMoments):
        return _few(answer, shown)
    if isinstance(answer, Explored | ExploredEffects):
        first = [_number(snp) for snp in answer.located.snps[:1]] or [-1]
        if isinstance(answer, Explored):
            first = [answer.followed, *first]
        elif answer.scores is not None:
            first += coded(answer.scores)[:1]
        return [answer.number.low, *first]
    if isinstance(answer, Scanned):
        median = [] if answer.median is None else [answer.median]
        return [*median, answer.ones, *answer.above, round(FINE * float(answer.tests.scores[0]))]
    assert_never(answer)


def _few(answer: Cells | NoisyScores | NoisyMoments, shown: tuple[int, ...]) -> list[int]:
    """Some of the noisy numbers, in few steps."""
    if isinstance(answer, NoisyMoments):
        sums = (answer.products[0], answer.copies[0], answer.squares[0], answer.phenotype[0])
        return [int(number < edge * HALF**2) for number, edge in zip(sums, EDGES, strict=True)]
    numbers = answer.counts if isinstance(answer, Cells) else [score // GRAIN for score in answer.scores]
    return [min(max(numbers[at], LEAST), MOST) for at in shown if at < len(numbers)]


def _number(snp: str) -> int:
    return int(snp.removeprefix("snp"))


def _pair(others: list[Patient], left: Patient, right: Patient) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two studies of the same other patients, and of one patient who is replaced by another."""
    studies = ([*others, left], [*others, right])
    one, other = (tuple(value for patient in study for value in patient) for study in studies)
    return one, other


def _same(copies: int) -> Patient:
    return (copies,) * SNPS


_OTHERS: Final[list[Patient]] = [(1, *_same(0))] * 3 + [(0, *_same(1))] * 6 + [(0, *_same(0))] * 6
"""With one control more each SNP's table is (0, 3; 6, 7) where she carries none, the last before significance, else (0, 3; 7, 6)."""
_ONE: Final = _pair(_OTHERS, (0, 1, *[0] * (SNPS - 1)), (0, 0, *[1] * (SNPS - 1)))
"""One SNP gains what all others lose."""
_ALL: Final = _pair(_OTHERS, (0, *_same(0)), (0, *_same(1)))
"""Every SNP becomes significant."""
_R2: Final = _pair(
    [(0, *copies) for copies in ((1, 1, 1), (1, 1, 1), (1, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0))],
    (0, 1, 1, 1),
    (0, 0, 0, 1),
)
"""Three SNPs whose blocks by r2 the replaced patient makes or breaks; found by a search for much that changes."""
_D_PRIME: Final = _pair(
    [(0, *copies) for copies in ((1, 1, 1),) * 5 + ((1, 1, 0),) * 3 + ((0, 1, 1), (0, 0, 0), (0, 0, 0))],
    (0, 1, 1, 1),
    (0, 0, 0, 1),
)
"""Three SNPs whose blocks by D' the replaced patient makes or breaks."""
_TABLE: Final = _pair([(status, copies) for status in (1, 0) for copies in [0, 1] * 5], (1, 1), (1, 0))
"""One SNP of which the replaced patient loses the allele."""
_COPIES: Final = _pair([(status, copies) for status in (1, 0) for copies in [0, 1, 2] * 4], (1, 0), (1, 1))
"""One SNP by number of copies."""
_LACKING: Final = _pair([(status, copies) for status in (1, 0) for copies in [0, 1, -1] * 4], (1, 1), (1, -1))
"""One SNP of which the replaced patient, a case, loses the call."""
_FLIPPED: Final = _pair([(status, copies) for status in (1, 0) for copies in [0, 1, -1] * 4], (1, 1), (0, 1))
"""One SNP of which the last patient becomes a control."""
_TWO: Final = _pair([(0, one, other) for one in (0, 1) for other in (0, 1) for _ in range(5)], (0, 1, 1), (0, 1, 0))
"""Two SNPs that the replaced patient carries together, or the first alone."""
_PHENOTYPES: Final = _pair(
    [
        (status, first, *[other] * (SNPS - 1))
        for status, first, other in (
            *((0, 2, 1), (0, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2), (0, 1, 2)),
            *((0, 2, 1), (0, 1, 0), (1, 1, 1), (0, 1, 1), (1, 2, 2)),
        )
    ],
    (0, 2, *[0] * (SNPS - 1)),
    (1, 2, *[0] * (SNPS - 1)),
)
"""The last patient becomes a case: the first SNP gains what all others lose; found by a search."""
_STATUS: Final = _pair([(0, *_same(0)), (1, *_same(1))], (0, *_same(2)), (1, *_same(2)))
"""Three people, of whom one has another phenotype."""
_STEPS: Final = _pair([(0, *_same(0)), (6, *_same(1))], (0, *_same(2)), (6, *_same(2)))
"""Three people, of whom one has the largest phenotype for the smallest."""
_HALVES: Final = _pair([(0, *_same(0)), (5, *_same(1))], (0, *_same(2)), (6, *_same(2)))
"""Three people, of whom one moves to the side of the larger phenotypes."""
_MOMENTS: Final = _pair([(0, *_same(0)), (1, *_same(1))], (1, *_same(2)), (0, *_same(1)))
"""Three people, of whom one has other copies and the phenotype at the other end."""
_COUNTS: Final = Fraction(1)
"""Epsilon of noisy counts."""
_CHOICE: Final = Fraction(4)
"""Epsilon of selections: larger, so that few draws see what a score gives away."""
_HALF: Final = Fraction(1, 2)


def _case(
    name: str,
    question: Question,
    pair: tuple[tuple[int, ...], tuple[int, ...]],
    draws: int,
    snps: int = SNPS,
    model: Model = "dominant",
    *,
    apart: bool = False,
    trait: bool = False,
    steps: int | None = None,
) -> Case:
    """Answers to a question as rows of a few integers; with `steps` of quantitative phenotypes from 0 to so many."""
    score, shown = getattr(question, "test", "") == "score", (0, 2) if apart else (0, 1)

    def answers(exact: Int64, number: int, _: BitSource) -> Int64:
        people = exact.reshape(-1, snps + 1)
        plan = small_plan(len(people), snps, model, apart=apart, score=score, trait=trait)
        study = SmallStudy(people[:, 1:], people[:, 0] == 1, model, apart)
        if steps is not None:
            plan = replace(plan, between=(Fraction(0), Fraction(steps)), steps=steps)
            study = replace(study, steps=people[:, 0])
        mechanism = mechanism_of(plan, question)
        return np.array([coded(mechanism.draw(study), shown) for _ in range(number)], dtype=np.int64)

    return Case(name, "", None, answers, *pair, draws, claim=question.guarantee.cost)


DECLARED: Final[tuple[Case, ...]] = (
    _case("num_sig", NumSig("g", 1, _CHOICE), _ALL, 3_000),
    _case("num_sig, exponential", NumSig("g", 1, _CHOICE, "exponential"), _ALL, 3_000),
    _case("loc_sig", LocSig("g", 1, _CHOICE), _ONE, 3_000),
    _case("loc_sig, two SNPs", LocSig("g", 2, 2 * _CHOICE), _ONE, 3_000),
    _case("num_sig, phenotypes", NumSig("score", 1, _CHOICE), _PHENOTYPES, 3_000, model="additive"),
    _case(
        "num_sig, cases", NumSig("score", 1, _CHOICE, prevalence_epsilon=_COUNTS), _PHENOTYPES, 3_000, model="additive"
    ),
    _case("loc_sig, phenotypes", LocSig("score", 1, _CHOICE), _PHENOTYPES, 3_000, model="additive"),
    _case("loc_block, r2", LocBlock("r2", _HALF, ("snp1",), _CHOICE), _R2, 3_000, snps=3),
    _case("loc_block, D'", LocBlock("dprime", _HALF, ("snp1",), _CHOICE), _D_PRIME, 3_000, snps=3),
    _case("snp_pval", SnpPval("snp0", "g", _COUNTS), _TABLE, 6_000, snps=1),
    _case("snp_pval, Laplace", SnpPval("snp0", "g", _COUNTS, "laplace"), _TABLE, 6_000, snps=1),
    _case("snp_pval by copies", SnpPval("snp0", "g", _COUNTS), _COPIES, 6_000, snps=1, model="genotypic"),
    _case("snp_pval, missing calls", SnpPval("snp0", "g", _COUNTS), _LACKING, 6_000, snps=1, apart=True),
    _case("snp_pval, phenotypes", SnpPval("snp0", "score", _COUNTS), _FLIPPED, 6_000, snps=1, apart=True),
    _case("snp_corr", SnpCorr("snp0", "snp1", "r2", _COUNTS), _TWO, 6_000, snps=2),
    _case("snp_corr, Laplace", SnpCorr("snp0", "snp1", "r2", _COUNTS, "laplace"), _TWO, 6_000, snps=2),
    _case("snp_effects", SnpEffects(("snp0", "snp1"), _COUNTS), _STATUS, 6_000, model="additive"),
    _case("snp_effects, moments", SnpEffects(("snp0",), _CHOICE), _MOMENTS, 3_000, trait=True),
    _case("scan", Scan(_COUNTS), _STATUS, 6_000, model="additive"),
    _case("scan, five intervals", Scan(_CHOICE, intervals=5), _STEPS, 1_000, model="additive", steps=MOST_STEPS),
    _case(
        "scan, a median",
        Scan(_CHOICE + _COUNTS, intervals=3, median_epsilon=_COUNTS),
        _HALVES,
        1_000,
        model="additive",
        steps=MOST_STEPS,
    ),
    _case("explore", Explore("g", "r2", _HALF, 4 * _CHOICE, most=2), _ALL, 1_000),
    _case("explore, one SNP at a time", Explore("g", "r2", _HALF, 4 * _CHOICE, most=2, independent=True), _ALL, 1_000),
    _case("explore_effects", ExploreEffects("score", 3 * _CHOICE, most=1), _PHENOTYPES, 1_000, model="additive"),
)
"""Every question, with what it declares to cost."""
