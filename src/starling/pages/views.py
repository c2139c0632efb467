"""A page of one picture for each slice, and for what one slice has more than another, as one file.

Every mark of a picture says its numbers, under a pointer, a finger or by keys. All of them are written here: the script, which the page
carries and which its policy (CSP) names by its hash, only shows what it is asked for, and fetches nothing.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from starling.pages.packing import packed
from starling.pages.parts import Headline, Picture
from starling.pages.rendering import fragment, named_by_hashes, stand_alone, static_files

MOST_COMPARED: Final = 64
"""Views of a page, those of each slice less each other among them; of more there are none of differences."""


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a slice, or of a difference.

    Attributes:
        picture: Its marks say their numbers; the larger ones lie above.
        headline: Of all of it.
    """

    picture: Picture
    headline: Headline


Make = Callable[[int, int | None], View]
"""Makes the view of a slice, or of what it has more than another, by their numbers."""


@dataclass(frozen=True, slots=True, repr=False)
class Views:
    """A page of views.

    Attributes:
        title: Its title.
        about: What it shows, in a few words.
        slices: The public name of each.
        kinds: What may be shown of them, by its name, and what makes the views of it; at least one.
        notes: How to read it, in sentences.
        elsewhere: The command that has all numbers.
        differences: Whether there are those of differences.
    """

    title: str
    about: str
    slices: Sequence[str]
    kinds: Mapping[str, Make]
    notes: Sequence[str]
    elsewhere: str
    differences: bool = True

    @property
    def comparable(self) -> bool:
        """Whether a slice can be taken from another."""
        return self.differences and len(self.slices) > 1

    @property
    def compared(self) -> bool:
        """Whether the page, which holds all views, has those of differences."""
        return self.comparable and len(self.slices) ** 2 * len(self.kinds) <= MOST_COMPARED

    def make(self, one: int, other: int | None = None, kind: str = "") -> View:
        """The view of a slice, or of what it has more than another; of the first kind where none is named."""
        return self.kinds[kind or next(iter(self.kinds))](one, other)

    def __repr__(self) -> str:
        return f"{self.title}: {self.about}"

    def _repr_html_(self) -> str:
        """Its first view as a still picture: a notebook runs no script of a page."""
        first = self.make(0)
        headline = f"{first.headline.label}: {first.headline.number} ({first.headline.interval})"
        return fragment("fragment.html", title=self.title, facts=(), below=(headline,), pictures=(first.picture,))

    def page(self) -> str:
        """The page as one file, complete in one text."""
        many = range(len(self.slices))
        pairs = [(one, other) for one in many for other in many if one != other] if self.compared else []
        views: dict[str, View] = {}
        for number, make in enumerate(self.kinds.values()):
            views |= {f"{number} {one}": make(one, None) for one in many}
            views |= {f"{number} {one} {other}": make(one, other) for one, other in pairs}
        return named_by_hashes(
            stand_alone(
                "views.html",
                values=self,
                first=views["0 0"],
                data=view_data(self.slices, views),
                script=static_files()["views.js"].decode(),
            )
        )


def view_data(slices: Sequence[str], views: Mapping[str, View]) -> str:
    """Views by the names that views.js has for them, as the text in which a page carries them: "0 1" of the first kind and slice 1, or
    "0 1 2" of slice 1 less slice 2.
    """
    stated = {name: _stated(view) for name, view in views.items()}
    return base64.b64encode(packed({"slices": list(slices), "views": stated}, {})).decode("ascii")


def _stated(view: View) -> Mapping[str, str]:
    caption = " ".join(view.picture.caption.split())
    return {"svg": view.picture.draw(), "caption": caption, **asdict(view.headline)}
