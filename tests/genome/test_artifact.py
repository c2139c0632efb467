"""A release holds its files, described and stated, and the same released values are the same bytes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from starling.genome.artifact.files import SNPS, write_drawn
from starling.genome.artifact.tables import schemas
from starling.genome.publication import GenomePublication
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Confidential, publish
from starling.release import contents
from starling.release.manifest import files_of
from tests.account import OneCharge
from tests.genome.artifact.test_pages import ANSWERS, PLAN
from tests.genome.worlds import QUESTIONS
from tests.release.plain import plain


@dataclass(frozen=True)
class Fixed:
    """A mechanism for tests: the question's guarantee, and an answer that no noise made."""

    guarantee: Guarantee
    answer: Any

    def draw(self, _: int, /) -> Any:
        return self.answer


def write(folder: Path, name: str) -> None:
    folder.mkdir()
    question = QUESTIONS[name]
    account = OneCharge(question.guarantee.cost, "request-1")
    drawn = publish(Confidential(lambda: 0), Fixed(question.guarantee, ANSWERS[name]), account)
    write_drawn(plain(folder), drawn.value)
    contents.write(folder, GenomePublication(PLAN, question), drawn)


@pytest.mark.series(2)
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_values_are_the_same_bytes(tmp_path: Path, name: str) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder, name)
    one, two = (files_of(tmp_path / folder) for folder in ("one", "two"))
    assert {path: file.read_bytes() for path, file in one.items()} == {path: two[path].read_bytes() for path in two}
    tables = {f"data/{table}.{form}" for table in schemas(PLAN, QUESTIONS[name]) for form in ("parquet", "csv")}
    expected = {*contents.NOTES, *GenomePublication.notes, SNPS, "datapackage.json", *tables}
    assert one.keys() == expected


def test_every_file_is_described_and_the_statement_names_question_and_plan(tmp_path: Path) -> None:
    write(tmp_path / "out", "explore")
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    assert package["title"] == "Tiny: exploration"
    assert all("title" in resource for resource in package["resources"])
    said = json.loads((tmp_path / "out" / "privacy.json").read_text())
    assert (said["domain"], said["protected_unit"]) == ("genome", "person")
    assert said["cost"]["replace-one"] == {"epsilon": "4", "decimal": "4"}
    assert said["mechanism"]["plan_sha256"] == PLAN.digest
    assert said["mechanism"]["asked"]["epsilon"] == "4"
    assert [part["cost"]["epsilon"] for part in said["composition"]["parts"]] == ["1"] * 4
