"""`replay show`: the board at a version, as somebody saw it."""

import click

from replay.options import as_json, as_viewer, at_version, one_source
from replay.telling.history import end_on, open_history
from replay.telling.output import answer
from replay.telling.scenes import picture
from replay.telling.times import in_zone


@click.command()
@one_source
@at_version("The version to show; the last where it is not given.")
@as_viewer
@in_zone
@as_json
def show(source: str, *, at: int | None, viewer: str, as_json: bool) -> None:
    """Print the board and hands at a version, as a viewer saw them."""
    history = open_history(source)
    match = history.match(history.version(at))
    view = history.view(match, history.viewer(viewer))
    answer(view, picture(history, view, match.at), as_json=as_json)
    end_on(history.log)
