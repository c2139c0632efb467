"""Expected errors as small tables of text and numbers, the same on a terminal and on a page: one column for each cost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from math import floor
from typing import Any, Final

from starling.genome.plan import Explore, ExploreEffects, LocSig, NumSig, Question, Scan, SnpCorr, SnpEffects, SnpPval
from starling.genome.postprocess.wording import TESTS
from starling.genome.preview.effects import ExpectedEffects
from starling.genome.preview.expected import (
    Expected,
    ExpectedExploration,
    ExpectedExplore,
    ExpectedExploreEffects,
    ExpectedSelection,
)
from starling.genome.preview.scanning import ExpectedScan
from starling.genome.preview.selections import CONFIDENCES, ExpectedLocBlock, ExpectedLocSig, ExpectedNumSig, Within
from starling.genome.preview.slopes import ExpectedSlopes
from starling.genome.preview.tables import ExpectedTables, TypicalInterval
from starling.genome.preview.typical import ExpectedAnswer, describe
from starling.privacy.accounting.zcdp import zcdp_cost
from starling.privacy.budget import DELTA, decimal_up
from starling.release.session import Part

COST: Final = "ε = "
NOTHING: Final = "none"
"""In place of an odds ratio where none up to 100 is enough, and of a correlation or a share of carriers where none is."""
SMALL: Final = 1.2
"""Odds ratio below which a third digit matters."""
MEASURES: Final = {"r2": "r^2", "dprime": "D'"}
_SLOPE: Final = "{:z.3g}".format


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a title, a sentence without its point; the first column names rows."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> int:
        """Columns before the first cost."""
        return sum(not name.startswith(COST) for name in self.header)


def question_text(question: Question, *, moments: bool = False) -> str:
    """A question in words, of plans `by_moments` theirs.

    >>> from fractions import Fraction
    >>> question_text(NumSig("g", 2, Fraction(1)))
    'How many SNPs are significant by the test G, told one by one up to 2 (permute-and-flip)'
    """
    if isinstance(question, NumSig):
        ways = f"told one by one up to {question.k} ({question.selection})"
        return f"How many SNPs are significant by the test {TESTS[question.test]}, {ways}"
    if isinstance(question, LocSig):
        which = "The SNP that is" if question.k == 1 else f"The {question.k} SNPs that are"
        return f"{which} significant by the test {TESTS[question.test]}, or nearest to it, by the most patients"
    if isinstance(question, Scan | SnpEffects):
        noisy = "moments" if moments else "scores"
        return (
            _SCAN
            if isinstance(question, Scan)
            else f"The effect and p-value of {_snps(len(question.snps))}, by noisy {noisy}"
        )
    if isinstance(question, SnpPval | Explore | ExploreEffects):
        one = f"The p-value of a SNP by the test {TESTS[question.test]}"
        which = "in which blocks, with which p-values" if isinstance(question, Explore) else "with which effects"
        all_in_one = f"How many SNPs are significant by the test {TESTS[question.test]}, which, {which}"
        return one if isinstance(question, SnpPval) else all_in_one
    measure = MEASURES[question.correlation]
    if isinstance(question, SnpCorr):
        return f"The correlation of two SNPs, {measure}"
    return f"The longest block of SNPs with {measure} above {decimal_up(question.delta_c)} around given SNPs"


def text_of(expected: Expected) -> str:
    """The question of what is expected, in words."""
    return question_text(expected.query, moments=isinstance(expected, ExpectedSlopes))


_SCAN: Final = "A score test and the effect of every SNP, all by one randomized response"


def grids(expected: Sequence[Expected]) -> tuple[Grid, ...]:
    """The tables of one question at several costs."""
    makers: dict[type[Expected], Callable[[Any], tuple[Grid, ...]]] = {
        ExpectedNumSig: _number,
        ExpectedLocSig: _places,
        ExpectedLocBlock: _block,
        ExpectedTables: _tables,
        ExpectedExplore: _explore,
        ExpectedExploreEffects: _explore_effects,
        ExpectedScan: _scan,
        ExpectedEffects: _effects,
        ExpectedSlopes: _slopes,
    }
    return makers[type(expected[0])](expected)


@describe.register(ExpectedAnswer)
def describe_answer(expected: Any) -> tuple[str, tuple[Part, ...]]:
    """A question and its tables, each under its title."""
    drawn = grids((expected,))
    return text_of(expected), tuple(part for each in drawn for part in (each.title, (each.header, each.rows)))


def _costs(expected: Sequence[Expected], *first: str) -> tuple[str, ...]:
    return (*first, *(f"{COST}{decimal_up(one.query.epsilon)}" for one in expected))


def _within(expected: Sequence[ExpectedSelection]) -> Grid:
    rows = tuple(
        (f"{float(100 * confidence):g} % sure", *(f"{one.within.patients[at]:,}" for one in expected))
        for at, confidence in enumerate(CONFIDENCES)
    )
    title = "Patients that the answer may be off by, at most, whatever the study"
    return Grid(title, _costs(expected, "confidence"), rows)


def _number(expected: Sequence[ExpectedNumSig]) -> tuple[Grid, ...]:
    causal, rows = expected[0].causal, []
    for at, truth in enumerate(expected[0].truths):
        truths = [one.truths[at] for one in expected]
        # Rounded down: only what is certain is 100 %.
        cells = (f"{floor(1000 * each.right + 1e-9) / 10:z.1f} % ({_range(each.low, each.high)})" for each in truths)
        rows.append(("none" if truth.significant == 0 else f"{truth.significant:,}", *cells))
    rows.append(("any number, in the worst study", *(one.within.error.right for one in expected)))
    right = "Chance of the right answer in a typical study, and the range of 95 of 100 answers"
    title = f"{right}; what is significant is so by far"
    are = "is" if causal == 1 else "are"
    needed = f"Odds ratio from which {_snps(causal)} {are} counted right, 95 times of 100, by minor-allele frequency"
    return _within(expected), Grid(title, _costs(expected, "significant"), tuple(rows)), _odds(needed, expected)


def _places(expected: Sequence[ExpectedLocSig]) -> tuple[Grid, ...]:
    k = expected[0].query.k
    all_of = {1: "the SNP is", 2: "both SNPs are"}.get(k, f"all {k} SNPs are")
    title = f"Odds ratio from which {all_of} found, 95 times of 100, by minor-allele frequency, in a typical study"
    shown = [_within(expected), _odds(title, expected)]
    if any(one.at_delta is not None for one in expected):
        shown.insert(1, _listed(expected))
    return tuple(shown)


def _listed(expected: Sequence[ExpectedLocSig]) -> Grid:
    """What is told of long lists alone."""
    rows = [
        (f"one SNP off by more patients, {100 * (1 - confidence)} %", *(f"{one.each[at]:,}" for one in expected))
        for at, confidence in enumerate(CONFIDENCES)
    ]
    rows += [
        ("ε of each SNP", *(f"{float(one.query.event.epsilon):z.3g}" for one in expected)),
        ("rho of all", *(f"{float(zcdp_cost(one.query.guarantee).amount):z.3g}" for one in expected)),
        (
            f"ε of all at delta {DELTA}",
            *(decimal_up(one.query.epsilon if one.at_delta is None else one.at_delta, 3) for one in expected),
        ),
    ]
    return Grid("Of a long list: each SNP by itself, and what all cost", _costs(expected, "what"), tuple(rows))


def _odds(title: str, expected: Sequence[ExpectedNumSig | ExpectedLocSig]) -> Grid:
    return _by_frequency(title, _costs(expected, "frequency", "significant"), (one.needed for one in expected))


def _by_frequency(
    title: str, header: tuple[str, ...], needed: Iterable[Sequence[Any]], text: Callable[[Any], str] | None = None
) -> Grid:
    """What is needed, by frequency: at first whatever the cost, then at each of the costs; an odds ratio, unless it is another text."""
    rows = []
    for each in zip(*needed, strict=True):
        (frequency, first, _), *_ = by_cost = [astuple(one) for one in each]
        rows.append((f"{frequency:g}", *map(text or odds_ratio, (first, *(row[2] for row in by_cost)))))
    return Grid(title, header, tuple(rows))


def _block(expected: Sequence[ExpectedLocBlock]) -> tuple[Grid, ...]:
    query = expected[0].query
    measure = MEASURES[query.correlation]
    ends = (_share(one.ends) if one.ends < 1 else NOTHING for one in expected)
    rows = [("carriers of the ends, more than", *ends)]
    for at, each in enumerate(expected[0].sure):
        values = (one.sure[at].correlation for one in expected)
        cells = (NOTHING if value is None else f"{value:z.3f}" for value in values)
        rows.append((f"{measure} of SNPs that {_share(each.share)} carry", *cells))
    title = f"What stands the noise, 95 times of 100, where {measure} must be above {decimal_up(query.delta_c)}"
    return _within(expected), Grid(title, _costs(expected, "what"), tuple(rows))


def _tables(expected: Sequence[ExpectedTables]) -> tuple[Grid, ...]:
    query = expected[0].query
    if isinstance(query, SnpPval):
        title = "Intervals of log10 p, 95 % sure, of typical SNPs, by both noises"
        title = title if expected[0].both else title.removesuffix(", by both noises")
        first: tuple[str, ...] = ("frequency", "odds ratio", "log10 p", "noise")
    else:
        title = f"Intervals of {MEASURES[query.correlation]}, 95 % sure, of typical pairs, by both noises"
        first = ("carriers", MEASURES[query.correlation], "noise")
    rows = []
    for at, each in enumerate(expected[0].intervals):
        exact = each.interval.estimate
        values = (odds_ratio(each.effect), f"{exact:z.1f}") if isinstance(query, SnpPval) else (f"{exact:z.2f}",)
        ends = (interval_text(one.intervals[at], query) for one in expected)
        rows.append((f"{each.share:g}", *values, each.noise, *ends))
    return (Grid(title, _costs(expected, *first), tuple(rows)),)


def interval_text(intervals: TypicalInterval, query: SnpPval | SnpCorr) -> str:
    """The ends of an interval."""
    digits = 1 if isinstance(query, SnpPval) else 2
    # Adding 0 turns a negative zero into a plain one.
    low, high = (round(end, digits) + 0.0 for end in (intervals.interval.low, intervals.interval.high))
    return f"{low:z.{digits}f} .. {high:z.{digits}f}"


def _explore(expected: Sequence[ExpectedExplore]) -> tuple[Grid, ...]:
    k = expected[0].k

    def line(what: str, share: int, of: Callable[[ExpectedExplore], Within]) -> tuple[str, ...]:
        return (what, f"1/{share}", *(f"{of(one).patients[1]:,}" for one in expected))

    patients = (
        line("number of SNPs", 4, lambda one: one.number.within),
        line(f"places of {_snps(k)}", 4, lambda one: one.located.within),
        line("each block", 4 * k, lambda one: one.block.within),
    )
    return _in_parts(
        expected,
        ("answer", "share of ε"),
        patients,
        ("Each block", _block([one.block for one in expected])[1]),
        ("Each p-value", _tables([one.table for one in expected])[0]),
    )


def _explore_effects(expected: Sequence[ExpectedExploreEffects]) -> tuple[Grid, ...]:
    patients = (
        ("number of SNPs", *(f"{one.number.within.patients[1]:,}" for one in expected)),
        (f"places of {_snps(expected[0].k)}", *(f"{one.located.within.patients[1]:,}" for one in expected)),
    )
    shares, detected = _effects([one.effects for one in expected])
    return _in_parts(expected, ("answer",), patients, ("Effects", shares), ("Effects", detected))


def _in_parts(
    expected: Sequence[ExpectedExploration],
    columns: tuple[str, ...],
    patients: tuple[tuple[str, ...], ...],
    *further: tuple[str, Grid],
) -> tuple[Grid, ...]:
    """The patients of each answer, then the number, the places and what follows; each with what the whole exploration costs."""
    costs, (_, right, needed) = _costs(expected), _number([one.number for one in expected])
    title = f"Patients that each answer may be off by, 95 % sure, following up {_snps(expected[0].k)}"
    grids = [Grid(title, (*columns, *costs), patients)]
    places = _places([one.located for one in expected])[1]
    for part, grid in (("The number", right), ("The number", needed), ("The places", places), *further):
        header = (*grid.header[: -len(costs)], *costs)
        grids.append(Grid(f"{part}: {grid.title[0].lower()}{grid.title[1:]}", header, grid.rows))
    return tuple(grids)


def _scan(expected: Sequence[ExpectedScan]) -> tuple[Grid, ...]:
    """Shares of the sample, and odds ratios, or slopes, that are found."""
    if expected[0].intervals:
        return _quantitative(expected)
    shares = [
        (_share(at), *(_share(one.shares[row].share) for one in expected))
        for row, at in enumerate(each.prevalence for each in expected[0].shares)
    ]
    title = "Share of the sample that the coins leave, by the share of cases"
    needed = "Odds ratio from which a SNP is at or below the threshold 95 times of 100, by frequency of the allele"
    return (
        Grid(title, _costs(expected, "cases"), tuple(shares)),
        _by_frequency(needed, _costs(expected, "frequency", "without coins"), (one.needed for one in expected)),
    )


def _quantitative(expected: Sequence[ExpectedScan]) -> tuple[Grid, ...]:
    """The same of a quantitative phenotype."""
    shares = [
        (str(each[0].intervals), *(f"{_share(one.share)}{' *' if one.chosen else ''}" for one in each))
        for each in zip(*(one.intervals for one in expected), strict=True)
    ]
    needed = (
        "Slope, in standard deviations of the phenotype, from which a SNP is at or below the threshold 95 times of 100, by frequency of the"
        " allele"
    )
    title = "Share of the sample that intervals and coins leave of a normal phenotype, by number of intervals (*: what is taken)"
    return (
        Grid(title, _costs(expected, "intervals"), tuple(shares)),
        _by_frequency(
            needed, _costs(expected, "frequency", "without either"), (one.needed for one in expected), _SLOPE
        ),
    )


def _effects(expected: Sequence[ExpectedEffects]) -> tuple[Grid, ...]:
    """Shares of the variance that are not noise, and odds ratios that are found."""
    frequencies = [each.frequency for each in expected[0].needed]
    shares = [(f"{each:g}", *(_share(one.shares[at]) for one in expected)) for at, each in enumerate(frequencies)]
    title = "Share of a score's variance that is not noise, at least, by frequency of the allele"
    needed = "Odds ratio from which a SNP is at or below the threshold 95 times of 100, by frequency of the allele"
    return (
        Grid(title, _costs(expected, "frequency"), tuple(shares)),
        _by_frequency(needed, _costs(expected, "frequency", "without noise"), (one.needed for one in expected)),
    )


def _slopes(expected: Sequence[ExpectedSlopes]) -> tuple[Grid, ...]:
    """Widths of intervals."""
    title = "Width of the 95 % interval of a slope, sampling and noise together, in the unit of the phenotype, by frequency of the allele"
    header = _costs(expected, "frequency", "without noise")
    return (_by_frequency(title, header, (one.widths for one in expected), _SLOPE),)


def _snps(number: int) -> str:
    return "1 SNP" if number == 1 else f"{number:,} SNPs"


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def odds_ratio(value: float | None) -> str:
    """Two digits after the point, three where effects are small.

    >>> odds_ratio(1.456), odds_ratio(1.0256), odds_ratio(1)
    ('1.46', '1.026', '1')
    """
    if value is None:
        return NOTHING
    return "1" if value == 1 else f"{value:z.3f}" if value < SMALL else f"{value:z.2f}"


def _share(part: float) -> str:
    return f"{100 * part:z.1f} %"
