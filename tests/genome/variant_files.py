"""VCF and BCF as tests write and read them."""

from pathlib import Path

import cyvcf2
import numpy as np

from starling.genome.plan import Plan
from starling.genome.source.calls import copies
from starling.genome.source.vcf import read_vcf


def rows_of(path: Path, plan: Plan, size: int | None = None) -> dict[int, list[int]]:
    """Copies of the carried allele by place in the list; each place once."""
    rows: dict[int, list[int]] = {}
    read = read_vcf(
        path, path.stat().st_size if size is None else size, plan, np.arange(len(plan.snps)), lambda each: each
    )
    for calls in read:
        for place, row in zip(calls.snps.tolist(), copies(calls.packed, plan.people).tolist(), strict=True):
            assert place not in rows
            rows[place] = row
    return rows


def write_bcf(text: Path) -> Path:
    """The BCF that htslib writes of a VCF."""
    path = text.with_suffix(".bcf")
    reader = cyvcf2.VCF(str(text))
    writer = cyvcf2.Writer(str(path), reader, mode="wb")
    for record in reader:
        writer.write_record(record)
    writer.close()
    reader.close()
    return path
