"""How often the falsifier rejects each broken genome mechanism, and how often it wrongly rejects one that keeps its promise."""

from bench.audit import audit
from bench.record import Recorder
from starling.audit.genome_cases import MECHANISMS, MUTANTS


def main() -> None:
    """Audit the genome's collection."""
    audit(
        Recorder("genome_audit", "Power and false alarms of the falsifier on genome mechanisms."),
        MUTANTS,
        MECHANISMS,
        12,
        (
            "rejected, of the broken genome mechanisms the one that is caught least",
            "rejected, of the right genome mechanisms the one caught most",
        ),
    )


if __name__ == "__main__":
    main()
