from referee.core.game import Game
from referee.core.ruling import rulings_of
from referee.games.giro_galoppo import events, rules, setup, types
from referee.games.giro_galoppo.shown import svg, text, words

GAME = Game(
    id="giro-galoppo",
    version=1,
    title="Giro Galoppo",
    about="A steeplechase for 2 to 5: cards laid face down, horses pushed back, a line to cross.",
    players=range(2, 6),
    options=types.Options,
    completed=types.Completed,
    state=types.State,
    commands=rules.COMMANDS,
    events=events.EVENTS,
    rulings=rulings_of(__name__),
    ranking=("placing",),
    faults=setup.faults,
    complete=setup.complete,
    start=setup.start,
    to_act=rules.to_act,
    outcome=rules.outcome,
    leave=events.leave,
    after_leaving=rules.after_leaving,
    text=text.text,
    svg=svg.svg,
    tell=words.tell,
    moments=words.MOMENTS,
    chapter=words.chapter,
    vary=setup.vary,
)
