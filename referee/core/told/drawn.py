"""A match drawn for people: by its game, or before the deal as an empty board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.core.told.reading import View, at_rest, waited_for
from referee.core.told.safe import cut, room
from referee.core.told.svg import document, el

if TYPE_CHECKING:
    from referee.core.game import Game

NAME: Final = 24
_WIDEST: Final = 100
_SIZE: Final = 16
_EDGE: Final = 40
_HIGH: Final = 240


def text(game: Game, view: View) -> str:
    """A view for a terminal."""
    return _awaited(view) if view["state"] is None else game.text(view)


def svg(game: Game, view: View) -> str:
    """A view as a picture."""
    if view["state"] is not None:
        return game.svg(view)
    words = _awaited(view)
    wide = round(room(words, _SIZE)) + 2 * _EDGE
    frame = {"x": 2, "y": 2, "width": wide - 4, "height": _HIGH - 4, "rx": 12}
    board = el("rect", fill="#f6f1e5", stroke="#8a7a5a", stroke_width=2, **frame)
    line = el("text", words, x=wide // 2, y=_HIGH // 2, text_anchor="middle", fill="#3d3424")
    return document(wide, _HIGH, words, board, line, font_family="sans-serif", font_size=_SIZE)


def _awaited(view: View) -> str:
    """Why nothing is dealt, on one line."""
    waiting = f"Nothing is dealt yet: the entropy of {waited_for(view, NAME)} is awaited."
    return cut(at_rest(view, NAME) or waiting, _WIDEST)
