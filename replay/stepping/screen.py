"""Stepping on a full screen: the board, what happened, and a line with the clocks."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.events import Key
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Input, Static

from replay.exits import Stopped, Unusable
from replay.judging.weighing import lines
from replay.stepping.walk import Sought, Walk

HELP = """\
→ ← n b    on and back
f l        to the first commit, the last
12 Enter   to version 12
s c r      to the next score, capture, ruling
S C R      to the one before
v V        look on as the next viewer, the one before:
           organizer, spectator, the seats
w          what if: is that command lawful here, what
           follows? In words, by its line in the list
           (#5), or as JSON; "seat 1: " before it
           names another sender
↑ ↓ , .    the board up, down, left, right
q          leave""".splitlines()
"""What the keys do, for a terminal of 60 columns too."""


def full_screen(walk: Walk) -> None:
    """Step through a match on the whole terminal, until it is left.

    Raises:
        Unusable: the terminal will not have it.
    """
    app = Stepper(walk)
    app.run()
    if app.return_code:
        raise Unusable("the full screen ended by a fault; TERM=dumb does without it")


class Stepper(App[None]):
    """A match on the whole terminal."""

    CSS = """
    .line { height: auto; background: $panel; padding: 0 1; }
    #field { height: 1fr; padding: 1 1 0 1; }
    #board { width: auto; height: auto; }
    #told { height: auto; max-height: 40vh; padding: 0 1; text-style: bold; }
    #notice { display: none; color: $warning; }
    #notice.said { display: block; }
    Keys { layout: grid; grid-columns: auto; grid-rows: 1; height: 2; }
    Ask { align: center bottom; }
    Ask Vertical { height: auto; background: $surface; border: round $primary; }
    Ask ScrollableContainer { height: auto; max-height: 60vh; padding: 0 1; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self._walk = walk

    def on_mount(self) -> None:
        """Show the match."""
        self.push_screen(Walking(self._walk))


class Walking(Screen[None]):
    """The match where one is, and the keys that lead on."""

    # Nothing here takes the focus, so that every key comes to these.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,h", "help", "help", key_display="?"),
        Binding("right,enter,space,n", "on(1)", "on", key_display="→"),
        Binding("left,b,p", "on(-1)", "back", key_display="←"),
        Binding("home,f", "to(1)", "first", key_display="f"),
        Binding("end,l", "to(0)", "last", key_display="l"),
        Binding("s", "seek('score', 1)", "score"),
        Binding("c", "seek('capture', 1)", "capture"),
        Binding("r", "seek('ruling', 1)", "ruling"),
        Binding("S", "seek('score', -1)", show=False),
        Binding("C", "seek('capture', -1)", show=False),
        Binding("R", "seek('ruling', -1)", show=False),
        Binding("v", "look_on(1)", "viewer"),
        Binding("V", "look_on(-1)", show=False),
        Binding("w", "what_if", "what if"),
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
        Binding("pageup", "move(0, -10)", show=False),
        Binding("pagedown", "move(0, 10)", show=False),
        Binding("comma,shift+left", "move(-8, 0)", show=False),
        Binding("full_stop,shift+right", "move(8, 0)", show=False),
        Binding("q,escape,ctrl+c", "leave", "leave", key_display="q"),
    ]

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self._walk = walk

    def compose(self) -> ComposeResult:
        """The match above, the board, what happened, why a key led nowhere, the place, the keys."""
        yield Static(id="title", classes="line", markup=False)
        with ScrollableContainer(id="field", can_focus=False):
            yield Static(id="board", markup=False)
        with ScrollableContainer(id="told", can_focus=False):
            yield Static(id="sentences", markup=False)
        yield Static(id="notice", classes="line", markup=False)
        yield Static(id="status", classes="line", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        """Show where one begins."""
        self._show()

    def _show(self, complaint: str | None = None) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(complaint or "")
        notice.set_class(complaint is not None, "said")
        if complaint is not None:
            return
        scene = self._walk.scene()
        shown = (scene.title, scene.board, "\n".join(scene.told), scene.status)
        for place, text in zip(("title", "board", "sentences", "status"), shown, strict=True):
            self.query_one(f"#{place}", Static).update(text)

    def on_key(self, event: Key) -> None:
        """A digit begins the number of a version."""
        if event.character is not None and event.character in "0123456789":
            event.stop()
            asks = f"To version (1 to {self._walk.history.last})"
            self.app.push_screen(Ask(asks, (), event.character, self._go_to))

    def _go_to(self, text: str) -> None:
        number = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        self._show(self._walk.to(number))

    def action_on(self, step: int) -> None:
        """On, or back."""
        self._show(self._walk.to(self._walk.version + step))

    def action_to(self, version: int) -> None:
        """To a version; 0 is the last."""
        self._show(self._walk.to(version or self._walk.history.last))

    def action_seek(self, sought: Sought, step: Literal[1, -1]) -> None:
        """To the next of what is sought, or the one before."""
        self._show(self._walk.seek(sought, step))

    def action_look_on(self, step: int) -> None:
        """As the next viewer, or the one before."""
        self._walk.look_on(step)
        self._show()

    def action_move(self, columns: int, rows: int) -> None:
        """The board so many columns and rows on."""
        self.query_one("#field").scroll_relative(columns, rows, animate=False)

    def action_what_if(self) -> None:
        """Ask for a command, and judge it here."""
        try:
            listed = self._walk.may_be_sent()
        except Stopped as stopped:
            self._show(stopped.message)
            return
        asks = (
            f"What if, after commit {self._walk.version}: words, a line of the list (#5), or JSON"
        )
        self.app.push_screen(Ask(asks, listed, "", self._judged))

    def _judged(self, text: str) -> Sequence[str]:
        try:
            return list(lines(self._walk.what_if(text), asked=True))
        except Stopped as stopped:
            return [stopped.message]

    def action_help(self) -> None:
        """What the keys do."""
        self.app.push_screen(Ask("What the keys do", HELP))

    def action_leave(self) -> None:
        """End."""
        self.app.exit()


class Keys(Footer):
    """The keys and what they do, in two rows: a terminal of 60 columns has no room for one."""

    def compose(self) -> ComposeResult:
        """Each key, six in a row."""
        yield from super().compose()
        self.styles.grid_size_columns = 6  # the footer's own is one row


class Ask(ModalScreen[None]):
    """Lines to read, and one to write where there is who takes it; None for an answer closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "close"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
    ]

    def __init__(
        self,
        asks: str,
        said: Sequence[str],
        start: str = "",
        take: Callable[[str], Sequence[str] | None] | None = None,
    ) -> None:
        super().__init__()
        self._asks, self._said, self._start, self._take = asks, said, start, take

    def compose(self) -> ComposeResult:
        """What is asked, what was said, the line to write."""
        with Vertical():
            yield Static(self._asks, classes="line", markup=False)
            with ScrollableContainer(can_focus=False):
                yield Static("\n".join(self._said), id="said", markup=False)
            if self._take is not None:
                yield Input(self._start, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say what is to be said of the line, or close."""
        said = self._take(event.value.strip()) if self._take else None
        if said is None:
            self.dismiss()
        else:
            self.query_one("#said", Static).update("\n".join(said))

    def action_move(self, rows: int) -> None:
        """What was said so many rows on."""
        self.query_one(ScrollableContainer).scroll_relative(0, rows, animate=False)
