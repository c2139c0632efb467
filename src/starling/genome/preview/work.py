"""Steps (release/work.py) of understanding a question and of its preview, by the plan and the question; the constants were measured."""

from collections.abc import Callable
from typing import Any, Final

from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Question, SnpCorr, SnpPval
from starling.release.work import Work

PER_SNP: Final = 1_000
"""Of a SNP of the list, which is looked up and sorted into regions."""
PREVIEW: Final = 500_000_000
"""Of what does not depend on the question: typical tables, and as many SNPs without effect as are laid out one by one."""
PER_PERSON: Final = 1_000
"""Of a person, where the chances of exact tests are added up."""
PER_NUMBER: Final = 60_000
"""Of a number that may be told, whose chance is reckoned in every study that is supposed."""
PER_PLACE: Final = 1_000
"""Of a SNP that is looked for, in each round of it."""
PER_NAME: Final = 2_000
"""Of a name or range in the question."""


def understanding(plan: Plan, question: Question) -> Work:
    """What it takes to say what a question asks and costs."""
    names = sum(len(each) for each in vars_of(question).values() if isinstance(each, tuple))
    return Work(len(plan.snps) * PER_SNP + names * PER_NAME, "name fewer SNPs, regions or ranges")


def previewing(plan: Plan, question: Question) -> Work:
    """What it takes to say what an answer will be worth besides."""
    own, fix = PREVIEWS[type(question)](plan, question)
    steps = understanding(plan, question).steps + PREVIEW + own
    if getattr(question, "test", None) != "fisher":
        return Work(steps, fix)
    return Work(steps + plan.people * PER_PERSON, f"{fix}, or by a test that is not exact")


def vars_of(question: Question) -> dict[str, Any]:
    """The fields of a question, which has slots."""
    return {name: getattr(question, name) for name in type(question).__dataclass_fields__}


def _number(plan: Plan, question: NumSig) -> tuple[int, str]:
    return min(question.k, len(plan.snps)) * PER_NUMBER, "ask for fewer by k"


def _places(plan: Plan, question: LocSig) -> tuple[int, str]:
    return min(question.k, len(plan.snps)) * PER_PLACE, "ask for fewer by k"


def _nothing(plan: Plan, question: Any) -> tuple[int, str]:  # noqa: ARG001 - as of the others
    return 0, "let the operator raise question_work"


def _explore(plan: Plan, question: Explore) -> tuple[int, str]:
    most = min(question.most, len(plan.snps))
    return most * (PER_NUMBER + PER_PLACE), "follow up fewer SNPs, by most"


PREVIEWS: Final[dict[type[Question], Callable[[Plan, Any], tuple[int, str]]]] = {
    NumSig: _number,
    LocSig: _places,
    LocBlock: _nothing,
    SnpPval: _nothing,
    SnpCorr: _nothing,
    Explore: _explore,
}
"""Of each kind of question, what its own choices add."""
