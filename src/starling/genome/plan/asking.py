"""Questions as a Python session asks them: from plain values to exact ones, and back to a line of code."""

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeAlias, TypedDict

from starling.genome.plan.exploring import DELTA_C, Explore, Question, SnpRanges, kind
from starling.genome.plan.model import Plan
from starling.genome.plan.queries import Correlation, Noise, Selection
from starling.privacy.budget import Exact, exact

Texts: TypeAlias = str | Sequence[str]
"""One text, or several."""


def amount(epsilon: Exact) -> Fraction:
    """A cost, exactly.

    Raises:
        ParameterError: it is no exact number.
    """
    return exact(epsilon, field="epsilon")


def threshold(correlation: str, delta_c: Exact | None) -> Fraction:
    """What a correlation must exceed within a block, exactly: as given, or that of the measure.

    Raises:
        ParameterError: it is no exact number.

    >>> threshold("r2", None), threshold("r2", "0.5")
    (Fraction(1, 5), Fraction(1, 2))
    """
    # Of an unknown measure any will do: the question refuses it.
    return exact(DELTA_C.get(correlation, "0.5") if delta_c is None else delta_c, field="delta_c")


def texts(given: Texts | None) -> tuple[str, ...] | None:
    """Several texts, also where one was given alone.

    >>> texts("9q"), texts(["9q", "X"]), texts(None)
    (('9q',), ('9q', 'X'), None)
    """
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def snp_ranges(given: Sequence[tuple[str, str]]) -> SnpRanges:
    """Ranges of SNPs, each by its first and its last."""
    return tuple((first, last) for first, last in given)


class ExploreOptions(TypedDict, total=False):
    """What an exploration may choose; what is left out is as `Explore` has it.

    Attributes:
        correlation: The measure of the blocks: "r2" or "dprime".
        delta_c: What each correlation within a block must exceed, in (0, 1); 0.2 for r2 and 0.8 for dprime without it.
        regions: Names of regions of the plan to look in, one or several; all of them without it. The number is that of the whole list.
        longest: The most SNPs of a block; without it there is no bound, and the regions may hold up to 10,000 SNPs.
        most: How many SNPs are followed up at most.
        noise: The noise of the counts behind p-values: "lattice", or "laplace" as published.
        independent: Whether to find one SNP at a time, each outside the blocks released before.
        selection: How the number is selected: "permute-and-flip", or "exponential" as published.
    """

    correlation: Correlation
    delta_c: Exact | None
    regions: Texts | None
    longest: int | None
    most: int
    noise: Noise
    independent: bool
    selection: Selection


def exploration(plan: Plan, test: str | None, epsilon: Exact, options: ExploreOptions) -> Explore:
    """The question behind `explore`.

    Args:
        plan: The public choices.
        test: One of the plan's tests that has a distance to significance; the first of them without it.
        epsilon: What the whole costs.
        options: What is chosen besides.

    Raises:
        ParameterError: an amount is no exact number.
    """
    correlation = options.get("correlation", "r2")
    choices: dict[str, Any] = {
        **options,
        "correlation": correlation,
        "delta_c": threshold(correlation, options.get("delta_c")),
        "regions": texts(options.get("regions")),
    }
    return Explore(test or plan.first_test, epsilon=amount(epsilon), **choices)


def code_of(question: Question, request_id: str) -> str:
    """A call that asks the same of `study`; what is as it is unless said otherwise is left out.

    >>> from starling.genome.plan import NumSig
    >>> code_of(NumSig("g", 1, Fraction(1, 2)), "r1")
    "study.num_sig(test='g', k=1, epsilon='1/2', request_id='r1')"
    """
    arguments = []
    for each in fields(question):
        value = getattr(question, each.name)
        if value != each.default:
            arguments.append(f"{each.name}={(str(value) if isinstance(value, Fraction) else value)!r}")
    return f"study.{kind(question)}({', '.join(arguments)}, request_id={request_id!r})"
