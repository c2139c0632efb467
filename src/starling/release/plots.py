"""Pictures of releases in a session and from the command line: shown by a notebook, or written as SVG files with a page of them all."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.pages.parts import Picture, Section
from starling.pages.rendering import fragment, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE: Final = "index.html"


@dataclass(frozen=True, slots=True, repr=False)
class Plots:
    """Pictures of releases, which hold what these say and nothing else.

    Attributes:
        kind: What the page shows, in a few words.
        pictures: By the name of each, the section of the page that it stands in.
        below: What stands on the page below the pictures.
        above: What stands there above them.
    """

    title: str
    kind: str
    pictures: Mapping[str, Section]
    below: tuple[Section, ...] = ()
    above: tuple[Section, ...] = ()

    @property
    def figure(self) -> "Figure":
        """The figure of Matplotlib, to be changed or saved in another format, where there is one picture.

        Raises:
            ParameterError: there are several pictures.
        """
        pictures = [picture for _, picture in self._each()]
        if len(pictures) > 1:
            raise ParameterError("figure", "is none: these pictures are several", "call save, for SVG files")
        return pictures[0].sheet().figure()

    def save(self, out: str | Path) -> tuple[Path, ...]:
        """Write a page, index.html, and each picture as NAME.svg; gives their paths.

        Args:
            out: Folder to make; must not exist.

        Raises:
            OutputError: the folder exists or cannot be written.
        """
        out = Path(out).absolute()
        texts = self.texts()
        with new_folder(out) as folder:
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8")
        return tuple(out / name for name in texts)

    def texts(self) -> dict[str, str]:
        """The page and the pictures as SVG, by the names of their files."""
        pictures = {f"{name}.svg": picture.draw() + "\n" for name, picture in self._each()}
        return {PAGE: page(self.title, self.kind, [*self.above, *self.pictures.values(), *self.below]), **pictures}

    def __repr__(self) -> str:
        """For a session: what each picture shows."""
        return "\n".join(f"{name}: {' '.join(picture.caption.split())}" for name, picture in self._each())

    def _repr_html_(self) -> str:
        return fragment(
            "fragment.html", title="", facts=(), below=(), pictures=[picture for _, picture in self._each()]
        )

    def _each(self) -> list[tuple[str, Picture]]:
        return [(name, picture) for name, section in self.pictures.items() for picture in section.pictures]
