"""The SNPs of the public list with what was released of each: a question to a release, which costs nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.genome.pictures.answers import Answers
from starling.genome.plan import Plan
from starling.genome.postprocess.effects import effect_text
from starling.release.codec import Json
from starling.release.reading import PER_VALUE, check_part
from starling.release.work import Work

if TYPE_CHECKING:
    from starling.genome.analysis import GenomeRelease

LONGEST: Final = 200
"""Letters of a name that is looked for."""
ANSWER: Final = "ANSWER"
ENDS_OF_P: Final = ("P_LOW", "P_HIGH")
TESTED: Final = ("TEST", "P", *ENDS_OF_P)
COLUMNS: Final = ("SNP", "CHR", "BP", "A1", "A2", ANSWER, *TESTED)
_FIX: Final = "see which the plan has: its SNP list"


@dataclass(frozen=True, slots=True)
class FindSnps:
    """SNPs of the public list, with what was released of each.

    Attributes:
        name: Letters that the id of the SNP has in it, whether large or small.
        chromosome: Its chromosome; any without it.
        low: The least position on the chromosome, in base pairs.
        high: The greatest one; any without it.
        answered: Whether only those are given of which an answer speaks.
        answers_first: Whether those stand before all others.
        first: How many such SNPs are left out before, 0 to 1,000,000.
        most: How many are given, 1 to 1,000.
    """

    name: str = ""
    chromosome: str | None = None
    low: int = 0
    high: int | None = None
    answered: bool = False
    answers_first: bool = False
    first: int = 0
    most: int = 100

    def __post_init__(self) -> None:
        check_part(self.first, self.most)
        if len(self.name) > LONGEST:
            raise ParameterError("question.name", f"has more than {LONGEST} letters", "give fewer")
        if self.high is not None and self.high < self.low:
            raise ParameterError("question.high", "is below low", "exchange them")

    def work(self, release: "GenomeRelease") -> Work:
        """Every SNP is looked at."""
        steps = len(release.plan.snps) * PER_VALUE + self.most * len(COLUMNS) * PER_VALUE
        return Work(steps, "name a chromosome and positions")


def find_snps(plan: Plan, answers: Answers, question: FindSnps) -> Json:
    """The columns, rows in the order of the list, and whether there are more.

    Raises:
        ParameterError: the chromosome has no SNPs.
    """
    known = _Known(plan, answers)
    name = question.name.casefold()
    indices = (int(at) for at in _candidates(plan, known, question) if name in plan.snps.ids[at].casefold())
    rows = list(islice(indices, question.first, question.first + question.most + 1))
    parts = [known.row(at) for at in rows[: question.most]]
    return {"columns": list[Json](COLUMNS), "rows": list[Json](parts), "more": len(rows) > question.most}


class _Known:
    """What was released of each SNP, by its place in the list."""

    def __init__(self, plan: Plan, answers: Answers) -> None:
        place = plan.snps.index
        self._snps = plan.snps
        self._p_values = {place(each.snp): each for each in answers.p_values}
        self._located = {place(snp): number for number, snp in enumerate(answers.located, 1)}
        self._blocks = [(place(first), place(last)) for first, last in answers.blocks]
        self._scan, self._traits = answers.scan, plan.between is not None
        self._effects = {place(each.snp): each for each in answers.effects}
        self._pairs = {place(snp) for each in answers.pairs for snp in (each.first, each.second)}

    def places(self) -> npt.NDArray[np.int64]:
        """Those of which an answer speaks, ascending."""
        if self._scan is not None:
            return np.flatnonzero(~np.isnan(self._scan.z))
        inside = (at for first, last in self._blocks for at in range(first, last + 1))
        known = {*self._p_values, *self._located, *self._pairs, *self._effects, *inside}
        return np.array(sorted(known), dtype=np.int64)

    def row(self, at: int) -> list[Json]:
        """A SNP by COLUMNS."""
        snps, p_value = self._snps, self._p_values.get(at)
        tested: list[Json] = [None] * 4 if p_value is None else [p_value.test, p_value.p, p_value.low, p_value.high]
        if self._scan is not None and not np.isnan(self._scan.p[at]):
            tested = ["score", float(self._scan.p[at]), None, None]
        elif p_value is None and at in self._effects:
            tested = ["score", self._effects[at].p, None, None]
        place = (snps.ids[at], snps.chromosomes[at], int(snps.positions[at]), snps.carried[at], snps.other[at])
        return [*place, "; ".join(self._words(at)), *tested]

    def _words(self, at: int) -> Iterator[str]:
        if at in self._located:
            yield f"located {self._located[at]}"
        yield from (f"block {number}" for number, (a, b) in enumerate(self._blocks, 1) if a <= at <= b)
        if self._scan is not None and not np.isnan(self._scan.low[at] + self._scan.high[at]):
            name, of = ("beta", self._scan.beta) if self._traits else ("odds ratio", self._scan.odds_ratio)
            ratio, low, high = (float(part[at]) for part in (of, self._scan.low, self._scan.high))
            yield f"{name} {ratio:z.3g} ({low:z.3g} to {high:z.3g})"
        if (effect := self._effects.get(at)) is not None:
            name, interval = ("slope", effect.slope) if effect.odds_ratio is None else ("odds ratio", effect.odds_ratio)
            yield "{} {} ({} to {})".format(name, *effect_text(interval))
        if at in self._p_values:
            yield "p-value"
        if at in self._pairs:
            yield "correlation"


def _candidates(plan: Plan, known: _Known, question: FindSnps) -> npt.NDArray[np.int64]:
    """Places in the list that the question leaves, but for the name."""
    snps = plan.snps
    start, stop = 0, len(snps)
    if question.chromosome is not None:
        if question.chromosome not in snps.chromosome_ranges:
            raise ParameterError("question.chromosome", "has no SNP of the plan", _FIX)
        start, stop = snps.chromosome_ranges[question.chromosome]
    places = known.places() if question.answered else np.arange(start, stop)
    places = places[(places >= start) & (places < stop)]
    positions = snps.positions[places]
    high = np.inf if question.high is None else question.high
    chosen: npt.NDArray[np.int64] = places[(positions >= question.low) & (positions <= high)]
    if question.answers_first:
        spoken_of = np.isin(chosen, known.places())
        chosen = np.concatenate([chosen[spoken_of], chosen[~spoken_of]])
    return chosen
