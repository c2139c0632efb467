"""A folder of pictures: what there is to show, on a page that stands alone."""

from pathlib import Path

import pytest

from starling.errors import OutputError, ParameterError
from starling.genome.pictures.answers import Answers
from starling.genome.pictures.gallery import MOST_ROWS, plots, power, tables
from starling.genome.plan.choices import UNPROTECTED
from tests.genome.pictures.studies import HOSTILE, is_sound, p_value, plan, snps, some, three_chromosomes
from tests.genome.worlds import a_trait_plan

SOURCE = ("release", "p-value of a SNP", "epsilon 1", "r-1", "ab12")


def test_every_picture_that_has_something_to_show_is_written(tmp_path: Path) -> None:
    files = plots(some(), (), [SOURCE]).save(tmp_path / "out")
    assert [path.name for path in files] == ["index.html", "manhattan.svg", "qq.svg", "ld.svg"]
    text = files[0].read_text("utf-8")
    for path in files[1:]:
        is_sound(path.read_text("utf-8"))
        assert path.read_text("utf-8").strip() in text
    assert text.count("<svg") == 3
    for told in ("r-1", "ab12", "rs3", "3.16e-07", "A study"):
        assert told in text
    again = plots(some(), (), [SOURCE]).save(tmp_path / "again")
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in again]


def test_a_page_says_first_what_a_plan_of_phenotypes_does_not_protect(tmp_path: Path) -> None:
    of_phenotypes = a_trait_plan(unit="phenotype", between=None, steps=None)
    for each, says in ((of_phenotypes, True), (a_trait_plan(), False)):
        page = plots(Answers(each, located=("rs1",)), (), [SOURCE]).save(tmp_path / f"{says}")[0].read_text("utf-8")
        assert (f"<h1>{each.title}. {UNPROTECTED}</h1>" in page) == says


def test_a_kind_can_be_chosen(tmp_path: Path) -> None:
    assert [path.name for path in plots(some(), ["qq"], [SOURCE]).save(tmp_path / "out")] == ["index.html", "qq.svg"]
    located = Answers(three_chromosomes(), located=("rs1",))
    assert [path.name for path in plots(located, (), [SOURCE]).save(tmp_path / "located")] == [
        "index.html",
        "manhattan.svg",
    ]


def test_nothing_to_show_is_said_before_anything_is_written(tmp_path: Path) -> None:
    located = Answers(three_chromosomes(), located=("rs1",))
    with pytest.raises(
        ParameterError, match="kind qq has nothing to show: no p-values of two SNPs by one test among these releases"
    ):
        plots(located, ["manhattan", "qq"], [SOURCE]).save(tmp_path / "out")
    with pytest.raises(ParameterError, match="releases hold nothing that has a place in the genome"):
        plots(Answers(three_chromosomes()), (), [SOURCE])
    assert not list(tmp_path.iterdir())


def test_a_folder_is_never_written_into(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists"):
        plots(some(), (), [SOURCE]).save(tmp_path / "out")


def test_hostile_names_are_escaped_in_the_page(tmp_path: Path) -> None:
    listed = snps([("9", 1000 * place) for place in range(1, len(HOSTILE) + 1)], HOSTILE)
    answers = Answers(
        plan(listed), tuple(p_value(name, 3) for name in HOSTILE[2:]), HOSTILE[:2], ((HOSTILE[0], HOSTILE[3]),)
    )
    source = ("<script>", "</td>", "<b>", "&", '"')
    text = plots(answers, (), [source]).save(tmp_path / "out")[0].read_text("utf-8")
    assert "<script" not in text
    assert "<b>" not in text
    assert "&lt;script&gt;" in text


def test_long_tables_show_their_first_rows() -> None:
    listed = plan(snps([("1", place) for place in range(1, 301)]))
    (table,) = tables(Answers(listed, tuple(p_value(f"rs{place}", 0.01 * place) for place in range(1, 301))))
    assert len(table.rows) == MOST_ROWS
    assert table.rows[0][0] == "rs300", "the smallest first"
    assert table.caption == "P-values: 300"


@pytest.mark.parametrize(
    ("log10_p", "text"),
    [
        (0.0, "1"),
        (-2.0, "0.01"),
        (-5.5, "3.16e-06"),
        (-4.9999999, "1.00e-05"),
        (-400.25, "5.62e-401"),
        (-300.0, "1.00e-300"),
    ],
)
def test_a_p_value_of_any_size_is_written(log10_p: float, text: str) -> None:
    assert power(log10_p) == text
