"""Pictures of a release in a session: shown by a notebook, or written as SVG files."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from starling.engine.new_folder import new_folder
from starling.release.report.pages import Picture


@dataclass(frozen=True, slots=True, repr=False)
class Plots:
    """Pictures of one release, which hold what it says and nothing else.

    Attributes:
        pictures: Each by its name.
    """

    pictures: Mapping[str, Picture]

    def save(self, out: str | Path) -> tuple[Path, ...]:
        """Write each picture as NAME.svg.

        Args:
            out: Folder to make; must not exist.

        Raises:
            OutputError: the folder exists or cannot be written.
        """
        out = Path(out).absolute()
        with new_folder(out) as folder:
            for name, picture in self.pictures.items():
                (folder / f"{name}.svg").write_text(picture.draw() + "\n", encoding="utf-8")
        return tuple(out / f"{name}.svg" for name in self.pictures)

    def __repr__(self) -> str:
        """For a session: what each picture shows."""
        return "\n".join(f"{name}: {' '.join(picture.caption.split())}" for name, picture in self.pictures.items())

    def _repr_html_(self) -> str:
        return "".join(
            f'<figure style="margin:0 0 1em;overflow-x:auto">{picture.draw()}<figcaption>{escape(picture.caption)}</figcaption></figure>'
            for picture in self.pictures.values()
        )
