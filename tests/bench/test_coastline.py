"""The coast of maps: every edge once, coast apart from borders, and the file as its form says."""

from itertools import pairwise

from bench.coastline import OUT, encoded, lines, varint, zigzag

LEFT = [(0, 0), (100, 0), (100, 100), (0, 100), (0, 0)]
RIGHT = [(100, 0), (250, 0), (250, 100), (100, 100), (100, 0)]


def test_what_two_countries_have_is_a_border_and_all_else_coast() -> None:
    found = list(lines([LEFT, RIGHT]))
    assert [line for border, line in found if border] == [[(100, 0), (100, 100)]]
    coast = [edge for border, line in found if not border for edge in pairwise(line)]
    assert len(coast) == len({frozenset(edge) for edge in coast}) == 6


def test_where_a_country_was_cut_at_the_antimeridian_is_no_coast() -> None:
    cut = [(18000, 0), (18000, 500), (17000, 500), (18000, 0)]
    (line,) = lines([cut])
    assert len(line[1]) == 3


def test_numbers_take_seven_bits_a_byte() -> None:
    assert (varint(127), varint(128), zigzag(-1), zigzag(1)) == (b"\x7f", b"\x80\x01", b"\x01", b"\x02")
    assert encoded([(True, [(1, 0), (3, -1)])]) == bytes([2 * 2 + 1, 2, 0, 4, 1])


def test_the_file_in_the_package_is_whole_and_small() -> None:
    data = OUT.read_bytes()
    assert len(data) < 30_000
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    at = borders = points = 0
    while at < len(numbers):
        many, border = divmod(numbers[at], 2)
        x = y = 0
        for step in range(many):
            x, y = (
                old + (new >> 1 ^ -(new & 1)) for old, new in zip((x, y), numbers[at + 1 + 2 * step :][:2], strict=True)
            )
            assert abs(x) <= 18000
            assert abs(y) <= 9000
        at += 1 + 2 * many
        borders, points = borders + border, points + many
    assert at == len(numbers)
    assert (borders, points) == (324, 8095)
