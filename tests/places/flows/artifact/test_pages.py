"""The words of the map of flows: how many pairs are drawn, of how many, and of one slice nothing about others."""

from pathlib import Path

import numpy as np

from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact.map_page import ALIKE, views
from starling.places.flows.artifact.pages import picture
from tests.places.flows.worlds import BY_MONTH, STOPS, plan


def test_a_caption_says_how_many_pairs_are_drawn(tmp_path: Path) -> None:
    of, trips = plan(tmp_path), np.zeros((4, 4))
    captions = []
    for sure in ([], [(0, 1)], [(0, 1), (2, 2), (3, 0)]):
        for pair in sure:
            trips[pair] = 1e6
        captions.append(picture(ReleasedFlows(of, trips.copy())).caption)
    assert captions[0].startswith("No pair of areas surely has trips: nothing is drawn.")
    assert captions[1].startswith(
        "Drawn: the one pair of areas that surely has trips, jointly with a probability of 95 %; "
    )
    assert captions[2].startswith("Drawn: all 3 pairs of areas that surely have trips, jointly")
    assert "that surely have legs" in picture(ReleasedFlows(plan(tmp_path, **STOPS), trips)).caption


def test_a_map_of_one_slice_says_nothing_of_others(tmp_path: Path) -> None:
    of, trips = plan(tmp_path, **BY_MONTH), np.full((4, 4), 1e6)
    both = [ReleasedFlows(of, trips * number, number) for number in range(2)]
    assert [ALIKE in " ".join(views(each).notes) for each in (both, both[:1])] == [True, False]
    assert [ALIKE in views(each).page() for each in (both, both[:1])] == [True, False]
    shown = views(both).make(0, 1).picture.caption
    assert "Where January surely has more trips than February (blue) or fewer (red), jointly" in shown
    assert ": all 16 differences. " in shown
