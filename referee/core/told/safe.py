"""Untrusted text made fit to show: in a terminal, in a sentence, in a picture.

Names come from clients and match files from anywhere: nothing in them may move a cursor, turn
the direction of writing, break a line or a table, or become markup.
"""

import unicodedata
from functools import lru_cache
from html import escape
from typing import Final

import wcwidth

ELLIPSIS: Final = "…"

_FILLERS: Final = dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " ")
"""Letters and symbols that show as nothing at all, taken for the blanks that they look like."""

_BROAD: Final = frozenset("MWmw@%…")
_SLIM: Final = frozenset("fijlt .,:;'!|")


# ── Made safe ─────────────────────────────────────────────────────────────────────────────────────


def clean(text: str) -> str:
    r"""Text on one line: control and format characters out, runs of white space to one blank.

    Format characters are, among others, all that turn the direction of writing and those of no
    width. Only letters, marks, numbers, punctuation, symbols and single blanks are left.

    >>> clean("Ann\x1b[31m \u202e Bee\n")
    'Ann[31m Bee'
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    spaced = "".join(" " if sign.isspace() else sign for sign in text.translate(_FILLERS))
    return " ".join(_shown(spaced).split())


def clean_lines(text: str) -> str:
    r"""A drawing of several lines with nothing in it that a terminal would obey.

    Blanks stay as they are.

    >>> clean_lines("+--+\n|\x1b[2J  |")
    '+--+\n|[2J  |'
    """
    return "\n".join(_shown(line) for line in text.split("\n"))


def called(name: str, seat: int) -> str:
    """What a seat is called: its name, clean, or its number where nothing of it would show.

    >>> called("Ann", 0), called(chr(0x200B), 1)
    ('Ann', 'seat 1')
    """
    safe = clean(name)
    return safe if columns(safe) else f"seat {seat}"


def xml(text: str) -> str:
    r"""Text for the content or a quoted attribute of XML, SVG or HTML.

    Its markup is escaped, and what XML 1.0 knows no character for is left out.

    >>> xml("<b> & \x00'Bo'")
    '&lt;b&gt; &amp; &#x27;Bo&#x27;'
    """
    if text.isprintable():
        return escape(text)
    return escape("".join(filter(_is_xml, text)))


def _shown(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(sign for sign in text if not _is_obeyed(unicodedata.category(sign)))


def _is_obeyed(category: str) -> bool:
    """Control, format, surrogate, private, unassigned; separators of lines and paragraphs."""
    return category.startswith("C") or category in {"Zl", "Zp"}


def _is_xml(sign: str) -> bool:
    surrogate = "\ud800" <= sign <= "\udfff"
    return sign in "\t\n\r" or (sign >= " " and not surrogate and sign not in "\ufffe\uffff")


# ── In a terminal ─────────────────────────────────────────────────────────────────────────────────


def columns(text: str) -> int:
    """How many columns of a terminal clean text takes: two for a wide sign, none for a mark.

    >>> columns("red"), columns("犬"), columns("e" + chr(0x301))
    (3, 2, 1)
    """
    return len(text) if text.isascii() else wcwidth.width(text, control_codes="ignore")


def cut(text: str, width: int) -> str:
    """Clean text in at most `width` ≥ 1 columns, its end replaced by an ellipsis if need be.

    >>> cut("Annabella", 6), cut("Bo", 6)
    ('Annab…', 'Bo')
    """
    if columns(text) <= width:
        return text
    return wcwidth.clip(text, 0, width - 1, fillchar="", control_codes="ignore") + ELLIPSIS


def fit(text: str, width: int) -> str:
    """Clean text cut or filled up with blanks to exactly `width` ≥ 1 columns.

    >>> fit("Annabella", 6), fit("Bo", 6)
    ('Annab…', 'Bo    ')
    """
    short = cut(text, width)
    return short + " " * (width - columns(short))


# ── In a picture ──────────────────────────────────────────────────────────────────────────────────


def room(text: str, size: float) -> float:
    """About how wide text gets in a picture, in bold type of a size: rather more than less."""
    return size * sum(map(_ems, text))


@lru_cache(maxsize=1 << 10)
def narrowed(text: str, size: float, most: float) -> str:
    """Text that takes at most the room `most`, its end replaced by an ellipsis if need be.

    >>> narrowed("Rumpelstiltskin", 10, 60), narrowed("WWWWWWWW", 10, 60), narrowed("Bo", 10, 60)
    ('Rumpel…', 'WWWW…', 'Bo')
    """
    if room(text, size) <= most:
        return text
    while text and room(text + ELLIPSIS, size) > most:
        text = text[:-1]
    return text + ELLIPSIS


def _ems(sign: str) -> float:
    """About how wide a sign is in a broad bold type, in sizes of the type."""
    wide = columns(sign)
    if wide != 1:
        return 0.55 * wide
    if sign in _BROAD:
        return 1.1
    if sign in _SLIM:
        return 0.46
    return 0.72 if sign.isascii() and not sign.isupper() else 0.86
