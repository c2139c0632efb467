"""The pages of a release of genome: the numbers of its answer, SNPs by the address, hostile names as text, and files of others."""

import io
import json
import re
import shlex
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import starling
from starling.cli import main
from starling.genome.analysis import GenomeRelease
from starling.genome.export import export
from starling.genome.pictures.canvas import encoded
from starling.genome.pictures.gallery import KINDS
from starling.genome.postprocess.wording import TEST_LABELS, answer_text
from starling.release.text import cell
from starling.screens.frame import Frame
from starling.screens.genome import FILTERS
from starling.screens.release import pages_of
from tests.genome.hostile import NAMES, TITLE, write_hostile
from tests.genome.test_combining import released
from tests.screens.conftest import Reader

Readers = dict[str, tuple[GenomeRelease, Reader]]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    """Of each kind of question a release with hostile names, and what reads its pages."""
    opened: Readers = {}
    for kind, folder in write_hostile(tmp_path_factory.mktemp("hostile")).items():
        release = starling.open_release(folder)
        assert isinstance(release, GenomeRelease)
        opened[kind] = release, Reader(release, Frame(path=str(folder)))
    yield opened
    for release, _ in opened.values():
        release.close()


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def check_harmless(page: str) -> None:
    """Nothing of a hostile name is markup."""
    assert not re.search(r"<script(?! type=\"module\" src=\"/static/)|<img|\sstyle=|\son\w+=\"|href=\"javascript", page)
    assert (page.count("<main"), page.count("</main>"), "{{7*7}}" in page.partition("</h1>")[0]) == (1, 1, True)


@pytest.mark.slow
def test_each_kind_of_answer_has_its_page_with_its_numbers(readers: Readers) -> None:
    for kind, (release, reader) in readers.items():
        page = reader.read("/genome").decode()
        check_harmless(page)
        text = words(page)
        headline = release.headline()
        for part in (headline.label, headline.number, headline.interval):
            assert " ".join(part.split()) in text, kind
        drawn = [name for name, each in KINDS.items() if each.shown(release.pictured)]
        assert page.count("<svg") == len(drawn), kind
        for name in drawn:
            assert " ".join(KINDS[name].caption(release.pictured).split()) in text
        answer: Any = release.tell({"kind": "find_snps"})
        for row in answer["rows"]:
            cells = [f"{TEST_LABELS.get(cell(value), '')} {cell(value)}" for value in row]
            assert " ".join(" ".join(cells).split()) in text, kind
        assert ("There is nothing to draw" in text or "there is nothing to draw" in text) == (not drawn)


def test_the_first_page_begins_with_what_was_answered_and_has_no_empty_column(readers: Readers) -> None:
    for kind, (release, reader) in readers.items():
        page = reader.read("/genome").decode()
        rows: Any = release.tell({"kind": "find_snps"})
        answered: Any = release.tell({"kind": "find_snps", "answered": True})
        shown = [unescape(each) for each in re.findall(r'<th scope="row">(.*?)</th>', page)]
        assert shown[: len(answered["rows"])] == [cell(row[0]) for row in answered["rows"]], kind
        assert sorted(shown) == sorted(cell(row[0]) for row in rows["rows"])
        header = re.findall(r'<th scope="col">(.*?)</th>', page)
        filled = [
            name for at, name in enumerate(rows["columns"]) if any(row[at] not in (None, "") for row in rows["rows"])
        ]
        assert header == filled, kind


def test_the_page_of_an_answer_says_it_in_sentences(readers: Readers) -> None:
    for release, _ in readers.values():
        rows = pages_of(release).summary().rows
        assert rows[0] == ("answer", answer_text(release.plan, release.question, release.answer)[0])
        assert len(rows) > 1, "how far it may be off"


def test_every_address_of_a_page_leads_somewhere(readers: Readers) -> None:
    for kind, (_, reader) in readers.items():
        page = reader.read("/genome").decode()
        addresses = re.findall(r'(?:href|src|data-source)="(/[^"#]*)"', page)
        for address in {unescape(each) for each in addresses if not each.startswith("/static/")}:
            assert reader.get(address).status == 200, (kind, address)


def test_the_address_chooses_snps(readers: Readers) -> None:
    _, reader = readers["explore"]
    for query, snps in (
        ({"name": "RS"}, ["rs1", "rs2"]),
        ({"chromosome": "2"}, [*NAMES[5:]]),
        ({"chromosome": "1", "low": "2000", "high": "3000"}, [*NAMES[1:3]]),
        ({"chromosome": "1", "first": "2"}, [*NAMES[2:5]]),
        ({"name": "nothing"}, []),
    ):
        page = reader.read("/genome", urlencode(query)).decode()
        shown = [unescape(each) for each in re.findall(r'<th scope="row">(.*?)</th>', page)]
        assert shown == [cell(each) for each in snps], query
        assert ("The list has no such SNP" in page) == (not snps)


TEXTS = st.sampled_from(
    ["", "0", "1", "2", "-1", "1e9", "9" * 13, "nan", "yes", "no", *NAMES, "\u202e", "\x00"]
) | st.text(max_size=9)


@pytest.mark.examples(20)
@given(st.lists(st.tuples(st.sampled_from([*FILTERS, "kind", NAMES[2]]) | st.text(max_size=9), TEXTS), max_size=5))
def test_whatever_is_asked_gets_a_page(readers: Readers, pairs: list[tuple[str, str]]) -> None:
    _, reader = readers["explore"]
    reply = reader.get("/genome", urlencode(pairs, errors="replace"))
    assert reply.status in (200, 422)
    with reply.opened() as body:
        page = body.read().decode()
    check_harmless(page)
    known = [name for name, value in pairs if value]
    if len(known) > len(set(known)) or set(known) - set(FILTERS):
        assert reply.status == 422


@pytest.mark.parametrize("path", ["/genome/none", "/genome/data/x", "/genome/../report", "/genome/gwas-ssf/x"])
def test_what_is_not_there_is_a_page_that_says_so(readers: Readers, path: str) -> None:
    assert readers["explore"][1].get(path).status == 404


def test_p_values_are_downloaded_as_the_export_writes_them(readers: Readers, tmp_path: Path) -> None:
    release, reader = readers["explore"]
    for form in ("gwas-ssf", "plink-assoc"):
        with zipfile.ZipFile(io.BytesIO(reader.read(f"/genome/{form}"))) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
        files = export(
            release.plan,
            release.question,
            release.drawn,
            tmp_path / f"{form}.tsv",
            form,
            day=release.statement["account"]["day"],
        )
        assert held == {file.name: file.read_bytes() for file in files}
    for kind in ("num_sig", "loc_sig", "snp_corr"):
        reply = readers[kind][1].get("/genome/gwas-ssf")
        assert (reply.status, b"p-value" in readers[kind][1].read("/genome/gwas-ssf")) == (422, True)


def test_the_script_reads_the_released_answers(readers: Readers) -> None:
    for release, reader in readers.values():
        assert reader.read("/genome/data") == encoded(release.pictured)


@pytest.mark.slow
def test_its_lines_do_the_same(readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, (release, reader) in readers.items():
        (tmp_path / kind).mkdir()
        monkeypatch.chdir(tmp_path / kind)
        page = reader.read("/genome", "name=rs").decode()
        lines = re.findall(r'<div class="line"><p>(\w+)</p><pre tabindex="0"><code>([^<]*)</code>', page)
        wanted, drawn = release.tell({"kind": "find_snps", "name": "rs"}), "<svg" in page
        assert [place for place, _ in lines] == ["Python", "Shell"] * (2 if drawn else 1)
        for place, text in ((place, unescape(text)) for place, text in lines):
            if place == "Python":
                *first, last = text.splitlines()
                values: dict[str, Any] = {}
                exec("\n".join(first), values)
                result = eval(last, values)
                assert result == wanted if "tell" in last else str(result)
            else:
                program, *words = shlex.split(text)
                ended = CliRunner().invoke(main, [*words, "--json"])
                assert (program, ended.exit_code) == ("starling", 0), ended.output
                if words[0] == "answer":
                    assert json.loads(ended.stdout) == wanted
        assert bool([*(tmp_path / kind).rglob("*.svg")]) == drawn


def test_the_title_is_a_text(readers: Readers) -> None:
    assert "&lt;script&gt;" in readers["num_sig"][1].read("/genome").decode()
    assert TITLE.startswith('"><script>')


def test_a_scan_has_its_own_columns_and_files(tmp_path: Path) -> None:
    path = released(tmp_path, 1)
    with starling.open_release(path) as release:
        reader = Reader(release, Frame(path=str(path)))
        page = reader.read("/genome").decode()
        text = words(page)
        assert text.index("Genotypes, covariates and who takes part are not protected") < text.index("Manhattan plot")
        assert "PLINK 2 .glm" in text
        assert "PLINK .assoc" not in text
        # Neither what moves among p-values with intervals, nor words on their ends.
        assert not re.search("canvas|P_LOW|manhattan.js", page)
        with zipfile.ZipFile(io.BytesIO(reader.read("/genome/plink-glm"))) as archive:
            assert archive.namelist() == ["plink-glm.tsv", "plink-glm.tsv.README.txt"]
        assert "Log odds ratio" in words(reader.read("/tables/scan").decode())
