"""What SafeTab 2022, Section 1, asks of a release of tables: each desideratum of the paper is a check that verification runs by its name.

What is compared is the release with the public plan and with its own noisy measurements, so a check holds for the folder, whatever program
wrote it, and says nothing of how the noise was drawn.
"""

from typing import Final

from starling.release.checks import Checks

GROUPS: Final = "population groups"
ADAPTIVITY: Final = "adaptivity"
ACCURACY: Final = "accuracy"
INTEGRALITY: Final = "integrality"
NO_CONSISTENCY: Final = "no consistency"

CHECKS: Final = Checks(
    own={
        GROUPS: "measured is every group of the plan; published is each that the plan publishes",
        ADAPTIVITY: "a group has the ages and sexes that its first noisy total chooses",
        ACCURACY: "margins of error, standard deviations and intervals are those of the noise",
        INTEGRALITY: "every measurement and every count is an integer",
        NO_CONSISTENCY: "a count is what the measurements give by the plan alone, negative where the plan allows it",
    },
    privacy="noise and cost are the plan's, for one person more or less; nothing is exact",
    columns={
        "region_id": GROUPS,
        "region_type": GROUPS,
        "region_name": GROUPS,
        "iteration_code": GROUPS,
        "iteration_name": GROUPS,
        "age_start": ADAPTIVITY,
        "age_end": ADAPTIVITY,
        "sex": ADAPTIVITY,
        "count": NO_CONSISTENCY,
        "post_processed": NO_CONSISTENCY,
        "standard_deviation": ACCURACY,
        "lower": ACCURACY,
        "upper": ACCURACY,
    },
    rows={"t1": GROUPS, "t2": ADAPTIVITY},
    parameters={
        "states": GROUPS,
        "puerto_rico": GROUPS,
        "geography": GROUPS,
        "iteration_level": GROUPS,
        "regions": GROUPS,
        "iterations": GROUPS,
        "suppression_chance": GROUPS,
        "suppressed_up_to": GROUPS,
        "branches": ADAPTIVITY,
        "thresholds": ADAPTIVITY,
        "confidence": ACCURACY,
        "margins_of_error": ACCURACY,
        "negative_counts_published": NO_CONSISTENCY,
        "both_stages": NO_CONSISTENCY,
        "stage_1_weights": NO_CONSISTENCY,
        "add_up": NO_CONSISTENCY,
        "given_published": ACCURACY,
    },
    types=INTEGRALITY,
)
"""Privacy, the paper's first desideratum, is a check of every domain."""
