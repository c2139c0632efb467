"""Sums of errors add up, and size classes have words."""

from starling.tables.evaluate.errors import SIZE_NAMES, SIZES, Errors


def test_errors_add_up() -> None:
    one, two = Errors(1, -3.0, 3.0, 9.0, 4.0, 0), Errors(3, 3.0, 5.0, 11.0, 12.0, 3)
    both = one + two
    assert both == Errors(4, 0.0, 8.0, 20.0, 16.0, 3)
    assert (both.bias, both.mean_absolute, both.root_mean_square, both.stated, both.coverage) == (0, 2, 5**0.5, 2, 0.75)
    assert Errors().coverage == 0


def test_every_size_class_is_named_by_where_it_begins() -> None:
    assert SIZE_NAMES[0] == "empty"
    for size, words in zip(SIZES[1:], SIZE_NAMES[1:], strict=True):
        assert words.startswith(f"{size:,} ")
