"""Misuse: a confidential value goes where a released one is wanted."""

from starling.privacy.trust import Confidential, Released


def write(table: Released[int]) -> int:
    return table.value


def hand_on_unreleased(counts: Confidential[int]) -> Released[int]:
    write(counts)  # E: arg-type
    write(counts.map(lambda count: count + 1))  # E: arg-type
    released: Released[int] = counts  # E: assignment
    write(released)
    return counts  # E: return-value
