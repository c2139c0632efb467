"""A release of cross tables that is killed midway and repeated: paid once, one draw that anybody could see."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from starling.ledger.opening import create_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.forking import run
from tests.release.redrawing import Thief
from tests.tables.dying_cross import OWN, PLAN, POINTS, release
from tests.tables.test_cross_publication import records

COST = PLAN.cost.amount


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("survey") / "records.parquet"
    pq.write_table(records(), path)
    return path


@pytest.fixture
def thief(survey: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Thief]:
    """A custodian whose budget is one draw and a half."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    ledger = create_ledger(url)
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, COST * 3 / 2)
    ledger.custody.add_dataset("survey", "people", {})
    ledger.custody.grant("people", "custodian", COST * 3 / 2)
    (tmp_path / "published").mkdir()
    out = tmp_path / "published" / "out"

    def release_again(request_id: str | None) -> Any:
        return release(url, survey, out, request_id)

    yield Thief(url, ledger, out, release_again, tmp_path)
    ledger.close()


@pytest.mark.series(1)
@pytest.mark.parametrize("point", ["after the charge", "while counting", "while writing"])
def test_promise_04_cross_tables_killed_midway_are_resumed(point: str, thief: Thief, survey: Path) -> None:
    killed = run("tests.tables.dying_cross:main", thief.url, survey, thief.out, point)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not thief.out.exists()
    assert thief.spent() == COST
    thief.copy()
    assert thief.run(None).receipt is not None
    assert thief.run(None).receipt is None
    assert thief.spent() == COST
    assert thief.events()["drawn"] == 1
    thief.check_one_draw()


@pytest.mark.series(1)
@pytest.mark.parametrize("point", OWN)
def test_attack_a26_cross_tables_stopped_copied_and_repeated_show_one_draw(point: str, thief: Thief) -> None:
    thief.interrupted(POINTS[point], None)
    thief.interrupted(POINTS[point], None)
    assert thief.run(None).receipt is not None
    assert thief.spent() == COST
    assert thief.events()["drawn"] == 1
    thief.check_one_draw()
