"""An opened answer: folder or zip, with its question, and only what is one."""

from pathlib import Path

import pytest

import starling
from starling.errors import IntegrityError, ParameterError
from starling.genome.analysis import GenomeRelease, opened
from starling.genome.measurements import Explored
from starling.genome.publish import release
from starling.release import reading
from starling.release.payment import PaymentOptions
from starling.release.zipped import zipped
from tests.genome.worlds import QUESTIONS, World, a_world
from tests.release.forging import Forged
from tests.tables.bundles import make


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return a_world(tmp_path_factory.mktemp("world"))


@pytest.mark.series(2)
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_opened_with_its_question(world: World, tmp_path: Path, name: str) -> None:
    answered = release(
        world.plan, QUESTIONS[name], world.prefix, tmp_path / "out", payment=PaymentOptions(unvalidated=True)
    )
    zipped(answered.folder, tmp_path / "out.zip")
    for path in (answered.folder, tmp_path / "out.zip"):
        found = starling.open_release(path)
        assert isinstance(found, GenomeRelease)
        assert (found.question, found.answer, found.error) == (answered.question, answered.answer, answered.error)
        assert found.plan.snps.ids == world.plan.snps.ids
        assert found.plan.regions == world.plan.regions
        assert found.request_id == answered.request_id
        assert found.cost == QUESTIONS[name].guarantee.cost
        assert all(len(found.table(table).column_names) > 1 for table in found.names)
        assert isinstance(found.drawn, Explored) == (name == "explore")


def test_a_release_of_another_domain_or_with_another_plan_is_refused(world: World, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is no genome release"):
        opened(reading.open_release(make(tmp_path).folder))
    answered = release(
        world.plan, QUESTIONS["num_sig"], world.prefix, tmp_path / "out", payment=PaymentOptions(unvalidated=True)
    )
    (answered.folder / "ledger.sqlite").unlink()
    (answered.folder / "plan" / "plan.json").write_text("{}")
    Forged(answered.folder).resign()
    with pytest.raises(IntegrityError):
        starling.open_release(answered.folder)
