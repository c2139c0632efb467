"""One person's record by subtraction: on exact tables, and on releases of many budgets beside the most that any attacker can."""

from typing import Final

from bench.attacks.reconstruction import CANDIDATES, GROUPS, Outcome, attack
from bench.measure import Json
from bench.record import Limit, Recorder
from starling.audit.falsifier import lower_bound
from starling.privacy.budget import Measure

BUDGETS: Final[tuple[tuple[Measure, str], ...]] = (
    *(("rho", amount) for amount in ("0.01", "0.1", "1", "4.944", "20")),
    *(("epsilon", amount) for amount in ("0.1", "1", "5", "22.14")),
)
"""4.944 and 22.14 are the production definitions' and the pure toy configuration's."""
FALSE_ALARM: Final = 1e-6


def measure(name: Measure, amount: str, towns: int) -> tuple[dict[str, Json], Outcome]:
    """The row of one budget."""
    found = attack(name, amount, towns=towns)
    print(f"{found.cost}: {found.exact} of {towns} exact, {found.record} records and {found.group} groups", flush=True)
    row: dict[str, Json] = {
        "cost": str(found.cost),
        "towns": towns,
        "exact": found.exact / towns,
        "group": found.group / towns,
        "group_bound": found.group_bound,
        "record": found.record / towns,
        "record_bound": found.record_bound,
    }
    return row, found


def surely_above(found: Outcome) -> float:
    """By how much the attacker was certainly better than the bound; below 0 where he was not."""
    level = FALSE_ALARM / (2 * len(BUDGETS))
    return max(
        lower_bound(found.group, found.towns, level) - found.group_bound,
        lower_bound(found.record, found.towns, level) - found.record_bound,
    )


def main() -> None:
    """Attack at each budget, and write the result."""
    recorder = Recorder("reconstruction", "A record read off by subtraction, from exact tables and from releases.")
    towns = 100 if recorder.begin().quick else 10_000
    results = [measure(name, amount, towns) for name, amount in BUDGETS]
    recorder.end(
        settings={"towns": towns, "groups": GROUPS, "candidates": CANDIDATES, "false_alarm": FALSE_ALARM},
        rows=[row for row, _ in results],
        limits=[
            Limit(
                "records read off the exact tables, of all",
                min(found.exact / towns for _, found in results),
                1,
                "of all",
                least=True,
            ),
            Limit(
                "attack on releases, surely above its bound at the worst budget",
                float(f"{max(surely_above(found) for _, found in results):.3g}"),
                0,
                "of all",
            ),
        ],
    )


if __name__ == "__main__":
    main()
