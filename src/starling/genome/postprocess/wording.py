"""What is told, in words: for the report, for a terminal, for a session. Each answer is worded as the estimate that it is.

What chances are stated. A number or a block is right with at least the chance that it has in the worst study: right answers score 0 or
more, all others -1 or less (scores/), so that the chance of a wrong one is at most `SelectionError.beyond(0)`. It is a chance of the
procedure, before it is drawn; nothing is assumed about which studies are likely. A p-value or a correlation has an interval that holds the
exact one with a chance of CONFIDENCE or more.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from starling.genome.distance.adjusted import squares_variance
from starling.genome.inference.answers import SelectionError, selection_error
from starling.genome.inference.intervals import Interval
from starling.genome.inference.medians import Median
from starling.genome.inference.scans import Region
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.plan import Explore, ExploreEffects, LocBlock, LocSig, NumSig, Plan, Question, Scan, SnpEffects
from starling.genome.plan.intervals import divided_in_words
from starling.genome.plan.quantitative import protected_in_words
from starling.genome.plan.queries import Paying, prevalence_event
from starling.genome.postprocess.effects import OF, effect_text, power_text, snp_effect_text
from starling.genome.postprocess.estimates import (
    Answer,
    Correlated,
    EffectsAnswer,
    EffectsError,
    EffectsExploration,
    EffectsExplorationError,
    Error,
    ExplorationError,
    ScanAnswer,
    ScanError,
)
from starling.genome.postprocess.lacking import missing_text
from starling.genome.postprocess.p_values import CONFIDENCE, PValue
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace

TESTS: Final = {
    "g": "G",
    "chi2": "χ²",
    "fisher": "Fisher",
    "logistic": "likelihood ratio",
    "wald": "Wald",
    "trend": "Cochran-Armitage trend",
    "score": "score",
}
TEST_LABELS: Final = {code: f"{text} test" for code, text in TESTS.items()}
"""The label of the code of a test, where it stands alone."""
PERCENT: Final = f"{float(100 * CONFIDENCE):g} %"
"""The chance that an interval holds."""
MEASURES: Final = {"r2": "r²", "dprime": "|D'|"}
MOST: Final = 20
"""SNPs that are named in a sentence."""
EXACT_MODELS: Final = ("dominant", "recessive", "additive")
"""Genetic models whose distances are exact; those of the others are lower bounds."""
MANY: Final = 1000
"""So many significant SNPs, told by the released number, bring a warning of confounding, whatever the length of the list."""
FEW: Final = 20
"""Below it no number of significant SNPs brings the warning of confounding."""
INFLATED: Final = 1.1
"""Lambda from which on a scan brings a warning of confounding."""
LARGE_SHARE: Final = 0.01
"""Of the list: the part from which on significant SNPs bring the warning of confounding."""


def answer_text(plan: Plan, question: Question, answer: Answer) -> list[str]:
    """An answer in sentences, as an estimate with its chance; first, where phenotypes alone are protected, that they are."""
    sentences = _sentences(plan, question, answer)
    paid = answer.number if isinstance(answer, EffectsExploration) else answer
    if isinstance(question, NumSig | LocSig | SnpEffects | ExploreEffects) and isinstance(
        paid, Number | SelectedSnps | EffectsAnswer
    ):
        if paid.cases is not None:
            sentences.append(_cases(question, paid.cases))
        if not isinstance(paid, EffectsAnswer) and paid.squares is not None:
            sentences.append(_deviation(plan, paid.squares))
    return [*protected_in_words(plan), *sentences]


def _sentences(plan: Plan, question: Question, answer: Answer) -> list[str]:
    if isinstance(answer, Number):
        assert isinstance(question, NumSig)
        return _number(plan, question, answer)
    if isinstance(answer, SelectedSnps | PValue):
        return [_places(answer) if isinstance(answer, SelectedSnps) else _p_value(plan, answer)]
    if isinstance(answer, Block):
        assert isinstance(question, LocBlock)
        return [f"{_block(plan, answer)}: {_right(selection_error(plan, question))}."]
    if isinstance(answer, ScanAnswer | EffectsExploration):
        return _scan(plan, question, answer) if isinstance(answer, ScanAnswer) else _exploration(plan, question, answer)
    if isinstance(answer, EffectsAnswer | Correlated):
        return _effects(plan, answer) if isinstance(answer, EffectsAnswer) else [_correlated(answer)]
    assert isinstance(question, Explore)
    lines = _number(plan, question.number(plan), answer.number)
    lines += [_places(answer.located)] if answer.located.snps else [_NOTHING]
    lines += [_p_value(plan, each) for each in answer.p_values]
    return lines + [f"{_block(plan, block)}." for block in answer.blocks]


def answer_facts(plan: Plan, question: Question, answer: Answer, error: Error) -> list[tuple[str, str]]:
    """An answer for a session: its study, and each sentence in a row of its own."""
    sentences = [*answer_text(plan, question, answer), *error_text(plan, question, error)]
    sentences += [_WORST] if isinstance(question, NumSig | LocBlock | Explore | ExploreEffects) else []
    return [("study", plan.title), *(("" if at else "answer", sentence) for at, sentence in enumerate(sentences))]


def error_text(plan: Plan, question: Question, error: Error) -> list[str]:
    """How far an answer may be off, in sentences about SNPs, persons and p-values."""
    if isinstance(error, Interval):
        return [_INTERVAL]
    if isinstance(error, EffectsError):
        holds = _OF_EACH if isinstance(question, SnpEffects) and not question.chosen else _CHOSEN
        return [(_NOISE + holds).format(share=f"{100 * error.share:z.1f} %", percent=PERCENT)]
    if isinstance(error, ScanError):
        of, last = ("the sample", [_FIRST_ORDER]) if plan.between is None else ("what exact intervals would tell", [])
        return [_SHARE.format(share=f"{100 * error.share:z.1f} % of {of}", percent=PERCENT), *last]
    if isinstance(error, EffectsExplorationError):
        parts = [(_OFF_NUMBER, error.number), *([(_OFF_PLACES, error.located)] if error.located else [])]
        noise = error_text(plan, question, error.effects) if error.effects else []
        return [*(_off(sentence, each, records="phenotypes") for sentence, each in parts), *noise]
    lines: list[str] = []
    if isinstance(error, SelectionError):
        of_answer = {NumSig: _OFF_NUMBER, LocSig: _OFF_PLACES}.get(type(question), _OFF_BLOCK)
        lines.append(_off(of_answer, error, records="records" if plan.unit == "person" else "phenotypes"))
    else:
        lines.append(_off(_OFF_NUMBER, error.number))
        if error.located is not None:
            lines.append(_off(_OFF_PLACES, error.located))
        for number, each in enumerate(error.blocks, 1):
            lines.append(_off(_OFF_BLOCK, each, f"Block {number}"))
    if plan.model not in EXACT_MODELS and not isinstance(question, LocBlock):
        lines.append(_LOWER_BOUND.format(model=plan.model))
    return [*lines, _INTERVAL] if isinstance(error, ExplorationError) and error.p_values else lines


def p_text(p_value: PValue) -> tuple[str, str, str]:
    """A p-value and the ends of its interval."""
    log10 = p_value.log10
    return (
        power_text(log10.estimate, p_value.p),
        power_text(log10.low, p_value.low),
        power_text(log10.high, p_value.high),
    )


def verdict(plan: Plan, p_value: PValue) -> str:
    """Whether the interval lies at or below the plan's threshold: "yes", "no", or "open" where it holds the threshold."""
    threshold = float(plan.p_threshold)
    if p_value.high <= threshold:
        return "yes"
    return "no" if p_value.low > threshold else "open"


_VERDICTS: Final = {
    "yes": "all of it significant",
    "no": "none of it significant",
    "open": "which leaves open whether it is significant",
}


def _scan(plan: Plan, question: Question, answer: ScanAnswer) -> list[str]:
    """The scan, its inflation, and the first regions."""
    number = f"{answer.significant:,}" if answer.significant else "None"
    adjusted = "" if plan.adjusted == "nothing" else f", adjusted for {plan.adjusted}"
    lines = [f"{number} of {answer.tested:,} SNPs at or below the threshold by the score test{adjusted}."]
    if plan.between is not None and isinstance(question, Scan):
        median = None if answer.median is None else answer.median.step
        lines += [] if answer.median is None else [_median(answer.median)]
        lines.append(divided_in_words(plan, question.values, median))
    lines += inflation_text(answer.inflation)
    wanted = len(plan.covariates) + plan.components
    if answer.adjusted < wanted:
        lines.append(f"Only {answer.adjusted} of {wanted} covariates and components say anything beside the others.")
    return [*lines, *regions_text(answer.regions)]


def _median(median: Median) -> str:
    """The median, and how well it divides the people."""
    return (
        f"The median of the phenotype is about {median.value:z.6g}: the side with fewer people has at most {median.people:,} people"
        f" fewer there than at the best step, with a chance of at least {PERCENT}."
    )


def inflation_text(inflation: float | None) -> list[str]:
    """Lambda, and what it tells; nothing without a SNP that says anything."""
    return [] if inflation is None else [f"Lambda is {inflation:z.3f}{_USUAL if inflation < INFLATED else _INFLATED}"]


def regions_text(regions: Sequence[Region]) -> list[str]:
    """The strongest SNP of each region; nothing without a region."""
    strongest = sorted(regions, key=lambda each: each.log10_p)[:MOST]
    names = ", ".join(f"{each.lead} (chromosome {each.chromosome})" for each in strongest)
    more = len(regions) - len(strongest)
    return [f"The strongest SNP of each region: {names}{f' and {more:,} more' if more else ''}."] if regions else []


def _effects(plan: Plan, answer: EffectsAnswer) -> list[str]:
    lines = [f"{snp_effect_text(plan, each)}." for each in answer.effects[:MOST]]
    more = len(answer.effects) - len(lines)
    lines += [f"And {more:,} more, in the table."] if more > 0 else []
    if answer.explained:
        lines.append(f"Covariates explain all of {', '.join(answer.explained[:MOST])}: nothing is told of these.")
    if answer.cases is None and plan.between is None:
        lines.append(_SUPPOSED)
    return lines


def _exploration(plan: Plan, question: Question, answer: EffectsExploration) -> list[str]:
    assert isinstance(question, ExploreEffects)
    lines = _number(plan, question.number(plan), answer.number)
    if not answer.located.snps:
        return [*lines, _NOTHING]
    return [*lines, _places(answer.located), *_effects(plan, answer.effects)]


_NOTHING: Final = "So nothing was followed up."
_SUPPOSED: Final = (
    "No number of cases was paid for: p-values suppose as many cases as controls, which makes them too large for a"
    " rare disease."
)


def _correlated(answer: Correlated) -> str:
    value = answer.value
    about = _range(f"{value.estimate:z.4g}", f"{value.low:z.4g}", f"{value.high:z.4g}")
    return f"{MEASURES[answer.measure]} of {answer.first} and {answer.second} is about {about}."


def _number(plan: Plan, question: NumSig, answer: Number) -> list[str]:
    test = TESTS[question.test]
    lines = [f"About {_snps(answer)} significant by the test {test}: {_right(selection_error(plan, question))}."]
    if answer.low >= MANY or (answer.low >= FEW and answer.low >= len(plan.snps) * LARGE_SHARE):
        lines.append(_CONFOUNDED if plan.unit == "person" else _STILL_CONFOUNDED)
    return lines


def _cases(question: Paying, cases: int) -> str:
    """The noisy number of cases, and how far off it may be."""
    event = prevalence_event(question)
    assert event is not None
    off = margin(DiscreteLaplace(event.scale), 1 - CONFIDENCE)
    about = f"About {cases:,} people are cases (off by {off:,} at most with a chance of {PERCENT})"
    follows = {SnpEffects: "effects follow", ExploreEffects: "the threshold and effects follow"}
    what = follows.get(type(question), "the threshold follows")
    return f"{about}; {what} from that number."


def _deviation(plan: Plan, squares: int) -> str:
    """The standard deviation that the noisy squares give, in units of the phenotype."""
    assert plan.between is not None
    low, high = plan.between
    deviation = sqrt(squares_variance(squares, plan.people, 1)) * float(high - low)
    return (
        f"The standard deviation of the phenotype is about {deviation:z.3g}, with noise; the threshold follows from it."
    )


def _snps(answer: Number) -> str:
    if answer.low == answer.high:
        return "1 SNP is" if answer.low == 1 else f"{answer.low:,} SNPs are"
    return f"{answer.low:,} to {answer.high:,} SNPs are"


def _right(error: SelectionError) -> str:
    """The chance that holds for every study."""
    return f"an estimate that is exact at least {error.right} of the time, whatever the study is"


def snps_text(answer: SelectedSnps) -> str:
    """Their ids, MOST of them at most."""
    more = len(answer.snps) - MOST
    return ", ".join(answer.snps[:MOST]) + (f" and {more:,} more" if more > 0 else "")


def _places(answer: SelectedSnps) -> str:
    return f"Selected as the most significant, or the nearest to it: {snps_text(answer)} (an estimate)."


def _block(plan: Plan, block: Block) -> str:
    if block.first is None or block.last is None:
        return "Selected: no block of correlated SNPs is valid there"
    snps = plan.snps
    first, last = snps.indices[block.first], snps.indices[block.last]
    place = f"chromosome {snps.chromosomes[first]}, {int(snps.positions[first]):,} to {int(snps.positions[last]):,}"
    if block.snps == 1:
        return f"Selected as the longest valid block: one SNP, {block.first} ({place})"
    return f"Selected as the longest valid block: {block.snps:,} SNPs, {block.first} to {block.last} ({place})"


def _p_value(plan: Plan, p_value: PValue) -> str:
    p = f"p is about {_range(*p_text(p_value))} by the test {TESTS[p_value.test]}: {_VERDICTS[verdict(plan, p_value)]}"
    effect = p_value.effect
    ratio, cases, controls = map(effect_text, (effect.odds_ratio, effect.cases, effect.controls))
    return (
        f"{p_value.snp}: {p}. Odds ratio {OF[plan.model]} about {ratio[0]} ({ratio[1]} to {ratio[2]}); shares of cases about"
        f" {cases[0]} ({cases[1]} to {cases[2]}), of controls about {controls[0]} ({controls[1]} to {controls[2]})."
        f"{missing_text(p_value.missing)}"
    )


def _range(value: str, low: str, high: str) -> str:
    return f"{value}, and from {low} to {high} with a chance of at least {PERCENT}"


def _off(sentence: str, error: SelectionError, name: str = "The block", records: str = "records") -> str:
    off = error.within(1 - CONFIDENCE)
    persons = "1 person" if off == 1 else f"{off:,} persons"
    both = " for all of them" if error.rounds > 1 else ""
    return f"{sentence.format(persons=persons, name=name, records=records)}, with a chance of at least {PERCENT}{both}."


_WORST: Final = (
    "The chance of a right answer is that of the worst study there can be."
    " A preview also has that of a typical study, which is supposed and is mostly far higher."
)
_INTERVAL: Final = f"Each interval holds the exact value with a chance of at least {PERCENT}, each on its own."
_USUAL: Final = ": about 1 where nothing but chance and causes makes SNPs differ."
_INFLATED: Final = (
    ": something makes many SNPs differ at once, such as ancestry, kinship or batches, and p-values are too small."
    " Adjust for principal components, or for more of them."
)
_SHARE: Final = (
    "The coins leave {share}: intervals and p-values hold sampling and coins together, an interval with a chance of about"
    " {percent} in large samples."
)
_NOISE: Final = "Noise is {share} of the variance of a score: intervals and p-values hold sampling and noise together, "
_OF_EACH: Final = (
    "an interval with a chance of about {percent} in large samples. Of a SNP that the same phenotypes named, the effect is too large on"
    " average, and its interval misses too often, unless it was asked for as chosen."
)
_CHOSEN: Final = (
    "all intervals at once with a chance of at least {percent} in large samples, although the same phenotypes named the SNPs; their effects"
    " are too large on average."
)
_FIRST_ORDER: Final = "Odds ratios are of first order: off by up to 6 % of their logarithm at 1.2, by up to 22 % at 2, for common alleles."
_OFF_NUMBER: Final = (
    "The number is right, or wrong only by SNPs of which each would cross the threshold if the {records} of at most"
    " {persons} were others"
)
_OFF_PLACES: Final = (
    "No SNP is ahead of one that was named before it by more than {persons}: those whose {records} would have to be others before"
    " a SNP crosses the threshold"
)
_OFF_BLOCK: Final = (
    "{name} is right, or wrong only by conditions of which each would be the other way if the records of at most"
    " {persons} were others"
)
_LOWER_BOUND: Final = "Persons are counted by a lower bound under the {model} model: it may take more of them."
_CONFOUNDED: Final = (
    "So many significant SNPs are seldom causes of the disease: ancestry that differs between cases and controls (population"
    " stratification), relatives, or batches of genotyping make many SNPs differ at once, and nothing here corrects for them."
)
_STILL_CONFOUNDED: Final = (
    "So many significant SNPs are seldom causes of the disease: what covariates and components leave of ancestry, of kinship or of batches"
    " of genotyping makes many SNPs differ at once."
)
