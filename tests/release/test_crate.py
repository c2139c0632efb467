"""A crate holds the release as it was signed, and says of it what is true of it."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

import starling
from starling.errors import OutputError, ParameterError
from starling.release.crate import Publishing
from starling.verification import verify
from tests.crates import Entity, graph_of, problems
from tests.four_domains import release, write

LICENSE = "https://creativecommons.org/licenses/by/4.0/"
HOSTILE = 'Office "of" </script> <b>, {"@id": "./"} =1+1 Ω'


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crate")
    release(write(folder), "tables")
    return folder / "tables" / "out"


@pytest.fixture(scope="module")
def crate(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "crate"
    with starling.open_release(released) as opened:
        return opened.crate(out, license=LICENSE, publisher=HOSTILE, agent="Ada", spatial="Town", temporal="2025")


def test_it_follows_the_rules_of_crates(crate: Path) -> None:
    assert not problems(crate)


def test_the_release_in_it_is_the_release(crate: Path, released: Path) -> None:
    files = {path.relative_to(released): path.read_bytes() for path in released.rglob("*") if path.is_file()}
    within = crate / "release"
    assert {path.relative_to(within): path.read_bytes() for path in within.rglob("*") if path.is_file()} == files
    assert not verify(within).findings


def test_catalogues_find_their_fields(crate: Path) -> None:
    graph = graph_of(crate)
    root = graph["./"]
    assert (root["dct:title"], root["dct:license"]) == ("Sex", {"@id": LICENSE})
    assert graph[root["dct:publisher"]["@id"]]["name"] == HOSTILE
    assert graph[root["dct:spatial"]["@id"]]["name"] == "Town"
    assert root["temporalCoverage"] == root["dct:temporal"] == "2025"
    assert "add or remove one person, epsilon 2" in root["description"]
    assert graph["#agent"]["name"] == "Ada"
    table = graph["release/data/t1.parquet"]
    assert table["dcat:mediaType"] == "application/vnd.apache.parquet"
    assert table["description"].startswith("T1: totals")
    assert {"@id": "release/data/t1.parquet"} in graph["#run"]["result"]


def test_what_is_not_said_is_not_there(released: Path, tmp_path: Path) -> None:
    with starling.open_release(released) as opened:
        crate = opened.crate(tmp_path / "crate", license=LICENSE, publisher="Office")
        assert graph_of(crate)["#agent"]["name"] == f"Holder of the key {opened.signer.fingerprint}"
        with pytest.raises(OutputError, match="exists"):
            opened.crate(tmp_path / "crate", license=LICENSE, publisher="Office")
    assert not problems(crate)
    text = (crate / "ro-crate-metadata.json").read_text()
    assert "spatial" not in text
    assert "emporal" not in text


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda graph: graph["#run"].update(instrument={"@id": "#software"}), "instrument is mainEntity"),
        (lambda graph: graph["./"].pop("license"), "root"),
        (lambda graph: graph["./"].update(mentions={"@id": "#run"}), "actions are mentioned"),
        (lambda graph: graph["#agent"].update({"@type": "Organization"}), "agent is a person"),
        (lambda graph: graph["release/privacy.json"].update(sha256="0" * 64), "sizes and hashes"),
        (
            lambda graph: graph["#disclosure"].update(result={"@id": "nowhere"}),
            "every reference is an entity with a type",
        ),
    ],
)
def test_a_broken_crate_is_caught(
    crate: Path, tmp_path: Path, change: Callable[[dict[str, Entity]], object], rule: str
) -> None:
    """The rules have teeth: each of these changes breaks one."""
    document = json.loads((crate / "ro-crate-metadata.json").read_text())
    change({each["@id"]: each for each in document["@graph"]})
    copytree(crate / "release", tmp_path / "release")
    (tmp_path / "ro-crate-metadata.json").write_text(json.dumps(document))
    assert problems(tmp_path) == [rule]


@pytest.mark.parametrize(
    ("address", "publisher", "problem"),
    [
        ("CC-BY", "Office", "license is no address"),
        ("javascript:alert(1)", "Office", "license is no address"),
        (LICENSE, "", "publisher is empty"),
        (LICENSE, "a\u202eb", "publisher holds a character that is not printed"),
    ],
)
def test_what_a_publisher_may_not_say_is_refused(address: str, publisher: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Publishing(address, publisher)
