"""What the paper's chain costs, certified from its published numbers, beside what it states; and the same attack on chains by region.

Neighbours: one group of one leaf grew from size 0 to 1. The attack (src/starling/audit/groups_cases.py) reads the final numbers of groups
alone, and the falsifier certifies a lower bound of epsilon that holds with 95 %.
"""

from dataclasses import replace
from typing import Final

from bench.measure import Json
from bench.record import Limit, Recorder
from starling.audit.falsifier import falsify
from starling.audit.groups_cases import CHAIN, LEAVES, MECHANISMS

DRAWS: Final = 200_000
SURE: Final = 0.95


def main() -> None:
    """Attack both, and write the result."""
    recorder = Recorder("groups_chain", "A certified lower bound of what the paper's chain costs.")
    draws = DRAWS // 20 if recorder.begin().quick else DRAWS
    rows: list[Json] = []
    bounds = []
    for case in (CHAIN, *MECHANISMS):
        seen = replace(case, draws=draws)
        found = falsify(*seen.samplers(), draws, goal=seen.goal, false_alarm=1 - SURE)
        bounds.append(found.epsilon)
        stated: dict[str, Json] = {
            "mechanism": case.name,
            "claim": float(case.claim.amount),
            "truth": float(case.truth or 0),
        }
        rows.append({**stated, "bound": round(found.epsilon, 3)})
    recorder.end(
        settings={"draws": draws, "leaves": LEAVES, "confidence": SURE},
        rows=rows,
        limits=[
            Limit(
                f"certified epsilon of the chain over {LEAVES} leaves that states 1",
                bounds[0],
                6,
                "epsilon",
                least=True,
            ),
            Limit("certified epsilon of chains by region that state 1", bounds[1], 1, "epsilon"),
        ],
    )


if __name__ == "__main__":
    main()
