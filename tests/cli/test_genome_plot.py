"""`starling genome plot` draws what was released, of one plan, signed as it is."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.cli.genome import KINDS
from starling.genome.pictures.gallery import KINDS as DRAWN
from starling.genome.plan import SnpCorr, SnpPval
from starling.genome.publish import release
from starling.release.payment import PaymentOptions
from starling.release.zipped import zipped
from tests.cli.conftest import Call
from tests.genome.worlds import QUESTIONS, World, a_world

DRAWING = "... checking the release and drawing it\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return a_world(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def answered(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of answers: an exploration, a number, three p-values and two correlations."""
    folder = tmp_path_factory.mktemp("released")
    questions = {
        "explored": replace(QUESTIONS["explore"], epsilon=Fraction(20_000)),
        "number": QUESTIONS["num_sig"],
        **{f"p{snp}": SnpPval(f"rs{snp}", "g", Fraction(1)) for snp in (1, 4, 7)},
        **{f"ld{snp}": SnpCorr("rs1", f"rs{snp}", "r2", Fraction(1)) for snp in (2, 3)},
    }
    for name, question in questions.items():
        release(
            world.plan,
            question,
            world.prefix,
            folder / name,
            payment=PaymentOptions(ledger=world.ledger, dataset="t2d", analyst="eve", unvalidated=True),
        )
    return folder


@pytest.mark.slow
def test_all_releases_of_a_plan_are_drawn_together(call: Call, answered: Path, tmp_path: Path) -> None:
    names = sorted(answered.iterdir())
    result = call("genome", "plot", *names, "--out", tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, DRAWING)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "index.html",
        "ld.svg",
        "manhattan.svg",
        "qq.svg",
    ]
    assert result.stdout.splitlines()[0] == f"page       {tmp_path / 'out' / 'index.html'}"
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert all(f'<th scope="row">{path.name}</th>' in page for path in names)
    assert "Correlations: 2" in page
    assert "number of significant SNPs" in page
    again = call("genome", "plot", *names, "--out", tmp_path / "again")
    assert again.exit_code == 0
    for path in (tmp_path / "out").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_one_kind_of_zips_for_machines(call: Call, answered: Path, tmp_path: Path) -> None:
    zipped(answered / "p1", tmp_path / "p1.zip")
    zipped(answered / "p4", tmp_path / "p4.zip")
    both, out = (tmp_path / "p1.zip", tmp_path / "p4.zip"), tmp_path / "out"
    result = call("genome", "plot", *both, "--kind", "qq", "--kind", "qq", "--out", out, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"page": str(out / "index.html"), "pictures": {"qq": str(out / "qq.svg")}}
    assert "Selected SNPs" not in (out / "index.html").read_text("utf-8")


def test_an_exploration_says_that_its_snps_are_selected(call: Call, answered: Path, tmp_path: Path) -> None:
    assert call("genome", "plot", answered / "explored", "--out", tmp_path / "out").exit_code == 0
    assert "this is no test of inflation" in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_releases_of_other_plans_are_refused(call: Call, answered: Path, tmp_path: Path) -> None:
    other = a_world(tmp_path / "study", model="recessive")
    release(
        other.plan, QUESTIONS["snp_pval"], other.prefix, tmp_path / "other", payment=PaymentOptions(unvalidated=True)
    )
    result = call("genome", "plot", answered / "p1", tmp_path / "other", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr == f"{DRAWING}starling: other has another model than p1; draw releases of one plan together\n"
    assert not (tmp_path / "out").exists()


def test_a_release_of_tables_is_refused(call: Call, released: Path, tmp_path: Path) -> None:
    result = call("genome", "plot", released, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "is a release of tables; name releases of genome" in result.stderr


def test_nothing_to_draw_is_said(call: Call, answered: Path, tmp_path: Path) -> None:
    result = call("genome", "plot", answered / "number", "--out", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "hold nothing that has a place in the genome" in result.stderr
    result = call("genome", "plot", answered / "p1", "--kind", "ld", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "ld has nothing to show" in result.stderr
    assert call("genome", "plot", "--out", tmp_path / "out").exit_code == 2


def test_a_changed_release_or_another_signer_is_refused(call: Call, answered: Path, tmp_path: Path) -> None:
    zipped(answered / "p7", tmp_path / "p7.zip")
    data = (tmp_path / "p7.zip").read_bytes()
    (tmp_path / "p7.zip").write_bytes(data.replace(b"rs7", b"rs8"))
    changed = call("genome", "plot", answered / "p1", tmp_path / "p7.zip", "--out", tmp_path / "out")
    assert changed.exit_code == 5
    other = call("genome", "plot", answered / "p1", "--key", "0" * 64, "--out", tmp_path / "out")
    assert other.exit_code == 5
    assert not (tmp_path / "out").exists()


def test_the_kinds_are_those_that_can_be_drawn() -> None:
    assert tuple(DRAWN) == KINDS
