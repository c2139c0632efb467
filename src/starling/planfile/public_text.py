"""Public CSV files that a plan names: UTF-8 with commas, or as `[format]` of the plan says its records.

A file is taken as the format says where it is not UTF-8, or where the first line has the format's separator and no comma. So a plan may
name the office's own file beside records of the same habits, and a plan whose public files are plain reads them as ever.
"""

from starling.text_format import PLAIN, TextFormat


def public_text(data: bytes, form: TextFormat = PLAIN) -> tuple[str, str]:
    """The text of a public file and the mark between its fields.

    Args:
        data: The file, or its beginning.
        form: The format of the plan.

    Raises:
        UnicodeDecodeError: it is neither UTF-8 nor in the encoding of the format.

    >>> public_text("größe;text".encode("cp1252"), TextFormat(";", encoding="cp1252"))
    ('größe;text', ';')
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text or "\x00" in text:
        text = data.decode(form.encoding).removeprefix("\ufeff")
    return text, mark_of(text, form)


def mark_of(text: str, form: TextFormat) -> str:
    """The mark between fields of a text, as its first line has it."""
    header = text.partition("\n")[0]
    return form.mark if form.mark in header and "," not in header else ","
