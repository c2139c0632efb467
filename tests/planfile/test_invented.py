"""Plans of invented records: the same choices under a title that says what they are."""

from pathlib import Path

import pytest

from starling.errors import OutputError
from starling.planfile.invented import copied, titled, write_titled
from starling.planfile.spelling import LONGEST_NAME
from starling.planfile.toml import read_file

PLAN = """title = "Pets"
levels = ["nation", "state"] # public

[privacy]
epsilon = "1/3"

[[privacy.bands]]
from = 0
split = ["1/6", "1/6"]
"""


def test_everything_but_the_title_stays_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "theirs.toml").write_text(PLAN)
    written = write_titled(tmp_path / "theirs.toml", tmp_path)
    before, after = read_file(tmp_path / "theirs.toml").values, read_file(written).values
    assert after == {**before, "title": "Invented: Pets"}


def test_no_plan_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    with pytest.raises(OutputError, match="exists"):
        write_titled(tmp_path / "plan.toml", tmp_path)


def test_a_title_stays_as_short_as_a_title_may_be() -> None:
    assert len(titled("a" * LONGEST_NAME)) == LONGEST_NAME


def test_public_files_are_copied_beside_it(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "some.csv").write_text("region,parent\n")
    name = copied(tmp_path / "theirs" / "some.csv", tmp_path, "regions")
    assert (name, (tmp_path / name).read_text()) == ("regions.csv", "region,parent\n")
    with pytest.raises(OutputError, match="copied"):
        copied(tmp_path / "nowhere.csv", tmp_path, "shares")
