"""Every question that costs nothing has an estimate of its work, and one above the limit is refused by it."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final, get_args

import pytest

from starling.domains import DOMAINS
from starling.errors import ParameterError
from starling.genome.plan import Question
from starling.genome.preview.work import PREVIEWS
from starling.groups.analysis import Number
from starling.release.domain import Asking
from starling.release.reading import DomainRelease, Rows
from starling.release.work import MILLION, Work, check_work
from starling.tables.artifact.questions import Ratio, Sum, Term


def kinds() -> list[Any]:
    """Every question to a release, of all domains."""
    for name in DOMAINS:
        import_module(f"starling.{name}.analysis")
    # In an order of their own: workers must collect the same tests, whatever was imported first.
    opened = sorted(DomainRelease.__subclasses__(), key=lambda each: each.__module__)
    assert {each.__module__.split(".")[1] for each in opened} >= set(DOMAINS)
    return [kind for each in opened for kind in get_args(each.questions) or (each.questions,)]


@pytest.mark.parametrize("kind", dict.fromkeys(kinds()))
def test_every_question_to_a_release_has_an_estimate(kind: Any) -> None:
    assert callable(getattr(kind, "work", None))


def test_every_question_to_a_plan_has_an_estimate() -> None:
    assert "work" in Asking.__abstractmethods__
    assert set(PREVIEWS) == set(get_args(Question))


ROWS: Final = {"t1": (1000, 5), "t2": (9000, 5), "t3": (1000, 5), "wide": (1000, 6)}
SIZES = SimpleNamespace(
    size=ROWS.__getitem__,
    stored=lambda table: SimpleNamespace(candidates=lambda _where: ROWS[table][0]),
    plan=SimpleNamespace(cross=None, variants=SimpleNamespace(add_up=False)),
)
"""Tables in which any row may be meant."""
TERM = Term("t1", (("sex", "F"),))


def planned(largest: int) -> Any:
    return SimpleNamespace(plan=SimpleNamespace(largest=largest, cumulative=False))


@pytest.mark.parametrize(
    ("less", "more", "sizes"),
    [
        (Rows("t1"), Rows("t2"), SIZES),
        (Rows("t1"), Rows("wide"), SIZES),
        (Rows("t1"), Rows("t1", (("sex", "F"),)), SIZES),
        (Rows("t1"), Rows("t1", first=1), SIZES),
        (Rows("t1"), Rows("t1", most=101), SIZES),
        (Sum((TERM,)), Sum((TERM, TERM)), SIZES),
        (Sum((TERM,)), Sum((Term("t2", TERM.where),)), SIZES),
        (Sum((TERM,)), Sum((Term("t1", TERM.where * 2),)), SIZES),
        (Ratio((TERM,), (TERM,)), Ratio((TERM,), (TERM, TERM)), SIZES),
        (Number("a", 2, 5), Number("a", 2, 6), planned(9)),
        (Number("a", 2, 5), Number("a", 1, 5), planned(9)),
        (Number("a", 2, 8), Number("a", 2), planned(9)),
        (Sum((TERM,)), Sum((Term("t3", TERM.where),)), SIZES),
    ],
)
def test_an_estimate_grows_with_each_choice(less: Any, more: Any, sizes: Any) -> None:
    assert less.work(sizes).steps < more.work(sizes).steps


def test_what_is_too_much_is_refused_with_estimate_limit_and_fix() -> None:
    check_work(Work(7 * MILLION, "ask for fewer"), 7)
    with pytest.raises(ParameterError) as refused:
        check_work(Work(7 * MILLION + 1, "ask for fewer"), 7)
    (problem,) = refused.value.problems
    assert problem.field == "question"
    assert "about 8 million" in problem.problem
    assert "at most 7 million" in problem.problem
    assert "question_work" in problem.problem
    assert problem.fix == "ask for fewer"
