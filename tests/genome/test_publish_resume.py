"""A killed answer is resumed by its request id: paid once, drawn once as far as anybody can see."""

import signal
from fractions import Fraction
from pathlib import Path

import pytest

from starling.ledger import rules
from starling.release.manifest import manifest
from tests.forking import run
from tests.genome.dying import POINTS, REQUEST, release
from tests.genome.worlds import World, a_world
from tests.release.redrawing import Thief

COST = Fraction(4)
ANSWERED = ("after the answer", "after the rename")


def killed(world: World, out: Path, point: str) -> None:
    """An exploration of another process that dies at the point."""
    plan = world.prefix.parent / "plan.toml"
    done = run("tests.genome.dying:main", world.url, plan, world.prefix, out, point)
    assert done.returncode == -signal.SIGKILL, done.stderr


def resumed(world: World, out: Path) -> bool:
    """The same in this process; whether it was drawn now."""
    return release(world.url, world.prefix.parent / "plan.toml", world.prefix, out).receipt is not None


def spent(world: World) -> Fraction:
    return Fraction(world.ledger.reading.account("patients").caps[0].spent, rules.UNIT)


def stored(world: World) -> str | None:
    row = world.ledger.book.read(lambda tx: tx.one("SELECT answer FROM charges WHERE request_id = ?", REQUEST))
    return None if row is None or row[0] is None else str(row[0])


@pytest.mark.series(1)
@pytest.mark.parametrize("point", POINTS)
def test_an_exploration_killed_anywhere_is_resumed(point: str, tmp_path: Path) -> None:
    world, out = a_world(tmp_path / "world"), tmp_path / "published" / "out"
    out.parent.mkdir()
    killed(world, out, point)
    assert out.exists() == (point == "after the rename")
    assert spent(world) == (0 if point == "before the charge" else COST)
    answer = stored(world)
    assert (answer is not None) == (point in ANSWERED)
    # What the killed run left, kept by somebody: whatever can be read of it is of the draw that is published in the end.
    thief = Thief(world.url, world.ledger, out, lambda *_: None, tmp_path)
    thief.copy()
    assert resumed(world, out) == (point not in ANSWERED)
    assert not resumed(world, out)
    # The ledger's total is exactly epsilon; what had been answered is what is published.
    assert spent(world) == COST
    assert answer in (None, stored(world))
    assert manifest(out) == stored(world)
    assert [path.name for path in out.parent.iterdir() if "partial" in path.name] == []
    thief.check_one_draw()
