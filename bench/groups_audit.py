"""How often the falsifier rejects each broken mechanism for group sizes, and how often it wrongly rejects one that keeps its promise."""

from bench.audit import audit
from bench.record import Recorder
from starling.audit import groups_cases, groups_mechanisms


def main() -> None:
    """Audit the groups' collection."""
    audit(
        Recorder("groups_audit", "Power and false alarms of the falsifier on mechanisms for group sizes."),
        (*groups_cases.MUTANTS, *groups_mechanisms.MUTANTS),
        groups_cases.MECHANISMS,
        40,
        (
            "rejected, of the broken mechanisms for group sizes the one that is caught least",
            "rejected, of the right mechanisms for group sizes the one caught most",
        ),
    )


if __name__ == "__main__":
    main()
