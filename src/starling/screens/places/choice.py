"""What a reader of the map has chosen, as it stands in the address, and what the release answers to that."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.pages.parts import Line
from starling.places.analysis import PlacesRelease
from starling.places.answers.questions import Count
from starling.places.answers.released import Answers
from starling.places.answers.sure import LEVEL
from starling.planfile.values import exact_text
from starling.privacy.budget import exact
from starling.release.codec import Json
from starling.release.text import rounded, whole
from starling.release.work import Work, check_work
from starling.screens.frame import Frame
from starling.screens.replies import Query

ENDS: Final = ("west", "south", "east", "north")
NAMES: Final = (*ENDS, "slice", "minus", "other", "typical", "chance")
UNBOXED: Final = "The method of this release measures no boxes, so that it has no sure intervals."
UNKNOWN: Final = "The grid has too many cells for a typical error."


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen.

    Attributes:
        ends: West, south, east and north end of the rectangle in units of the grid's box, as they were typed; empty for the whole box.
        slice: The public name of a slice; None where there is one alone.
        minus: The slice that is taken away; None for none, or the only one of `other`.
        other: The name of another release, whose slice that is; empty for none.
        typical: Whether typical errors are told.
        chance: Whether hotspots have chances.
    """

    ends: tuple[str, ...]
    slice: str | None
    minus: str | None
    other: str
    typical: bool
    chance: bool

    @classmethod
    def of(cls, query: Query, release: PlacesRelease) -> "Choice":
        """The choice of an address; raises ParameterError where it is none."""
        ends = tuple(query.one(each).strip() for each in ENDS)
        if any(ends) and not all(ends):
            missing = next(name for name, end in zip(ENDS, ends, strict=True) if not end)
            raise ParameterError(missing, "is missing", "fill in all four ends, or none")
        sliced = release.plan.is_sliced
        first = release.plan.slice_names[0] if sliced else None
        other = query.one("other")
        chosen = (query.one("slice") or first) if sliced else query.one("slice") or None
        # Of another release the same slice is meant where none is named.
        minus = query.one("minus") or (chosen if other else None)
        flags = {name: bool(query.one(name)) for name in ("typical", "chance")}
        return cls(ends if any(ends) else (), chosen, minus, other, **flags)

    @property
    def is_difference(self) -> bool:
        """Whether points are taken away."""
        return bool(self.other) or self.minus is not None

    def values(self, release: PlacesRelease) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The ends as exact numbers; raises ParameterError by the end that is none."""
        if not self.ends:
            return release.plan.grid.box
        west, south, east, north = (exact(end, field=name) for name, end in zip(ENDS, self.ends, strict=True))
        for low, high, names in ((west, east, ("west", "east")), (south, north, ("south", "north"))):
            if low > high and not (names[0] == "west" and release.plan.grid.crosses):
                raise ParameterError(names[0], f"lies beyond {names[1]}", "exchange them")
        return west, south, east, north

    def question(self, release: PlacesRelease) -> Count:
        """The question that is put to the release."""
        return Count(
            rectangles=(self.values(release),),
            units="box",
            slice=self.slice,
            minus=self.minus,
            typical=self.typical,
        )

    def as_json(self, release: PlacesRelease) -> dict[str, Json]:
        """The same question as JSON."""
        rectangle: list[Json] = [exact_text(end) for end in self.values(release)]
        named: dict[str, Json] = {"slice": self.slice, "minus": self.minus, "typical": self.typical or None}
        chosen = {name: value for name, value in named.items() if value is not None}
        return {"kind": "count", "rectangles": [rectangle], "units": "box", **chosen}


@dataclass(frozen=True, slots=True)
class Result:
    """What a page says of a rectangle: the answer, and each part of it in words.

    Attributes:
        answers: Of the release, or of what it has more than another.
        number: The released points.
        interval: The sure interval.
        cut: What else widens it.
        outside: What is said where the number lies outside its interval; else empty.
        typical: The typical error; empty where it was not asked for.
        lines: What gives the same.
    """

    answers: Answers
    number: str
    interval: str
    cut: str
    outside: str
    typical: str
    lines: tuple[Line, ...]

    def as_json(self) -> dict[str, Json]:
        """For the script of the page: words, and the exact numbers."""
        numbers = {name: values[0] for name, values in self.answers.as_json().items() if isinstance(values, list)}
        return {
            **numbers,
            "number": self.number,
            "interval": self.interval,
            "cut": self.cut,
            "outside": self.outside,
            "typical": self.typical,
            "lines": [each.text for each in self.lines],
        }


def result_of(choice: Choice, release: PlacesRelease, other: PlacesRelease | None, frame: Frame) -> Result:
    """The answer to a choice; raises ParameterError for more work than a question may take, and as `PlacesRelease.answers`."""
    question = choice.question(release)
    if frame.most is not None:
        work = question.work(release)
        check_work(Work(work.steps * (1 if other is None else 2), work.fix), frame.most)
    answers = release.answers(question, other)
    return Result(answers, whole(answers.counts[0]), *_words(choice, answers), _lines(choice, release, frame))


def _words(choice: Choice, answers: Answers) -> tuple[str, str, str, str]:
    interval, notes, typical = UNBOXED, [], ""
    if answers.lower is not None and answers.upper is not None and answers.cut is not None:
        interval = f"{float(100 * LEVEL):g} % interval: {answers.lower[0]:,} to {answers.upper[0]:,}"
        if answers.cut[0]:
            notes.append(f"It cuts boxes with {answers.cut[0]:,} measured points; where they lie in them is not known.")
    if answers.clipped[0]:
        notes.append("A part of it lies beyond the grid, and has no points.")
    if choice.typical:
        error = answers.typical_error
        typical = UNKNOWN if error is None else f"typical error {rounded(float(error[0]))}"
    return interval, " ".join(notes), answers.outside_note, typical


def _lines(choice: Choice, release: PlacesRelease, frame: Frame) -> tuple[Line, ...]:
    ends = ", ".join(str(float(end)) for end in choice.values(release))
    if not choice.other:
        minus = "" if choice.minus is None else f".minus(release.released({choice.minus!r}))"
        named = "" if choice.slice is None else f"{choice.slice!r}"
        return frame.lines(choice.as_json(release), f'release.released({named}){minus}.count([[{ends}]], "box")')
    one, two = (f'client.fetch({number}, "{number}.zip")' for number in (frame.number, choice.other))
    if not frame.number:
        one, two = repr(frame.path), repr(frame.others[choice.other][1])
    begin = f'client = starling.Client("{frame.base}", token)\n' if frame.number else "import starling\n\n"
    names = ["" if each is None else repr(each) for each in (choice.slice, choice.minus)]
    python = (
        f"{begin}one = starling.open_release({one})\nother = starling.open_release({two})\n"
        f'one.released({names[0]}).minus(other.released({names[1]})).count([[{ends}]], "box")'
    )
    return (Line("Python", python),)


def as_address(choice: Choice, **changes: str) -> Mapping[str, str]:
    """The values of an address that chooses the same, with other values of some names; empty ones are left out."""
    values = {
        **dict(zip(ENDS, choice.ends or ("",) * 4, strict=True)),
        "slice": choice.slice or "",
        "minus": choice.minus or "",
        "other": choice.other,
        "typical": "yes" if choice.typical else "",
        "chance": "yes" if choice.chance else "",
        **changes,
    }
    return {name: value for name, value in values.items() if value}
