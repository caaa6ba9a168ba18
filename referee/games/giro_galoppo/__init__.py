from importlib.resources import files

from referee.core.game import CommandRules, Game
from referee.core.ruling import parse_rulings
from referee.games.giro_galoppo import pictures, rules, setup, types, words

GAME = Game(
    id="giro-galoppo",
    version=1,
    title="Giro Galoppo",
    about="A steeplechase for 2 to 5: cards laid face down, horses pushed back, a line to cross.",
    players=range(2, 6),
    options=types.Options,
    state=types.State,
    commands=(
        CommandRules(
            command=types.PlaceObstacle,
            phases=frozenset({"obstacles"}),
            rulings=(
                rules.on_sand,
                rules.one_a_space,
                rules.with_a_gap,
                rules.two_late,
                rules.room_for_the_rest,
            ),
            decide=rules.place_obstacle,
            forms=rules.obstacle_forms,
        ),
        CommandRules(
            command=types.ChooseCard,
            phases=frozenset({"race"}),
            rulings=(rules.from_the_hand,),
            decide=rules.choose_card,
            forms=rules.card_forms,
        ),
    ),
    events={
        types.ObstaclePlaced: rules.obstacle_placed,
        types.CardChosen: rules.card_chosen,
        types.CardsShown: rules.cards_shown,
        types.HorseMoved: rules.horse_moved,
        types.HandsReturned: rules.hands_returned,
        types.RaceOver: rules.race_over,
    },
    rulings=parse_rulings(files(__name__).joinpath("rulings.toml").read_text("utf-8")),
    complete=setup.complete,
    start=setup.start,
    to_act=rules.to_act,
    outcome=rules.outcome,
    leave=rules.leave,
    after_leaving=rules.after_leaving,
    reveals=rules.reveals,
    text=pictures.text,
    svg=pictures.svg,
    tell=words.tell,
    vary=setup.vary,
)
