"""The process that reads a .pgen may die: no byte of a file ends a run, and a kill changes no result."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from starling.errors import RunFailed, SourceError
from starling.genome import publish
from starling.genome.arrays import Int64
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, pgen, validate
from starling.genome.source import read as read_genotypes
from starling.genome.source.calls import copies
from starling.genome.source.pgen import PgenCalls, open_pgen
from starling.release.payment import PaymentOptions
from starling.release.pipeline import Listener
from tests.conftest import ROOT
from tests.genome.plink import plink
from tests.genome.studies import a_study, plan_of, write_bed
from tests.genome.worlds import QUESTIONS, a_world

PEOPLE, VARIANTS = 8, 30
LIBRARY = """
import os, signal
from pathlib import Path

class PgenReader:
    def __init__(self, path, raw_sample_ct, variant_ct, allele_idx_offsets=None):
        pass

    def read(self, row, out, allele):
        here = Path(__file__).parent / str(row)
        if here.exists():
            what = here.read_text()
            if what == "once":
                here.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            if what == "loop":
                signal.setitimer(signal.ITIMER_PROF, 0.05)
                while True:
                    pass
            if what == "exit":
                os._exit(3)
            if what == "raise":
                out[:] = 2
                raise RuntimeError("here")
            os.kill(os.getpid(), int(what))
        out[:] = row % 3
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pgenlib that dies at the variants that have a file."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "pgenlib.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "pgenlib", raising=False)
    return folder


def read(reader: PgenCalls, rows: int = VARIANTS) -> tuple[dict[int, list[int]], list[int]]:
    """The calls of each variant, and the variants that were passed over."""
    seen: dict[int, list[int]] = {}
    passed: list[int] = []
    for calls, lost in reader.chunks(np.arange(rows), np.arange(rows), np.ones(rows, dtype=np.int64)):
        seen.update(zip(calls.snps.tolist(), copies(calls.packed, PEOPLE).tolist(), strict=True))
        passed += lost.tolist()
    return seen, passed


ENDS = [str(int(number)) for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGKILL)]


@pytest.mark.series(1)
@pytest.mark.parametrize("calls", [PEOPLE, 7 * PEOPLE, 1 << 20])
def test_a_variant_at_which_the_library_dies_is_passed_over(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    monkeypatch.setattr(pgen, "CALLS", calls)
    ends = dict(zip((0, 3, 4, 13, 14, 20, 29), [*ENDS, "loop", "exit", "raise"], strict=True))
    for row, end in ends.items():
        (library / str(row)).write_text(end)
    reader = PgenCalls(tmp_path / "x.pgen", PEOPLE, np.full(VARIANTS, 2))
    for _ in range(2):
        seen, passed = read(reader)
        assert passed == list(ends)
        assert seen == {row: [-1 if row in ends else row % 3] * PEOPLE for row in range(VARIANTS)}


@pytest.mark.slow
def test_a_kill_changes_no_result(library: Path, tmp_path: Path) -> None:
    reader = PgenCalls(tmp_path / "x.pgen", PEOPLE, np.full(VARIANTS, 2))
    whole = read(reader)
    for row in range(VARIANTS):
        (library / str(row)).write_text("once")
    assert read(reader) == whole
    assert not (library / "7").exists(), "somebody killed it there"


@pytest.mark.slow
def test_a_library_that_always_dies_ends(library: Path, tmp_path: Path) -> None:
    for row in range(130):
        (library / str(row)).write_text(ENDS[0])
    reader = PgenCalls(tmp_path / "x.pgen", PEOPLE, np.full(200, 2))
    assert read(reader, 200)[1] == list(range(200))


@pytest.mark.slow
def test_it_knows_no_secret_and_ends_with_who_started_it(library: Path, tmp_path: Path) -> None:
    code = f"""
    import os, numpy as np
    from pathlib import Path
    from starling.genome.source.pgen import PgenCalls
    reader = PgenCalls(Path({str(tmp_path / "x.pgen")!r}), 8, np.full(30, 2))
    pid = reader._process.pid
    print(pid, Path(f"/proc/{{pid}}/task/{{pid}}/children").read_text(), flush=True)
    print("hidden" in Path(f"/proc/{{pid}}/environ").read_text(), flush=True)
    os.kill(os.getpid(), 9)
    """
    done = subprocess.run(
        # The program is standard input, so that there is no file that a child could import.
        [sys.executable, "-"],
        input=textwrap.dedent(code),
        env={**os.environ, "STARLING_TOKEN": "hidden", "PYTHONPATH": f"{library}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids, secret = done.stdout.splitlines()
    assert secret == "False"
    numbers = [int(pid) for pid in pids.split()]
    assert len(numbers) == 2
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in numbers):
            return
        time.sleep(0.1)
    pytest.fail("it is still there")


def test_it_ends_with_the_last_use(library: Path, tmp_path: Path) -> None:
    reader = PgenCalls(tmp_path / "x.pgen", PEOPLE, np.full(VARIANTS, 2))
    process = reader._process
    del reader
    assert process.returncode == 0


@pytest.mark.slow
def test_a_reading_that_was_broken_off_leaves_nothing(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pgen, "CALLS", 4 * PEOPLE)
    reader = PgenCalls(tmp_path / "x.pgen", PEOPLE, np.full(VARIANTS, 2))
    first = reader.chunks(np.arange(VARIANTS), np.arange(VARIANTS), np.ones(VARIANTS, dtype=np.int64))
    next(first)
    first.close()
    assert read(reader)[0] == {row: [row % 3] * PEOPLE for row in range(VARIANTS)}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    folder = tmp_path_factory.mktemp("real")
    study = a_study(snps=VARIANTS, people=PEOPLE)
    plink("plink2", "--bfile", write_bed(study, folder / "b"), "--make-pgen", "--out", folder / "x")
    return folder / "x.pgen", plan_of(study, folder)


def test_its_end_after_the_charge_is_one_sentence_and_a_retry_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = a_world(tmp_path / "world")
    plink("plink2", "--bfile", world.prefix, "--make-pgen", "--out", tmp_path / "x")
    plan = Plan.load(world.prefix.parent / "plan.toml")
    opened: list[PgenCalls] = []

    def kept(path: Path, people: int, alleles: Int64, *, dosages: bool) -> PgenCalls:
        opened.append(PgenCalls(path, people, alleles, dosages=dosages))
        return opened[-1]

    monkeypatch.setattr(pgen, "PgenCalls", kept)
    payment = PaymentOptions(ledger=world.ledger, dataset="t2d", analyst="ann", request_id="r", unvalidated=True)

    def end(_: str) -> None:
        os.killpg(opened[-1]._process.pid, signal.SIGKILL)

    def ask(listener: Listener) -> publish.Answered:
        return publish.release(
            plan, QUESTIONS["explore"], tmp_path / "x.pgen", tmp_path / "out", payment=payment, listener=listener
        )

    with pytest.raises(RunFailed) as failed:
        ask(Listener(charged=end))
    assert str(failed.value) == str(RunFailed())
    spent = world.ledger.reading.account("patients").caps[0].spent
    assert spent > 0
    assert ask(Listener()).receipt is not None
    assert world.ledger.reading.account("patients").caps[0].spent == spent


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.parametrize(("seed", "mutants"), [(11, 8), (12, 24)])
def test_no_bytes_make_reading_fail(real: tuple[Path, Plan], tmp_path: Path, seed: int, mutants: int) -> None:
    """The library itself, given records and headers that were changed: refused before a charge, or every SNP once."""
    path, _ = real
    content = path.read_bytes()
    random = np.random.default_rng(seed)
    refused = passed = 0
    for _ in range(mutants):
        mutant = bytearray(content)
        for _ in range(int(random.integers(1, 4))):
            mutant[int(random.integers(12 if random.random() < 0.8 else 0, len(mutant)))] = int(random.integers(0, 256))
        changed = tmp_path / "x.pgen"
        changed.write_bytes(bytes(mutant))
        try:
            _, reader = open_pgen(changed, PEOPLE, np.full(VARIANTS, 2))
        except SourceError:
            refused += 1
            continue
        seen, lost = read(reader)
        passed += bool(lost)
        assert sorted(seen) == list(range(VARIANTS))
    assert refused
    assert refused < mutants


def test_validate_names_what_was_passed_over(library: Path, real: tuple[Path, Plan]) -> None:
    path, plan = real
    (library / "3").write_text(ENDS[0])
    faults = validate(plan, open_genotypes(path, plan)).value.problems
    assert faults.by_field["malformed records"] == 1
    assert [str(one).split(";")[0] for one in faults.listed if "malformed" in one.field] == [
        "x.pgen: malformed records of rs4 cannot be read"
    ]


def test_variants_of_several_alleles_are_read(tmp_path: Path) -> None:
    """One outside the list refuses nothing; one of the list counts the allele that the list carries."""
    study = a_study(snps=4, people=6, missing=0)
    plan = plan_of(study, tmp_path)
    header = '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    people = "\t".join(f"p{row}" for row in range(6))
    lines = [f"{header}#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{people}\n"]
    for row, (name, (place, position), (first, second)) in enumerate(
        zip(study.ids, study.places, study.alleles, strict=True)
    ):
        more = ("ACGT".replace(first, "").replace(second, "")[0] + ",") if row % 2 else ""
        carried = 2 if more else 1
        calls = "\t".join(f"{carried * (copy > 0)}/{carried * (copy > 1)}" for copy in study.copies[row])
        lines.append(f"{place}\t{position}\t{name}\t{second}\t{more}{first}\t.\t.\t.\tGT\t{calls}\n")
        lines.append(
            f"{place}\t{position + 1}\tother{row}\tA\tC,G,T\t.\t.\t.\tGT\t" + "\t".join(["1/2", "3/0"] * 3) + "\n"
        )
    (tmp_path / "x.vcf").write_text("".join(lines))
    plink("plink2", "--vcf", tmp_path / "x.vcf", "--make-pgen", "--out", tmp_path / "x")
    (tmp_path / "x.psam").write_text("#IID CAD\n" + "".join(f"p{row} {1 + row % 2}\n" for row in range(6)))
    genotypes = open_genotypes(tmp_path / "x.pgen", plan)
    seen: dict[int, list[int]] = {}
    for chunk in read_genotypes(genotypes, plan, lambda each: each):
        assert not chunk.second.any()
        seen.update(zip(chunk.snps.tolist(), copies(chunk.packed, 6).tolist(), strict=True))
    assert seen == {row: list(copy) for row, copy in enumerate(study.copies)}
