"""The tables of a genome release as rows of pictures: what each table holds by its columns, whatever the question was."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from starling.genome.pictures.answers import Answers, Pair, PValue, Stretch
from starling.genome.plan import Plan

_MEASURES: Final = {"R2": "r2", "DP": "dprime"}


def answers(plan: Plan, tables: Mapping[str, pa.Table]) -> Answers:
    """What a release has for pictures.

    A SNP with a ROUND was found by the study itself; one without it was asked for by its id.

    Args:
        plan: Of the release.
        tables: Its tables by name; `snps`, `blocks` and `pairs` are looked at.
    """
    snps = [] if "snps" not in tables else tables["snps"].to_pylist()
    blocks = [] if "blocks" not in tables else tables["blocks"].to_pylist()
    pairs = [] if "pairs" not in tables else tables["pairs"].to_pylist()
    return Answers(
        plan,
        tuple(
            PValue(row["SNP"], row["TEST"], row["LOG10_P"], row["LOG10_P_LOW"], row["LOG10_P_HIGH"], "ROUND" in row)
            for row in snps
            if "LOG10_P" in row
        ),
        tuple(row["SNP"] for row in snps if "ROUND" in row),
        tuple(Stretch(row["FIRST"], row["LAST"]) for row in blocks if row["FIRST"] is not None),
        tuple(_pairs(pairs)),
    )


def _pairs(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        for column, measure in _MEASURES.items():
            if column in row:
                ends = row[column], row[f"{column}_LOW"], row[f"{column}_HIGH"]
                yield Pair(row["SNP_A"], row["SNP_B"], measure, *ends)
