"""The machine that a benchmark ran on, and how busy others kept it. No name of it, no path."""

import os
import platform
import resource
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

from bench.measure import Json

PACKAGES = ("starling-dp", "numpy", "numba", "llvmlite", "cryptography", "python-flint", "duckdb", "pyarrow", "scipy")


def describe() -> dict[str, Json]:
    """Processor, cores, memory, system, Python and packages."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "virtual": "hypervisor" in _information().get("flags", "").split(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
    }


class Watch:
    """How busy the machine was with others' work: the part of all cores' time, from `start` to `others`."""

    def __init__(self) -> None:
        self.load_before = round(os.getloadavg()[0], 2)
        self._began = perf_counter()
        self._busy = _busy()
        self._own = _own()

    def others(self) -> float:
        """Between 0 and 1. Children count as our own once they have ended."""
        wall = (perf_counter() - self._began) * (os.cpu_count() or 1)
        return round(max(0.0, (_busy() - self._busy) - (_own() - self._own)) / wall, 3)


def _busy() -> float:
    """Seconds that all cores together have worked since the start; not idle, not waiting for a disk, stolen ones included."""
    user, nice, system, _idle, _wait, interrupt, soft, stolen = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + interrupt + soft + stolen) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _processor() -> str:
    found = _information()
    return (
        f"{found.get('model name', platform.machine())} (family {found.get('cpu family')}, model {found.get('model')})"
    )


def _information() -> dict[str, str]:
    """The facts that the system has about its first core."""
    lines = Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
