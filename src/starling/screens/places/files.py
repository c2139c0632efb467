"""A slice of a release in the formats of other programs, made when it is asked for."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow.parquet as pq

from starling.errors import ParameterError
from starling.places.analysis import PlacesRelease
from starling.places.artifact.exports import hexagon_table, rounded_points, write_geojson, write_geoparquet, write_npz
from starling.screens.replies import Reply, attached

H3: Final = "h3.parquet"
KINDS: Final = {
    "boxes.parquet": "application/vnd.apache.parquet",
    "boxes.geojson": "application/geo+json",
    "grid.npz": "application/octet-stream",
    H3: "application/vnd.apache.parquet",
}
"""The media type of each file."""
WORDS: Final = {
    "boxes.parquet": "Boxes as GeoParquet",
    "boxes.geojson": "Boxes as GeoJSON",
    "grid.npz": "The grid for NumPy",
}
"""What links to files say; H3 cells have a form, which chooses a resolution."""


def files_of(release: PlacesRelease) -> list[str]:
    """The names of the files that there are of a release: no degrees of plain units, no cells of a sparse grid."""
    grid = release.plan.grid
    absent = ({"grid.npz", H3} if grid.sparse else set()) | ({"boxes.geojson", H3} if grid.crs == "plain" else set())
    return [name for name in KINDS if name not in absent]


def file_of(release: PlacesRelease, name: str, slice: str | None, resolution: int, *, rounded: bool = False) -> Reply:
    """A file as a reply, its points as whole numbers if `rounded`.

    Raises:
        ParameterError: a slice or a resolution that there is not, or the extra h3 is not installed.
    """
    grid = release.plan.grid

    def boxes() -> tuple[Any, Mapping[str, Any]]:
        places, counts = release.boxes(slice)
        if not rounded:
            return places, {"count": counts}
        return places, rounded_points(None if grid.sparse else release.grid(slice), places, counts)[1]

    def cells() -> Any:
        whole = rounded_points(release.grid(slice), *release.boxes(slice))[0] if rounded else None
        return release.grid(slice) if whole is None else whole

    writers: Mapping[str, Callable[[Path], object]] = {
        "boxes.parquet": lambda path: write_geoparquet(path, grid, *boxes()),
        "boxes.geojson": lambda path: write_geojson(path, grid, *boxes()),
        "grid.npz": lambda path: write_npz(path, grid, cells()),
        H3: lambda path: pq.write_table(
            hexagon_table(grid, release.released(slice).table, resolution, rounded=rounded), path, compression="zstd"
        ),
    }
    if name not in files_of(release):
        raise ParameterError("file", "is not there of this release", f"take one of {', '.join(files_of(release))}")
    with TemporaryDirectory(prefix="starling-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / name
        writers[name](path)
        return attached(path.open("rb"), name, KINDS[name])
