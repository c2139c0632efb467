"""What the mechanisms draw: noisy answers, still without an estimate or a statement of error. Everybody may see them."""

from dataclasses import dataclass
from typing import TypeAlias

from starling.release.session import Fields


@dataclass(frozen=True, slots=True)
class Number(Fields):
    """How many SNPs are significant: from `low` to `high`, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class SelectedSnps(Fields):
    """Ids of SNPs, in the order in which they were selected."""

    snps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block(Fields):
    """A run of SNPs of the list.

    Attributes:
        first: Id of the first SNP; None when the answer is that no block is valid.
        last: Id of the last SNP; None when the answer is that no block is valid.
        snps: How many, ends included; 0 for no block.
    """

    first: str | None
    last: str | None
    snps: int


@dataclass(frozen=True, slots=True)
class Cells:
    """Noisy counts of one table, negative ones among them perhaps.

    Attributes:
        counts: Four (two rows of two) or six (two rows of three).
    """

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """The answers of an exploration.

    Attributes:
        number: How many SNPs are significant.
        followed: k, how many SNPs it set out to follow up; each later answer cost epsilon / (4 k). 0 where it stopped at once.
        located: The SNPs that it followed up.
        blocks: Fewer than SNPs where no eligible block was left.
        tables: Noisy counts of each of the SNPs.
    """

    number: Number
    followed: int
    located: SelectedSnps
    blocks: tuple[Block, ...]
    tables: tuple[Cells, ...]


Drawn: TypeAlias = Number | SelectedSnps | Block | Cells | Explored
"""What a question is answered by."""
