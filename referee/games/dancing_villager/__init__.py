from importlib.resources import files

from referee.core.game import Game
from referee.core.ruling import parse_rulings
from referee.games.dancing_villager import course_of_play, events, rules, sample, setup, types
from referee.games.dancing_villager.shown import svg, text, words

GAME = Game(
    id="dancing-villager",
    version=1,
    title="Dancing Villager",
    about="Villagers for dice: count the roll, then be first at the dogs or at the bonfire.",
    players=range(2, 5),
    options=types.Options,
    completed=types.Completed,
    state=types.State,
    commands=rules.COMMANDS,
    events=events.EVENTS,
    rulings=parse_rulings(files(__name__).joinpath("rulings.toml").read_text("utf-8")),
    ranking=("ranking",),
    faults=setup.faults,
    complete=setup.complete,
    start=setup.start,
    to_act=course_of_play.to_act,
    outcome=course_of_play.outcome,
    leave=events.leave,
    after_leaving=course_of_play.roll_if_due,
    admission=rules.ADMISSION,
    malformed=rules.malformed,
    deadline=course_of_play.deadline,
    overdue=course_of_play.overdue,
    stamped=events.stamped,
    resumed=events.resumed,
    after_resume=course_of_play.roll_if_due,
    waits_while_paused=True,
    text=text.text,
    svg=svg.svg,
    tell=words.tell,
    moments=words.MOMENTS,
    vary=setup.vary,
    demo_options={"window_ms": 400, "max_rounds": 4},
    sample=sample.sample,
)
