from importlib.resources import files

from referee.core.game import Game, apart_at
from referee.core.ruling import parse_rulings
from referee.games.dancing_villager import folds, rules, setup, trials
from referee.games.dancing_villager.admission import ADMISSION, malformed, to_act
from referee.games.dancing_villager.pictures import svg, text
from referee.games.dancing_villager.types import Options, State
from referee.games.dancing_villager.words import tell

GAME = Game(
    id="dancing-villager",
    version=1,
    title="Dancing Villager",
    about="Villagers for dice: count the roll, then be first at the dogs or at the bonfire.",
    players=range(2, 5),
    options=Options,
    state=State,
    commands=rules.COMMANDS,
    events=folds.EVENTS,
    rulings=parse_rulings((files(__name__) / "rulings.toml").read_text("utf-8")),
    complete=setup.complete,
    start=setup.start,
    to_act=to_act,
    outcome=rules.outcome,
    leave=rules.leave,
    after_leaving=apart_at(rules.roll_if_due),
    admission=ADMISSION,
    malformed=malformed,
    draws=rules.draws,
    deadline=rules.deadline,
    overdue=rules.overdue,
    stamped=folds.stamped,
    resumed=rules.resumed,
    after_resume=apart_at(rules.roll_if_due),
    waits_while_paused=True,
    reveals=rules.reveals,
    text=text,
    svg=svg,
    tell=tell,
    vary=trials.vary,
    demo_options={"window_ms": 400, "max_rounds": 4},
    sample=trials.sample,
)
