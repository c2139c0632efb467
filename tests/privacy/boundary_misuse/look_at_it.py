"""Misuse: the exact count is shown, compared or branched on."""

from starling.privacy.trust import Confidential


def look_at_it(counts: Confidential[int]) -> str:
    for _ in counts:  # E: attr-defined
        break
    large = counts > 5  # E: operator
    equal = counts == 5  # E: comparison-overlap
    more = counts + 1  # E: operator
    number = int(counts)  # E: call-overload
    text = ",".join(counts)  # E: arg-type
    if counts:  # E: truthy-bool
        number = 1
    return f"{large} {equal} {more} {number} {text}"
