"""How many frames a second the map of 1024 x 1024 cells draws in Chromium while it is moved and zoomed, and how long its file is.

    python -m bench.map_frames

An invented grid with 16,384 measured boxes is shown in a window of 1,200 x 900; each of 120 frames moves or zooms it and
waits until it is drawn, with hatching, coast and outlines. Needs Playwright and Chromium.
"""

import shutil
from fractions import Fraction
from tempfile import NamedTemporaryFile

import numpy as np

from starling.places.answers.hotspots import as_rectangles, tiles
from starling.places.answers.released import ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.measurements import MeasuredTree, Tree
from starling.places.pictures.map_data import Map, MapSlice
from starling.places.pictures.map_page import page
from starling.places.pictures.map_shades import Shaded, blank_boxes
from starling.places.plan.grid import Grid
from starling.privacy.distributions.discrete import DiscreteLaplace

SIDE, BOX, FRAMES = 1024, 8, 120
MEASURE = """async (frames) => {
  const canvas = document.querySelector("canvas"), keys = ["ArrowLeft", "+", "ArrowUp", "-", "ArrowRight", "ArrowDown"];
  const next = () => new Promise((done) => requestAnimationFrame(done)), begin = performance.now();
  for (let k = 0; k < frames; k++) {
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: keys[k % keys.length] }));
    await next();
  }
  return 1000 * frames / (performance.now() - begin);
}"""


def invented() -> Map:
    """The map."""
    random = np.random.default_rng(1)
    grid = Grid((Fraction(-10), Fraction(36), Fraction(30), Fraction(60)), SIDE, SIDE, "degrees")
    cells, leaves = random.gamma(0.3, 3.0, (SIDE, SIDE)), tiles((SIDE, SIDE), BOX)
    boxes = np.concatenate([np.array([[0, SIDE, 0, SIDE]], dtype=np.int32), leaves])
    parents = np.where(np.arange(len(boxes)) == 0, -1, 0).astype(np.int64)
    node = np.arange(1, len(boxes), dtype=np.int64)
    noise = np.zeros(len(node), dtype=np.int16)
    value = random.poisson(40, len(node)).astype(np.int64)
    measured = MeasuredTree(
        Tree((SIDE, SIDE), boxes, parents), node, value, noise, (DiscreteLaplace(Fraction(20)),), noise > 0
    )
    released, squares = ReleasedGrid(grid, cells, [(measured, 1)]), tiles((SIDE, SIDE), 256)
    counts = released.table.count(as_rectangles(leaves)).counts
    answers = released.count(as_rectangles(squares))
    return Map(
        "Invented",
        "Invented points",
        "Points",
        grid,
        0.7,
        [MapSlice("", cells, leaves, counts, measured, None, squares, answers)],
    )


def main() -> None:
    """Measure, and print the frames a second."""
    from playwright.sync_api import sync_playwright

    with NamedTemporaryFile("w", suffix=".html") as file, sync_playwright() as running:
        file.write(page(invented()))
        file.flush()
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1200, "height": 900})
        tab.goto(f"file://{file.name}")
        tab.locator("html[data-ready=yes]").wait_for(state="attached")
        plain = tab.evaluate(MEASURE, FRAMES)
        tab.locator("#map-outlines").check()
        print(f"{plain:.0f} frames a second; with outlines of boxes {tab.evaluate(MEASURE, FRAMES):.0f}")
        browser.close()
    (of,) = invented().slices
    for name, cells in (
        ("the same cells", of.grid),
        ("the same of noise alone", np.random.default_rng(2).laplace(0, 9, (SIDE, SIDE))),
    ):
        blank = None if of.measured is None else blank_boxes(of.measured, LEVEL)
        drawn = Shaded(
            invented().grid, cells, [cells], signed=False, boxes=of.boxes, blank=blank, hotspots=of.boxes[:10]
        )
        print(f"a server sends of {name} {len(drawn.encoded()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
