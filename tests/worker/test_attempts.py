"""What became of attempts is kept for all workers, and no file of it stops another job."""

from pathlib import Path

from starling.worker.attempts import FAILURES_UNTIL_PARKED, Attempt, Attempts


def test_a_job_is_parked_after_so_many_failures(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path / "jobs")
    assert attempts.find(7) == Attempt()
    attempts.refused(7, "not accepted")
    for failures in range(1, FAILURES_UNTIL_PARKED + 1):
        assert not attempts.find(7).parked
        assert attempts.failed(7, "died") == Attempts(tmp_path / "jobs").find(7) == Attempt(failures, "died")
    assert attempts.find(7).parked
    attempts.forget(7)
    assert attempts.find(7) == Attempt()


def test_a_file_that_is_not_as_written_parks_its_own_job_alone(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path / "jobs")
    attempts.failed(7, "died")
    (tmp_path / "jobs" / "7.json").write_text("[1]")
    assert attempts.find(7).parked
    assert not attempts.find(8).parked
    attempts.forget(7)
    assert not attempts.find(7).parked


def test_one_worker_at_a_time_runs_a_job(tmp_path: Path) -> None:
    first, second = Attempts(tmp_path / "jobs"), Attempts(tmp_path / "jobs")
    mark = first.begin(7)
    assert mark is not None
    assert second.begin(7) is None
    assert second.is_running(7)
    assert not second.is_running(8)
    first.end(7, mark)
    assert not second.is_running(7)
    other = second.begin(7)
    assert other is not None
    second.end(7, other)
