"""Misuse: the exact count is read without a charge."""

from starling.privacy.trust import Confidential, Mechanism


def read_before_charging(counts: Confidential[int], mechanism: Mechanism[int, int]) -> list[object]:
    return [
        counts(),  # E: operator
        counts.value,  # E: attr-defined
        counts.computation(),  # E: attr-defined
        counts.__recipe(),  # E: attr-defined
        counts[0],  # E: index
        sum(counts),  # E: call-overload
        len(counts),  # E: arg-type
        mechanism.draw(counts),  # E: arg-type
    ]
