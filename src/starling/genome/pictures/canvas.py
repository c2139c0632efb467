"""What the Manhattan plot of a page draws: the public list and every released answer, in one file for its script (pages/packing.py)."""

from itertools import accumulate
from typing import Any, Final

import numpy as np

from starling.genome.pictures.answers import Answers
from starling.pages.axes import top_of
from starling.pages.letters import printable
from starling.pages.packing import packed

MOST_LISTED: Final = 100_000
"""Places of the list that are drawn: of a longer one, those that are too close to be told apart are drawn as one."""


def encoded(answers: Answers) -> bytes:
    """The file; the same bytes for the same answers."""
    snps, rows = answers.plan.snps, sorted(answers.p_values, key=lambda each: answers.plan.snps.index(each.snp))
    ranges = snps.chromosome_ranges
    lengths = [int(snps.positions[stop - 1] - snps.positions[start]) + 1 for start, stop in ranges.values()]
    gap = max(sum(lengths) // 100, 1)
    begins = [0, *accumulate(length + gap for length in lengths)]
    along = np.concatenate(
        [
            snps.positions[start:stop] - snps.positions[start] + begin
            for begin, (start, stop) in zip(begins, ranges.values(), strict=False)
        ]
    )
    at = np.array([snps.index(each.snp) for each in rows], dtype=np.int64)
    located = np.array([snps.index(snp) for snp in answers.only_located], dtype=np.int64)
    ends = np.array([snps.index(snp) for block in answers.blocks for snp in block], dtype=np.int64)
    values = -np.array([(each.log10.estimate, each.log10.high, each.log10.low) for each in rows]).reshape(-1, 3)
    top = top_of(max(-answers.limit, values[:, 0].max()), values[:, 2].max()) if rows else 0.0
    facts: dict[str, Any] = {
        "wide": begins[-1] - gap,
        "top": top,
        "limit": -answers.limit,
        "parts": [
            [printable(name), begin, length, int(snps.positions[start])]
            for name, begin, length, (start, _) in zip(ranges, begins, lengths, ranges.values(), strict=False)
        ],
        "names": [printable(each.snp) for each in rows],
    }
    step = -(-begins[-1] // MOST_LISTED)
    arrays = {
        "list": along if len(along) <= MOST_LISTED else np.unique(along // step) * step,
        "at": along[at],
        "value": values[:, 0],
        "low": values[:, 1],
        "high": values[:, 2],
        "located": along[located],
        "blocks": along[ends],
    }
    return packed(facts, arrays)
