"""From which share of cases without a call on an answer says that cases and controls differ: of a typical SNP, with usual noise."""

from collections.abc import Sequence
from math import log10
from typing import Final

from starling.genome.inference.answers import ALPHA
from starling.genome.inference.called import lacking
from starling.genome.measurements import Cells
from starling.genome.plan import SnpPval
from starling.genome.postprocess.lacking import UNLIKE
from starling.genome.preview.typical import MISSING, Assumed
from starling.privacy.budget import decimal_up
from starling.privacy.distributions.accuracy import smallest

_SUPPOSED: Final = (
    f"Supposed is that {100 * MISSING:g} % of the calls are missing. The answer also tells whether cases and controls lack calls alike,"
    " at no further cost"
)
_ALL: Final = 100
_CARRY: Final = 0.3
"""Share of people with a call who carry the SNP; it matters little."""


def least_share(assumed: Assumed, query: SnpPval) -> int | None:
    """The least share of cases without a call, in percent, from which the whole range of the answer's test is at or below UNLIKE, where a
    part MISSING of controls lacks one; None where no share is enough.
    """
    plan, controls = assumed.plan, _row(assumed.plan.people - assumed.cases, MISSING)

    def differs(percent: int) -> bool:
        drawn = Cells((*_row(assumed.cases, min(percent, _ALL) / 100), *controls))
        return lacking(plan, query, drawn, ALPHA)[0].high <= log10(UNLIKE)

    return smallest(differs, round(100 * MISSING) + 1) if differs(_ALL) else None


def lacking_note(assumed: Assumed, queries: Sequence[SnpPval]) -> str:
    """What a preview of p-values says of missing calls, at each cost."""
    parts = []
    for query in queries:
        share, at = least_share(assumed, query), f"epsilon {decimal_up(query.epsilon)}"
        parts.append(f"{'none' if share is None else f'{share} %'} at {at}")
    return f"{_SUPPOSED}. Where so many controls lack one, the least share of cases that it tells apart is {', '.join(parts)}."


def _row(people: int, share: float) -> tuple[int, int, int]:
    """People who carry the SNP, who do not, and who lack a call."""
    without = round(people * share)
    carry = round((people - without) * _CARRY)
    return carry, people - without - carry, without
