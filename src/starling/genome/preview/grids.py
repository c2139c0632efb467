"""Foresight as small tables of words and numbers, the same on a terminal and on a page: one column for each cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Question, SnpCorr, SnpPval
from starling.genome.preview.foresight import ExploreSeen, Seen
from starling.genome.preview.selections import CONFIDENCES, LocBlockSeen, LocSigSeen, NumSigSeen, Within
from starling.genome.preview.tables import TablesSeen, Told
from starling.privacy.budget import decimal_up

COST: Final = "ε = "
NOTHING: Final = "none"
"""In place of an odds ratio where none up to 100 is enough, and of a correlation or a share of carriers where none is."""
SMALL: Final = 1.2
"""Odds ratio below which a third digit matters."""
MEASURES: Final = {"r2": "r^2", "dprime": "D'"}


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a title.

    Attributes:
        title: A sentence without its point.
        header: Of the columns; the first one names rows.
        rows: As long as the header.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> int:
        """Columns before the first cost."""
        return sum(not name.startswith(COST) for name in self.header)


def asked(question: Question) -> str:
    """A question in words.

    >>> from fractions import Fraction
    >>> asked(NumSig("g", 2, Fraction(1)))
    'How many SNPs are significant by g, told one by one up to 2 (permute-and-flip)'
    """
    if isinstance(question, NumSig):
        return f"How many SNPs are significant by {question.test}, told one by one up to {question.k} ({question.selection})"
    if isinstance(question, LocSig):
        which = "The SNP that is" if question.k == 1 else f"The {question.k} SNPs that are"
        return f"{which} significant by {question.test}, or nearest to it, by the most patients"
    if isinstance(question, LocBlock):
        measure = MEASURES[question.correlation]
        return f"The longest block of SNPs with {measure} above {decimal_up(question.delta_c)} around given SNPs"
    if isinstance(question, SnpPval):
        return f"The p-value of a SNP by {question.test}"
    if isinstance(question, Explore):
        return f"How many SNPs are significant by {question.test}, which, in which blocks, with which p-values"
    return f"The correlation of two SNPs, {MEASURES[question.correlation]}"


def grids(seen: Sequence[Seen]) -> tuple[Grid, ...]:
    """The tables of one question, foreseen at several costs."""
    first = seen[0]
    if isinstance(first, NumSigSeen):
        return _number([one for one in seen if isinstance(one, NumSigSeen)])
    if isinstance(first, LocSigSeen):
        return _places([one for one in seen if isinstance(one, LocSigSeen)])
    if isinstance(first, LocBlockSeen):
        return _block([one for one in seen if isinstance(one, LocBlockSeen)])
    if isinstance(first, TablesSeen):
        return _tables([one for one in seen if isinstance(one, TablesSeen)])
    return _explore([one for one in seen if isinstance(one, ExploreSeen)])


def _costs(seen: Sequence[Seen], *first: str) -> tuple[str, ...]:
    return (*first, *(f"{COST}{decimal_up(one.query.epsilon)}" for one in seen))


def _within(seen: Sequence[NumSigSeen | LocSigSeen | LocBlockSeen]) -> Grid:
    rows = tuple(
        (f"{float(100 * confidence):g} % sure", *(f"{one.within.patients[at]:,}" for one in seen))
        for at, confidence in enumerate(CONFIDENCES)
    )
    return Grid("Patients that the answer may be off by, at most, whatever the study", _costs(seen, ""), rows)


def _number(seen: Sequence[NumSigSeen]) -> tuple[Grid, ...]:
    rows = tuple(
        (
            _so_many(truth.significant),
            *(f"{_chance(one.truths[at].right)} ({_range(one.truths[at].low, one.truths[at].high)})" for one in seen),
        )
        for at, truth in enumerate(seen[0].truths)
    )
    right = "Chance of the right answer in a typical study, and the range of 95 of 100 answers"
    title = f"{right}; what is significant is so by far"
    causal = seen[0].causal
    are = "is" if causal == 1 else "are"
    needed = f"Odds ratio from which {_snps(causal)} {are} counted right, 95 times of 100, by minor-allele frequency"
    return (
        _within(seen),
        Grid(title, _costs(seen, "significant"), rows),
        _odds(needed, seen),
    )


def _places(seen: Sequence[LocSigSeen]) -> tuple[Grid, ...]:
    k = seen[0].query.k
    all_of = {1: "the SNP is", 2: "both SNPs are"}.get(k, f"all {k} SNPs are")
    title = f"Odds ratio from which {all_of} found, 95 times of 100, by minor-allele frequency, in a typical study"
    return _within(seen), _odds(title, seen)


def _odds(title: str, seen: Sequence[NumSigSeen | LocSigSeen]) -> Grid:
    rows = tuple(
        (
            f"{each[0].frequency:g}",
            _odds_ratio(each[0].significant),
            *(_odds_ratio(needed.found) for needed in each),
        )
        for each in zip(*(one.needed for one in seen), strict=True)
    )
    return Grid(title, _costs(seen, "frequency", "significant"), rows)


def _block(seen: Sequence[LocBlockSeen]) -> tuple[Grid, ...]:
    query = seen[0].query
    measure = MEASURES[query.correlation]
    rows = (
        ("carriers of the ends, more than", *(_share(one.ends) if one.ends < 1 else NOTHING for one in seen)),
        *(
            (
                f"{measure} of SNPs that {_share(each.share)} carry",
                *(NOTHING if (value := one.sure[at].correlation) is None else f"{value:.3f}" for one in seen),
            )
            for at, each in enumerate(seen[0].sure)
        ),
    )
    title = f"What stands the noise, 95 times of 100, where {measure} must be above {decimal_up(query.delta_c)}"
    return _within(seen), Grid(title, _costs(seen, ""), rows)


def _tables(seen: Sequence[TablesSeen]) -> tuple[Grid, ...]:
    query = seen[0].query
    if isinstance(query, SnpPval):
        title = "Intervals of log10 p, 95 % sure, of typical SNPs, by both noises"
        first: tuple[str, ...] = ("frequency", "odds ratio", "log10 p", "noise")
    else:
        title = f"Intervals of {MEASURES[query.correlation]}, 95 % sure, of typical pairs, by both noises"
        first = ("carriers", MEASURES[query.correlation], "noise")
    rows = tuple(
        (*_typical(told, query), *(interval_words(one.told[at], query) for one in seen))
        for at, told in enumerate(seen[0].told)
    )
    return (Grid(title, _costs(seen, *first), rows),)


def _typical(told: Told, query: SnpPval | SnpCorr) -> tuple[str, ...]:
    exact = told.interval.estimate
    if isinstance(query, SnpPval):
        return f"{told.share:g}", odds_ratio(told.effect), f"{exact:.1f}", told.noise
    return f"{told.share:g}", f"{exact:.2f}", told.noise


def interval_words(told: Told, query: SnpPval | SnpCorr) -> str:
    """The ends of an interval."""
    digits = 1 if isinstance(query, SnpPval) else 2
    # Adding 0 turns a negative zero into a plain one.
    low, high = (round(end, digits) + 0.0 for end in (told.interval.low, told.interval.high))
    return f"{low:.{digits}f} .. {high:.{digits}f}"


def _explore(seen: Sequence[ExploreSeen]) -> tuple[Grid, ...]:
    first = seen[0]
    k = first.k

    def line(what: str, share: int, of: Callable[[ExploreSeen], Within]) -> tuple[str, ...]:
        return (what, f"1/{share}", *(f"{of(one).patients[1]:,}" for one in seen))

    patients = (
        line("number of SNPs", 4, lambda one: one.number.within),
        line(f"places of {_snps(k)}", 4, lambda one: one.located.within),
        line("each block", 4 * k, lambda one: one.block.within),
    )
    title = f"Patients that each answer may be off by, 95 % sure, following up {_snps(k)}"
    parts = (
        ("the number", _number([one.number for one in seen])[1]),
        ("the number", _number([one.number for one in seen])[2]),
        ("the places", _places([one.located for one in seen])[1]),
        ("each block", _block([one.block for one in seen])[1]),
        ("each p-value", _tables([one.table for one in seen])[0]),
    )
    costs = _costs(seen)
    return (
        Grid(title, ("answer", "share of ε", *costs), patients),
        *(
            Grid(
                f"{what[0].upper()}{what[1:]}: {grid.title[0].lower()}{grid.title[1:]}", _whole(grid, costs), grid.rows
            )
            for what, grid in parts
        ),
    )


def _whole(grid: Grid, costs: tuple[str, ...]) -> tuple[str, ...]:
    """The header with what the whole exploration costs in place of a part."""
    return (*grid.header[: -len(costs)], *costs)


def _so_many(number: int) -> str:
    return "none" if number == 0 else f"{number:,}"


def _snps(number: int) -> str:
    return "1 SNP" if number == 1 else f"{number:,} SNPs"


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def odds_ratio(value: float) -> str:
    """Two digits after the point, three where effects are small.

    >>> odds_ratio(1.456), odds_ratio(1.0256), odds_ratio(1)
    ('1.46', '1.026', '1')
    """
    return "1" if value == 1 else f"{value:.3f}" if value < SMALL else f"{value:.2f}"


def _odds_ratio(value: float | None) -> str:
    return NOTHING if value is None else odds_ratio(value)


def _chance(part: float) -> str:
    """Rounded down: only what is certain is 100 %."""
    return f"{floor(1000 * part + 1e-9) / 10:.1f} %"


def _share(part: float) -> str:
    return f"{100 * part:.1f} %"
