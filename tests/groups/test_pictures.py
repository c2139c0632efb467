"""Pictures of a release: what is in them is what is published."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import OutputError, ParameterError
from starling.groups.pictures import COLUMNS, errors, mapped, plots, read_outlines, sizes
from starling.groups.plan import Plan
from starling.groups.preview import preview
from starling.groups.publish import release
from starling.release.payment import PaymentOptions
from tests.genome.pictures.studies import groups, lines, svg_of
from tests.groups.worlds import world, write_world


def square(name: str, x: float) -> dict[str, Any]:
    ring = [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]
    return {"properties": {"region": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    records = write_world(folder)
    release(Plan.load(folder / "plan.toml"), records, folder / "release", payment=PaymentOptions(unvalidated=True))
    (folder / "outlines.json").write_text(json.dumps({"features": [square("e1", 0), square("w1", 2), square("x", 4)]}))
    return folder


def table(folder: Path, name: str) -> pa.Table:
    return pq.read_table(folder / "release" / "data" / f"{name}.parquet")


@pytest.mark.slow
def test_every_picture_is_written_and_the_same_again(folder: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    created: tuple[Path, ...] = ()
    for out in ("first", "again"):
        drawn = plots(plan, lambda name: table(folder, name), ["land", "w1"], folder / "outlines.json", error=True)
        created = drawn.save(folder / out)
        names = ["index.html", "sizes-1.svg", "sizes-2.svg", "error.svg", "map.svg"]
        assert [path.name for path in created] == names
    for path in created:
        assert path.read_bytes() == (folder / "first" / path.name).read_bytes()
        assert not re.search(r"<script|https?://(?!www\.w3\.org)", path.read_text())
    with pytest.raises(OutputError):
        plots(plan, lambda name: table(folder, name)).save(folder / "first")


def test_bars_are_the_published_numbers(folder: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    columns = {name: table(folder, "land")[name].to_numpy() for name in COLUMNS}
    heights = [abs(bar[0][1] - bar[2][1]) for bar in lines(svg_of(sizes(plan, columns)), "bars")]
    groups = columns["groups"][: len(heights)].tolist()
    assert [each * max(groups) for each in heights] == pytest.approx([each * max(heights) for each in groups], abs=0.1)


@pytest.mark.parametrize("largest", [20, 100])
def test_groups_beyond_the_end_of_the_axis_are_counted_beside_it(tmp_path: Path, largest: int) -> None:
    plan = world(tmp_path, largest=largest)
    for last, many in ((largest, 1), (largest - 3, 2), (largest, 60)):
        numbers = np.zeros(plan.sizes, dtype=np.int64)
        numbers[1], numbers[last] = 10_000, many
        svg = svg_of(sizes(plan, dict.fromkeys(COLUMNS, numbers)))
        said = re.search(r"; ([0-9,]+) larger not shown", svg)
        # A line of tails shows the groups of its last sizes, too.
        assert (said is None) == (many == 60)
        assert said is None or int(said[1]) == many


@pytest.mark.parametrize("largest", [4, 100])
def test_a_region_without_groups_and_many_sizes_are_drawn(tmp_path: Path, largest: int) -> None:
    plan = world(tmp_path, largest=largest)
    nothing = np.zeros(plan.sizes, dtype=np.int64)
    svg = svg_of(sizes(plan, dict.fromkeys(COLUMNS, nothing)))
    assert bool(groups(svg, "bars")) == (largest == 4)
    assert bool(groups(svg, "band")) == (largest == 100)


def test_a_map_shows_the_regions_that_have_outlines(folder: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    outlines = read_outlines(folder / "outlines.json")
    svg = svg_of(mapped(plan, table(folder, "regions"), outlines))
    assert len(groups(svg, "region")) == 2
    with pytest.raises(ParameterError, match="name no region"):
        mapped(plan, table(folder, "regions"), {"x": outlines["x"]})


def test_an_unknown_region_is_refused(folder: Path, tmp_path: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    with pytest.raises(ParameterError, match="region"):
        plots(plan, lambda name: table(folder, name), ["nowhere"])


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"features": [1]}', '{"features": [{"geometry": {"type": "Point", "coordinates": [0, 0]}}]}',
     '{"features": [{"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}}]}',
     '{"features": [{"geometry": {"type": "Polygon", "coordinates": [[["a", 0], [1, 1], [2, 2]]]}}]}'],
)  # fmt: skip
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "o.json").write_text(text)
    with pytest.raises(ParameterError, match=r"o\.json"):
        read_outlines(tmp_path / "o.json")


def test_expected_errors_are_those_of_the_preview(folder: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    svg = svg_of(errors(plan))
    cells = [len(ids) * plan.sizes for ids in plan.regions.ids]
    seen = preview(plan).methods[plan.method]
    for error, many in zip(seen, cells, strict=True):
        assert f">{error.l1 / many:.3g}<" in svg
    assert "mean of 40 releases" in svg
