"""The pages of a release: what is not there is refused, the report is as it was signed, and links stay below the release."""

import gc
import re
import weakref
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest

import starling
from starling.public.showing import shown
from starling.release.zipped import zipped
from starling.screens.frame import Frame
from starling.screens.release import pages_of
from starling.screens.tables import domain
from starling.tables.analysis import TablesRelease
from tests.screens.conftest import Reader


@pytest.mark.parametrize("path", ["/tables/none", "/tables", "/download/exe/t1", "/download", "/map/none", "/../x"])
def test_what_is_not_there_is_refused(reader: Reader, path: str) -> None:
    assert reader.get(path).status == 404


def test_the_report_is_sent_as_it_was_signed_and_runs_nothing(reader: Reader) -> None:
    reply = reader.get("/report")
    assert reply.body == (reader.release.folder / "report.html").read_bytes()
    assert "sandbox" in reply.headers["Content-Security-Policy"]
    assert "script" not in reply.headers["Content-Security-Policy"]


def test_the_whole_release_is_one_file_that_verifies(reader: Reader, tmp_path: Path) -> None:
    """The same bytes as `--zip` writes, of what was signed alone, whatever came into the folder since."""
    folder, path = reader.release.folder, tmp_path / "all.zip"
    (folder / "notes \u202e.tmp").write_text("mine")
    path.write_bytes(reader.read("/bundle"))
    (folder / "notes \u202e.tmp").unlink()
    zipped(folder, tmp_path / "same.zip")
    assert path.read_bytes() == (tmp_path / "same.zip").read_bytes()
    with starling.open_release(path) as again:
        assert again.hashes == reader.release.hashes
    assert reader.get("/bundle").headers["Content-Disposition"] == 'attachment; filename="out.zip"'


CODES = {"tables": {"sex: F": "F", "age: 0 to 17": "0 to 17"}, "genome": {"g": "G test"}}
"""Codes that lie in the tables of a domain's release, with their labels; groups and places have names alone."""


def test_every_code_has_its_label_before_it(reader: Reader) -> None:
    codes = CODES.get(reader.release.statement["domain"], {})
    pages = [reader.read(f"/tables/{name}").decode() for name in reader.release.names]
    assert [
        code for code in codes for page in pages if f">{code}<" in re.sub("<option.*?</option>|<span.*?>", "", page)
    ] == []
    assert {
        code
        for code, label in codes.items()
        if any(f'{label} <span class="muted">{code}</span>' in page for page in pages)
    } == {*codes}
    texts = {each for page in pages for each in re.findall("<option[^>]*>(.*?)</option>", page)}
    assert not texts & codes.keys()


NESTED = {"tables": {"t1": "“F” and “0 to 17”"}, "groups": {"regions": "“land” and “east”"}}
"""Tables of a domain's release in whose rows people or groups can stand twice, with the first such rows."""


def test_a_page_says_where_its_rows_overlap_and_nowhere_else(reader: Reader) -> None:
    nested = NESTED.get(reader.release.statement["domain"], {})
    for name in reader.release.names:
        page = reader.read(f"/tables/{name}").decode()
        assert ("A sum across them counts these" in page) == (name in nested), name
        assert nested.get(name, "") in page


def test_every_link_of_a_page_leads_to_something_that_is_there(reader: Reader) -> None:
    seen, wanted = set[str](), ["/"]
    while wanted:
        path, _, query = wanted.pop().partition("?")
        reply = reader.get(path, query)
        assert reply.status == 200, path
        seen.add(path)
        if reply.kind.startswith("text/html"):
            links = re.findall(r'href="(?!#|\?|data:|/static/)([^"]*)"', reader.read(path, query).decode())
            wanted += {unquote(urljoin(path, unescape(each))) for each in links} - seen - {*wanted}
    assert {"/report", *(f"/data/{each}.parquet" for each in reader.release.names if "/" not in each)} <= seen


def test_at_a_server_every_link_stays_below_the_release_and_static_files_below_the_root(reader: Reader) -> None:
    frame = Frame("", "http://localhost", 7, "/s/releases/7", "/s", "/s", {"name": "<b>", "role": "analyst"})
    served = Reader(reader.release, frame)
    addresses = {"/s/", "/s/answers", "/s/sign-out", "#main", "data:,", "/s/v1/releases/7/bundle"}
    assert served.get("/bundle").status == 404
    for path in ("/", f"/tables/{reader.release.names[0]}", "/none"):
        page = served.read(path).decode()
        assert "&lt;b&gt;, analyst" in page
        for address in re.findall(r'(?:href|src|action)="([^"]*)"', page):
            assert address in addresses or address.startswith(("/s/releases/7/", "/s/static/", "?")), address


def test_the_first_page_begins_with_the_answer(reader: Reader) -> None:
    page = reader.read("/").decode()
    assert "events/1: the charge is the sum" in page
    headline = reader.release.headline()
    assert headline is not None
    assert page.index(headline.number) < page.index("Tables</h2>") < page.index("What is promised")
    assert ("<svg" in page) == bool(pages_of(reader.release).drawn())


def test_no_page_reads_a_whole_table_of_national_size(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table that is not small, the first page, the page of an answer and that of the table read some rows."""
    release = reader.release
    monkeypatch.setattr(domain, "MOST_PICTURED", -1)
    if isinstance(release, TablesRelease):
        monkeypatch.setattr(TablesRelease, "table", None)
        vars(release).pop("_first_number", None)
    for path in ("/", f"/tables/{release.names[0]}"):
        assert reader.get(path).status == 200
    assert shown(release)["tables"]


@pytest.mark.series(1)
def test_pages_that_ended_keep_no_release_open(reader: Reader) -> None:
    """Whatever is remembered of them ends with them: an open release may lie unpacked on the disk."""
    another = Reader(starling.open_release(reader.release.path))
    for path in ("/", *(path for _, path in pages_of(another.release).links), "/map/data"):
        another.read(path)
    opened = weakref.ref(another.release)
    del another
    gc.collect()
    assert opened() is None
