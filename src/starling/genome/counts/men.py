"""Men's calls on X as one copy: 0 or 1, where the plan says so, as PLINK's --xchr-model 1.

Files write a man's single copy as two. Outside the pseudo-autosomal regions (source/sexes.py) two become one, and half a dosage counts; a
man's heterozygous call is none that a man can have, and is missing. A man is who is stated as one: everybody else counts as a woman.
Privacy. Sexes are read, and no phenotype: neighbours that differ by a person's phenotype have the same numbers.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.genome.adjusted import Columns, Scores
from starling.genome.arrays import Flags, Float64, UInt8
from starling.genome.plan import Plan
from starling.genome.source import Calls, Dosages, Genotypes
from starling.genome.source.calls import bytes_a_snp
from starling.genome.source.dosages import NO_DOSAGE
from starling.genome.source.sexes import sex_linked, stated_sexes

_LOW: Final = 0x55
"""The lower bit of each call in a byte."""


@dataclass(frozen=True, slots=True)
class Men:
    """Who they are, and the SNPs of which they have one copy; none where the plan counts it as two.

    Attributes:
        flags: Bool (n,).
        linked: Of each SNP of the list, bool (m,).
    """

    flags: Flags
    linked: Flags

    @classmethod
    def of(cls, plan: Plan, genotypes: Genotypes) -> "Men":
        """Those of a study."""
        flags, linked = np.zeros(plan.people, dtype=np.bool_), np.zeros(len(plan.snps), dtype=np.bool_)
        if plan.x_model == 1:
            sexes = stated_sexes(genotypes.people)[: plan.people]
            flags[: len(sexes)] = [sex == "man" for sex in sexes]
            linked[sex_linked(plan)] = True
        return cls(flags, linked)

    def counted(self, part: Calls | Dosages) -> Calls | Dosages:
        """A chunk with men's copies as one; of dosages with men's halved, to the nearest step."""
        on_x = self.linked[part.snps]
        if not on_x.any():
            return part
        if isinstance(part, Dosages):
            steps = part.steps.copy()
            halved = steps[on_x]
            steps[on_x] = np.where(self.flags & (halved != NO_DOSAGE), halved // 2 + halved % 2, halved)
            return Dosages(part.snps, steps)
        packed, men = part.packed.copy(), self._mask()
        some = packed[on_x]
        low, high = some & _LOW, some >> 1 & _LOW
        # 0 is two copies of A1, 1 no call, 2 one copy, 3 none.
        two = np.where(part.second[on_x, np.newaxis], low & high, ~(low | high)) & men
        one = high & ~low & men
        packed[on_x] = (low & ~two | one) | ((high | two) & ~one) << 1
        return Calls(part.snps, packed, part.second)

    def frequencies(self, part: Scores | Columns, of: Calls | Dosages) -> Float64:
        """Frequencies among the alleles that people have, float64 (c,), of the numbers that `counted` gave."""
        on_x = self.linked[part.snps]
        if not on_x.any():
            return part.frequencies
        if isinstance(of, Dosages):
            called = np.count_nonzero((of.steps != NO_DOSAGE) & self.flags, axis=1)
        else:
            missing = of.packed & _LOW & ~(of.packed >> 1) & self._mask()
            called = self.flags.sum() - np.bitwise_count(missing).sum(axis=1, dtype=np.int64)
        shares = part.frequencies * 2 * part.calls / np.maximum(2 * part.calls - called, 1)
        return np.where(on_x, shares, part.frequencies)

    def _mask(self) -> UInt8:
        """The lower bit of each man's call, uint8 (ceil(n/4),)."""
        bits = np.zeros((4 * bytes_a_snp(len(self.flags)), 2), dtype=np.bool_)
        bits[: len(self.flags), 0] = self.flags
        return np.packbits(bits.reshape(-1), bitorder="little")
