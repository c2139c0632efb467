"""How often the falsifier rejects each mechanism of the collection, and how often it wrongly rejects one that keeps its promise."""

from typing import Final

from bench.measure import Json, Spread
from bench.record import Limit, Recorder
from starling.audit.falsifier import falsify
from starling.audit.rejected import REJECTED, RIGHT, Case

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


def main() -> None:
    """Audit all of them, again and again, and write the result."""
    recorder = Recorder("audit", "Power and false alarms of the falsifier.")
    audits = 1 if recorder.begin().quick else 40
    broken = [measure(case, audits) for case in REJECTED]
    kept = [measure(case, audits) for case in RIGHT]
    recorder.end(
        settings={"audits": audits, "false_alarm": FALSE_ALARM},
        rows=[*broken, *kept],
        limits=[
            Limit(
                "rejected, of the broken ones the one that is caught least",
                min(share(broken)),
                0.9,
                "of all",
                least=True,
            ),
            Limit("rejected, of the right ones the one that is caught most", max(share(kept)), 0, "of all"),
        ],
    )


if __name__ == "__main__":
    main()
