"""A small map for tests: a grid cut into blocks, some of these into cells, in three slices of several noises."""

import gzip
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from starling.places.answers.hotspots import Hotspots, as_rectangles, tiles
from starling.places.answers.released import ReleasedGrid
from starling.places.measurements import MeasuredTree, Tree
from starling.places.pictures.experience import Experience
from starling.places.pictures.map_data import Map, MapSlice
from starling.places.plan.grid import Grid
from starling.privacy.distributions.discrete import DiscreteLaplace

HIGH, WIDE = 32, 40
GRID = Grid((Fraction(-10), Fraction(38), Fraction(30), Fraction(54)), HIGH, WIDE, "degrees")
NOISES = tuple(DiscreteLaplace(Fraction(scale)) for scale in ("2", "15", "7.5"))


def measured(seed: int) -> MeasuredTree:
    """Blocks of 4 by 8 cells, and some of these cut into cells, with noisy counts of scales in turn; some blocks have a steered count.

    Of an odd seed the blocks lie in halves of the grid without a count.
    """
    random = np.random.default_rng(seed)
    halves = [(0, HIGH // 2, 0, WIDE), (HIGH // 2, HIGH, 0, WIDE)] if seed % 2 else []
    blocks = [(y, y + 4, x, x + 8) for y in range(0, HIGH, 4) for x in range(0, WIDE, 8)]
    cells = [(y, y + 1, x, x + 1) for y0, y1, x0, x1 in blocks[::3] for y in range(y0, y1) for x in range(x0, x1)]
    first = 1 + len(halves)
    above = [1 + 2 * number // len(blocks) if halves else 0 for number in range(len(blocks))]
    parents = [0] * len(halves) + above + [first + 3 * (number // 32) for number in range(len(cells))]
    tree = Tree(
        (HIGH, WIDE),
        np.array([(0, HIGH, 0, WIDE), *halves, *blocks, *cells], dtype=np.int32),
        np.array([-1, *parents], dtype=np.int64),
    )
    tree.check()
    leaves = np.flatnonzero(tree.leaves)
    node = np.concatenate([[0], np.arange(first, first + len(blocks), 3), leaves])
    steered = np.arange(len(node)) <= len(blocks[::3])
    noise = (np.arange(len(node)) % 3).astype(np.int16)
    values = random.poisson(2 * tree.areas[node]) + random.integers(-9, 9, len(node))
    return MeasuredTree(tree, node, values.astype(np.int64), noise, NOISES, steered)


def experience(seed: int, fold: int) -> Experience:
    """Invented errors of squares of cells."""
    random = np.random.default_rng(seed)
    shape = -(-HIGH // fold), -(-WIDE // fold)
    hotspots = Hotspots(
        boxes=np.array([[8, 16, 0, 8], [24, 32, 32, 40]], dtype=np.int32),
        counts=np.array([1234.4, 56.0]),
        sure=np.array([True, False]),
        chance=np.array([0.97, np.nan]),
    )
    return Experience(fold, random.normal(0, 20, (10, *shape)), random.uniform(1, 9, shape), 8, hotspots)


def released(number: int) -> ReleasedGrid:
    """The released grid of a slice."""
    grid = np.random.default_rng(number).gamma(0.5, 10.0, (HIGH, WIDE))
    return ReleasedGrid(GRID, grid, [(measured(number), 1)])


def map_slice(name: str, number: int, fold: int = 1) -> MapSlice:
    """A slice of the map."""
    grid, squares = released(number), tiles((HIGH, WIDE), 16)
    tree = measured(number)
    boxes = tree.tree.boxes[tree.tree.leaves]
    counts = grid.table.count(as_rectangles(boxes)).counts
    answers = grid.count(as_rectangles(squares))
    return MapSlice(name, grid.table.grid, boxes, counts, tree, experience(number, fold), squares, answers)


NAMES = ("May", "June <i>", "July")
SHOWN = Map(
    title="Pickups <script>alert(1)</script>",
    about="Pickups of a week under differential privacy",
    points="Points (pickup)",
    grid=GRID,
    aspect=0.75,
    slices=[map_slice(name, number) for number, name in enumerate(NAMES)],
)
ALONE = replace(SHOWN, slices=[map_slice("", 0)])


def decoded(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The facts and arrays of a map's file."""
    plain = gzip.decompress(data)
    facts = json.loads(plain[4 : 4 + int.from_bytes(plain[:4], "little")])
    arrays = {
        name: np.frombuffer(plain, f"<{kind}", many, offset) for name, (kind, offset, many) in facts["arrays"].items()
    }
    return facts, arrays
