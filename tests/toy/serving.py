"""The histogram as a server is given it: released as its plan says, or asked for at a cost that each question names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final

from starling.engine.new_folder import new_folder
from starling.pages.charts import Interval, intervals
from starling.pages.parts import Picture, Section
from starling.planfile import invented
from starling.privacy.neighbours import ADD_REMOVE_PERSON, Relation
from starling.release import questions
from starling.release.codec import Json, digest
from starling.release.described import Generated
from starling.release.domain import Asking, Delivering, Delivery, Domain, Invented, Verbs
from starling.release.plots import Plots
from starling.release.reading import Release
from starling.release.work import Work
from tests.toy.plan import Plan, Preview
from tests.toy.publication import CHECKS, WORDS, Histogram, reopen
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

    def preview(self, question: Json) -> Preview:
        return Preview(self._for(question))

    def work(self, question: Json, *, preview: bool) -> Work:  # noqa: ARG002 - either is a few steps for each category
        return Work(1000 * len(self._for(question).categories), "ask about fewer categories")

    def write(self, folder: Path) -> None:
        Histogram(self.plan).write_plan(folder)

    def _for(self, question: Json) -> Plan:
        asked: Counts = questions.read(Counts, question)
        return replace(self.plan, epsilon=asked.epsilon)


def _deliver(plan: str, files: Mapping[str, Path], *, asked: bool) -> Delivery:
    chosen = Plan.load(Path(plan))
    source = Persons(chosen, files["persons"])
    publication = Poll(chosen) if asked else Histogram(chosen)
    return Delivery(publication, source, lambda most: source.validate(most).value)


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    chosen = Plan.load(written := invented.write_titled(Path(plan), folder))
    persons = folder / "persons.txt"
    persons.write_text("\n".join([chosen.categories[0]] * 9 + list(chosen.categories[1:])) + "\n")
    return Invented(str(written), {"persons": persons})


def _generate(plan: str, out: Path, seed: int) -> Generated:
    with new_folder(out) as folder:
        files = _invent(plan, {}, folder).files
        (folder / "GENERATED.json").write_text(f'{{"seed": {seed}}}')
    return Generated({name: out / path.name for name, path in files.items()}, out / "GENERATED.json", {"persons": 9})


def _plot(releases: Iterator[Release]) -> Plots:
    table = next(releases).table("histogram")
    rows = zip(*(table[name].to_pylist() for name in WORDS), strict=True)
    lines = [Interval(label, f"{low:,} to {high:,}", count, low, high) for label, count, low, high in rows]
    picture = Picture(partial(intervals, lines, ""), "Each count with its interval.", "histogram")
    return Plots("Persons by category", "A histogram", {"histogram": Section("Persons", pictures=(picture,))})


VERBS: Final = Verbs(Plan.load, lambda plan: Preview(Plan.load(plan)), None, _generate, _plot)


def _domain(delivering: Delivering) -> Domain:
    return Domain("toy", lambda: CHECKS, reopen, lambda release: release, VERBS, delivering)


RELEASED: Final = _domain(Delivering(("persons",), partial(_deliver, asked=False), invent=_invent))
POLL: Final = Delivering(("persons",), partial(_deliver, asked=True), lambda at: Poll(reopen(at).plan), invent=_invent)
ASKED: Final = _domain(POLL)
