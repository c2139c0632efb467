"""Attack A26 on tables: one charge, one draw that anybody could see, wherever its runs are stopped."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starling.errors import BudgetRefused
from starling.ledger.opening import create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release import contents
from starling.release.payment import PaymentOptions
from starling.tables import counts, publication, publish
from starling.tables.generate import generate
from starling.tables.plan import Plan
from tests.release.redrawing import STEPS, Thief, ledger_url
from tests.release.striking import Point
from tests.tables.small import small_plan

OWN: dict[str, Point] = {
    "while reading": (counts.GroupCounts, "totals", True),
    "after the draw": (publication, "tabulate", False),
    "while writing": (contents, "write_tables", True),
    "after writing": (contents, "write", True),
}
POINTS: dict[str, Point] = {**STEPS, **OWN}
SHOWN = ("after the charge", *OWN, "before the draw is committed to", "while it is decrypted", "before the answer")
"""Of the steps that are the same in every domain, some; `tests/genome/test_publish_draws.py` has each of them, on both stores."""
PLAN = small_plan("rho")
COST = PLAN.cost.amount


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    output = generate(PLAN, persons=300, seed=1, out=tmp_path_factory.mktemp("people") / "invented", states=["01"])
    return output.records, output.files["geography"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def thief(
    request: pytest.FixtureRequest, invented: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Thief]:
    """A custodian whose budget is two draws and a half."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with ledger_url(request.param, tmp_path) as url:
        output = a_thief(url, invented, tmp_path)
        yield output
        output.ledger.close()


def a_thief(url: str, invented: tuple[Path, Path], folder: Path) -> Thief:
    ledger = create_ledger(url)
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, COST * 5 / 2)
    ledger.custody.add_dataset("census", "people", {})
    ledger.custody.grant("people", "custodian", COST * 5 / 2)
    (folder / "published").mkdir()
    out = folder / "published" / "out"

    def run(request_id: str | None, place: Path = out, plan: Plan = PLAN, **more: Any) -> Any:
        paid = PaymentOptions(ledger, "census", request_id=request_id, unvalidated=True)
        return publish.release(plan, invented[0], invented[1], place, payment=paid, **more)

    return Thief(url, ledger, out, run, folder)


@pytest.mark.series(1)
@pytest.mark.parametrize("point", SHOWN)
def test_attack_a26_stopped_copied_and_repeated_one_charge_shows_one_draw(thief: Thief, point: str) -> None:
    thief.check_one_charge(POINTS, point, COST)


@pytest.mark.slow
def test_attack_a26_a_lost_draw_is_paid_for_again_and_the_chain_says_so(thief: Thief) -> None:
    for redrawn in (0, 1):
        thief.interrupted(POINTS["while writing"], None)
        for partial in thief.out.parent.iterdir():
            shutil.rmtree(partial)
        assert thief.events()["redrawn"] == redrawn
        assert thief.spent() == COST * (1 + redrawn)
    with pytest.raises(BudgetRefused):
        thief.run(None)
    assert thief.spent() == 2 * COST
    assert thief.events() == Counter(charge=1, drawn=2, redrawn=1, takeover=2)
    thief.ledger.reading.verify()


@pytest.mark.slow
@pytest.mark.series(1)
def test_attack_a26_a_top_up_is_drawn_once_too(thief: Thief) -> None:
    earlier = thief.room / "earlier"
    thief.run(None, earlier)
    single = thief.run

    def run(request_id: str | None) -> Any:
        return single(request_id, thief.out, top_up=earlier)

    thief.run = run
    thief.interrupted(POINTS["while reading"], None)
    thief.interrupted(POINTS["while it is decrypted"], None)
    thief.interrupted(POINTS["while writing"], None)
    assert thief.run(None).receipt is not None
    assert thief.spent() == 2 * COST
    assert thief.events() == Counter(charge=2, drawn=2, answer=2, takeover=3)
    thief.check_one_draw()


@pytest.mark.series(1)
def test_what_is_gone_on_with_counts_nobody_and_draws_nothing(thief: Thief, monkeypatch: pytest.MonkeyPatch) -> None:
    thief.interrupted(POINTS["after writing"], None)
    monkeypatch.setattr(counts.GroupCounts, "totals", lambda *_: pytest.fail("somebody was counted"))
    assert thief.run(None).receipt is not None
    thief.check_one_draw()
