"""What a release of points says of itself: its parameters for privacy.json, its words for the registry, and its part of the report.

All of it is computed from the plan and from released values.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from starling.pages.parts import Headline, Picture, Section, Table
from starling.places.answers.forms import whole as ends_in_words
from starling.places.answers.leaf_table import Boxed, LeafTable, squares
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.arrays import Float64
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import PLAN
from starling.places.artifact.public_plan import BOXES, COUNTS, SLICES, VALUES
from starling.places.measurements import Measured
from starling.places.mechanism.table import Sliced, mechanism_of
from starling.places.pictures.heat_map import HATCHED, MOST, heat_map
from starling.places.plan import METHODS, TRANSFORMS, Plan
from starling.places.plan.choices import EARLIER, PURPOSES
from starling.places.postprocess import Estimate
from starling.privacy.budget import decimal_up
from starling.release.codec import Json
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.release.statement import Particulars
from starling.release.text import outside_note, rounded, whole

SOURCE: Final = (
    "Shaham et al. 2021, HTF: Homogeneous Tree Framework for Differentially-Private Release of Location Data"
)
POLES: Final = ", but for the pole, and for longitude 180, which is -180 where the box begins there"
MOST_ROWS: Final = 24
PARTS: Final = 5
"""Rectangles whose intervals the report shows."""


def particulars(plan: Plan) -> Particulars:
    """What privacy.json says of a release."""
    return Particulars("places", parameters(plan, mechanism_of(plan)), plan.unit_bounds)


def parameters(plan: Plan, mechanism: Sliced) -> dict[str, Json]:
    """The plan's choices and the method's budget."""
    return {
        "name": plan.method,
        "source": SOURCE,
        **plan_files.stated(plan),
        "grid": plan.grid.stated,
        "slices": list[Json](plan.slice_names),
        **plan.value_stated,
        "parameters": dict[str, Json](plan.parameters) | ({} if plan.purpose == EARLIER else {"for": plan.purpose}),
        "budget": [{"name": line.name, "epsilon": str(line.epsilon)} for line in mechanism.method.budget],
    }


def product(plan: Plan) -> Product:
    """A release in the words of the registry."""
    sliced = "" if not plan.is_sliced else f" and {len(plan.slice_names)} public slices"
    return Product(
        description=f"{plan.counted_first} by cell of a public grid of {plan.grid.rows:,} x {plan.grid.columns:,} cells{sliced}.",
        intended_use=f"Counts of any rectangle{'' if plan.grid.sparse else ', polygon or hexagon'}, all from one grid.",
        region=f"A public box, {plan.grid.box_text}",
        domain="Points with coordinates; those outside the box are dropped, and their number is not published.",
        bounds=plan.bound_of_person if plan.unit == "person" else "Each point lies in one cell of one slice.",
        mechanisms=f"{plan.method}: {METHODS[plan.method]}, with discrete Laplace noise, exact over the integers.",
        post_processing="One grid is made of all measurements; it is a function of them.",
        composition=(
            "One measurement of all coefficients, parallel across slices."
            if plan.method in TRANSFORMS
            else "Sequential along a path of boxes, parallel across boxes and slices."
        )
        + " The tree with every event is in privacy.json.",
        unprotected="Nothing about the points is published without noise.",
    )


def charged(plan: Plan) -> Section:
    """The budget of the method."""
    mechanism = mechanism_of(plan)
    rows = tuple((line.name, decimal_up(line.epsilon)) for line in mechanism.method.budget)
    unit = plan.protected
    spent = (
        "on all coefficients of the grid together; slices have no point in common"
        if plan.method in TRANSFORMS
        else "along each path from the whole grid to a box that is not cut any further; boxes beside each other, and slices, have no"
        " point in common"
    )
    purpose = "" if plan.purpose == EARLIER else f", for {PURPOSES[plan.purpose]}"
    if plan.value is not None:
        unit = f"{unit}, with values that count {plan.value.width:,} units in both layers together"
    text = f"""
        Measured by {plan.method}: {METHODS[plan.method]}{purpose}. Protected is {unit}. What stands below is spent {spent}.
    """
    return Section("What was measured and charged", text, tables=(Table(("Measured", "epsilon"), rows, "Budget"),))


def sections(plan: Plan, drawn: Sequence[Measured], estimates: Sequence[Estimate]) -> tuple[Section, ...]:
    """The grid of the first slice, how far rectangles may be off, what was published, what is public, files."""
    first = estimates[0]
    # Of a sparse grid there is no table of cells: its boxes answer, also for the squares of the picture.
    leaves = LeafTable(Boxed(plan.grid.shape, first.leaves, first.counts)) if plan.grid.sparse else None
    grid, side = (first.grid(), 1) if leaves is None else squares(leaves, MOST)
    released = ReleasedGrid(plan.grid, leaves or grid, [(drawn[0], 1)])
    answers = released.count(_centred(plan.grid.shape), "cells")
    slice_name = "" if not plan.is_sliced else f", {plan.slice_names[0]}"
    return (
        _answer(plan, grid, side, released, slice_name, headline(plan, answers)),
        _error(plan, answers, slice_name),
        _published(plan, estimates),
        _public(plan),
        files(
            (
                *(() if plan.grid.sparse else (("data/cells.parquet", "estimated points of every cell"),)),
                ("data/boxes.parquet", "estimated points of every box that was not cut further"),
                (SLICES, "what was measured in each slice, with its noise"),
                (BOXES, "the boxes"),
                (COUNTS, "every noisy count as it was drawn; the tables are a function of them"),
                (VALUES, "other noisy values as they were drawn"),
                (PLAN, "the public plan, enough to make the tables from the measurements again"),
                ("privacy.json", "what is promised and was charged, with exact amounts"),
            )
        ),
    )


def _centred(shape: tuple[int, int]) -> Float64:
    """Rectangles around the middle of the grid: the whole, then each with half of the sides of the one before, by public facts alone."""
    middle, parts = np.array(shape[::-1]) / 2, 2.0 ** -np.arange(PARTS)[:, None]
    return np.hstack([middle * (1 - parts), middle * (1 + parts)])


def headline(plan: Plan, answers: Answers) -> Headline:
    """The points of all of the grid in the first slice, the first answer, in one number."""
    slices = plan.slice_names
    slice_name, note = (
        ("", "") if not plan.is_sliced else (f", {slices[0]}", f"One of {len(slices):,} slices; each is in data/.")
    )
    count, interval = float(answers.counts[0]), ""
    if answers.lower is not None and answers.upper is not None:
        interval = f"{float(100 * LEVEL):g} % interval: {answers.lower[0]:,} to {answers.upper[0]:,}"
        outside = outside_note([(round(count), int(answers.lower[0]), int(answers.upper[0]))])
        note = f"{outside} {note}".strip()
    return Headline(f"{plan.counted_first} in the whole box{slice_name}", whole(count), interval, note)


def _answer(plan: Plan, grid: Float64, side: int, released: ReleasedGrid, slice_name: str, first: Headline) -> Section:
    """The grid as a picture, and the points of all of it."""
    hatched = "" if released.surety is None else f" {HATCHED}"
    caption = (
        f"Released {plan.counted}{slice_name}, in a stronger colour where there are more. All are estimates.{hatched}"
    )
    draw = partial(heat_map, plan.grid, plan.counted, grid, released.surety, side=side)
    picture = Picture(draw, caption, "points")
    return Section("Where the points lie", plan.layers_note, pictures=(picture,), headline=first)


def _error(plan: Plan, answers: Answers, slice_name: str) -> Section:
    columns = [
        [f"1/{2**step:,} of each side" if step else "the whole box" for step in range(PARTS)],
        list(map(rounded, answers.counts.tolist())),
    ]
    header: tuple[str, ...] = ("Rectangle around the middle", "Points")
    text = "This method measures no boxes, so that there are no sure intervals."
    if answers.lower is not None and answers.upper is not None:
        columns += [ends_in_words(answers.lower), ends_in_words(answers.upper)]
        header = (*header, "Surely from", "to")
        text = f"""
            A sure interval holds the true number with a probability of {float(100 * LEVEL):g} %, whatever the data, each on its own. Its
            width is noise, and all points of boxes that the rectangle cuts.
        """
    text += """

        "starling places count" answers any rectangle, with its typical error; "starling places preview" has errors before a release.
    """
    table = Table(
        header,
        tuple(zip(*columns, strict=True)),
        f"{plan.counted_first} of rectangles{slice_name}",
        note=answers.outside_note,
    )
    return Section("How far the numbers may be off", text, tables=(table,))


def _published(plan: Plan, estimates: Sequence[Estimate]) -> Section:
    rows = tuple(
        (name, f"{len(estimated.leaves):,}", rounded(float(estimated.counts.sum())))
        for name, estimated in list(zip(plan.slice_names, estimates, strict=True))[:MOST_ROWS]
    )
    estimated = (
        "The one box of each slice is the whole grid. Its cells are estimates, made of all coefficients; they may be negative."
        if plan.method in TRANSFORMS
        else "The points of all boxes add up to the total of the slice. They are estimates: noise is in every box, and points are spread"
        " over the cells of a box as a model has it, not as they lie."
    )
    table = Table(("Slice", "Boxes", "Points"), rows, "Estimated points")
    return Section("The published grid", estimated, tables=(table,), folded=True)


def _public(plan: Plan) -> Section:
    text = f"""
        Public, and used as such: the box ({plan.grid.box_text}), its {plan.grid.rows:,} rows and {plan.grid.columns:,} columns, the
        slices, and the method with its parameters. A cell holds the points on its edges to the west or south; those on its edges to
        the east or north lie in the next cell{POLES if plan.grid.crs != "plain" else ""}.

        By the rule of all records a point whose coordinates are missing, not numbers, infinite or outside the box is dropped, as is one
        which is in no slice. How many were dropped is not published.
    """
    return Section("What is public, and how points are counted", text, folded=True)
