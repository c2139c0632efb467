"""Where the checks run, no test may be skipped, and every test that the checklist leans on must have run and passed.

Usage: python no_skips.py TRACE_TOML JUNIT_XML... (one report for each tier). Exits with 1 and one line for each test at fault.
"""

import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path


def node(case: ET.Element) -> str:
    """The id of a test case without its parameters, as `tests/x/test_y.py::test_z`: what tests/trace.toml names."""
    return f"{case.get('classname', '')}.{case.get('name', '').split('[')[0]}"


def dotted(test: str) -> str:
    """A test id of the trace in the form of `node`.

    >>> dotted("tests/privacy/sampling/test_noise.py::TestLaplace::test_exact")
    'tests.privacy.sampling.test_noise.TestLaplace.test_exact'
    """
    path, *names = test.split("::")
    return ".".join([path.removesuffix(".py").replace("/", "."), *names])


def problems(reports: list[ET.Element], traced: list[str]) -> list[str]:
    """One line for each skipped test, and for each traced test that did not run and pass in any of the reports."""
    if any(report.find(".//testcase") is None for report in reports):
        return ["no test ran"]
    cases = [case for report in reports for case in report.iter("testcase")]
    found = [
        f"skipped: {case.get('classname')}::{case.get('name')}: {skip.get('message')}"
        for case in cases
        for skip in case.findall("skipped")
    ]
    passed = {node(case) for case in cases if not any(case.findall(kind) for kind in ("skipped", "failure", "error"))}
    return found + [f"in the trace, but did not run and pass: {test}" for test in traced if dotted(test) not in passed]


def main(trace: str, *reports: str) -> int:
    """Print the problems; 1 if there are any."""
    rows = tomllib.loads(Path(trace).read_text())["row"]
    found = problems(
        [ET.parse(report).getroot() for report in reports],  # noqa: S314 - pytest has just written them
        [test for row in rows for test in row.get("tests", [])],
    )
    print("\n".join(found) or "every test ran")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
