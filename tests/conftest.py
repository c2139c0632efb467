"""What every test may ask for."""

import fcntl
import gc
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name  # type: ignore[import-untyped]
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from tests.surroundings import own_environment, own_signals

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

own_signals()
own_environment()

IN_MEMORY = Path("/dev/shm")
"""A file system in memory, where Linux has one: a ledger that waits for the disk at each charge does not wait there."""
ROOM = 4 << 30
"""Bytes that it must have free."""
if IN_MEMORY.is_dir():
    state = os.statvfs(IN_MEMORY)
    if state.f_bavail * state.f_frsize >= ROOM and not state.f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))

# No deadline: the first example of a test may compile a kernel, on a machine that does something else besides.
settings.register_profile("starling", deadline=None)
settings.load_profile("starling")

DEFAULT_TIER = "not slow"
"""The expression of marks in pyproject.toml."""
FEW_FILES = 3
"""So many test files are sooner through without workers."""
MOST_WORKERS = 8
"""Each takes up to a gigabyte."""
HALVES = (("places", "groups"), ("tables", "genome"))
"""Domains whose kernels are compiled by one process, and by another: each takes about half of the time."""
SPARK = (
    "engine/test_spark.py",
    "tables/counts/test_custom_counting_distributed.py",
    "tables/counts/test_counting_distributed.py",
    "places/test_counts.py",
    "places/areas/test_publish.py",
    "places/flows/test_counts.py",
    "places/trips/test_counts.py",
    "groups/test_counts.py",
    "bench/test_fuzz_spark.py",
    "tables/counts/test_counting_distributed_cluster.py",
)
"""Files that share one Spark, and so a worker; the last ends it, and starts another."""
CRAWLED = ("server/pages/test_routes_every_page.py", "server/pages/test_routes_every_page_browser.py")
"""Files that share a server of which every page was read, and so a worker; the last ends it."""
FORKING = ("from tests.forking import", "from tests.cli.in_terminal import")
"""Lines of files that share one process from which programs are forked, and so a worker: it takes 5 s of CPU to start."""
LONG = (
    "worker/test_children_demo.py",
    *SPARK,
    "server/test_charges_history.py",
    "ledger/test_charging_crashes.py",
    *CRAWLED,
    "tables/test_publish_resume.py",
    "worker/test_running_stopped_jobs.py",
    "places/plan/test_idle_parameters.py",
    "worker/test_children.py",
    "tables/test_mechanism_custom.py",
    "bench/test_fuzz.py",
    "test_walk_through.py",
    "test_docs.py",
    "cli/test_tables.py",
    "tables/test_publish_draws.py",
    "ledger/test_memory.py",
    "tables/test_analysis.py",
    "groups/optimise/test_flow_kernels.py",
)
"""Files that take long, the longest first: begun last, one of them would keep a worker busy while the others have nothing left."""


SLOWS = re.compile(r"\bmark\.(slow|series|examples|cover)\b")
"""What a file says that has tests of the slow tier."""
HELPERS = re.compile(r"^from (tests\.[\w.]+) import ", re.MULTILINE)


class Indexed(list[str]):
    """Names of tests with the place of each: a list compares all names before it, once for each test."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.places = {name: place for place, name in enumerate(names)}

    def index(self, name: str, *_: Any) -> int:
        """The place of a name."""
        return self.places[name]


class Schedule(LoadFileScheduling):  # type: ignore[misc]
    """A file's tests, and all that share a Spark, a server or fork, run in one process, which makes what they share once."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(super()._split_scope(nodeid))

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """Add the tests that a worker has collected."""
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Indexed(collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Note that a test is complete, and forget a file with its last: xdist counts again after each test what is left of each file."""
        file = self._split_scope(self.registered_collections[node][item_index])
        super().mark_test_complete(node, item_index, duration)
        if all(self.assigned_work[node][file].values()):
            del self.assigned_work[node][file]


@cache
def scope_of(file: str) -> str:
    """The name under which the tests of a file run in one process with those of others: its own, unless they share something."""
    for name, files in (("spark", SPARK), ("crawled", CRAWLED)):
        if file.removeprefix("tests/") in files:
            return name
    path = ROOT / file
    forks = path.is_file() and any(line in path.read_text(encoding="utf-8") for line in FORKING)
    return "forking" if forks else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Schedule | None:
    """How tests are distributed among workers, unless that is said otherwise."""
    return Schedule(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker for each core, and one more in the slow tier, in which many tests wait; none for a few files."""
    asked = {word.split("::")[0] for word in config.args}
    if len(asked) <= FEW_FILES and all(path.endswith(".py") for path in asked):
        return 0
    more = 1 if config.option.markexpr == "slow" else 0
    return min(len(os.sched_getaffinity(0)) + more, MOST_WORKERS)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before workers start: kernels are compiled once, in place of by each worker that is the first to need one."""
    if hasattr(config, "workerinput"):
        send_results_alone(config)
        return
    if (getattr(config.option, "numprocesses", None) or 0) < 2:
        return
    assert config.cache is not None
    kept = config.cache.mkdir("kernels")
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = kept / kernels_digest()
        if not stamp.exists():
            # Of `starling warm` what tests compile in any case.
            warm = "import sys; from starling.cli.warm import compile_demo; compile_demo(sys.argv[1:])"
            line = [sys.executable, "-c", warm]
            none = subprocess.DEVNULL
            # Beside each other, since compiling uses one processor.
            halves = [subprocess.Popen([*line, *each], stdin=none, stdout=none, stderr=none) for each in HALVES]
            codes = [each.wait() for each in halves]
            # Where an extra is missing, tests compile what they need, as they did.
            if not any(codes):
                stamp.touch()


def send_results_alone(config: pytest.Config) -> None:
    """Send two messages of a test that passes, in place of six: to write and read six costs more than most tests do.

    Left out are that it starts and ends, which only `-vv` shows, and that what is before and after it passed, unless
    that printed anything or took as long as `--durations` shows.
    """
    if config.option.verbose > 0:
        return
    # Its module runs as the main one of this process, so that its class is no importable one.
    worker = next(each for each in config.pluginmanager.get_plugins() if type(each).__name__ == "WorkerInteractor")
    send, shown = worker.sendevent, config.option.durations_min
    shown = 0.005 if shown is None else shown

    def send_result(name: str, **values: Any) -> None:
        if name == "testreport" and (report := values["data"])["outcome"] == "passed":
            if report["when"] != "call" and report["duration"] < shown and not report["sections"]:
                return
            report["keywords"] = {}
        if name not in {"logstart", "logfinish"}:
            send(name, **values)

    worker.sendevent = send_result


def kernels_digest() -> str:
    """Of every source that has kernels, of Numba and of the processor: what kept kernels depend on."""
    parts = [version("numba"), get_host_cpu_name(), get_host_cpu_features().flatten()]
    for path in sorted((ROOT / "src").rglob("*.py")):
        if "@compiled" in (text := path.read_text(encoding="utf-8")):
            parts += [str(path), str(path.stat().st_mtime_ns), text]
    return sha256("\0".join(parts).encode()).hexdigest()


def pytest_collection() -> None:
    """What is collected stays: to search it for garbage again and again costs, then and in every test."""
    gc.disable()


def pytest_collection_finish() -> None:
    """No search looks any more at what was collected, and there are fewer: of 700 new objects, most tests make that many at once."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second worker begins at the end: what one has compiled of the test files of a fresh checkout, the other reads."""
    report = yield
    if isinstance(collector, pytest.Directory) and int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2:
        report.result.reverse()
    return report


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The slow tier reads no file that has none of its tests: two of three, in each worker."""
    is_test = collection_path.match("test_*.py") and collection_path.is_relative_to(ROOT)
    return True if config.option.markexpr == "slow" and is_test and not says_slow(collection_path) else None


@cache
def says_slow(path: Path) -> bool:
    """Whether a file of tests, a module of tests that it reads, or what prepares its folder says that something is slow."""
    read, left = {ROOT / "tests" / "conftest.py"}, [path, path.with_name("conftest.py")]
    while left:
        each = left.pop()
        if each in read or not each.is_file():
            continue
        if SLOWS.search(text := each.read_text(encoding="utf-8")):
            return True
        read.add(each)
        left += [ROOT / f"{name.replace('.', '/')}.py" for name in HELPERS.findall(text)]
    return False


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files first, all others by name; of a series, cases beyond the first few are in the slow tier.

    With the mark `cover`, the default tier has as few cases as have everything that each `parametrize` lists.

    A test with the mark `examples` is in both tiers: in the default tier with that many examples, in the slow tier with all.
    """
    cases: Counter[str] = Counter()
    covered: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if few := item.get_closest_marker("examples"):
            assert isinstance(item, pytest.Function)
            if DEFAULT_TIER in config.option.markexpr:
                limit_examples(item.function, few.args[0])
            else:
                item.add_marker(pytest.mark.slow)
        if series := item.get_closest_marker("series"):
            function = item.nodeid.partition("[")[0]
            cases[function] += 1
            if cases[function] > series.args[0]:
                item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("cover") and not item.get_closest_marker("slow"):
            assert isinstance(item, pytest.Function)
            covered[item.nodeid.partition("[")[0]].append(item)
    for each in covered.values():
        for item in beyond_cover(each):
            item.add_marker(pytest.mark.slow)
    slow = {item.path for item in items if item.get_closest_marker("slow") and item.path.is_relative_to(ROOT)}
    if unsaid := [path for path in slow if not says_slow(path)]:
        raise pytest.UsageError(f"the slow tier would not read {unsaid[0]}: say in it which of its tests are slow")
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: (places.get(item.path, len(LONG)), item.path))


def beyond_cover(items: list[pytest.Function]) -> list[pytest.Function]:
    """The cases of a test without the few that have together everything that each `parametrize` lists."""
    values = [set(enumerate(item.callspec._idlist)) for item in items]
    missing, rest = set[tuple[int, str]]().union(*values), list(range(len(items)))
    while missing:
        best = max(rest, key=lambda place: len(values[place] & missing))
        missing -= values[best]
        rest.remove(best)
    return [items[place] for place in rest]


def limit_examples(test: Any, count: int) -> None:
    """Let a test of Hypothesis draw fewer examples than its settings say."""
    full = test._hypothesis_internal_use_settings
    assert count <= full.max_examples
    test._hypothesis_internal_use_settings = settings(full, max_examples=count)


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keys and witnessed heads of tests lie in a folder of their own, never in that of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STARLING_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def end_shared_spark() -> None:
    """End the Spark that files share, where this process has started one."""
    if (spark := sys.modules.get("tests.spark")) is not None:
        spark.end_shared()


def pytest_sessionfinish() -> None:
    """No process and no folder stays."""
    end_shared_spark()
    if (everything := sys.modules.get("tests.server.pages.everything")) is not None:
        everything.end_crawled()


@pytest.fixture(scope="module", autouse=True)
def no_spark_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """A process has one Spark at a time: one that a file of tests leaves running is refused to the next file that this worker gets."""
    shares = request.path in {ROOT / "tests" / name for name in SPARK}
    if not shares:
        end_shared_spark()
    yield
    pyspark = sys.modules.get("pyspark")
    assert shares or pyspark is None or pyspark.SparkContext._active_spark_context is None


@pytest.fixture(scope="module")
def spark() -> Any:
    """Spark on this machine, which the files of SPARK share."""
    from tests.spark import shared

    return shared()


@pytest.fixture(scope="session", autouse=True)
def few_parts() -> Iterator[None]:
    """Two parts of the records of persons, not 16: each is a query, and `engine/test_by_person.py` shows that it changes no count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starling.engine.by_person.PARTS", 2)
        yield


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser, as Playwright drives it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra `test` installs it")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium on the PATH")
    with playwright.sync_playwright() as running:
        # Its sandbox refuses to run for root, as whom tests run in a container.
        opened = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data files that are not part of the project: STARLING_DATA, else ../shared/data."""
    folder = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no folder of public data: set STARLING_DATA to it")
    return folder
