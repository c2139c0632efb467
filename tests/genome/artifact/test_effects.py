"""The columns of effects: of whole persons slope, frequency and number of people, and no odds ratio."""

from fractions import Fraction

from starling.genome.artifact.effects import EFFECTS, effects_columns, effects_of
from starling.genome.artifact.tables import schemas, words_of
from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.plan import SnpEffects
from starling.genome.postprocess.estimates import EffectsAnswer
from tests.genome.worlds import a_trait_plan


def test_whole_persons_have_frequency_and_people_in_place_of_odds() -> None:
    moments, phenotypes = a_trait_plan(), a_trait_plan(unit="phenotype")
    assert effects_of(phenotypes) == EFFECTS
    names = schemas(moments, SnpEffects(("rs1",), Fraction(1)))["effects"].names
    assert names[5:] == ["SLOPE", "SLOPE_L95", "SLOPE_U95", "Z", "P", "LOG10_P", "A1_FREQ", "OBS_CT"]
    assert "with noise" in words_of(moments, "effects")["OBS_CT"]
    assert "exact" in words_of(phenotypes, "scan")["OBS_CT"]
    effect = SnpEffect("rs1", Interval(1.0, 0.5, 1.5), None, 2.0, -1.0, 0.25, 190)
    columns = effects_columns(EffectsAnswer((effect,), (), None))
    assert [columns[name] for name in ("SLOPE", "SLOPE_U95", "A1_FREQ", "OBS_CT", "OR")] == [
        [1],
        [1.5],
        [0.25],
        [190],
        [None],
    ]
