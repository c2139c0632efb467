"""What answers will be worth, as text, for programs and as a page with pictures: for those who decide what to ask. It can be published."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import log, log10
from typing import Final

from starling.genome.distance.constants import quantile
from starling.genome.plan import LocBlock, Question, Scan, SnpCorr, SnpPval
from starling.genome.plan.choices import OF_CARRIERS, UNPROTECTED
from starling.genome.plan.intervals import divided_in_words
from starling.genome.preview.expected import Expected, ExpectedExploration, ExpectedSelection, preview
from starling.genome.preview.grids import NOTHING, Grid, grids, interval_text, odds_ratio, text_of
from starling.genome.preview.lacking import lacking_note
from starling.genome.preview.selections import ExpectedLocSig, ExpectedNumSig
from starling.genome.preview.tables import ExpectedTables
from starling.genome.preview.typical import Assumed
from starling.pages.charts import Interval, intervals
from starling.pages.marks import heat
from starling.pages.parts import Picture, Section, Table
from starling.privacy.budget import decimal_up
from starling.release.codec import Json, plain
from starling.release.report.pages import Preview
from starling.release.session import Part

_FAR: Final = 1000
"""Patients at which an error is shown darkest."""
_UNNAMED: Final = ("snp", "snps", "first", "second", "excluding")
_STRONG: Final = 10
"""Odds ratio at which what is needed is shown darkest."""


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedErrors(Preview):
    """What answers will be worth: some questions, each at some costs.

    Attributes:
        expected: What to expect of each question at each cost, by the question's name.
        wanted: The error that the least epsilon was looked for of one question, and that epsilon; None where none was.
    """

    assumed: Assumed
    expected: Mapping[str, tuple[Expected, ...]]
    wanted: tuple[Fraction, Fraction] | None = None

    @property
    def title(self) -> str:
        """The title of the plan."""
        return self.assumed.plan.title

    @property
    def kind(self) -> str:
        """What the page is, and the size of the study."""
        plan = self.assumed.plan
        text = f"What answers will be worth, before anything is spent; {plan.people:,} people, {len(plan.snps):,} SNPs"
        return text if plan.unit == "person" else f"{UNPROTECTED}. {text}"

    def sections(self) -> Sequence[Section]:
        """Each question, then what is supposed."""
        named = len(self.expected) > 1
        each = (_question(self.assumed, name, expected, named=named) for name, expected in self.expected.items())
        return (*each, _supposed(self.assumed))

    def _facts(self) -> list[tuple[str, str]]:
        plan, assumed = self.assumed.plan, self.assumed
        rarest = f"alleles no rarer than {float(assumed.rarest):g}"
        facts = [
            ("plan", plan.title),
            *([] if plan.unit == "person" else [("protects", f"phenotypes alone. {UNPROTECTED}")]),
            ("study", f"{plan.people:,} people, {len(plan.snps):,} SNPs, {plan.model} model"),
            ("supposed", _NORMAL if plan.by_moments else f"{assumed.cases:,} cases, {rarest}, SNPs without linkage"),
        ]
        if self.wanted is not None:
            error, least = self.wanted
            facts.append(("for an error of", f"{decimal_up(error)}, 95 times of 100: epsilon {decimal_up(least)}"))
        return facts

    def _parts(self) -> list[Part]:
        """Each question with its tables; of an exploration among others the first alone."""
        parts: list[Part] = []
        for name, expected in self.expected.items():
            parts.append(f"{name}: {text_of(expected[0])}")
            shown = grids(expected)
            for grid in shown[:1] if name.startswith("explore") and len(self.expected) > 1 else shown:
                parts += [grid.title, (grid.header, grid.rows)]
            parts.append(note(self.assumed, expected))
        return parts

    def as_json(self) -> dict[str, Json]:
        """Everything that is expected, by question and cost."""
        plan, assumed = self.assumed.plan, self.assumed
        return {
            "title": plan.title,
            "people": plan.people,
            "snps": len(plan.snps),
            "model": plan.model,
            "supposed": {"cases": assumed.cases, "rarest": str(assumed.rarest)},
            "epsilon_for_error": None if self.wanted is None else str(self.wanted[1]),
            "questions": {
                name: [_nameless(plain(one)) for one in expected] for name, expected in self.expected.items()
            },
        }


def _nameless(value: Json) -> Json:
    """Without which SNPs a question names: none was looked at."""
    if isinstance(value, dict):
        return {name: _nameless(each) for name, each in value.items() if name not in _UNNAMED}
    return [_nameless(each) for each in value] if isinstance(value, list) else value


def expected_errors(
    assumed: Assumed, questions: Mapping[str, Question], costs: Sequence[Fraction], *, followed: int | None = None
) -> ExpectedErrors:
    """`preview` of each question at each cost. Raises ParameterError when the plan has not one of these questions."""
    return ExpectedErrors(
        assumed,
        {
            name: tuple(preview(assumed, replace(question, epsilon=cost), followed=followed) for cost in costs)
            for name, question in questions.items()
        },
    )


def note(assumed: Assumed, expected: Sequence[Expected]) -> str:
    """What whoever asks this question must know beforehand; empty for most."""
    if isinstance(expected[0].query, Scan):
        if assumed.plan.between is None:
            return _ADDS_UP
        question = expected[0].query.at_best(assumed.plan)
        at = f"At epsilon {decimal_up(question.epsilon)}: {divided_in_words(assumed.plan, question.values)}"
        people = getattr(expected[0], "median", None)
        about = "" if people is None else f" {_MEDIAN.format(people=people)}"
        return f"{at}{about} {_OF_NORMAL} {_ADDS_UP}"
    if isinstance(expected[0].query, SnpPval) and assumed.plan.missing is not None:
        return lacking_note(assumed, [one.query for one in expected if isinstance(one.query, SnpPval)])
    if assumed.plan.unit == "phenotype":
        if getattr(expected[0].query, "prevalence_epsilon", None) is not None:
            return _PAID if assumed.plan.between is None else _ENDS.format(cases=assumed.cases)
        return conservatism(assumed)
    of_pairs = OF_CARRIERS if isinstance(expected[0].query, LocBlock | SnpCorr) else ""
    return _OF_MOMENTS if assumed.plan.by_moments else of_pairs


_SUPPOSED: Final = """
    How wide the noise is, is known before any record is read, and is the same for every study. What it does to a slope depends on the
    study: supposed are a normal phenotype, alleles in Hardy-Weinberg proportions without effect, nobody without a call or the phenotype.
"""
_NORMAL: Final = "a normal phenotype, SNPs without effect"
_OF_MOMENTS: Final = (
    "Widths are of a normal phenotype whose deviation is a sixth of the way between the plan's ends, with its mean half way: choose such"
    " ends. Noise grows with the number of SNPs that are asked for at once. Where it leaves nothing, an interval is as wide as the range"
    " allows."
)
_COVARIATES: Final = "Covariates are not supposed here: what they explain of a SNP is lost."
_PAID: Final = f"The threshold follows from the noisy number of cases: as many as are supposed here. {_COVARIATES}"
_ADDS_UP: Final = (
    "One response serves all SNPs. The first scan of it costs epsilon, further ones nothing, of other models, covariates and SNPs too. The"
    f" costs of two responses add up. {_COVARIATES}"
)


_OF_NORMAL: Final = (
    "Shares are of a normal phenotype whose deviation is a sixth of the way between the plan's ends, with its mean half way: choose such"
    " ends. They are smaller where it is another."
)
_MEDIAN: Final = (
    "These are cuts about the middle: with median_epsilon they lie about the noisy median, which has at most {people:,} people fewer on its"
    " smaller side than the best step, 95 times of 100."
)
_ENDS: Final = (
    "The threshold follows from the noisy variance. Supposed are {cases} people at the upper end of the range and all others at the lower:"
    " phenotypes between them have a lower threshold, but each change moves them less. " + _COVARIATES
)


def conservatism(assumed: Assumed) -> str:
    """What the score test asks for, whose threshold supposes the largest variance that phenotypes can have."""
    wanted = quantile(assumed.plan.p_threshold, 1)
    if assumed.plan.between is not None:
        return (
            "The threshold supposes the largest variance that phenotypes between the plan's ends can have. If a standard deviation is a"
            f" quarter of the way between the ends, a SNP has to reach a chi-squared of {4 * wanted:z.1f} in place of {wanted:z.1f}. Odds"
            f" ratios are of {assumed.cases:,} people at the upper end and all others at the lower; phenotypes between them need more."
            f" prevalence_epsilon pays for the variance, and so for a threshold that follows from it. {_COVARIATES}"
        )
    text, share = "The threshold supposes as many cases as controls.", assumed.cases / assumed.plan.people
    required = wanted / (4 * share * (1 - share))
    if required - wanted > wanted / 100:
        text += (
            f" With {assumed.cases:,} cases a SNP has to reach a chi-squared of {required:z.1f} in place of {wanted:z.1f}: the rarer the"
            " disease, the fewer SNPs are significant. prevalence_epsilon pays for the number of cases, and so for a threshold that follows"
            " from it."
        )
    return f"{text} {_COVARIATES}"


def _supposed(assumed: Assumed) -> Section:
    if assumed.plan.by_moments:
        return Section("What is supposed", _SUPPOSED)
    records = "records" if assumed.plan.unit == "person" else "phenotypes"
    adjusted = "" if assumed.plan.unit == "person" else f"The score test is adjusted for {assumed.plan.adjusted}.\n\n"
    text = f"""{adjusted}
        Of every answer the distribution of the error is known before any record is read. What holds for every study is stated in
        patients: how many of the {assumed.plan.people:,} {records} would have to be replaced to make the answer the right one.

        What patients are worth depends on the study. It is stated for typical ones, which are supposed, not looked at:
        {assumed.cases:,} of the people are cases; alleles are in Hardy-Weinberg proportions; the odds of disease grow by the odds ratio
        with each copy of a causal allele; and all other SNPs, no rarer than {float(assumed.rarest):g}, have nothing to do with the
        disease, each alone. Real neighbours of a causal SNP are correlated with it, and may be found in its place.
    """
    return Section("What is supposed", text)


def _question(assumed: Assumed, name: str, expected: Sequence[Expected], *, named: bool) -> Section:
    """What one question will be worth; it says the name of the question where there are others."""
    text = text_of(expected[0])
    drawn = grids(expected)
    tables = [one for one in expected if isinstance(one, ExpectedTables)]
    return Section(
        f"{name}: {text[0].lower()}{text[1:]}" if named else text,
        note(assumed, expected),
        pictures=(_whiskers(f"{name}-intervals", tables[len(tables) // 2]),) if tables else (),
        tables=tuple(_tables(expected, drawn)),
    )


def _tables(expected: Sequence[Expected], drawn: Sequence[Grid]) -> list[Table]:
    """The tables of a question; the cells of errors are shaded."""
    tables = [Table(grid.header, grid.rows, grid.title) for grid in drawn]
    first = expected[0]
    if isinstance(first, ExpectedSelection | ExpectedExploration):
        tables[0] = _shaded(drawn[0], drawn[0].words, _patients, "lighter is closer")
    if isinstance(first, ExpectedNumSig | ExpectedLocSig):
        tables[-1] = _shaded(drawn[-1], 1, _odds, "lighter is weaker")
    return tables


def _shaded(grid: Grid, first: int, shade: Callable[[str], float], words: str) -> Table:
    """A table whose cells are shaded from the column `first` on."""
    shades = tuple(
        tuple("" if at < first else heat(shade(cell)) for at, cell in enumerate(row))[1:] for row in grid.rows
    )
    return Table(grid.header, grid.rows, f"{grid.title}; {words}", shades=shades)


def _patients(cell: str) -> float:
    return log10(max(int(cell.replace(",", "")), 1)) / log10(_FAR)


def _odds(cell: str) -> float:
    return 1.0 if cell == NOTHING else min(log(max(float(cell), 1)) / log(_STRONG), 1.0)


def _whiskers(name: str, expected: ExpectedTables) -> Picture:
    p = isinstance(expected.query, SnpPval)
    where, effect = ("frequency", "odds ratio") if p else ("carriers", "correlation")
    lines = [
        Interval(
            f"{where} {each.share:g}, {effect} {odds_ratio(each.effect) if p else f'{each.effect:g}'}, {each.noise}",
            interval_text(each, expected.query),
            0.0,
            each.interval.low - each.interval.estimate,
            each.interval.high - each.interval.estimate,
        )
        for each in expected.intervals
    ]
    unit = "powers of ten of p, from the exact one" if p else "from the exact correlation"
    caption = (
        f"Intervals at epsilon {decimal_up(expected.query.epsilon)}, 95 % sure, around the exact value of typical tables: lattice noise"
        f"{' and, as published, Laplace noise' if expected.both else ''}."
    )
    return Picture(partial(intervals, lines, unit), caption, name)
