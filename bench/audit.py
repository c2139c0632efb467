"""How often the falsifier rejects each mechanism of the collection, and how often it wrongly rejects one that keeps its promise."""

from collections.abc import Sequence
from typing import Final

from bench.measure import Json, Spread
from bench.record import Limit, Recorder
from starling.audit.case import Case
from starling.audit.core_cases import MECHANISMS, MUTANTS
from starling.audit.falsifier import falsify

FALSE_ALARM: Final = 1e-6


def measure(case: Case, audits: int) -> dict[str, Json]:
    """The row of one mechanism."""
    findings = [falsify(*case.samplers(), case.draws, goal=case.goal, false_alarm=FALSE_ALARM) for _ in range(audits)]
    rejected = sum(finding.refutes(case.claim) for finding in findings)
    bounds = Spread.of(getattr(finding, case.goal) for finding in findings)
    print(f"{case.name}: {rejected} of {audits}, bound {bounds.median:g} for a claim of {case.claim}", flush=True)
    return {
        "mechanism": case.name,
        "flaw": case.flaw,
        "claim": str(case.claim),
        "truth": str(case.truth),
        "draws": case.draws,
        "audits": audits,
        "rejected": rejected,
        "bound": bounds.to_json(),
    }


def share(rows: list[dict[str, Json]]) -> list[float]:
    """How often each was rejected."""
    return [float(f"{rejected / audits:.4g}") for rejected, audits in map(_numbers, rows)]


def _numbers(row: dict[str, Json]) -> tuple[int, int]:
    rejected, audits = row["rejected"], row["audits"]
    assert isinstance(rejected, int)
    assert isinstance(audits, int)
    return rejected, audits


def audit(
    recorder: Recorder, broken: Sequence[Case], right: Sequence[Case], audits: int, labels: tuple[str, str]
) -> None:
    """Audit all of them, again and again, and write the result.

    Args:
        recorder: Of the benchmark.
        broken: Cases that are to be rejected.
        right: Cases that are not.
        audits: Of each case.
        labels: Of the limits on the one of each that is worst off.
    """
    audits = 1 if recorder.begin().quick else audits
    caught = [measure(case, audits) for case in broken]
    kept = [measure(case, audits) for case in right]
    least, most = labels
    recorder.end(
        settings={"audits": audits, "false_alarm": FALSE_ALARM},
        rows=[*caught, *kept],
        limits=[
            Limit(least, min(share(caught)), 0.9, "of all", least=True),
            Limit(most, max(share(kept)), 0, "of all"),
        ],
    )


def main() -> None:
    """Audit the collection."""
    audit(
        Recorder("audit", "Power and false alarms of the falsifier."),
        MUTANTS,
        MECHANISMS,
        40,
        (
            "rejected, of the broken ones the one that is caught least",
            "rejected, of the right ones the one that is caught most",
        ),
    )


if __name__ == "__main__":
    main()
