"""Steps (release/work.py) of understanding a question and of its preview, by the plan and the question; the constants were measured."""

from dataclasses import fields
from typing import Final

from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Question,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.release.work import Work

PER_SNP: Final = 1_000
"""Of a SNP of the list, which is looked up and sorted into regions."""
PREVIEW: Final = 500_000_000
"""Of what does not depend on the question: typical tables, SNPs without effect that are laid out one by one, and what a margin costs."""
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
    values = (getattr(question, each.name) for each in fields(question))
    names = sum(len(each) for each in values if isinstance(each, tuple))
    return Work(len(plan.snps) * PER_SNP + names * PER_NAME, "name fewer SNPs, regions or ranges")


_OPERATOR: Final = (0, "", "let the operator raise question_work")
PREVIEWS: Final[dict[type[Question], tuple[int, str, str]]] = {
    NumSig: (PER_NUMBER, "k", "ask for fewer by k"),
    LocSig: (PER_PLACE, "k", "ask for fewer by k"),
    LocBlock: _OPERATOR,
    SnpPval: _OPERATOR,
    SnpCorr: _OPERATOR,
    Scan: _OPERATOR,
    SnpEffects: _OPERATOR,
    **dict.fromkeys((Explore, ExploreEffects), (PER_NUMBER + PER_PLACE, "most", "follow up fewer SNPs, by most")),
}
"""Of each kind of question: steps of one of what it asks for, which field says how many, and what to do about too many."""


def previewing(plan: Plan, question: Question) -> Work:
    """What it takes to say what an answer will be worth besides."""
    each, field, fix = PREVIEWS[type(question)]
    own = each * min(getattr(question, field), len(plan.snps)) if field else 0
    if getattr(question, "test", None) == "fisher":
        own, fix = own + plan.people * PER_PERSON, f"{fix}, or by a test that is not exact"
    return Work(understanding(plan, question).steps + PREVIEW + own, fix)
