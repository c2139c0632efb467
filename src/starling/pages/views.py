"""A page of one picture for each slice, and for what one slice has more than another, as one file.

Every mark of a picture says its numbers, under a pointer, a finger or by keys. All of them are written here: the script, which the page
carries and which its policy (CSP) names by its hash, only shows what it is asked for, and fetches nothing.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from starling.pages.packing import packed
from starling.pages.parts import Headline, Picture
from starling.pages.rendering import fragment, named_by_hashes, stand_alone, static_files

MOST_COMPARED = 8
"""Slices, of which each less each other has a view."""


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a slice, or of a difference.

    Attributes:
        picture: Its marks say their numbers; the larger ones lie above.
        headline: Of all of it.
    """

    picture: Picture
    headline: Headline


@dataclass(frozen=True, slots=True, repr=False)
class Views:
    """A page of views.

    Attributes:
        title: Its title.
        about: What it shows, in a few words.
        slices: The public name of each.
        make: Makes the view of a slice, or of what it has more than another, by their numbers.
        notes: How to read it, in sentences.
        elsewhere: The command that has all numbers.
        differences: Whether `make` knows differences.
    """

    title: str
    about: str
    slices: Sequence[str]
    make: Callable[[int, int | None], View]
    notes: Sequence[str]
    elsewhere: str
    differences: bool = True

    @property
    def compared(self) -> bool:
        """Whether slices can be compared on it."""
        return self.differences and 1 < len(self.slices) <= MOST_COMPARED

    def __repr__(self) -> str:
        return f"{self.title}: {self.about}"

    def _repr_html_(self) -> str:
        """Its first view as a still picture: a notebook runs no script of a page."""
        first = self.make(0, None)
        headline = f"{first.headline.label}: {first.headline.number} ({first.headline.interval})"
        return fragment("fragment.html", title=self.title, facts=(), below=(headline,), pictures=(first.picture,))

    def page(self) -> str:
        """The page as one file, complete in one text."""
        many = range(len(self.slices))
        views = {f"{one}": self.make(one, None) for one in many}
        if self.compared:
            views |= {f"{one} {other}": self.make(one, other) for one in many for other in many if one != other}
        return named_by_hashes(
            stand_alone(
                "views.html",
                values=self,
                first=views["0"],
                data=view_data(self.slices, views),
                script=static_files()["views.js"].decode(),
            )
        )


def view_data(slices: Sequence[str], views: Mapping[str, View]) -> str:
    """Views by the names that views.js has for them, as the text in which a page carries them: "1", or "1 2" of slice 1 less slice 2."""
    stated = {name: _stated(view) for name, view in views.items()}
    return base64.b64encode(packed({"slices": list(slices), "views": stated}, {})).decode("ascii")


def _stated(view: View) -> Mapping[str, str]:
    headline = view.headline
    return {
        "svg": view.picture.draw(),
        "caption": " ".join(view.picture.caption.split()),
        "label": headline.label,
        "number": headline.number,
        "interval": headline.interval,
        "note": headline.note,
    }
