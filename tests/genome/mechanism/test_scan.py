"""A scan draws one response and tells nothing else of the phenotypes; the audit has its privacy (tests/audit)."""

from fractions import Fraction

import numpy as np
import pytest

from starling.audit.genome_mechanisms import SmallStudy
from starling.errors import ParameterError
from starling.genome.arrays import Flags, Float64
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.mechanism import scan
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import Scan
from starling.privacy.events import RandomizedResponse
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from tests.genome.plan.test_model import plan_with
from tests.genome.plan.test_model_phenotypes import PHENOTYPES


def test_all_is_made_of_one_response(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each coin is thrown once, and what is told is a function of what comes out."""
    thrown: list[Flags] = []
    answers = np.array([True, True, False, True])

    def respond(cases: Flags, epsilon: Fraction) -> Flags:
        thrown.append(cases)
        assert epsilon == Fraction(1, 2)
        return answers

    class Study(SmallStudy):
        def score_tests(self, response: Float64, /) -> SnpScores:
            assert response.tolist() == answers.tolist()
            return super().score_tests(response)

    monkeypatch.setattr(scan, "randomized_response", respond)
    study = Study(np.array([[0, 1], [2, 1], [1, 0], [0, 0]]), np.array([True, False, False, True]), "additive")
    drawn = mechanism_of(PHENOTYPES, Scan(Fraction(1, 2))).draw(study)
    assert isinstance(drawn, Scanned)
    assert [each.tolist() for each in thrown] == [study.cases.tolist()]
    assert drawn.ones == 3
    assert drawn.tests.scores == pytest.approx([-0.25, 0.5])


def test_it_costs_one_response_and_is_of_phenotypes_alone() -> None:
    question = Scan(Fraction(1, 2))
    for guarantee in (question.guarantee, mechanism_of(PHENOTYPES, question).guarantee):
        assert (guarantee.relation, guarantee.event) == (REPLACE_PHENOTYPE, RandomizedResponse(Fraction(1, 2)))
    with pytest.raises(ParameterError, match="is scan, which shows exact genotypes and protects phenotypes alone"):
        mechanism_of(plan_with(), question)
    with pytest.raises(ParameterError, match="epsilon is below 1/1024"):
        mechanism_of(PHENOTYPES, Scan(Fraction(1, 1025)))
