"""`starling audit` shows what it found and fails when something is wrong."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from starling.audit import core_cases, quick
from starling.audit.fit import MISSTATED, laplace
from starling.cli import main

RIGHT = core_cases.MECHANISMS[0]
MUTANT = core_cases.MUTANTS[0]
GOOD = [
    (RIGHT.name, partial(quick.check_case, RIGHT)),
    (MUTANT.name, partial(quick.check_case, MUTANT)),
    ("discrete Laplace, scale 1", partial(quick.check_distribution, laplace(Fraction(1)))),
    (MISSTATED[0].name, partial(quick.check_distribution, MISSTATED[0])),
]


def audited(monkeypatch: pytest.MonkeyPatch, checks: Sequence[tuple[str, quick.Check]], *options: str) -> int:
    monkeypatch.setattr(quick, "checks", lambda: iter(checks))
    with pytest.raises(SystemExit) as ended:
        main(["audit", *options])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.statistical
def test_what_stands_and_what_is_caught_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each right check fails by chance with at most 1e-6; each mutant is missed three times with less than 1e-8."""
    assert audited(monkeypatch, GOOD) == 0
    shown = capsys.readouterr().out
    assert "2 of 2 stand, 2 of 2 mutants were caught" in shown
    assert "scale 1/(2 epsilon)" in shown


@pytest.mark.statistical
def test_json_is_one_document(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each right check fails by chance with at most 1e-6; each mutant is missed three times with less than 1e-8."""
    assert audited(monkeypatch, GOOD, "--json") == 0
    body = json.loads(capsys.readouterr().out)
    assert body["passed"]
    assert body["false_alarm"] == pytest.approx(2e-6)
    assert [check["kind"] for check in body["checks"]] == ["bound", "mutant", "distribution", "mutant"]


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("check", "problem"),
    [
        (partial(quick.check_case, replace(MUTANT, flaw="")), "and declares epsilon 1"),
        (
            partial(quick.check_distribution, replace(MISSTATED[0], flaw="")),
            "draws another distribution than it states",
        ),
        (partial(quick.check_case, replace(RIGHT, flaw="none")), "is wrong on purpose and was not caught"),
    ],
    ids=["bound", "distribution", "missed"],
)
def test_a_refuted_mechanism_and_a_missed_mutant_fail(
    check: quick.Check, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(monkeypatch, [("planted", check)]) == 70
    seen = capsys.readouterr()
    assert problem in seen.err
    assert "REFUTED" in seen.out or "MISSED" in seen.out
    assert audited(monkeypatch, [("planted", check)], "--json") == 70
    body = json.loads(capsys.readouterr().out)
    assert body["error"]["kind"] == "AuditFailed"
    assert problem in body["error"]["problems"][0]["problem"]
