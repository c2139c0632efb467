"""The face of the pages of a domain: what it adds to those that every release has. A domain's module fills it in."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starling.pages.rendering import served
from starling.release.reading import Release
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply

PACKAGE = "starling.screens"
REPORT = "report.html"


class DomainPages:
    """The pages of a release of a domain; of one that adds nothing, those that every release has.

    Args:
        release: An opened release; what has to end with it is given to its `keep_open`.

    Attributes:
        links: The word and the path of each page that it adds, below the release: ("Map", "/map").
    """

    links: Sequence[tuple[str, str]] = ()

    def __init__(self, release: Release) -> None:
        self.release = release
        self.title = str(getattr(getattr(release, "plan", None), "title", release.guarantee.name))

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """The reply to a path of the pages that it adds, by its parts; None where there is no such page.

        Raises:
            StarlingError: what is asked is refused; it becomes a page that says so.
        """
        del path, query, frame
        return None

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """The text of each value of a column that is not shown raw."""
        del table, column
        return {}

    def left_out(self, table: str, where: Mapping[str, str]) -> Sequence[str]:
        """A sentence for each row that the plan has and the table has not, among those with these values."""
        del table, where
        return ()

    def page(
        self, template: str, frame: Frame, status: int = HTTPStatus.OK, package: str = PACKAGE, **values: object
    ) -> Reply:
        """A page of a template, which extends `release.html`, with the frame around it."""
        values = {**frame.values(), **self.around(frame), **values}
        root = values.pop("root")
        return Reply(served(template, package, str(root), **values).encode(), status=status)

    def around(self, frame: Frame) -> dict[str, object]:
        """What `release.html` shows on every page of the release: its title, and the links to its pages."""
        tables = [(f"Table {name}", f"/tables/{name}") for name in self.release.names if "/" not in name]
        report = [("Privacy report", "/report")] if (self.release.folder / REPORT).is_file() else []
        links = [("Release", "/"), *tables, *self.links, *report]
        return {
            "title": self.title,
            "links": [(word, f"{frame.release}{path}") for word, path in links],
        }
