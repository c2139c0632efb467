"""The coast and borders of maps: converted once from Natural Earth to a small file.

    pip download --no-deps geopandas==0.14.4
    python -m bench.coastline geopandas-0.14.4-py3-none-any.whl

The wheels of geopandas up to 0.14 carry Natural Earth's countries at 1:110 million (naturalearth_lowres; public domain,
naturalearthdata.com). An edge that two countries have is a border, and one that a single country has is coast. Edges become lines, each of
which ends where three or more meet, so that none is drawn twice.

The file: of each line a varint 2 n + border (n points, 1 for a border), then the first point and n - 1 steps, each a longitude and a
latitude in hundredths of a degree as zigzag varints.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
OUT: Final = ROOT / "src" / "starling" / "pages" / "static" / "coast.bin"
INSIDE: Final = "geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp"
PER_DEGREE: Final = 100

Point: TypeAlias = tuple[int, int]
Edge: TypeAlias = tuple[Point, Point]


def rings(wheel: Path) -> Iterator[list[Point]]:
    """The outlines of all countries, in hundredths of a degree."""
    import geopandas

    for shape in geopandas.read_file(f"/vsizip/{{{wheel}}}/{INSIDE}").geometry:
        for polygon in getattr(shape, "geoms", [shape]):
            for ring in (polygon.exterior, *polygon.interiors):
                points = [(round(x * PER_DEGREE), round(y * PER_DEGREE)) for x, y in ring.coords]
                yield [one for at, one in enumerate(points) if at == 0 or one != points[at - 1]]


def on_frame(edge: Edge) -> bool:
    """Whether an edge follows the antimeridian or the south pole, where a country was cut and is no coast."""
    (x0, y0), (x1, y1) = edge
    limit = 180 * PER_DEGREE
    return (x0 == x1 and abs(x0) == limit) or (y0 == y1 == -90 * PER_DEGREE)


def lines(outlines: Iterable[list[Point]]) -> Iterator[tuple[bool, list[Point]]]:
    """Lines of coast (False) and of borders (True), which together are every edge once."""
    times: dict[Edge, int] = defaultdict(int)
    for ring in outlines:
        for one, two in pairwise(ring):
            times[min(one, two), max(one, two)] += 1
    for border in (False, True):
        chosen = {edge for edge, many in times.items() if (many > 1) == border and not on_frame(edge)}
        around: dict[Point, list[Point]] = defaultdict(list)
        for one, two in sorted(chosen):
            around[one].append(two)
            around[two].append(one)
        # First from the ends of open lines and where several meet, then along what is closed.
        starts = sorted(around, key=lambda point: (len(around[point]) == 2, point))
        for start in starts:
            for after in around[start]:
                line = [start]
                here, there = start, after
                while (edge := (min(here, there), max(here, there))) in chosen:
                    chosen.remove(edge)
                    line.append(there)
                    onward = [point for point in around[there] if point != here]
                    if len(around[there]) != 2:
                        break
                    here, there = there, onward[0]
                if len(line) > 1:
                    yield border, line


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    """A whole number as a varint, small ones short whatever their sign."""
    return varint(2 * number if number >= 0 else -2 * number - 1)


def encoded(all_lines: Iterable[tuple[bool, list[Point]]]) -> bytes:
    """The file."""
    out = bytearray()
    for border, line in all_lines:
        out += varint(2 * len(line) + border)
        x = y = 0
        for new_x, new_y in line:
            out += zigzag(new_x - x) + zigzag(new_y - y)
            x, y = new_x, new_y
    return bytes(out)


if __name__ == "__main__":
    data = encoded(lines(rings(Path(sys.argv[1]))))
    OUT.write_bytes(data)
    print(f"{OUT.relative_to(ROOT)}: {len(data):,} bytes")
