"""After the charge: what fails, fails with the same words, keeps its charge, and tells nothing; what a record says never fails."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from starling.engine import delimited, duck
from starling.errors import OutputError, RunFailed, SourceError, StarlingError
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Confidential, Receipt, inspect, publish
from starling.tables.counts import GroupCounts, count
from starling.tables.plan import Piece, Plan
from starling.tables.source import open_persons
from tests.tables.source.records import GEOGRAPHY, GOOD, PLAN, row
from tests.tables.worlds import HEADER

T = TypeVar("T")


class Till:
    """An account that pays and remembers."""

    def __init__(self) -> None:
        self.charged: list[Guarantee] = []

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        self.charged.append(guarantee)
        return Receipt("request", guarantee, "a test's till")

    def resume(self) -> None:
        pass

    def commit(self, drawn: T, /) -> T:
        return drawn


@dataclass(frozen=True)
class Exactly:
    """What a mechanism must never do: hand on the total as it is."""

    plan: Plan

    @property
    def guarantee(self) -> Guarantee:
        return self.plan.guarantee

    def draw(self, exact: GroupCounts, /) -> int:
        return int(exact.totals(Piece(0, 0, 1, len(self.plan.levels[0].iterations))).sum())


def persons(folder: Path, lines: list[bytes], name: str = "persons.txt") -> Path:
    path = folder / name
    path.write_bytes(b"".join(line + b"\n" for line in (HEADER, *lines)))
    return path


def published(computation: Confidential[GroupCounts]) -> tuple[int | str, int]:
    """What leaves: the number, or the whole of the error; and how many charges were made."""
    till = Till()
    try:
        return publish(computation, Exactly(PLAN), till).value, len(till.charged)
    except StarlingError as error:
        causes = [cause for cause in (error.__cause__, error.__context__) if cause is not None]
        return " ".join([type(error).__name__, str(error), *map(repr, causes)]), len(till.charged)


FAILED = (f"RunFailed {RunFailed()}", 1)


def test_nothing_is_read_before_the_charge(tmp_path: Path) -> None:
    path = persons(tmp_path, [GOOD] * 3)
    opened = open_persons(path, PLAN)
    path.unlink()
    computation = count(PLAN, GEOGRAPHY, opened)  # reads nothing, so finds nothing missing
    assert published(computation) == FAILED


@pytest.mark.parametrize(
    "change", [os.unlink, lambda path: os.truncate(path, 200), lambda path: os.truncate(path, 1 << 20)]
)
def test_attack_a08_a_file_removed_or_cut_before_it_is_read(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = persons(tmp_path, [GOOD] * 30)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN))
    change(path)
    assert published(computation) == FAILED


def test_attack_a08_a_file_cut_off_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = persons(tmp_path, [GOOD] * 4000)
    monkeypatch.setattr(delimited, "CHUNK", 5000)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN))
    real, calls = os.pread, []

    def cutting(file: int, size: int, place: int) -> bytes:
        calls.append(place)
        if len(calls) == 20:
            os.truncate(path, 300)
        return real(file, size, place)

    monkeypatch.setattr(os, "pread", cutting)
    assert published(computation) == FAILED


def test_a_file_removed_while_it_is_read_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open file outlives its name."""
    path = persons(tmp_path, [GOOD] * 4000)
    monkeypatch.setattr(delimited, "CHUNK", 5000)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN))
    real, calls = os.pread, []

    def removing(file: int, size: int, place: int) -> bytes:
        calls.append(place)
        if len(calls) == 20:
            path.unlink()
        return real(file, size, place)

    monkeypatch.setattr(os, "pread", removing)
    assert published(computation) == (4000, 1)


def test_attack_a08_memory_that_does_not_suffice(tmp_path: Path) -> None:
    path = persons(tmp_path, [row(QAGE=str(age), QRACE2=race) for age in range(116) for race in PLAN.codes])
    spill = tmp_path / "spill"
    spill.mkdir()
    small = duck.Limits(2 << 20, None, 2, spill)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN), limits=small)
    assert published(computation) == FAILED
    assert not list(spill.iterdir())
    with pytest.raises(OutputError):
        inspect(computation)


def test_attack_a08_a_disk_that_does_not_suffice(tmp_path: Path) -> None:
    path = persons(tmp_path, [GOOD] * 1000)
    spill = tmp_path / "spill"
    spill.mkdir()
    computation = count(
        PLAN, GEOGRAPHY, open_persons(path, PLAN), limits=replace(duck.default_limits(), disk=8, spill=spill)
    )
    assert published(computation) == FAILED
    with pytest.raises(OutputError):
        inspect(computation)
    assert not list(spill.iterdir())


def test_counted_records_are_in_no_folder(tmp_path: Path) -> None:
    """While they are held, too."""
    path = persons(tmp_path, [GOOD] * 1000)
    spill = tmp_path / "spill"
    spill.mkdir()
    limits = replace(duck.default_limits(), spill=spill)
    counts = inspect(count(PLAN, GEOGRAPHY, open_persons(path, PLAN), limits=limits)).value
    assert not list(spill.iterdir())
    assert counts.totals(Piece(0, 0, 1, len(PLAN.levels[0].iterations))).sum() == 1000


def test_the_custodian_hears_the_reason(tmp_path: Path) -> None:
    path = persons(tmp_path, [GOOD])
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN))
    path.unlink()
    with pytest.raises(SourceError, match="are not what was checked"):
        inspect(computation)


HOSTILE = [
    b"",
    b"\0" * 99,
    b'"' * 70_001,
    b"\xff|" * 16 + b"\xff",
    row(QAGE="99999999999999999999"),
    row(QAGE="NaN"),
    row(TABBLKST="99", TABBLKCOU="999", TABTRACTCE="999999", TABBLK="9999"),
    row(QSPAN="'; DROP TABLE persons; --"),
    row(QRACE1="-9223372036854775808"),
    row(QSEX="1e309"),
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_attack_a08_no_record_makes_a_run_fail_or_speak(
    tmp_path: Path, line: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A hostile record gives the answer of its neighbour, or that and one more; the charge is the same; nothing is printed or logged."""
    path = persons(tmp_path, [GOOD] * 50 + [line] + [GOOD] * 50)
    answer, charges = published(count(PLAN, GEOGRAPHY, open_persons(path, PLAN)))
    assert (answer in (100, 101), charges) == (True, 1)
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


@pytest.mark.parametrize(
    "name",
    [
        "it's.txt",
        'a"b.txt',
        "'; DROP TABLE persons; --.txt",
        "*.txt",
        "[a].txt",
        "s3:x.txt",
        "-",
        "a b|c.txt",
        "é\n.txt",
    ],
)
def test_attack_a21_hostile_file_names_are_names(tmp_path: Path, name: str) -> None:
    path = persons(tmp_path, [GOOD] * 7, name)
    persons(tmp_path, [GOOD] * 100, "other.txt")  # what a pattern would find as well
    assert published(count(PLAN, GEOGRAPHY, open_persons(path, PLAN))) == (7, 1)


def test_a_second_count_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a count is random or kept: the computation may be run again, by one thread or more."""
    path = persons(tmp_path, [GOOD, row(QRACE2="1001"), row(QRACE2="1002")] * 40)
    monkeypatch.setattr(delimited, "CHUNK", 400)
    computation = count(PLAN, GEOGRAPHY, open_persons(path, PLAN))
    one_thread = replace(duck.default_limits(), threads=1)
    other = count(PLAN, GEOGRAPHY, open_persons(path, PLAN), limits=one_thread)
    assert published(computation) == published(computation) == published(other) == (120, 1)
