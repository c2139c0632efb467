"""Public shares of sizes, and the budget that a plan derives from them.

Shares say what part of all groups has each size. They come from an earlier release or a published statistic, never from the records that
are protected: a budget that followed from these would tell of them. A plan names a CSV file, `size,share` with a header, or states the
shares itself. Published shares are rounded, so that their sum may be off 1 by a hundredth; they are scaled to add up to 1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError, PlanError, Problem
from starling.groups.plan.budget import SplitBudget
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.public_text import public_rows
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure, exact
from starling.text_format import PLAIN, TextFormat

COLUMNS: Final = ("size", "share")
INLINE: Final = 'shares = [{ size = 1, share = "0.3" }, { size = 2, share = "0.7" }]'
LONGEST_FILE: Final = 1 << 24
"""Bytes of a file of shares."""
ROUNDED: Final = Fraction(1, 100)
"""What the sum of rounded shares may be off 1 by."""
PERCENT: Final = 100
MOST_SIZES: Final = 1 << 17
"""Sizes for which a budget is derived, some hundred microseconds each."""


@dataclass(frozen=True, slots=True)
class PublicShares:
    """What part of all groups has each size, by public sources.

    Attributes:
        sizes: The sizes that have a share, ascending.
        shares: The share of each, 0 or more; their sum is off 1 by ROUNDED at most.
        importance: What an error in one group weighs at each level, root first, for the budget; None: as `SplitBudget.for_shares` has it.
    """

    sizes: tuple[int, ...]
    shares: tuple[Fraction, ...]
    importance: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        named = len(self.sizes) == len(self.shares) > 0 and list(self.sizes) == sorted(set(self.sizes))
        if not named or self.sizes[0] < 0:
            raise ParameterError("shares", "do not name each size once, ascending", "give each size one share")
        if min(self.shares) < 0:
            raise ParameterError("shares", "are negative at some size", "give a share of 0 or more to each size")
        if (wrong := _sum_problem(self.shares)) is not None:
            raise ParameterError("shares", *wrong)

    def by_size(self, largest: int) -> tuple[Fraction, ...]:
        """The shares of the sizes 0 to `largest`, which add up to 1; larger sizes count as that one.

        >>> shares = PublicShares((1, 3), (Fraction(1, 4), Fraction(3, 4)))
        >>> [str(each) for each in shares.by_size(2)]
        ['0', '1/4', '3/4']
        """
        result = [Fraction(0)] * (largest + 1)
        whole = sum(self.shares, Fraction(0))
        for size, share in zip(self.sizes, self.shares, strict=True):
            result[min(size, largest)] += share / whole
        return tuple(result)

    def numbers(self, largest: int) -> npt.NDArray[np.float64]:
        """`by_size` as doubles, (largest + 1,)."""
        return np.array([float(each) for each in self.by_size(largest)])


@lru_cache(maxsize=8)
def budget_of(
    shares: PublicShares,
    whole: Fraction,
    measure: Measure,
    largest: int,
    quantity: int,
    groups: int,
    regions: tuple[int, ...],
) -> SplitBudget:
    """The budget by size that follows (`SplitBudget.for_shares`); a plan that is made again with another method asks for the same one.

    Args:
        shares: The shares.
        whole: The whole budget, above 0.
        measure: Of the budget.
        largest: N.
        quantity: q.
        groups: G; of no groups the budget is that of one.
        regions: How many regions each level has, the root's first.

    Raises:
        ParameterError: there are more than MOST_SIZES sizes, or what `SplitBudget.for_shares` refuses.
    """
    if largest >= MOST_SIZES:
        raise ParameterError("sizes", f"are more than {MOST_SIZES:,}", "cap sizes lower, or write bands")
    parts, least = shares.by_size(largest), max(groups, 1)
    return SplitBudget.for_shares(whole, parts, least, regions, shares.importance, measure=measure, quantity=quantity)


def read_shares(path: Path, largest: int, form: TextFormat = PLAIN) -> PublicShares:
    """The shares of a CSV file, `size,share` with a header.

    Args:
        path: The public file.
        largest: N.
        form: Of text, where the file is not plain CSV.

    Raises:
        PlanError: with every cause and its line: it cannot be read, lacks a column or has no row; a size is none from 0 to N, or there
            twice; a share is no number, negative, or they do not add up to 1, as counts do not.
    """
    problems: list[Problem] = []
    whole = Section(path.name, "shares", {}, (), problems)
    rows = [
        Section(path.name, "shares", {name: row.get(name, "") for name in COLUMNS}, ((line, ""),), problems)
        for line, row in public_rows(path, LONGEST_FILE, form, "shares", COLUMNS)
    ]
    if not rows:
        whole.refuse("", "has no row", "give the share of each size that groups have")
    shares = None if problems else shares_of(rows, whole, largest)
    if shares is None:
        raise PlanError(problems=problems)
    return shares


def shares_of(rows: Sequence[Section], whole: Section, largest: int) -> PublicShares | None:
    """The shares that rows state; None after a refusal, which is collected in the row, or in `whole` where it is one of all rows."""
    before = len(whole.problems)
    stated = [_ROW.parse(row, {"largest": largest}) for row in rows]
    sizes, shares = ([each[name] for each in stated] for name in COLUMNS)
    repeated = [size for size, times in Counter(sizes).items() if times > 1]
    if len(whole.problems) == before:
        if repeated:
            whole.refuse("", f"name size {repeated[0]} more than once", "give each size one share")
        elif (wrong := _sum_problem(shares)) is not None:
            whole.refuse("", *wrong)
    if len(whole.problems) > before:
        return None
    ascending = sorted(zip(sizes, shares, strict=True))
    return PublicShares(tuple(size for size, _ in ascending), tuple(share for _, share in ascending))


def _read_size(row: Section, key: str, values: Values) -> int:
    value, largest = row.values.get(key), values["largest"]
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        row.refuse(key, "is not a whole number of 0 or more", f"write a size from 0 to {largest}")
    elif value > largest:
        fix = f"add its share to that of {largest}, which stands for all larger sizes"
        row.refuse(key, f"is {value}, beyond the largest size of the plan, {largest}", fix)
    else:
        return value
    return 0


def _read_share(row: Section, key: str, _: Values) -> Fraction:
    """A share of a file may have an exponent, as programs write small numbers: it is no amount of budget."""
    value, fix = row.values.get(key), 'write it like "0.25"'
    share: Fraction | None = None
    if isinstance(value, str):
        try:
            share = exact(value, field=key, exponent=True)
        except ParameterError as error:
            row.refuse(key, error.problems[0].problem, fix)
    else:
        share = row.number(key, fix)
    if share is not None and share < 0:
        row.refuse(key, "is negative", "give a share of 0 or more")
    return share or Fraction(0)


def _read_shares(section: Section, key: str, values: Values) -> PublicShares | None:
    """The shares of the file that is named, or those that are stated; None after a refusal."""
    if isinstance(section.values[key], str):
        try:
            return read_shares(values["folder"] / section.text(key, INLINE), values["largest"], values["format"])
        except PlanError as error:
            section.problems.extend(error.problems)
            return None
    rows = section.inline(key, f'shares = "FILE", or {INLINE}')
    return shares_of(rows, replace(section, name="privacy.shares", lines=()), values["largest"]) if rows else None


def _share_values(shares: PublicShares) -> list[dict[str, Any]]:
    pairs = zip(shares.sizes, shares.shares, strict=True)
    return [{"size": size, "share": exact_text(share)} for size, share in pairs]


_ROW: Final = Table(
    {
        "size": Key("A size.", Kind("integer", {"type": ["integer", "string"], "minimum": 0}, _read_size)),
        "share": Key("Its share of all groups.", Kind("exact number", {"type": ["string", "integer"]}, _read_share)),
    }
)
SHARES: Final = Kind(
    "text or list of inline tables",
    {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "minItems": 1, "items": _ROW.schema()}]},
    _read_shares,
    _share_values,
    inside=_ROW,
)
"""Public shares in a plan: the name of a file, or the shares themselves."""


def _sum_problem(shares: Sequence[Fraction]) -> tuple[str, str] | None:
    """What is wrong with the sum of shares, and what to do about it; None where they add up to 1 but for their rounding."""
    total = sum(shares, Fraction(0))
    if abs(total - 1) <= ROUNDED:
        return None
    text = f"{int(total):,}" if total.denominator == 1 else f"{float(total):z.6g}"
    if abs(total / PERCENT - 1) <= ROUNDED:
        return f"add up to {text}, as percentages do, not to 1", f"divide each by {PERCENT}"
    if total > 1 and all(share.denominator == 1 for share in shares):
        return f"add up to {text}, as counts do, not to 1", "divide each by their sum"
    return f"add up to {text}, not to 1", "give the share of every size; the largest stands for all larger ones"
