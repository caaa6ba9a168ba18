from referee.core.game import Game
from referee.core.ruling import rulings_of
from referee.games.giants_dance import events, rules, setup, types
from referee.games.giants_dance.shown import svg, text, words

GAME = Game(
    id="giants-dance",
    version=1,
    title="The Giants' Dance",
    about="Giants parade through the streets of Dendermonde and outdo each other's dances.",
    players=range(2, 6),
    options=types.Options,
    completed=types.Completed,
    state=types.State,
    commands=rules.COMMANDS,
    events=events.EVENTS,
    rulings=rulings_of(__name__),
    ranking=("winner",),
    faults=setup.faults,
    complete=setup.complete,
    start=setup.start,
    deal=setup.deal,
    piles=setup.PILES,
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
