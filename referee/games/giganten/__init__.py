from referee.core.game import Game
from referee.core.ruling import rulings_of
from referee.games.giganten import events, rules, sample, setup, types
from referee.games.giganten.shown import svg, text, words

GAME = Game(
    id="giganten",
    version=1,
    title="Giganten",
    about="Hidden dinosaurs on land and swamp, for 2 or for 4 in teams: take the enemy's nest.",
    players=(2, 4),
    options=types.Options,
    state=types.State,
    commands=rules.COMMANDS,
    events=events.EVENTS,
    rulings=rulings_of(__name__),
    faults=setup.faults,
    start=setup.start,
    deal=setup.deal,
    to_act=rules.to_act,
    outcome=rules.outcome,
    leave=events.leave,
    after_leaving=rules.after_leaving,
    draw_score=rules.DRAWN,
    text=text.text,
    svg=svg.svg,
    tell=words.tell,
    moments=words.MOMENTS,
    chapter=words.chapter,
    vary=setup.vary,
    sample=sample.sample,
)
