"""Files of people as spreadsheets and PLINK write them: read, or named by their true cause."""

from pathlib import Path

import pytest

from starling.errors import SourceError
from starling.genome.source.people import open_people
from tests.genome.plan.test_model import plan_with

LINES = "FID IID X\nf a 2\nf b 1\ng c 2\n"


@pytest.mark.parametrize(
    "content",
    [
        LINES.encode(),
        b"\xef\xbb\xbf" + LINES.encode(),
        ("#" + LINES).encode(),
        LINES.replace("\n", "\r\n").encode(),
        LINES.replace(" ", "\t").encode(),
        LINES.replace("FID IID", "fid iid").encode(),
        LINES.replace("FID IID", '"FID" "IID"').replace('"FID"', "FID").encode(),
        LINES.removesuffix("\n").encode(),
        LINES.removeprefix("FID IID X\n").encode(),
    ],
)
def test_every_habit_is_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p").write_bytes(content)
    people = open_people(plan_with(people=3), tmp_path / "p", samples=(b"a", b"b", b"c"))
    assert people.cases(3).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (LINES.encode("utf-16"), "is UTF-16"),
        (LINES.replace("\n", "\r").encode(), "ends its lines by a carriage return alone"),
        (LINES.replace(" ", ",").encode(), "apart by commas or semicolons"),
        (LINES.replace(" ", ";").encode(), "apart by commas or semicolons"),
    ],
)
def test_the_true_cause_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(SourceError, match=problem):
        open_people(plan_with(people=3), tmp_path / "p", samples=(b"a", b"b", b"c"))


def test_people_of_a_vcf_may_bear_family_and_person(tmp_path: Path) -> None:
    """As plink1.9 --recode vcf names them; a person's own id comes first."""
    (tmp_path / "p").write_text("FID IID X\nf 1 2\ng 1 1\nh f_1 1\n")
    people = open_people(plan_with(people=3), tmp_path / "p", samples=(b"f_1", b"g_1", b"1"))
    assert people.cases(3).tolist() == [False, False, True]
    (tmp_path / "p").write_text("FID IID X\nf 1 2\ng 1 1\n")
    people = open_people(plan_with(people=2), tmp_path / "p", samples=(b"f_1", b"g_1"))
    assert people.cases(2).tolist() == [True, False]
    assert people.unlisted() == []
