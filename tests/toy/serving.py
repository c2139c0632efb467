"""The histogram as a server is given it: released as its plan says, or asked for at a cost that each question names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

from starling.planfile import invented
from starling.privacy.neighbours import ADD_REMOVE_PERSON, Relation
from starling.release import questions
from starling.release.codec import digest
from starling.release.domain import Asking, Delivering, Delivery, Domain, Invented
from starling.release.report.pages import PreviewPage
from starling.release.statement import Json
from starling.release.work import Work
from tests.toy.plan import Plan, Preview
from tests.toy.publication import TOY, Histogram
from tests.toy.source import Persons


@dataclass(frozen=True, slots=True)
class Counts:
    """How many persons are in each category, for so much."""

    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class Poll(Asking):
    """A plan whose histogram is asked for at any cost; its own is only what a preview supposes."""

    plan: Plan

    @property
    def title(self) -> str:
        return self.plan.title

    @property
    def relation(self) -> Relation:
        return ADD_REMOVE_PERSON

    @property
    def digest(self) -> str:
        return digest({"plan": self.plan})

    @property
    def schema(self) -> Mapping[str, Json]:
        return questions.schema(Counts)

    def ask(self, question: Json) -> Histogram:
        return Histogram(self._for(question))

    def preview(self, question: Json) -> PreviewPage:
        return Preview(self._for(question))

    def work(self, question: Json, *, preview: bool) -> Work:  # noqa: ARG002 - either is a few steps for each category
        return Work(1000 * len(self._for(question).categories), "ask about fewer categories")

    def write(self, folder: Path) -> None:
        Histogram(self.plan).write_plan(folder)

    def _for(self, question: Json) -> Plan:
        asked: Counts = questions.read(Counts, question)
        return replace(self.plan, epsilon=asked.epsilon)


def _poll(folder: Path) -> Poll:
    found: Any = TOY.reopen(folder)
    return Poll(found.plan)


def _deliver(plan: str, files: Mapping[str, Path], *, asked: bool) -> Delivery:
    chosen = Plan.load(Path(plan))
    source = Persons(chosen, files["persons"])
    publication = Poll(chosen) if asked else Histogram(chosen)
    return Delivery(publication, source, lambda most: source.validate(most).value)


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    """Nine persons of the first category, one of each other."""
    chosen = Plan.load(written := invented.write_titled(Path(plan), folder))
    persons = folder / "persons.txt"
    persons.write_text("\n".join([chosen.categories[0]] * 9 + list(chosen.categories[1:])) + "\n")
    return Invented(str(written), {"persons": persons})


def _domain(delivering: Delivering) -> Domain:
    return Domain(TOY.name, TOY.checks, TOY.reopen, TOY.opened, delivering)


FILES: Final = ("persons",)
RELEASED: Final = _domain(Delivering(FILES, partial(_deliver, asked=False), invent=_invent))
ASKED: Final = _domain(Delivering(FILES, partial(_deliver, asked=True), asking=_poll, invent=_invent))
