"""What a release must say again, from the public choices in its folder and the stated charge."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.privacy.budget import DELTA
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import REPLACE_PERSON
from starling.privacy.trust import Receipt
from starling.release import recompute
from starling.release.claims import claim
from starling.release.statement import Particulars, account, software, statement

DOMAIN = Particulars("birds", {"flocks": [1, 2]}, {"wings_of_a_bird": 2})


@pytest.fixture
def guarantee() -> Guarantee:
    return measurement("count", REPLACE_PERSON, DiscreteLaplace(Fraction(2)), 2)


def test_the_statement_says_what_is_made_again(guarantee: Guarantee) -> None:
    said = json.loads(json.dumps(statement(Receipt("r", guarantee, "memory"), DOMAIN)))
    made = recompute.stated(guarantee, DOMAIN, said)
    assert made["mechanism"] == {"flocks": [1, 2]}
    assert {field: said[field] for field in made} == made


def test_pages_are_compared_with_their_pictures_and_the_account_is_read_strictly(
    guarantee: Guarantee, tmp_path: Path
) -> None:
    receipt = Receipt("r", guarantee, "memory")
    said: dict[str, Any] = {"account": account(receipt), "software": software()}
    drawn = '<p>a</p><div class="picture"><svg><path d="M 0"/></svg></div>'
    (tmp_path / "a.html").write_text(drawn)
    (tmp_path / "b.yaml").write_text("r")

    def make(told: Receipt) -> dict[str, str]:
        return {"a.html": drawn, "b.yaml": told.request_id}

    assert recompute.pages(tmp_path, said, guarantee, make) == []
    (tmp_path / "a.html").write_text(drawn.replace("M 0", "M 1"))
    (tmp_path / "b.yaml").write_bytes(b"\xff")
    assert [problem.field for problem in recompute.pages(tmp_path, said, guarantee, make)] == ["a.html", "b.yaml"]
    for change in ({"account": None}, {"account": said["account"] | {"more": 1}}, {}):
        change |= {"software": software()}
        assert [problem.field for problem in recompute.pages(tmp_path, change, guarantee, make)] == ["account"]


HEAD = "<header><dl><div><dt>Loss</dt><dd>{}</dd></div></dl></header>"
SYMBOLS = "<section>\n<h2>The same in symbols</h2><p>ε = {} at δ = {} ({})</p></section>"


def test_of_another_versions_report_the_amounts_are_compared(guarantee: Guarantee, tmp_path: Path) -> None:
    receipt = Receipt("r", guarantee, "memory")
    near, found_here = "1.0001", claim(guarantee)
    said: dict[str, Any] = json.loads(json.dumps(statement(receipt, DOMAIN)))
    said |= {"software": "starling 99", "approximate_dp": {"epsilon": near, "delta": DELTA, "by": "other means"}}
    ours = HEAD.format(1) + SYMBOLS.format(found_here.epsilon, DELTA, found_here.by)

    def found(text: str) -> list[str]:
        (tmp_path / "a.html").write_text(text)
        return [problem.problem for problem in recompute.pages(tmp_path, said, guarantee, lambda _: {"a.html": ours})]

    theirs = HEAD.format(1) + "<p>In other words.</p>" + SYMBOLS.format(near, DELTA, "other means")
    assert found(theirs) == []
    lies = "states another privacy loss or unit than privacy.json"
    for text in (
        theirs.replace("<dd>1<", "<dd>0<"),
        theirs.replace(near, "0.1"),
        theirs + HEAD.format(0),
        "<p>None.</p>",
    ):
        assert found(text) == [lies]
    assert found(theirs + "<script>x</script>") == ["holds a tag script, which no report has"]
    said["account"]["limits"] = "As another version says it."
    assert found(theirs) == []
