"""The pages of a release of places: its map, which a form counts on too, what its script asks for, and files."""

import json
from collections.abc import Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np

from starling.errors import ParameterError, Problem, StarlingError
from starling.pages.parts import Picture, Table
from starling.places.analysis import LISTED, PlacesRelease
from starling.places.answers.coordinates import rectangles_in_cells
from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.questions import FindHotspots
from starling.places.pictures.experience import listed
from starling.places.pictures.heat_map import HATCHED, heat_map
from starling.places.pictures.map_page import (
    CHOSEN,
    COAST,
    NOTHING,
    RANKED,
    SURE,
    TYPICALLY,
    hotspot_rows,
    public_values,
    square_table,
)
from starling.places.plan.grid import Grid
from starling.places.typical import typical_answers
from starling.planfile.values import exact_text
from starling.release.work import check_work
from starling.screens.domain_pages import DomainPages
from starling.screens.frame import Frame
from starling.screens.places.choice import ENDS, Choice, as_address, result_of
from starling.screens.places.files import WORDS, file_of, files_of
from starling.screens.replies import Query, Reply
from starling.verification import open_release

BINARY: Final = "application/octet-stream"
JSON: Final = "application/json"
MOST_DRAWN: Final = 8
"""Files of shades that stay in memory."""
MOST_LISTED: Final = 64
"""Lists of hotspots that stay in memory."""


class PlacesPages(DomainPages[PlacesRelease]):
    """The pages of a release of places."""

    links = (("Map", "/map"),)

    def __init__(self, release: PlacesRelease) -> None:
        super().__init__(release)
        # They end with these pages: what they hold keeps no other release open, which may lie unpacked on the disk.
        self._shades = lru_cache(MOST_DRAWN)(self._new_shades)
        self._first_squares = lru_cache(MOST_LISTED)(release.first_squares)

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """See `DomainPages`."""
        match list(path):
            case ["map"]:
                return self._map(query, frame)
            case ["map", "data"]:
                choice = Choice.of(query, self.release)
                other = self._other_path(choice, frame)
                return Reply(self._shades(choice.slice, choice.minus, other), BINARY)
            case ["map", "count"]:
                return self._count(query, frame)
            case ["map", "download", name]:
                choice = Choice.of(query, self.release)
                rounded = bool(query.one("rounded"))
                return file_of(self.release, name, choice.slice, query.whole("resolution", 7), rounded=rounded)
        return None

    def summary(self) -> Table:
        """Large squares of the first slice, each with its sure interval."""
        return self._squares(Choice.of(Query(""), self.release), None)

    def pictures(self) -> Sequence[Picture]:
        """The map of the first slice."""
        plots = self.release.plot(self.release.plan.slice_names[0])
        return [each for section in plots.pictures.values() for each in section.pictures]

    def _other_path(self, choice: Choice, frame: Frame) -> str:
        """Where the release lies that is taken away; empty for none. Raises ParameterError where the reader has none of this name."""
        if not choice.other:
            return ""
        if choice.other not in frame.others or not frame.others[choice.other][1]:
            raise ParameterError("other", "is no release to compare with", "choose one of the list")
        return frame.others[choice.other][1]

    def _other(self, choice: Choice, frame: Frame) -> PlacesRelease | None:
        """The release that is taken away; raises ParameterError where the reader has none of this name, or it is none of places."""
        path = self._other_path(choice, frame)
        return _opened(path) if path else None

    def _new_shades(self, slice: str | None, minus: str | None, other: str) -> bytes:
        return self.release.shaded(slice, minus, _opened(other) if other else None).encoded()

    def _count(self, query: Query, frame: Frame) -> Reply:
        """The answer to a rectangle for the script of the page; what is refused, too."""
        try:
            choice = Choice.of(query, self.release)
            values: Any = result_of(choice, self.release, self._other(choice, frame), frame).as_json()
        except StarlingError as error:
            values = {"problems": [str(each) for each in error.problems]}
            return Reply(json.dumps(values).encode(), JSON, error.status)
        return Reply(json.dumps(values).encode(), JSON, HTTPStatus.OK)

    def _map(self, query: Query, frame: Frame) -> Reply:
        release, plan = self.release, self.release.plan
        problems: Sequence[Problem] = ()
        try:
            choice = Choice.of(query, release)
            choice.values(release)
        except ParameterError as error:
            problems = error.problems
            if not {each.field for each in problems} <= set(ENDS):
                raise
            choice = Choice.of(query.changed(**dict.fromkeys(ENDS)), release)
        other = self._other(choice, frame)
        result = result_of(choice, release, other, frame)
        names = [] if not plan.is_sliced else list(plan.slice_names)
        files = files_of(release)
        of_slice = {"slice": choice.slice} if choice.slice else {}
        unit = "One point is" if plan.unit == "point" else f"One person with up to {plan.points:,} points is"
        points = plan.counted_first
        return self.page(
            "map.html",
            frame,
            HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK,
            **public_values(plan.grid),
            about=f"{unit} protected; the whole release costs {release.cost}.",
            points=points,
            choice=choice,
            what=_what(choice, frame),
            result=result,
            slices=names,
            periods=release.lists[0] if release.lists else names,
            categories=release.lists[1] if release.lists else [],
            ends={name: (*query.several(name), "")[0] for name in ENDS},
            problems=problems,
            chosen=CHOSEN if result.answers.lower is not None else "",
            still=self._still(choice, points),
            hotspots=self._hotspots(choice, frame),
            squares=self._squares(choice, other),
            counted="units" if plan.layers else "points",
            notes=self._notes(result.answers.lower is not None),
            data=f"{frame.release}/map/data?{urlencode(as_address(choice, **dict.fromkeys((*ENDS, 'typical', 'chance'), '')))}",
            with_chances=f"?{urlencode(as_address(choice, chance='yes'))}",
            downloads=[
                (f"{word}{more}", f"{frame.release}/map/download/{name}?{urlencode(of_slice | rounded)}")
                for more, rounded in (("", {}), (", in whole numbers", {"rounded": "yes"}))
                for name, word in WORDS.items()
                if name in files
            ],
            hexagons=f"{frame.release}/map/download/h3.parquet" if "h3.parquet" in files else "",
        )

    def _still(self, choice: Choice, points: str) -> Picture:
        """The slice that is chosen, with the rectangle, for a browser that runs no script."""
        release, grid = self.release, self.release.plan.grid
        ends = np.array([choice.values(release)], dtype=np.float64)
        x0, y0, x1, y1 = rectangles_in_cells(grid, "box", ends)[0].tolist()
        chosen = (x0, y0, x1, y1) if choice.ends else None
        named = f" of the slice {choice.slice}" if choice.slice else ""
        caption = f"Released points{named} by cell, in a stronger colour where there are more."
        cells, side = release.pictured(choice.slice)
        surety = release.released(choice.slice).surety
        draw = partial(heat_map, grid, points, cells, surety, chosen, side)
        return Picture(draw, caption if surety is None else f"{caption} {HATCHED}", "still")

    def _hotspots(self, choice: Choice, frame: Frame) -> Sequence[dict[str, Any]]:
        """Squares with most points, each with the address that counts it; none of a difference or a sparse grid."""
        release, grid = self.release, self.release.plan.grid
        if choice.is_difference or grid.sparse:
            return []
        if frame.most is not None:
            k, side = listed(grid.shape)
            question = FindHotspots(k=k, side=side, slice=choice.slice, chance=choice.chance)
            check_work(question.work(release), frame.most)
        rows = hotspot_rows(grid, self._first_squares(choice.slice, chance=choice.chance))
        for row in rows:
            row["address"] = f"?{urlencode(as_address(choice, **_exact_ends(grid, row['box'])))}"
        return rows

    def _squares(self, choice: Choice, other: PlacesRelease | None) -> Table:
        """Numbers of large squares, as a table."""
        release, grid = self.release, self.release.plan.grid
        squares = tiles(grid.shape, -(-max(grid.shape) // LISTED))
        taken = release if other is None and choice.minus is not None else other
        parts = release.parts(choice.slice, taken, choice.minus)
        answers = typical_answers(lambda each: each.count(as_rectangles(squares)), *parts, typical=False)
        return square_table(grid, squares, answers, choice.slice or "")

    def _notes(self, sure: bool) -> list[str]:
        notes = [SURE.format(level=95), NOTHING] if sure else []
        notes = [self.release.plan.layers_note] * bool(self.release.plan.layers) + notes + [TYPICALLY, RANKED]
        return notes if self.release.plan.grid.crs == "plain" else [*notes, COAST]


def _exact_ends(grid: Grid, box: str) -> dict[str, str]:
    """The ends of a box of cells in units of the grid's box, so exact that a measured box is not cut."""
    south, north, west, east = map(int, box.split())
    x0, y0, x1, y1 = grid.ends
    across, along = (x1 - x0) / grid.columns, (y1 - y0) / grid.rows
    ends = (x0 + across * west, y0 + along * south, x0 + across * east, y0 + along * north)
    return dict(zip(ENDS, map(exact_text, ends), strict=True))


def _what(choice: Choice, frame: Frame) -> str:
    """Which points are counted, behind their name."""
    parts = [f", {choice.slice}"] if choice.slice else []
    if choice.is_difference:
        words = [choice.minus] if choice.minus else []
        words += [frame.others[choice.other][0]] if choice.other else []
        parts.append(f" less {' of '.join(words)}")
    return "".join(parts)


@lru_cache(2)
def _opened(path: str) -> PlacesRelease:
    release: Any = open_release(path)
    if not isinstance(release, PlacesRelease):
        raise ParameterError("other", "is no release of places", "choose one of places")
    return release
