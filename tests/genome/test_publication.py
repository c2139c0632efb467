"""What the domain finds in an answer that its own publisher signed: plan, question, noisy answer or tables that do not belong together."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.genome.publication import CHECKS
from starling.genome.publish import release
from starling.ledger.keys import Key
from starling.release.payment import PaymentOptions
from starling.release.table_files import Text, TextWriter
from tests.genome.worlds import QUESTIONS, World, a_world
from tests.release.forging import Forged


@dataclass(frozen=True)
class Tampered(Forged):
    """A release that is changed and signed again by its own key."""

    key: Key

    def failing(self) -> dict[str, list[str]]:
        """The checks that fail, with their findings."""
        self.resign(self.key)
        found = starling.verify(self.folder)
        return {
            check.name: [str(each).split(";")[0] for each in check.findings] for check in found.checks if check.findings
        }

    def rewrite(self, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
        """Change a table, in both of its forms."""
        path = self.folder / "data" / f"{name}.parquet"
        table = change(pq.read_table(path))
        pq.write_table(table, path)
        with path.with_suffix(".csv").open("wb") as file:
            TextWriter(file, Text("csv", {column: column for column in table.column_names})).write(table)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return a_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def made(world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A release of each question; not to be changed."""
    place = tmp_path_factory.mktemp("made")
    ask = partial(
        release, world.plan, payment=PaymentOptions(ledger=world.ledger, dataset="t2d", analyst="eve", unvalidated=True)
    )
    return {name: ask(question, world.prefix, place / name).folder for name, question in QUESTIONS.items()}


@pytest.fixture
def copy(world: World, made: dict[str, Path], tmp_path: Path) -> Callable[[str], Tampered]:
    def copied(name: str) -> Tampered:
        shutil.copytree(made[name], tmp_path / name)
        assert world.ledger.book.key is not None
        return Tampered(tmp_path / name, world.ledger.book.key)

    return copied


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_check_of_a_release_holds(world: World, made: dict[str, Path], name: str) -> None:
    found = starling.verify(made[name], ledger=world.url, key=world.ledger.book.signer)
    assert {check.name: check.state for check in found.checks} == dict.fromkeys(
        ("bundle", "key", *CHECKS.holds, "charge"), "holds"
    )
    assert found.guarantee == QUESTIONS[name].guarantee


NUMBERS = {
    "num_sig": [("number", "HIGH", "column HIGH"), ("selections", "OFF_BY", "column OFF_BY")],
    "loc_sig": [("snps", "BP", "column BP"), ("selections", "CANDIDATES", "column CANDIDATES")],
    "loc_block": [("blocks", "NSNPS", "column NSNPS"), ("selections", "ROUNDS", "column ROUNDS")],
    "snp_pval": [("snps", "CASES_CARRY", "column CASES_CARRY"), ("snps", "LOG10_P_HIGH", "column LOG10_P_HIGH")],
    "snp_corr": [("pairs", "BOTH", "column BOTH"), ("pairs", "R2", "column R2")],
    "explore": [("number", "LOW", "column LOW"), ("selections", "OFF_BY", "column OFF_BY")],
}


@pytest.mark.series(3)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("which", [0, 1])
def test_a_number_that_the_noisy_answer_does_not_give_is_found(
    copy: Callable[[str], Tampered], name: str, which: int
) -> None:
    release, (table, column, field) = copy(name), NUMBERS[name][which]

    def one_more(found: pa.Table) -> pa.Table:
        values = found[column].to_pylist()
        values[0] += 1
        at = found.column_names.index(column)
        return found.set_column(at, column, pa.array(values, found.schema.field(column).type))

    release.rewrite(table, one_more)
    failing = release.failing()
    assert list(failing) == ["tables", "forms"]
    assert failing["tables"] == [f"data/{table}.parquet: {field} is in row 1 not what the shipped measurements give"]
    assert failing["forms"] == [f"data/{table}.csv is not the text that the shipped measurements give"]


def test_a_row_or_a_column_too_many_is_found(copy: Callable[[str], Tampered]) -> None:
    release = copy("loc_sig")
    release.rewrite("snps", lambda table: table.slice(1))
    assert release.failing()["tables"] == ["data/snps.parquet has 1 rows where the shipped measurements give 2"]
    release.rewrite("snps", lambda table: table.drop_columns(["BP"]))
    assert "bundle" in release.failing()
    (release.folder / "data" / "snps.parquet").write_bytes(b"PAR1")
    assert "data/snps.parquet cannot be read as Parquet" in release.failing()["forms"]


def leaves(node: Any) -> Iterator[dict[str, Any]]:
    """The leaves of a composition in privacy.json."""
    for part in node.get("parts", ()):
        yield from leaves(part)
    if "event" in node:
        yield node


@pytest.mark.series(2)
@pytest.mark.parametrize("name", QUESTIONS)
def test_another_event_of_the_same_cost_is_found(copy: Callable[[str], Tampered], name: str) -> None:
    """Counts stated as a selection, a selection as another, and what is drawn as a bare cost: every number in the file follows."""
    for mechanism, more in (("permute-and-flip", {"score_sensitivity": "2"}), ("pure DP", {})):

        def forge(said: Any, mechanism: str = mechanism, more: dict[str, str] = more) -> None:
            for leaf in leaves(said["composition"]):
                leaf["event"] = {"mechanism": mechanism, "epsilon": leaf["cost"]["epsilon"], **more}

        release = copy(name)
        release.edit("privacy.json", forge)
        failing = release.failing()
        assert list(failing) == ["privacy"]
        assert failing["privacy"] == ["privacy.json: composition is not what the public plan in the folder gives"]
        shutil.rmtree(release.folder)


DRAWN: dict[str, tuple[Callable[[Any], None], str]] = {
    "num_sig": (lambda drawn: drawn.update(low=3, high=5), "have a number of SNPs that is none of the ranges"),
    "loc_sig": (lambda drawn: drawn["snps"].pop(), "have other than as many different SNPs"),
    "loc_block": (lambda drawn: drawn.update(first="rs6", last="rs6", snps=1), "have a block that is not among"),
    "snp_pval": (lambda drawn: drawn["counts"].append(0), "have another number of cells"),
    "snp_corr": (lambda drawn: drawn.update(counts=[1, 2, 3, 4]), "do not add up to the number of people"),
    "explore": (lambda drawn: drawn.update(followed=9), "are not those of one exploration"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_noisy_answer_that_the_question_cannot_have_is_found(copy: Callable[[str], Tampered], name: str) -> None:
    release, (change, words) = copy(name), DRAWN[name]
    release.edit("measurements/drawn.json", change)
    failing = release.failing()
    assert list(failing) == ["noisy answer"]
    assert words in failing["noisy answer"][0]


def test_another_noisy_answer_is_found_by_its_tables(copy: Callable[[str], Tampered]) -> None:
    release = copy("loc_sig")
    release.edit("measurements/drawn.json", lambda drawn: drawn["snps"].reverse())
    assert {"tables", "forms"} <= set(release.failing())


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (lambda question: question.update(epsilon="1/2"), {"privacy", "tables", "forms", "pages"}),
        (lambda question: question.update(k=3), {"privacy", "noisy answer"}),
        (lambda question: question.update(test="chi2"), {"privacy"}),
        (lambda question: question.update(kind="num_sig"), {"forms"}),
        (lambda question: question.update(more=1), {"forms"}),
    ],
)
def test_another_question_is_found(copy: Callable[[str], Tampered], change: Any, checks: set[str]) -> None:
    release = copy("loc_sig")
    release.edit("plan/question.json", change)
    assert set(release.failing()) == checks


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (lambda plan: plan.update(people=201), {"privacy", "noisy answer"}),
        (lambda plan: plan.update(title="Other"), {"pages"}),
        (lambda plan: plan.update(alpha="9"), {"privacy"}),
        (lambda plan: plan["snps"].update(number=9), {"forms"}),
        (lambda plan: plan["snps"].update(sha256="0" * 64), {"forms"}),
        (lambda plan: plan["regions"].pop(), {"privacy"}),
    ],
)
def test_another_plan_is_found(copy: Callable[[str], Tampered], change: Any, checks: set[str]) -> None:
    release = copy("snp_pval")
    release.edit("plan/plan.json", change)
    assert set(release.failing()) == checks


def test_another_snp_list_is_found(copy: Callable[[str], Tampered]) -> None:
    release = copy("snp_pval")
    path = release.folder / "plan" / "snps.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(3, "A1", table["A2"]).set_column(4, "A2", table["A1"]), path)
    assert release.failing() == {"forms": ["plan/plan.json is not as Starling writes it"]}
    pq.write_table(table.take([1, 0, *range(2, 8)]), path)
    assert release.failing() == {"forms": ["plan/snps.parquet is no SNP list in plan order"]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda said: said["cost"]["replace-one"].update(epsilon="1/2", decimal="0.5"), "cost"),
        (lambda said: said["mechanism"].update(p_threshold="1/100"), "mechanism.p_threshold"),
        (lambda said: said["mechanism"]["asked"].update(k=5), "mechanism.asked.k"),
        (lambda said: said["bounds"].update(people=100), "bounds"),
        (lambda said: said.update(invariants=["n cases"]), "invariants"),
    ],
)
def test_a_statement_that_is_not_the_plan_s_is_found(copy: Callable[[str], Tampered], change: Any, field: str) -> None:
    release = copy("loc_sig")
    release.edit("privacy.json", change)
    problem = f"privacy.json: {field} is not what the public plan in the folder gives"
    assert problem in release.failing()["privacy"]


@pytest.mark.parametrize("page", ["report.html", "registry.yaml"])
def test_a_page_with_other_words_is_found(copy: Callable[[str], Tampered], page: str) -> None:
    release = copy("explore")
    path = release.folder / page
    path.write_text(path.read_text().replace("epsilon", "epsilom").replace("ε", "e"))
    problem = f"{page} is not what the plan, the charge and the released values give"
    assert release.failing() == {"pages": [problem]}


def test_a_file_too_many_or_too_few_is_found(copy: Callable[[str], Tampered]) -> None:
    release = copy("num_sig")
    (release.folder / "exact.json").write_text("{}")
    (release.folder / "data" / "number.csv").unlink()
    findings = release.failing()["forms"]
    assert "data/number.csv is missing from the release" in findings
    assert "exact.json is no file of a genome release" in findings
