"""A toy game, for tests: what a new game adds, and that it edits nothing."""

from referee.core.game import Game
from referee.core.ruling import rulings_of
from tests.toy_game import rules, types

GAME = Game(
    id="pebbles",
    version=1,
    title="Pebbles",
    about="Pebbles in fists, and a guess.",
    players=range(2, 4),
    options=types.Options,
    state=types.State,
    commands=rules.COMMANDS,
    events=rules.EVENTS,
    rulings=rulings_of(__name__),
    start=rules.start,
    deal=rules.deal,
    to_act=rules.to_act,
    outcome=rules.outcome,
    leave=rules.leave,
    after_leaving=rules.after_leaving,
    draw_score=0.5,
    text=rules.text,
    svg=rules.svg,
    tell=rules.tell,
    vary=rules.vary,
    sample=rules.sample,
)
