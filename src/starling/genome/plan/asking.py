"""Questions as a Python session asks them: from plain values to exact ones, and back to a line of code."""

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import TypeAlias

from starling.genome.plan.exploring import DELTA_C, Question, Stretches, kind
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


def stretches(given: Sequence[tuple[str, str]]) -> Stretches:
    """Stretches of SNPs, each by its first and its last."""
    return tuple((first, last) for first, last in given)


def code_of(question: Question, request_id: str) -> str:
    """A call that asks the same of `study`; what is as it is unless said otherwise is left out.

    >>> from starling.genome.plan import NumSig
    >>> code_of(NumSig("g", 1, Fraction(1, 2)), "r1")
    "study.num_sig(test='g', k=1, epsilon='1/2', request_id='r1')"
    """
    said = []
    for each in fields(question):
        value = getattr(question, each.name)
        if value != each.default:
            said.append(f"{each.name}={(str(value) if isinstance(value, Fraction) else value)!r}")
    return f"study.{kind(question)}({', '.join(said)}, request_id={request_id!r})"
