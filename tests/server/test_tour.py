"""The address of a tour signs in once, and its secret is kept nowhere."""

from pathlib import Path

from starling.server.tour import BEGIN, Tour, begin_tour, read_tour, write_tour

TOUR = Tour("first", "second", "third")


def test_the_address_works_once_of_two_that_come_together(tmp_path: Path) -> None:
    secret = write_tour(tmp_path, TOUR, "ada")
    assert read_tour(tmp_path) == TOUR
    assert secret not in (tmp_path / BEGIN).read_text()
    assert (tmp_path / BEGIN).stat().st_mode & 0o077 == 0
    assert [begin_tour(tmp_path, each) for each in ("", "x" * 32, secret, secret)] == [None, None, "ada", None]
