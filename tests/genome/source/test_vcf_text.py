"""A person's text moves no other's calls."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.genome.plan import Plan
from tests.genome.studies import VCF_HEADER, Study, plan_of
from tests.genome.variant_files import rows_of

PEOPLE = 5


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    folder = tmp_path_factory.mktemp("small")
    study = Study(np.zeros((1, PEOPLE), dtype=np.int8), (("A", "C"),), ("1",) * PEOPLE, (("1", 1000),))
    return folder, plan_of(study, folder)


CALLS = st.text(st.characters(exclude_characters="\t\n", codec="utf-8"), max_size=12) | st.text("./|0129:-", max_size=8)


@pytest.mark.examples(100)
@settings(max_examples=300, deadline=None)
@given(call=CALLS, person=st.integers(0, PEOPLE - 1))
def test_the_text_of_one_person_moves_no_other(small: tuple[Path, Plan], call: str, person: int) -> None:
    """The neighbours of the guarantee: htslib passed over the whole record, and everybody's calls went."""
    folder, plan = small
    texts, expected = ["0/1", "1/1", "0/0", "0|1", "./."], [1, 2, 0, 1, -1]
    # A carriage return at the end of a line belongs to the line.
    texts[person] = call.rstrip("\r")
    header = VCF_HEADER + "\t".join(f"p{row}" for row in range(PEOPLE)) + "\n"
    line = "1\t1000\trs1\tC\tA\t.\t.\t.\tGT\t" + "\t".join(texts) + "\n"
    (folder / "x.vcf").write_bytes((header + line).encode())
    row = rows_of(folder / "x.vcf", plan)[0]
    assert row[:person] + row[person + 1 :] == expected[:person] + expected[person + 1 :]
    assert row[person] in (-1, 0, 1, 2)
