"""How often the falsifier rejects each broken genome mechanism, and how often it wrongly rejects one that keeps its promise."""

from bench.audit import FALSE_ALARM, measure, share
from bench.record import Limit, Recorder
from starling.audit.genome import REJECTED, RIGHT


def main() -> None:
    """Audit all of them, again and again, and write the result."""
    recorder = Recorder("genome_audit", "Power and false alarms of the falsifier on genome mechanisms.")
    audits = 1 if recorder.begin().quick else 12
    broken = [measure(case, audits) for case in REJECTED]
    kept = [measure(case, audits) for case in RIGHT]
    recorder.end(
        settings={"audits": audits, "false_alarm": FALSE_ALARM},
        rows=[*broken, *kept],
        limits=[
            Limit(
                "rejected, of the broken genome mechanisms the one that is caught least",
                min(share(broken)),
                0.9,
                "of all",
                least=True,
            ),
            Limit("rejected, of the right genome mechanisms the one caught most", max(share(kept)), 0, "of all"),
        ],
    )


if __name__ == "__main__":
    main()
