"""Attacks by a server, or by whoever stands between: other releases, forged ones, and a few bytes that would fill memory or disk."""

import gzip
import io
import os
import resource
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.client import asking, transport
from starling.errors import IntegrityError, StarlingError
from starling.ledger.opening import open_ledger
from starling.release.zipped import zipped
from tests.client.conftest import Carry, Site, streamed
from tests.release.forging import OTHER, Forged

pytestmark = [
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
]

ROWS = 1_000_000
GROUPS = 40
"""Of so many rows: a bomb has forty million, in a few megabytes."""


def replacing(content: bytes) -> Callable[[httpx.Request, Carry], httpx.Response]:
    """Gives these bytes in the place of each bundle."""

    def change(request: httpx.Request, carry: Carry) -> httpx.Response:
        reply = carry(request)
        if not request.url.path.endswith("/bundle"):
            return reply
        del reply.headers["content-length"]
        return streamed(reply, content)

    return change


def forged(bundle: Path, change: Callable[[Path], None]) -> bytes:
    """A bundle that was changed, and signed by another key."""
    folder = bundle.parent / f"{bundle.stem}-forged"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    change(folder)
    Forged(folder).resign(OTHER)
    zipped(folder, folder.with_suffix(".zip"))
    return folder.with_suffix(".zip").read_bytes()


@pytest.fixture
def bundle(site: Site, tmp_path: Path) -> Path:
    """A release of the server, fetched."""
    with site.client(key=site.home.key.public) as client:
        client.release("data", tmp_path / "first.zip")
    return tmp_path / "first.zip"


@pytest.mark.slow
def test_attack_a22_another_release_of_the_same_server_is_not_taken(site: Site, bundle: Path, tmp_path: Path) -> None:
    """Its signature is good, and it is not what was asked for: whether it comes over the network, or lies where the file should be."""
    site.home.access.add_user("bob", "analyst")
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        ledger.custody.grant("people", "bob", 1)
    with site.client("bob", key=site.home.key.public) as client:
        number = client.wait(client.charge("data")).id
        with pytest.raises(IntegrityError, match=f"is not release {number}"):
            client.fetch(number, bundle)
        assert bundle.is_file(), "it is somebody's"
        site.carrier.change = replacing(bundle.read_bytes())
        with pytest.raises(IntegrityError, match=f"is not release {number}"):
            client.fetch(number, tmp_path / "second.zip")
    assert [path.name for path in tmp_path.glob("*.zip*")] == ["first.zip"]


@pytest.mark.slow
def test_attack_a22_a_forged_cell_is_refused_by_whom_the_key_is_known(site: Site, bundle: Path, tmp_path: Path) -> None:
    def edit(folder: Path) -> None:
        path = next((folder / "data").glob("*.parquet"))
        table = pq.read_table(path)
        pq.write_table(table.slice(1), path)

    content = forged(bundle, edit)
    with site.client() as client:
        number = client.charge("data").id
        client.fetch(number, tmp_path / "pins.zip")
        site.carrier.change = replacing(content)
        with pytest.raises(IntegrityError, match="SIGNATURE is by the key"):
            client.fetch(number, tmp_path / "second.zip")
    with site.client(key=OTHER.public) as client, pytest.raises(IntegrityError):
        client.fetch(number, tmp_path / "third.zip")


def inflate(path: Path) -> None:
    """Put forty million rows into a table, each like its first."""
    first = pq.read_table(path).slice(0, 1)
    columns = [pa.array(column.to_pylist() * ROWS).cast(column.type) for column in first.columns]
    rows = pa.table(columns, schema=first.schema)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for _ in range(GROUPS):
            writer.write_table(rows)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["data", "measurements", "plan"])
def test_bomb_a_parquet_file_of_many_rows_is_refused_unread(
    where: str, site: Site, bundle: Path, tmp_path: Path
) -> None:
    """Whoever signs it: a file has as many rows as follow from the plan, or is not read."""
    content = forged(bundle, lambda folder: inflate(next((folder / where).rglob("*.parquet"))))
    assert len(content) < 1 << 23

    def fetch() -> None:
        with site.client(key=OTHER.public) as client:
            site.carrier.change = replacing(content)
            with pytest.raises(IntegrityError):
                client.fetch(client.charge("data").id, tmp_path / "second.zip")

    assert grown(fetch) < ROWS * GROUPS * 2, "two bytes for each row are less than any column of it has"


def grown(work: Callable[[], None]) -> int:
    """By how many bytes a process grows at most that does this work."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            work()
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            os.write(into, str(1024 * (after - before)).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out) as told:
        said = told.read()
    os.waitpid(child, 0)
    assert said, "the work failed"
    return int(said)


@pytest.mark.series(1)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_bomb_a_reply_that_would_expand_is_refused(site: Site, times: int) -> None:
    """Compressed again and again, some kilobytes would become as many terabytes."""
    content = b"[" + b" " * 50_000_000 + b"]"
    for _ in range(times):
        content = gzip.compress(content)

    def change(request: httpx.Request, carry: Carry) -> httpx.Response:
        assert request.headers["accept-encoding"] == "identity"
        reply = carry(request)
        reply.headers["content-encoding"] = ", ".join(["gzip"] * times)
        reply.headers["content-length"] = str(len(content))
        return streamed(reply, content)

    site.carrier.change = change
    with site.client() as client:
        asks: list[Callable[[], object]] = [
            client.datasets,
            lambda: client.fetch(1, Path("no")),
            lambda: client.study("data", Path("no")),
        ]
        for ask in asks:
            with pytest.raises(IntegrityError, match="is compressed"):
                ask()


def test_bomb_a_reply_without_an_end_is_cut(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 1000)
    monkeypatch.setattr(asking, "LONGEST", 1000)
    monkeypatch.setattr(asking, "LONGEST_PLAN", 1000)
    given: list[bytes] = []

    def endless() -> Iterator[bytes]:
        while len(given) < 100:
            given.append(b" " * 100)
            yield given[-1]
        raise AssertionError("it is read on and on")

    site.carrier.change = lambda _, __: httpx.Response(200, content=endless())
    with site.client() as client:
        asks: list[Callable[[], object]] = [
            client.datasets,
            lambda: client.fetch(1, tmp_path / "no"),
            lambda: client.study("data", tmp_path / "x"),
        ]
        for ask in asks:
            given.clear()
            with pytest.raises(StarlingError):
                ask()
            assert 10 <= len(given) <= 12
    assert not (tmp_path / "no").exists()


@pytest.mark.slow
def test_bomb_a_zip_of_compressed_zeros_is_not_unpacked(site: Site, bundle: Path, tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(bundle) as archive, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bomb:
        for name in archive.namelist():
            bomb.writestr(name, archive.read(name))
        bomb.writestr("data/more.parquet", b"\0" * 100_000_000)
    site.carrier.change = replacing(made.getvalue())
    with site.client(key=site.home.key.public) as client, pytest.raises(IntegrityError):
        client.fetch(client.charge("data").id, tmp_path / "second.zip")
    assert not (tmp_path / "second.zip").exists()
