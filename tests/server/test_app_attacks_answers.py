"""Attacks on what answers tell: when they leave, whether a run failed, what is left of a budget, and the shape of what is released.

docs/attacks.md has the list; each test is named after its row.
"""

import io
import json
import math
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.ledger import rules
from starling.server import charges
from tests.client.conftest import URL, served_source
from tests.client.conftest import Site as ClientSite
from tests.ledger.worlds import Time
from tests.server.sites import DEADLINE, PERSONS, Site
from tests.toy.source import Persons
from tests.worker.kinds import KINDS

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

SAMPLES = 20
"""Of each kind."""
APART = 0.8
"""Two samples of 20 whose distributions are one are so far apart (Kolmogorov and Smirnov) with a chance of 1e-5 at most, whatever they are:
twice exp(-2 * 0.8 * 0.8 * 10), by Massart's bound. Two with disjoint supports always are."""


@contextmanager
def site_of(folder: Path, persons: str = PERSONS) -> Iterator[Site]:
    """A small server whose records these are."""
    folder.mkdir()
    with closing(Site(folder, Time(), known=True, persons=persons)) as site:
        yield site


def ask(site: Site, analyst: str, dataset: str, **body: Any) -> httpx.Response:
    """A charge, as an analyst asks for it."""
    return said(site, analyst, "POST", f"/v1/datasets/{dataset}/releases", json=body)


def said(site: Site, analyst: str, method: str, path: str, **more: Any) -> httpx.Response:
    """One request of an analyst."""
    headers = {"Authorization": f"Bearer {site.tokens[analyst]}"}
    with httpx.Client(base_url=URL, transport=site.carrier, headers=headers) as http:
        return http.request(method, path, **more)


def counts_of(question: int) -> dict[str, str]:
    """A question that is none of the others."""
    return {"kind": "counts", "epsilon": f"{question}/100"}


def latency(site: Site, question: int, took: Callable[[], float], patch: pytest.MonkeyPatch) -> tuple[float, int]:
    """After how many seconds an analyst who asks each second is given an answer whose run took so long, and what it says first."""
    began = site.time.wall = float(math.ceil(site.time.wall))
    seq = ask(site, "ada", "poll", request_id=f"q{question}", question=counts_of(question)).json()["id"]
    plain = Persons._counts

    def slow(persons: Persons) -> tuple[int, ...]:
        site.time.passes(took())
        return plain(persons)

    with patch.context() as held:
        held.setattr(Persons, "_counts", slow)
        site.work(site.workers[0])
    site.time.passes(began + math.ceil(site.time.wall - began) - site.time.wall)
    while (found := site.bundle("ada", seq))[0] == 404:
        site.time.passes(1)
    with zipfile.ZipFile(io.BytesIO(found[1])) as bundle:
        count = json.loads(bundle.read("measurements/noisy.json"))["counts"][0]
    return site.time.wall - began, int(count)


def apart(first: Sequence[float], second: Sequence[float]) -> float:
    """The statistic of Kolmogorov and Smirnov: how far two samples' distributions are apart at most."""
    places = np.union1d(first, second)
    below = [np.searchsorted(np.sort(each), places, side="right") / len(each) for each in (first, second)]
    return float(np.abs(below[0] - below[1]).max())


def latencies(folder: Path, patch: pytest.MonkeyPatch) -> tuple[list[float], list[float], list[tuple[float, int]]]:
    """Without a record that takes three seconds, with it, and with the answers of the latter, where larger counts take longer."""
    jitter = np.random.default_rng(1)
    found: list[list[tuple[float, int]]] = [[], []]
    for number, persons in enumerate((PERSONS, f"{PERSONS}slow\n")):
        with site_of(folder / str(number), persons) as site:
            for question in range(1, SAMPLES + 1):
                planted = 3 * ("slow" in persons)
                found[number].append(latency(site, question, lambda p=planted: p + jitter.random(), patch))  # type: ignore[misc]
    return [late for late, _ in found[0]], [late for late, _ in found[1]], found[1]


@pytest.mark.slow
def test_attack_a05_no_record_and_no_answer_moves_the_time_at_which_an_answer_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted record lets each run take three seconds longer; two samples of latencies do not tell whether it is there.

    The time is the test's own, so that the speed of the machine has no part in it. False alarm: at most 1e-5, and 0 as long as all
    leave at the deadline. Power: 1, as the next test shows.
    """
    without, with_it, answered = latencies(tmp_path, monkeypatch)
    assert apart(without, with_it) < APART
    assert set(without) == set(with_it) == {DEADLINE}
    larger = sorted(answered, key=lambda each: each[1])
    assert apart([late for late, _ in larger[:10]], [late for late, _ in larger[10:]]) == 0


@pytest.mark.slow
def test_attack_a05_a_server_that_answers_as_soon_as_it_can_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charges, "departure", lambda _, took: max(0.0, took))
    # It would look at once whether the run is done.
    monkeypatch.setattr(charges.Charges, "_known", lambda *_: None)
    without, with_it, _ = latencies(tmp_path, monkeypatch)
    assert apart(without, with_it) >= APART


def test_attack_a04_when_an_answer_leaves_is_said_before_it_is_drawn(tmp_path: Path) -> None:
    """The reply to the charge names the time, and keeps to it; what is drawn has no say in it."""
    with site_of(tmp_path / "site") as site:
        first = ask(site, "ada", "poll", request_id="a", question=counts_of(50)).json()
        site.time.passes(1)
        site.work(site.workers[0])
        place = f"/v1/releases/{first['id']}"
        while (now := said(site, "ada", "GET", place).json())["state"] != "released":
            assert now["leaves"] == first["leaves"]
            site.time.passes(1)
        assert now["leaves"] == first["leaves"]


FAULTS = [
    ValueError("the record of Ada says 42"),
    MemoryError(),
    ZeroDivisionError(),
    OverflowError("99"),
    OSError(5, "Ada"),
]


@pytest.mark.series(1)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_attack_a08_a_run_that_fails_says_what_one_says_that_is_not_done(
    fault: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever broke, an analyst hears the same, byte for byte, and the charge is kept: at every time up to the deadline and beyond it."""

    def heard(folder: Path, *, fails: bool) -> list[tuple[int, bytes]]:
        with site_of(folder) as site:
            found = ask(site, "ada", "poll", request_id="a", question=counts_of(50))
            if fails:
                with monkeypatch.context() as held:
                    held.setattr(Persons, "_counts", failing)
                    site.work(site.workers[0])
            replies = [found]
            place = f"/v1/releases/{found.json()['id']}"
            paths = (place, f"{place}/bundle", "/v1/datasets/poll/budget", f"{place}/questions")
            for seconds in (0, 3, DEADLINE, DEADLINE):
                site.time.passes(seconds)
                replies.extend(said(site, "ada", "GET", path) for path in paths)
                replies.append(ask(site, "ada", "poll", request_id="b", question=counts_of(50)))
            return [(each.status_code, each.content) for each in replies]

    def failing(_: Persons) -> tuple[int, ...]:
        raise fault

    assert heard(tmp_path / "fails", fails=True) == heard(tmp_path / "waits", fails=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_attack_a08_a19_a_hostile_record_changes_no_reply_and_no_shape(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record more that is none, or of a category that is new: the same replies, the same charge, the same files, rows and keys."""
    seen = []
    for number, more in enumerate((b"", *KINDS[kind].hostile)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.setenv("STARLING_HOME", str(folder / "keys"))
        source = KINDS[kind].write(folder)
        records = KINDS[kind].records(source)
        records.write_bytes(records.read_bytes() + more)
        with contextmanager(served_source)(folder, source) as site:
            seen.append(transcript(site))
    assert all(each == seen[0] for each in seen[1:])


def transcript(site: ClientSite) -> list[Any]:
    """All that an analyst is told of a release, but its noise, its random names and its times."""
    token, _ = site.home.access.issue("ada", days=1)
    with httpx.Client(base_url=URL, transport=site.carrier, headers={"Authorization": f"Bearer {token}"}) as http:
        first = http.post("/v1/datasets/data/releases", json={"request_id": "a"})
        site.sleep(60)
        place = first.headers["location"]
        replies = [first, http.get(place), http.get("/v1/datasets/data/budget"), http.get("/v1/datasets")]
        told = [
            (reply.status_code, {k: v for k, v in fields(reply).items() if k not in ("leaves", "wait")})
            for reply in replies
        ]
        assert told[1][1]["state"] == "released"
        bundle = http.get(f"{place}/bundle")
    names = sorted(set(bundle.headers) - {"date"})
    return [told, bundle.status_code, names, shape(bundle.content)]


def fields(reply: httpx.Response) -> dict[str, Any]:
    found = reply.json()
    return found if isinstance(found, dict) else {"list": found}


def shape(content: bytes) -> list[Any]:
    """Names in their order; of tables schema, rows and what is no number; of JSON the keys."""
    found: list[Any] = []
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        for name in bundle.namelist():
            data = bundle.read(name)
            if name.endswith(".parquet"):
                table = pq.read_table(io.BytesIO(data))
                keys = [field.name for field in table.schema if is_text(field.type)]
                found.append((name, table.schema, table.num_rows, table.select(keys)))
            elif name.endswith(".json"):
                found.append((name, skeleton(json.loads(data))))
            elif name.endswith(".csv"):
                found.append((name, data.split(b"\n", 1)[0], data.count(b"\n")))
            else:
                found.append(name)
    return found


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds texts, which are keys, and no measurements."""
    return bool(pa.types.is_string(kind) or pa.types.is_dictionary(kind))


def skeleton(value: Any) -> Any:
    """JSON without its numbers and texts."""
    if isinstance(value, dict):
        return {key: skeleton(each) for key, each in value.items()}
    if isinstance(value, list):
        return [skeleton(each) for each in value]
    return type(value).__name__


def test_attack_a07_a09_what_is_left_depends_on_no_record_and_comes_back_by_no_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that fails after its charge costs what its preview said; nothing that an analyst can send gives any of it back."""

    def failing(_: Persons) -> tuple[int, ...]:
        raise ValueError

    monkeypatch.setattr(Persons, "_counts", failing)
    with site_of(tmp_path / "site") as site:
        budget = "/v1/datasets/poll/budget"
        before = said(site, "ada", "GET", budget).json()
        question = counts_of(50)
        price = said(site, "ada", "POST", "/v1/datasets/poll/preview", json={"question": question}).json()["amount"]
        seq = ask(site, "ada", "poll", request_id="a", question=question).json()["id"]
        site.work(site.workers[0])
        after = said(site, "ada", "GET", budget)
        for cap, left in zip(before["caps"], after.json()["caps"], strict=True):
            assert Fraction(cap["left"]) - Fraction(left["left"]) == Fraction(price) == Fraction(1, 2)
        for method in ("DELETE", "PUT", "PATCH", "POST"):
            for path in (f"/v1/releases/{seq}", f"/v1/releases/{seq}/bundle", budget, "/v1/datasets/poll"):
                assert said(site, "ada", method, path).status_code in (404, 405)
        site.custodian.custody.delegate("poll", site.home.key.public, days=0)
        site.custodian.custody.retire("dataset", "poll")
        site.time.passes(1_000_000)
        site.begin_web()
        assert said(site, "ada", "GET", budget).json()["caps"] == after.json()["caps"]
        site.custodian.reading.verify()


def test_attack_a12_no_amount_slips_between_numbers(tmp_path: Path) -> None:
    """What is no amount is refused; thirds and crumbs are rounded up."""
    with site_of(tmp_path / "site") as site:
        wrong: list[Any] = [
            "0",
            "-1",
            "nan",
            "inf",
            "-0.1",
            "1e400",
            "9" * 100,
            "1/0",
            "0x1",
            "1_0",
            "",
            " ",
            0.1,
            1,
            True,
            None,
            [],
            {},
        ]
        for number, epsilon in enumerate(wrong):
            reply = ask(site, "ada", "poll", request_id=f"w{number}", question={"kind": "counts", "epsilon": epsilon})
            assert reply.status_code in (403, 422), (epsilon, reply.text)
        raw = b'{"request_id": "x", "question": {"kind": "counts", "epsilon": NaN}}'
        reply = said(
            site, "ada", "POST", "/v1/datasets/poll/releases", content=raw, headers={"Content-Type": "application/json"}
        )
        assert reply.status_code == 422
        assert site.charges() == {}
        for number, epsilon in enumerate(["1/3", "1000000001/3000000000", "1/1000000000001"]):
            assert (
                ask(
                    site, "ada", "poll", request_id=f"r{number}", question={"kind": "counts", "epsilon": epsilon}
                ).status_code
                == 202
            )
        (spent,) = [cap.spent for cap in site.custodian.reading.account("people").caps if cap.name == "ada"]
        exact = Fraction(1, 3) + Fraction(1000000001, 3000000000) + Fraction(1, 1000000000001)
        assert exact <= Fraction(spent, rules.UNIT) <= exact + Fraction(3, rules.UNIT)


@pytest.mark.slow
def test_attack_a20_forked_workers_draw_different_noise_and_nobody_names_a_seed(tmp_path: Path) -> None:
    """Two workers are forks of one process, and answer the same question of two analysts. By chance alone their three counts, each with
    noise of scale 100, agree with a chance below 1e-6."""
    with site_of(tmp_path / "site") as site:
        seqs = []
        for analyst in ("ada", "bob"):
            seqs.append(ask(site, analyst, "poll", request_id="a", question=counts_of(1)).json()["id"])
            # A point that no job reaches: the fork does its work, and ends.
            assert not site.killed((Persons, "exact", False), lambda: site.worker().round(threading.Event()))
        site.time.passes(DEADLINE)
        drawn = []
        for analyst, seq in zip(("ada", "bob"), seqs, strict=True):
            with zipfile.ZipFile(io.BytesIO(site.bundle(analyst, seq)[1])) as bundle:
                drawn.append(json.loads(bundle.read("measurements/noisy.json"))["counts"])
        assert drawn[0] != drawn[1]
        published = said(site, "ada", "GET", "/v1/openapi.json").text.lower()
        assert not [word for word in ("seed", "random", "rng", "entropy") if word in published]
        for more in ({"seed": 1}, {"question": {**counts_of(2), "seed": 1}}):
            assert ask(site, "ada", "poll", **({"request_id": "b", "question": counts_of(2)} | more)).status_code == 422


def test_attack_a23_every_draw_is_in_the_auditors_chain_fetched_or_not(tmp_path: Path) -> None:
    """An analyst draws until it pleases and fetches one: all of them are charged, and all can be seen."""
    with site_of(tmp_path / "site") as site:
        seqs = [ask(site, "ada", "poll", request_id=f"q{n}", question=counts_of(n)).json()["id"] for n in (1, 2, 3)]
        site.work(site.workers[0])
        site.time.passes(DEADLINE)
        assert site.bundle("ada", seqs[2])[0] == 200
        site.home.access.add_user("aud", "auditor")
        site.tokens["aud"], _ = site.home.access.issue("aud", days=1)
        events = [json.loads(line) for line in said(site, "aud", "GET", "/v1/ledger").text.splitlines()]
        drawn = [event["body"]["charge"] for event in events if event["kind"] == "drawn"]
        assert drawn == seqs
        assert said(site, "ada", "GET", "/v1/ledger").status_code == 403
