"""What a question asks and costs is told by the public plan alone, and what it is not by the field at fault."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.domains import DOMAINS
from starling.genome.asking import QuestionPlan
from starling.genome.plan import NumSig, Plan
from starling.genome.publication import GenomePublication
from starling.places.publish import release
from starling.public import answering
from starling.public.answering import answer
from starling.release.arithmetic import guarantee_of
from starling.release.payment import PaymentOptions
from starling.verification import verify
from tests.places.plans import plan as places
from tests.places.plans import write_world

ASKED = {"kind": "num_sig", "k": 2, "epsilon": "0.5"}


def task(folder: Path, do: str = "ask", **changes: Any) -> dict[str, Any]:
    return {"do": do, "domain": "genome", "plan": str(folder), "question": ASKED, "most": 10_000, **changes}


def test_it_is_what_the_library_would_publish(plan: Path, tmp_path: Path) -> None:
    wanted = GenomePublication(Plan.load(tmp_path / "study" / "plan.toml"), NumSig("g", 2, Fraction(1, 2)))
    said = answer(task(plan))
    assert (said["title"], said["request"]) == (wanted.title, wanted.request)
    price: Any = said["price"]
    assert guarantee_of(price) == wanted.guarantee
    assert said.keys() == {"title", "request", "price"}


def test_a_preview_says_what_the_answer_will_be_worth(plan: Path) -> None:
    said: Any = answer(task(plan, "preview"))
    assert said["request"] == answer(task(plan))["request"]
    assert [section["title"] for section in said["sections"]]
    assert any(section["tables"] for section in said["sections"])


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"question": {"kind": "num_sig", "epsilon": "1", "k": 99}}, "ParameterError"),
        ({"question": None}, "ParameterError"),
        ({"domain": "groups"}, "ParameterError"),
        ({"domain": "weather"}, "ParameterError"),
        ({"plan": "/nowhere"}, "IntegrityError"),
    ],
)
def test_what_cannot_be_told_is_told_by_its_field(plan: Path, changes: dict[str, Any], error: str) -> None:
    said: Any = answer(task(plan, **changes))
    assert said["error"] == error
    assert said["problems"][0].keys() == {"field", "problem", "fix"}
    assert str(plan) not in str(said)


@pytest.mark.parametrize("do", ["ask", "preview"])
def test_too_much_work_is_refused_before_it_starts(plan: Path, do: str) -> None:
    said: Any = answer(task(plan, do, most=0))
    assert said["error"] == "ParameterError"
    assert "question_work" in said["problems"][0]["problem"]


def test_a_release_refuses_too_much_work_too(tmp_path: Path) -> None:
    payment = PaymentOptions(unvalidated=True)
    folder = release(places(), write_world(tmp_path), tmp_path / "out", payment=payment).folder
    asked = {"do": "read", "release": str(folder), "question": {"kind": "find_hotspots", "k": 1}, "most": 10_000}
    assert "answer" in answer(asked)
    said: Any = answer({**asked, "most": 1})
    assert (said["error"], said["problems"][0]["field"]) == ("ParameterError", "question")
    assert "without chances" in said["problems"][0]["fix"]


def test_a_plan_that_was_changed_is_not_believed(plan: Path) -> None:
    file = plan / "plan" / "plan.json"
    file.write_text(file.read_text().replace('"people": 60', '"people": 61 '))
    assert answer(task(plan))["error"] == "IntegrityError"


def test_the_schema_describes_every_question(plan: Path, tmp_path: Path) -> None:
    described: Any = QuestionPlan(Plan.load(tmp_path / "study" / "plan.toml")).schema
    names = [each["title"] for each in described["oneOf"]]
    assert names == ["num_sig", "loc_sig", "loc_block", "snp_pval", "snp_corr", "explore"]
    assert described["oneOf"][0]["required"] == ["kind", "epsilon"]


LOADS = """
import json, sys
from starling.public.answering import answer
assert "sections" in answer(json.loads(sys.argv[1]))
readers = ("duckdb", "pyspark", "starling.worker", "starling.server", "starling.genome.source", "starling.genome.counts")
print([name for name in sys.modules if name.startswith(readers)])
"""


@pytest.mark.slow
def test_nothing_that_reads_records_is_loaded(plan: Path) -> None:
    words = [sys.executable, "-c", LOADS, json.dumps(task(plan, "preview"))]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_is_prepared_is_ready_for_the_next_task(plan: Path, tmp_path: Path) -> None:
    answering._plan.cache_clear()
    task = {
        "do": "prepare",
        "domains": [*DOMAINS],
        "plans": [["genome", str(plan), True], ["genome", str(tmp_path), True]],
    }
    assert answer(task) == {}
    assert answering._plan.cache_info().currsize == 1
    assert all(each.pages.partition(":")[0] in sys.modules for each in DOMAINS.values())


def test_a_release_is_verified_with_the_key_that_is_given(tmp_path: Path) -> None:
    payment = PaymentOptions(unvalidated=True)
    released = starling.open_release(release(places(), write_world(tmp_path), tmp_path / "out", payment=payment).folder)
    asked = {"do": "verify", "release": str(released.folder), "key": released.signer.text}
    said: Any = answer(asked)
    found = verify(released.folder, key=released.signer)
    assert (said["outcome"], said["signed_by"]) == ("consistent", released.signer.fingerprint)
    assert said["not_checked"] == list(found.left_open)
    assert [(each["name"], each["state"]) for each in said["checks"]] == [
        (each.name, each.state) for each in found.checks
    ]
    other: Any = answer({**asked, "key": "ab" * 32})
    assert other["outcome"] == "failed"
    assert [each["name"] for each in other["checks"] if each["findings"]] == ["key"]
