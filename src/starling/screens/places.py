"""What releases of places add: the map, its numbers, and its boxes and grids for other programs."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starling.screens.domain_pages import DomainPages
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached

if TYPE_CHECKING:
    from starling.places.analysis import PlacesRelease
    from starling.places.pictures.map_data import Map

BINARY = "application/octet-stream"


class PlacesPages(DomainPages):
    """The pages of a release of places."""

    links = (("Map", "/map"),)

    @property
    def _places(self) -> "PlacesRelease":
        release: Any = self.release
        return release  # type: ignore[no-any-return]

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """See `DomainPages`."""
        del query
        match list(path):
            case ["map"]:
                return self._map_page(frame)
            case ["map", "data"]:
                return Reply(self._map[1], BINARY)
            case ["map", name] if name in self._exports:
                return attached(self._exports[name].read_bytes(), name, BINARY)
        return None

    @cached_property
    def _map(self) -> "tuple[Map, bytes]":
        from starling.places.pictures.map_data import encoded

        shown = self._places.map()
        return shown, encoded(shown)

    @cached_property
    def _exports(self) -> Mapping[str, Path]:
        """Released boxes and grids for other programs, slice by slice, in a folder that goes with the release."""
        from starling.places.artifact.exports import write_all

        release, stack = self._places, ExitStack()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="starling-")))
        release.keep_open(stack)
        exports = {}
        for number, name in enumerate(release.plan.slice_names):
            table = None if release.plan.grid.sparse else release.released(name).table
            for file in write_all(folder / str(number), release.plan.grid, table, *release.boxes(name), None):
                exports[file.name if release.plan.slices is None else f"{number + 1}-{file.name}"] = file
        return exports

    def _map_page(self, frame: Frame) -> Reply:
        from starling.places.pictures.map_page import served_page

        downloads = [(name, f"{frame.release}/map/{name}") for name in self._exports]
        values = {**frame.values(), **self.around(frame)}
        page = served_page(self._map[0], values, f"{frame.release}/map/data", downloads)
        return Reply(page.encode())
