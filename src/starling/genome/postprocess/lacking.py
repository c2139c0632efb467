"""Who lacks a call, in words."""

from fractions import Fraction
from typing import Final

from starling.genome.inference.intervals import Interval
from starling.genome.postprocess.p_values import Missingness

UNLIKE: Final = Fraction(5, 100)
"""The p-value at or below which cases and controls lack unlike shares of calls."""
_VERDICTS: Final = {
    "yes": "unlike in cases and controls, so that this SNP is not to be trusted before batches and calling were looked at",
    "no": "no sign that cases and controls differ",
    "open": "which leaves open whether cases and controls differ",
}


def unlike(missing: Missingness) -> str:
    """Whether the interval lies at or below UNLIKE: "yes", "no", or "open" where it holds it."""
    if missing.high <= UNLIKE:
        return "yes"
    return "no" if missing.low > UNLIKE else "open"


def missing_text(missing: Missingness | None) -> str:
    """A sentence after a space; nothing where missing calls are not counted apart."""
    if missing is None:
        return ""
    cases, controls = map(_percent, (missing.cases, missing.controls))
    test = f"p is about {missing.p:z.3g} ({missing.low:z.3g} to {missing.high:z.3g}) by Fisher's test"
    return f" About {cases} of cases lack a call, and {controls} of controls: {test}, {_VERDICTS[unlike(missing)]}."


def _percent(share: Interval) -> str:
    value, low, high = percent(share)
    return f"{value:z.3g} % ({low:z.3g} to {high:z.3g})"


def percent(share: Interval) -> tuple[float, float, float]:
    """A share and the ends of its range, in percent."""
    return 100 * share.estimate, 100 * share.low, 100 * share.high
