from importlib.resources import files

from referee.core.game import Game, apart_at
from referee.core.ruling import parse_rulings
from referee.games.giants_dance import folds, pictures, rules, scoring, setup, types, words

GAME = Game(
    id="giants-dance",
    version=1,
    title="The Giants' Dance",
    about="Giants parade through the streets of Dendermonde and outdo each other's dances.",
    players=range(2, 6),
    options=types.Options,
    state=types.State,
    commands=rules.COMMANDS,
    events=folds.FOLDS,
    rulings=parse_rulings(files(__name__).joinpath("rulings.toml").read_text("utf-8")),
    complete=setup.complete,
    start=setup.start,
    deal=apart_at(setup.deal),
    draws=setup.draws,
    to_act=rules.to_act,
    outcome=scoring.outcome,
    leave=rules.leave,
    after_leaving=apart_at(rules.after_leaving),
    reveals=scoring.reveals,
    text=pictures.text,
    svg=pictures.svg,
    tell=words.tell,
    vary=setup.vary,
)
