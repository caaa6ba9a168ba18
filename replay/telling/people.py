"""Who is who: names in logs, and what stands for them in answers."""

import csv
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click

_KEY: Final = "replay.people"
_HEADING: Final = ["name", "person"]


@dataclass
class People:
    """What names in logs become: the persons whose pseudonyms they are, or nobody's."""

    names: Mapping[str, str] = field(default_factory=dict)
    anonymous: bool = False
    _players: dict[str, int] = field(default_factory=dict)

    def seat(self, name: str, seat: int) -> str:
        """What stands for a seat's name in what is told of a match."""
        return f"seat {seat}" if self.anonymous else self.names.get(name, name)

    def seats(self, names: Sequence[str]) -> list[str]:
        """What stands for the names of all seats."""
        return [self.seat(name, seat) for seat, name in enumerate(names)]

    def player(self, name: str) -> str:
        """What stands for a name over many matches: the same for the same.

        >>> anonymous = People(anonymous=True)
        >>> anonymous.player("Ann"), anonymous.player("Bo"), anonymous.player("Ann")
        ('player 1', 'player 2', 'player 1')
        """
        if self.anonymous:
            return f"player {self._players.setdefault(name, len(self._players) + 1)}"
        return self.names.get(name, name)

    def renamed(self, value: Any) -> Any:
        """A JSON value (a view, an event, a command) with the names of its seats changed."""
        if not self.names and not self.anonymous:
            return value
        if isinstance(value, list):
            return [self.renamed(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        return {
            key: self._renamed_seats(entry) if key == "seats" else self.renamed(entry)
            for key, entry in value.items()
        }

    def _renamed_seats(self, seats: Any) -> Any:
        if not isinstance(seats, list):
            return self.renamed(seats)
        return [
            {**seat, "name": self.seat(seat["name"], number)} if _is_named(seat) else seat
            for number, seat in enumerate(seats)
        ]


def _is_named(seat: Any) -> bool:
    return isinstance(seat, dict) and isinstance(seat.get("name"), str)


def people() -> People:
    """What this command was told by `--names` and `--anonymous`."""
    context = click.get_current_context(silent=True)
    return People() if context is None else context.meta.setdefault(_KEY, People())


def names_people(command: click.Command) -> click.Command:
    """A command with `--names` and `--anonymous`, which every command takes."""
    file = click.Path(path_type=Path)
    command.params += [
        click.Option(
            ["--names"],
            type=file,
            callback=_read_names,
            expose_value=False,
            metavar="FILE",
            help="Call players by the persons of this CSV file: name in the log, person.",
        ),
        click.Option(
            ["--anonymous"],
            is_flag=True,
            callback=_hide_names,
            expose_value=False,
            help="Call players by their seats alone, or by numbers.",
        ),
    ]
    return command


def _read_names(_context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    from replay.sources.files import read_whole  # noqa: PLC0415 - heavy, and not for `--help`

    data = read_whole(path)
    try:
        lines = StringIO(data.decode("utf-8-sig"), newline="")
        rows = [list(map(_normal, row)) for row in csv.reader(lines) if row]
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{path}: is not encoded in UTF-8") from error
    except csv.Error as error:
        raise click.BadParameter(f"{path}: {error}") from error
    for number, row in enumerate(rows, 1):
        if len(row) != len(_HEADING):
            raise click.BadParameter(
                f"{path}: row {number} is not a name and a person, with a comma between"
            )
    people().names = {name: person for name, person in rows if [name, person] != _HEADING}


def _normal(text: str) -> str:
    """A name as logs hold it."""
    return unicodedata.normalize("NFC", text).strip()


def _hide_names(_context: click.Context, _option: click.Parameter, anonymous: bool) -> None:  # noqa: FBT001
    people().anonymous = anonymous
