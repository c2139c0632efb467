"""Was this person in the study? Homer's attack: it works on exact statistics of many SNPs, and no better than its bound on a release.

The setting (Homer et al. 2008; Sankararaman et al. 2009). A study publishes a number for each SNP: the share of its cases who carry it,
or the p-value of its association. The attacker holds the genome of a person, and genomes of other people of the same ancestry, a
reference. At each SNP the cases are a little more like the person if she is one of them, by one in n; over thousands of SNPs these add up.

The game. Two suspects, one of whom is a case of the study and the other nobody in it, which is a fair coin's choice. The attacker has both
genomes, knows how many cases and controls there are, and says which. How often he is right is also the area under the ROC curve of
his score, the chance that a member's is above an outsider's; one half is guessing.

The attacker. Carriers among the other cases are taken for binomial, with the uncertainty that the reference leaves (Beta posterior);
SNPs for independent. At each SNP a carrier's score then grows by how much likelier it makes what was published if one of the
carriers is known to be there. From exact shares that is the likelihood-ratio test, the best of all tests where SNPs are independent
(Sankararaman et al. 2009). From exact p-values he goes through all tables that have this p-value (Wang et al. 2009). From noisy
tables the noise is part of the likelihood, and the analyst is the attacker himself: he asks about the SNPs that tell his suspects apart.

The bound. The study with one suspect and the study with the other in her place are neighbours: one person is replaced. Let s and s'
be the chances that he names the first under each; he is right with (s + 1 - s')/2. epsilon-DP says s <= e^epsilon s' and
1 - s' <= e^epsilon (1 - s), so that is at most e^epsilon/(1 + e^epsilon), whatever he knows and computes: an advantage 2 p - 1 of at
most (e^epsilon - 1)/(e^epsilon + 1). It holds for the mean over all pairs of suspects, who may take part in many games.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import exp
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import betabinom

from bench.attacks.people import deals
from starling.errors import ParameterError
from starling.genome.counts.pairs import carriers, pair_distances, pair_tables
from starling.genome.distance.joint_scores import JointScores
from starling.genome.distance.rules import Rule
from starling.genome.measurements import Cells, SnpScores
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.mechanism.noisy_tables import SnpPvalMechanism
from starling.genome.plan import Explore, Plan, SnpPval, Snps
from starling.genome.plan.queries import Noise
from starling.genome.scores.candidates import Candidates
from starling.genome.statistics.association import log10_p_values

Bool: TypeAlias = npt.NDArray[np.bool_]
Int16: TypeAlias = npt.NDArray[np.int16]
Int64: TypeAlias = npt.NDArray[np.int64]
Float64: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]

FEWEST: Final = 8
"""People of a game."""
TEST: Final = "g"
"""Of association."""
LARGEST: Final = 50.0
"""Of a log-likelihood ratio: who carries what nobody among the cases does is not excluded altogether."""
_FAR: Final = 1e4
_SAME: Final = 1e-9
"""Two tables whose log10 p-values are nearer than that have one p-value."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often the attacker was right.

    Attributes:
        epsilon: What one study's release costs; None where exact statistics are published.
        games: How many games were played, each with a study of its own.
        right: In how many of the games the attacker was right.
    """

    epsilon: Fraction | None
    games: int
    right: int

    @property
    def bound(self) -> float:
        """The most that `right / games` is expected to be, whoever attacks."""
        return 1.0 if self.epsilon is None else 1 / (1 + exp(-float(self.epsilon)))


@dataclass(frozen=True, eq=False)
class Study:
    """A study, as the mechanisms ask for it, and what the attacker has besides.

    Attributes:
        plan: n, SNPs, dominant model.
        bits: Who of all people carries what, one bit a person: uint64 (snps, words).
        cases: Which people are cases, by their index, int64.
        controls: Which people are controls, by their index, int64.
        reference: Which people are not in the study, by their index, int64.
        suspects: The genomes of the two suspects, bool (2, snps): one is a case, the other nobody here.
    """

    plan: Plan
    bits: Words
    cases: Int64
    controls: Int64
    reference: Int64
    suspects: Bool

    @cached_property
    def known(self) -> Int64:
        """Carriers of each SNP among the reference, int64 (snps,)."""
        return carriers(self.bits & self._mask(self.reference))

    @cached_property
    def _tables(self) -> Int64:
        case, control = (carriers(self.bits & self._mask(group)) for group in (self.cases, self.controls))
        return np.stack((case, len(self.cases) - case, control, len(self.controls) - control), axis=1)

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        """The tables that `genome.mechanism.ExactStudy` asks for."""
        return self._tables if indices is None else self._tables[indices]

    def is_case(self) -> Bool:
        """Of plans that protect phenotypes alone, which say that membership is not protected."""
        raise AssertionError(self)

    def levels(self) -> Int64:
        """Of plans that protect phenotypes alone."""
        raise AssertionError(self)

    def joint_scores(self, indices: Int64, scale: int, /) -> JointScores:
        """Of plans that protect phenotypes alone."""
        raise AssertionError(indices, scale)

    def moments(self, indices: Int64, /) -> tuple[Int64, Int64]:
        """Of quantitative phenotypes."""
        raise AssertionError(indices)

    def score_tests(self, response: Float64, /) -> SnpScores:
        """Of plans that protect phenotypes alone, which say that membership is not protected."""
        raise AssertionError(response)

    def score_distances(self, indices: Int64 | None, threshold: int, /) -> Int64:
        """Of plans that protect phenotypes alone, which say that membership is not protected."""
        raise AssertionError(indices, threshold)

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """The tables of pairs that `genome.mechanism.ExactStudy` asks for."""
        return pair_tables(self._of_study(np.arange(len(self.bits))), self.plan.people, pairs)

    def blocks(self, indices: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """The distances and carriers that `genome.mechanism.ExactStudy` asks for."""
        bits = self._of_study(indices)
        return pair_distances(bits, self.plan.people, rule, among), carriers(bits)

    def _of_study(self, indices: Int64) -> Words:
        return self.bits[indices] & self._mask(np.concatenate((self.cases, self.controls)))

    def _mask(self, group: Int64) -> Words:
        chosen = np.zeros((64 * self.bits.shape[1], 1), dtype=np.bool_)
        chosen[group] = True
        mask: Words = _bits(chosen)[0]
        return mask


class Published(Protocol):
    """A way to publish a study."""

    @property
    def epsilon(self) -> Fraction | None:
        """What it costs; None for exact statistics."""
        ...

    def gains(self, study: Study, /) -> tuple[Int64, Float64]:
        """Publish, and evaluate: SNPs, int64 (k,); and by how much a suspect's score grows who carries it, float64 (k,)."""
        ...


def attack(carried: Bool, published: Published, *, games: int = 1000, seed: int = 1) -> Outcome:
    """Play: each game deals a quarter of the people into cases, a third into controls, one outsider; the rest is the reference.

    Args:
        carried: Who carries which SNP, bool (people, snps): people who are like one another.
        published: What each study publishes.
        games: How many.
        seed: Of the deals, which are public. Noise has none.

    Raises:
        ParameterError: for fewer than 8 people, or no SNPs.
    """
    people, snps = carried.shape
    if people < FEWEST or not snps:
        raise ParameterError(field="carried", problem="are too few people or SNPs", fix=f"give {FEWEST} people or more")
    cases, study = people // 4, people // 4 + people // 3
    plan, bits, right = _plan(study, snps), _bits(carried), 0
    for order, turned in deals(people, games, seed):
        suspects = carried[order[[-1, 0] if turned else [0, -1]]]
        dealt = Study(plan, bits, order[:cases], order[cases:study], order[study:-1], suspects)
        indices, gains = published.gains(dealt)
        first, second = suspects[:, indices] @ gains
        # Where nothing tells them apart he names the first, who is the case as often as not.
        right += bool(first >= second) != turned
    return Outcome(published.epsilon, games, right)


@dataclass(frozen=True, slots=True)
class ExactShares:
    """The exact share of carriers among the cases, of every SNP."""

    @property
    def epsilon(self) -> None:
        """No guarantee."""
        return

    def gains(self, study: Study, /) -> tuple[Int64, Float64]:
        """Publish, and evaluate as `Published` asks."""
        number, others = study.tables()[:, 0], _others(len(study.cases), len(study.reference))
        # The member is one of the carriers: one less among the others.
        member, nobody = _at(others, study.known, number - 1), _at(others, study.known, number)
        return np.arange(len(number)), _ratio(member, nobody)


@dataclass(frozen=True, slots=True)
class ExactPValues:
    """The exact p-value of every SNP."""

    @property
    def epsilon(self) -> None:
        """No guarantee."""
        return

    def gains(self, study: Study, /) -> tuple[Int64, Float64]:
        """Publish, and evaluate as `Published` asks. Only the p-values are read of the tables."""
        found = log10_p_values(study.tables(), TEST)
        table = _by_p_value(len(study.cases), len(study.controls), len(study.reference))
        place = np.clip(np.searchsorted(table.p, found), 1, len(table.p) - 1)
        place -= found - table.p[place - 1] < table.p[place] - found
        return np.arange(len(found)), table.gain[study.known, place]


@dataclass(frozen=True, slots=True)
class NoisyTables:
    """`asked` tables by snp_pval, of SNPs that tell the suspects apart, rare ones first: what others carry hides least there.

    Attributes:
        epsilon: Of all tables together.
        asked: How many.
        noise: "lattice" or "laplace".
    """

    epsilon: Fraction
    asked: int = 1
    noise: Noise = "lattice"

    def gains(self, study: Study, /) -> tuple[Int64, Float64]:
        """Publish, and evaluate as `Published` asks."""
        apart = np.flatnonzero(study.suspects[0] != study.suspects[1])
        rarity = np.minimum(study.known, len(study.reference) - study.known)[apart]
        indices = apart[np.argsort(rarity, kind="stable")[: self.asked]]
        share = self.epsilon / self.asked
        ids = study.plan.snps.ids
        drawn = [
            SnpPvalMechanism(study.plan, SnpPval(ids[place], TEST, share, self.noise)).draw(study) for place in indices
        ]
        return indices, _of_noisy(study, indices, drawn, share)


@dataclass(frozen=True, slots=True)
class Explored:
    """`explore` with its defaults; of its answers the noisy tables are used.

    Attributes:
        epsilon: Of the whole.
        delta_c: What r^2 within a block must exceed.
        longest: Most SNPs of a block.
    """

    epsilon: Fraction
    delta_c: Fraction = Fraction(1, 2)
    longest: int = 50

    def gains(self, study: Study, /) -> tuple[Int64, Float64]:
        """Publish, and evaluate as `Published` asks."""
        query = Explore(TEST, "r2", self.delta_c, self.epsilon, longest=self.longest)
        found = ExploreMechanism(study.plan, query).draw(study)
        indices = np.array([study.plan.snps.index(snp) for snp in found.located.snps], dtype=np.int64)
        share = self.epsilon / (4 * found.followed) if found.followed else self.epsilon
        return indices, _of_noisy(study, indices, list(found.tables), share)


def _of_noisy(study: Study, indices: Int64, drawn: list[Cells], epsilon: Fraction) -> Float64:
    """Gains from noisy tables, each of which cost `epsilon`: float64 (k,).

    Either noise makes a table T into Y with a probability proportional to e^(-epsilon |Y - T|/2): lattice noise has a norm of half of
    that, as Y and T add up to n. Of how many controls carry nothing depends on the suspects.
    """
    if not drawn:
        return np.zeros(0)
    number = len(study.cases)
    noisy = np.array([cells.counts for cells in drawn], dtype=np.float64)
    carry = np.arange(number + 1)
    far = np.abs(noisy[:, :1] - carry) + np.abs(noisy[:, 1:2] - number + carry)
    weight = -float(epsilon) / 2 * far
    prior = _others(number, len(study.reference))[study.known[indices]]
    member = np.logaddexp.reduce(prior + weight[:, 1:], axis=1)
    nobody = np.logaddexp.reduce(prior + weight[:, :-1], axis=1)
    return _ratio(member, nobody)


@lru_cache(maxsize=8)
def _others(number: int, reference: int) -> Float64:
    """ln of the chance that b of `number` - 1 people carry, given that r of the reference do: (reference + 1, number), by r and b."""
    known = np.arange(reference + 1)[:, np.newaxis]
    chance: Float64 = betabinom.logpmf(np.arange(number), number - 1, known + 0.5, reference - known + 0.5)
    return chance


def _at(others: Float64, known: Int64, number: Int64) -> Float64:
    """The entries of `others` for so many carriers; -infinity beyond."""
    inside = (number >= 0) & (number < others.shape[1])
    chance: Float64 = np.where(inside, others[known, np.where(inside, number, 0)], -np.inf)
    return chance


def _ratio(member: Float64, nobody: Float64) -> Float64:
    """The log-likelihood ratio, within +-LARGEST."""
    ratio: Float64 = np.clip(np.maximum(member, -_FAR) - np.maximum(nobody, -_FAR), -LARGEST, LARGEST)
    return ratio


class _ByPValue(NamedTuple):
    """What a p-value says of a carrier.

    Attributes:
        p: log10 of every p-value that a table can have, ascending, float64 (values,).
        gain: Of a carrier's score, by carriers in the reference and p-value, float64 (reference + 1, values).
    """

    p: Float64
    gain: Float64


@lru_cache(maxsize=2)
def _by_p_value(cases: int, controls: int, reference: int) -> _ByPValue:
    case, control = (side.ravel() for side in np.meshgrid(np.arange(cases + 1), np.arange(controls + 1), indexing="ij"))
    found = log10_p_values(np.stack((case, cases - case, control, controls - control), axis=1), TEST)
    order = np.argsort(found)
    fresh = np.diff(found[order], prepend=-np.inf) > _SAME
    kind = np.empty(len(found), dtype=np.int64)
    kind[order] = np.cumsum(fresh) - 1
    among_cases, among_controls = _others(cases, reference), _others(controls + 1, reference)
    gain = np.empty((reference + 1, int(fresh.sum())))
    for known in range(reference + 1):
        row = np.full(len(case), known)
        controls_chance = among_controls[known, control]
        member, nobody = (
            np.bincount(kind, np.exp(_at(among_cases, row, number) + controls_chance)) for number in (case - 1, case)
        )
        with np.errstate(divide="ignore"):
            gain[known] = _ratio(np.log(member), np.log(nobody))
    return _ByPValue(found[order][fresh], gain)


def _plan(people: int, snps: int) -> Plan:
    ids = tuple(f"snp{number}" for number in range(snps))
    listed = Snps(ids, ("1",) * snps, np.arange(1, snps + 1), ("A",) * snps, ("C",) * snps)
    return Plan("A study with suspects", people, listed, "dominant", (TEST,))


def _bits(people: Bool) -> Words:
    """One bit a person: uint64 (snps, words), as `source.counting.carrier_bits` gives them, of bool (people, snps)."""
    padded = np.zeros((people.shape[1], -(-len(people) // 64) * 64), dtype=np.uint8)
    padded[:, : len(people)] = people.T
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
