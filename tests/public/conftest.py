"""The public plan of a small study, as a server keeps it."""

from pathlib import Path

import pytest

from starling.genome.asking import QuestionPlan
from starling.genome.plan import Plan
from tests.worker.studies import write_study


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """The folder of the plan."""
    folder = tmp_path / "asthma.plan"
    folder.mkdir()
    QuestionPlan(Plan.load(write_study(tmp_path).plan)).write(folder)
    return folder
