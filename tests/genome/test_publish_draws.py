"""Attack A26 on questions to a study: one charge, one draw that anybody could see, wherever its runs are stopped."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.errors import BudgetRefused, OutputError
from starling.genome import publish
from starling.genome.counts import study as counts_study
from starling.genome.plan import LocSig
from starling.ledger.opening import create_ledger
from starling.privacy import trust
from starling.privacy.neighbours import REPLACE_PERSON
from starling.release import contents
from starling.release.payment import PaymentOptions
from tests.genome.worlds import World, a_world
from tests.release.redrawing import STEPS, Thief, ledger_url, measurements
from tests.release.striking import Point

POINTS: dict[str, Point] = {
    **STEPS,
    "while reading": (counts_study, "read", True),
    "after the draw": (contents, "write", False),
    "after writing": (contents, "write", True),
}
QUESTION = LocSig("g", 2, Fraction(2))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> World:
    return a_world(tmp_path_factory.mktemp("study"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def thief(
    request: pytest.FixtureRequest, study: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Thief]:
    """Ann, who has epsilon 5, which is two draws and a half."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with ledger_url(request.param, tmp_path) as url:
        made = a_thief(url, study, tmp_path)
        yield made
        made.ledger.close()


def a_thief(url: str, study: World, folder: Path) -> Thief:
    ledger = create_ledger(url)
    ledger.custody.add_population("patients", "epsilon", REPLACE_PERSON, 5)
    ledger.custody.add_dataset("t2d", "patients", {})
    ledger.custody.grant("patients", "ann", 5)
    (folder / "published").mkdir()
    out = folder / "published" / "out"

    def run(request_id: str | None, place: Path = out, question: Any = QUESTION) -> Any:
        return publish.release(
            study.plan, question, study.prefix, place,
            payment=PaymentOptions(ledger=ledger, dataset="t2d", analyst="ann", request_id=request_id, unvalidated=True),
        )  # fmt: skip

    return Thief(url, ledger, out, run, folder, "patients")


@pytest.mark.series(2)
@pytest.mark.parametrize("point", POINTS)
def test_attack_a26_stopped_copied_and_repeated_one_charge_shows_one_draw(thief: Thief, point: str) -> None:
    thief.check_one_charge(POINTS, point, Fraction(2))


@pytest.mark.series(1)
def test_attack_a26_by_its_id_or_without_one_it_is_the_same_charge(thief: Thief) -> None:
    thief.interrupted(POINTS["while reading"], "mine")
    thief.interrupted(POINTS["before the draw is committed to"], "another")
    thief.interrupted(POINTS["after the draw is committed to"], None)
    published = thief.run("a-third")
    assert published.request_id == "mine"
    assert thief.events() == Counter(charge=1, drawn=1, answer=1, takeover=3)
    thief.check_one_draw()


def test_attack_a26_a_lost_draw_is_paid_for_again_and_the_chain_says_so(thief: Thief) -> None:
    for expected in (4, 4):
        thief.interrupted(POINTS["after the draw"], None)
        for left in thief.out.parent.iterdir():
            shutil.rmtree(left)
        assert thief.spent() == (expected if thief.events()["redrawn"] else 2)
    # Of 5, 4 are spent: a third draw is not to be had, and what there is of the second is not shown again.
    with pytest.raises(BudgetRefused):
        thief.run(None)
    assert thief.spent() == 4
    thief.ledger.custody.raise_cap("patients", "population", "patients", 6)
    thief.ledger.custody.raise_cap("patients", "analyst", "ann", 6)
    assert thief.run(None).receipt is not None
    assert thief.spent() == 6
    assert thief.events() == Counter(charge=1, drawn=3, redrawn=2, answer=1, takeover=3)
    thief.ledger.reading.verify()
    found = starling.verify(thief.out, ledger=thief.url)
    found.refuse()
    assert found.counts is not None
    assert (found.counts.draws, found.counts.redraws, found.counts.takeovers) == (3, 2, 3)


def test_attack_a26_an_altered_draw_is_a_lost_one(thief: Thief) -> None:
    thief.interrupted(POINTS["after the draw is committed to"], None)
    (path,) = thief.out.parent.rglob("drawn.json")
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    thief.run(None)
    assert thief.events() == Counter(charge=1, drawn=2, redrawn=1, answer=1, takeover=1)
    assert thief.spent() == 4
    assert [path.name for path in thief.out.parent.iterdir()] == ["out"]


def test_a_draw_beside_another_folder_is_not_paid_for_again(thief: Thief) -> None:
    thief.interrupted(POINTS["after the draw"], None)
    before = thief.events()
    with pytest.raises(OutputError, match=f"lies beside {thief.out}; publish it as {thief.out}, at no further cost"):
        thief.run(None, thief.out.parent / "elsewhere")
    assert thief.events() == before
    thief.run(None)
    thief.check_one_draw()
    assert thief.spent() == 2


def test_what_is_gone_on_with_opens_no_genotype_and_draws_nothing(
    thief: Thief, monkeypatch: pytest.MonkeyPatch
) -> None:
    thief.interrupted(POINTS["after writing"], None)
    with monkeypatch.context() as patch:
        patch.setattr(counts_study, "read", lambda *_: pytest.fail("a genotype was read"))
        receipt = thief.run(None).receipt
    assert receipt is not None
    assert receipt.entry is not None
    thief.check_one_draw()
    (drawn,) = {content for folder in thief.loot for content in measurements(folder).values()}
    assert measurements(thief.out) == {"measurements/drawn.json": drawn}


def test_attack_a23_every_draw_is_charged_and_chained_published_or_not(thief: Thief) -> None:
    # Ann looks at what was drawn and publishes only what pleases her: another epsilon, another request.
    asked = thief.run
    for number, epsilon in enumerate(("1", "1.5", "2.5")):
        question = LocSig("g", 2, Fraction(epsilon))
        place = thief.out.with_name(f"look-{number}")
        thief.run = partial(asked, place=place, question=question)
        if number < 2:
            thief.interrupted(POINTS["after writing"], None)
        else:
            thief.run(None)
    assert thief.spent() == 5
    with pytest.raises(BudgetRefused):
        asked(None, question=LocSig("g", 2, Fraction(1, 10)))
    assert thief.events() == Counter(charge=3, drawn=3, answer=1)
    assert thief.ledger.reading.verify().counts.draws == 3


def test_what_was_charged_yesterday_says_so_today(thief: Thief, monkeypatch: pytest.MonkeyPatch) -> None:
    thief.interrupted(POINTS["after the draw"], None)
    charged = next(event.at for event in thief.ledger.reading.events() if event.kind == "charge")
    monkeypatch.setattr(trust, "_today", lambda: "2999-12-31")
    thief.run(None)
    said = json.loads((thief.out / "privacy.json").read_text())["account"]
    assert said["day"] == datetime.fromtimestamp(charged, UTC).date().isoformat()
