from referee.core.game import Game
from referee.core.ruling import rulings_of
from referee.games.dragon_dance import events, rules, setup, types
from referee.games.dragon_dance.shown import svg, text, words

GAME = Game(
    id="dragon-dance",
    version=1,
    title="Dragon Dance",
    about="Cards laid on cards of the same colours, for 2 to 5: out first, with a dragon's head.",
    players=range(2, 6),
    options=types.Options,
    state=types.State,
    commands=rules.COMMANDS,
    events=events.EVENTS,
    rulings=rulings_of(__name__),
    ranking=("match-win",),
    faults=setup.faults,
    start=setup.start,
    deal=setup.deal,
    to_act=rules.to_act,
    outcome=rules.outcome,
    leave=events.leave,
    after_leaving=rules.after_leaving,
    piles=setup.PILES,
    text=text.text,
    svg=svg.svg,
    tell=words.tell,
    moments=words.MOMENTS,
    vary=setup.vary,
)
