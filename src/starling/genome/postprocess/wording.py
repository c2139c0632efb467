"""What is told, in words: for the report, for a terminal, for a session."""

from typing import Final

from starling.genome.inference.intervals import Interval
from starling.genome.inference.selections import SelectionError
from starling.genome.measurements import Block, Number, Places
from starling.genome.plan import Plan, Question
from starling.genome.postprocess.told import (
    CONFIDENCE,
    Answer,
    Correlated,
    Error,
    Exploration,
    PValue,
)

TESTS: Final = {"g": "G", "chi2": "χ²", "fisher": "Fisher", "logistic": "likelihood ratio", "wald": "Wald"}
MEASURES: Final = {"r2": "r²", "dprime": "|D'|"}
MOST: Final = 20
"""SNPs that are named in a sentence."""


def answer_words(plan: Plan, question: Question, answer: Answer) -> list[str]:
    """An answer in sentences."""
    if isinstance(answer, Number):
        return [f"{_number(answer)} significant by the test {TESTS[_test(question)]}."]
    if isinstance(answer, Places):
        return [f"The SNPs that are significant, or nearest to it, by the most patients: {_listed(answer.snps)}."]
    if isinstance(answer, Block):
        return [f"{_block(plan, answer)}."]
    if isinstance(answer, PValue):
        return [f"{_p_value(plan, answer)}."]
    if isinstance(answer, Correlated):
        low, high = answer.value.low, answer.value.high
        return [
            f"{MEASURES[answer.measure]} of {answer.first} and {answer.second} is {_range(answer.value.estimate, low, high)}."
        ]
    return _explored(plan, question, answer)


def _explored(plan: Plan, question: Question, answer: Exploration) -> list[str]:
    lines = [f"{_number(answer.number)} significant by the test {TESTS[_test(question)]}."]
    if not answer.places.snps:
        return [*lines, "So nothing was followed up."]
    lines.append(f"Followed up: {_listed(answer.places.snps)}.")
    lines += [f"{_p_value(plan, each)}." for each in answer.p_values]
    lines += [f"{_block(plan, block)}." for block in answer.blocks]
    return lines


def error_words(error: Error) -> list[str]:
    """How far an answer may be off, in sentences."""
    if isinstance(error, SelectionError):
        return [f"{'The answer' if error.rounds == 1 else 'Each answer'} has {_selection(error)}."]
    if isinstance(error, Interval):
        return [_INTERVAL]
    lines = [f"The number has {_selection(error.number)}."]
    if error.places is not None:
        lines.append(f"Each SNP has {_selection(error.places)}.")
    lines += [f"Block {number} has {_selection(each)}." for number, each in enumerate(error.blocks, 1)]
    return [*lines, _INTERVAL] if error.p_values else lines


def p_words(found: PValue) -> tuple[str, str, str]:
    """A p-value and the ends of its interval."""
    return (
        _power(found.log10.estimate, found.p),
        _power(found.log10.low, found.low),
        _power(found.log10.high, found.high),
    )


def verdict(plan: Plan, found: PValue) -> str:
    """Whether the interval lies at or below the plan's threshold: "yes", "no", or "open" where it holds the threshold."""
    threshold = float(plan.p_threshold)
    if found.high <= threshold:
        return "yes"
    return "no" if found.low > threshold else "open"


_VERDICTS: Final = {
    "yes": "all of it significant",
    "no": "none of it significant",
    "open": "which leaves open whether it is significant",
}


def _number(answer: Number) -> str:
    if answer.high == 0:
        return "No SNP is"
    if answer.low == answer.high:
        return "1 SNP is" if answer.low == 1 else f"{answer.low:,} SNPs are"
    return f"{answer.low:,} to {answer.high:,} SNPs are"


def _listed(snps: tuple[str, ...]) -> str:
    more = len(snps) - MOST
    return ", ".join(snps[:MOST]) + (f" and {more:,} more" if more > 0 else "")


def _block(plan: Plan, block: Block) -> str:
    if block.first is None or block.last is None:
        return "No block of correlated SNPs is valid there"
    snps = plan.snps
    first, last = snps.places[block.first], snps.places[block.last]
    place = f"chromosome {snps.chromosomes[first]}, {int(snps.positions[first]):,} to {int(snps.positions[last]):,}"
    if block.snps == 1:
        return f"A block of one SNP: {block.first} ({place})"
    return f"A block of {block.snps:,} SNPs: {block.first} to {block.last} ({place})"


def _p_value(plan: Plan, found: PValue) -> str:
    value, low, high = p_words(found)
    return f"{found.snp}: p = {value} by the test {TESTS[found.test]}, {low} to {high} at {_percent()}, {_VERDICTS[verdict(plan, found)]}"


def _range(value: float, low: float, high: float) -> str:
    return f"{value:.4g}, {low:.4g} to {high:.4g} at {_percent()}"


def _power(log10: float, value: float) -> str:
    """A p-value; where a float would be too small, from its logarithm."""
    if value > 1e-300:
        return f"{value:.4g}"
    exponent = int(log10 // 1)
    return f"{10 ** (log10 - exponent):.3g}e{exponent}"


def _selection(error: SelectionError) -> str:
    off = error.within(1 - CONFIDENCE)
    patients = "1 patient" if off == 1 else f"{off:,} patients"
    return (
        f"a score at most {patients} below the best of {error.candidates:,} candidates,"
        f" with a chance of at least {_percent()}" + (" for all of them" if error.rounds > 1 else "")
    )


def _percent() -> str:
    return f"{float(100 * CONFIDENCE):g} %"


_INTERVAL: Final = f"Each interval holds the exact value with a chance of at least {_percent()}, each on its own."


def _test(question: Question) -> str:
    return str(getattr(question, "test", ""))
