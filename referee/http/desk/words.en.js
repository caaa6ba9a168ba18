/**
 * All words of the desk in English. Another language is a file like this one, and a line in
 * `words.js`.
 *
 * What stands in braces is a field of the event or command: a seat as its name, a value by
 * `values`. Where a sentence needs more, it is a function: of the event or command, of `who`, which
 * names a seat, of `say`, which words a value, and of the game's state as its viewer knows it now.
 *
 * @typedef {{[field: string]: any}} Told
 * @typedef {(seat: number) => string} Who
 * @typedef {(value: any) => string} Say
 * @typedef {string | ((told: Told, who: Who, say: Say, state: any) => string)} Sentence
 * @typedef {Record<string, Record<string, Sentence>>} Sentences by game, or `table`, and by type
 * @typedef {Record<string, string>} Texts
 * @typedef {{
 *   language: string, ui: Texts, games: Texts, about: Texts, values: Texts, fields: Texts, options: Texts,
 *   groups: Texts, commands: Sentences, events: Sentences, help: Record<string, import("./help.en.js").Help>,
 *   board: [RegExp, string | ((...found: string[]) => string)][],
 * }} Words `board`: what in a picture is replaced by what
 */
import help from "./help.en.js";


const list = new Intl.ListFormat("en", {type: "conjunction"});
/** @param {number} number @param {string} one @param {string} [many] */
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
/** @param {string} text */
const capital = (text) => text.replace(/^./, (first) => first.toUpperCase());
/** @param {Iterable<string>} things */
const all = (things) => list.format(things);
/** The end of a sentence: why, as somebody has written it. @param {string | null | undefined} reason */
const because = (reason) => (reason ? `: ${reason}${/[.!?…]$/.test(reason) ? "" : "."}` : ".");
/** @param {Told[]} ranking @param {Who} who */
const places = (ranking, who) => ranking.map(({seat, place, score}) => (
  `${place === null ? "–" : `${place}.`} ${who(seat)}${score === null ? "" : ` (${score})`}`
)).join(", ");
/** @param {number} space */
const space = (space) => (space === 0 ? "the gate" : `space ${space}`);
/** @param {number[]} cell */
const cell = ([x, y]) => `${x},${y}`;
/** @param {number} id @param {string | null} [kind] */
const called = (id, kind) => (kind ? `${kind[0]?.toUpperCase()}${kind.slice(1)} (${id})` : `piece ${id}`);
/** A piece by its kind, as far as its viewer knows that, and its number. @param {any} state @param {number} id @returns {string} */
const piece = (state, id) => called(id, state?.pieces?.find((/** @type {any} */ one) => one.id === id)?.kind);
/** Where a piece stands. @param {any} state @param {number} id */
const place = (state, id) => cell(state?.pieces?.find((/** @type {any} */ one) => one.id === id)?.at ?? []);
/** @param {string} kind @param {number[]} values @param {number} tokens */
const dances = (kind, values, tokens) => (values.length + tokens === 0 ? [] : [
  `${kind} ${[...values, ...(tokens ? [count(tokens, "token")] : [])].join(" + ")}`,
]);
/** @param {string} place */
const square = (place) => (
  {
    church: "the Church", sluice: "the Sluice", justice: "the Justice Square",
    heroes: "the Heroes' Square", flax: "the Flax Market", market: "the Market Square",
    street: "the street",
  }[place] ?? place
);
/** @param {Told} one */
const laid = (one) =>
  `${one.card} at ${one.x}, ${one.y}${one.turned ? ", upside down" : ""}`;
/** @param {Told} one */
const paid = (one) => `covering ${count(one.covers, "box", "boxes")}, ${count(one.points, "point")}`;

/** @type {Words} */
export default {
  language: "English",
  help,
  board: [[/^(.+ and .+) won\.$/, "$1 share the first place."]],

  ui: {
    "desk": "The desk",
    "language": "Language",
    "api": "For programs: the API",
    "away": "Connection lost. Trying again…",
    "offline": "The service cannot be reached.",
    "sign-in": "Sign in",
    "sign-in.about": "Open the link that you were given, or paste its token here. It is kept in this tab alone.",
    "sign-in.token": "Token",
    "sign-in.bad": "This token is not good any more, or never was.",
    "sign-out": "Sign out",
    "sign-out.sure": "This device then needs the link again.",
    "menu.round": "All tables",
    "menu.new": "New match",
    "send": "Send",
    "cancel": "Cancel",
    "none": "none",

    "round": "All tables",
    "round.tournament": "Tournament",
    "round.game": "Game",
    "round.any": "all",
    "round.empty": "There are no matches yet.",
    "round.create": "Create the first one",
    "round.more": "Show more",
    "round.table": "Table",
    "round.players": "Players",
    "round.status": "Status",
    "round.to-act": "To move",
    "round.clocks": "Clocks",
    "round.refusals": "Refused",
    "round.last": "Last move",
    "round.called": "{seat} calls the arbiter",
    "round.round": "round {round}",
    "round.step": "step {version}, {time} ago",
    "round.incomplete": "A part of the store is away: tables of it may be missing, or are shown as they were.",
    "round.away": "The list cannot be had at the moment: this is how it was.",
    "status.active": "playing",
    "status.paused": "paused",
    "status.finished": "finished",
    "status.void": "void",

    "new": "New match",
    "new.game": "Game",
    "new.seats": "Players",
    "new.seat": "Name of player {number}",
    "new.player": "Player {number}",
    "new.tournament": "Tournament (may be left out)",
    "new.round": "Round",
    "new.table": "Table",
    "new.public": "Anybody may watch, without a link",
    "new.clocks": "With clocks",
    "new.base": "Minutes each",
    "new.increment": "Seconds added a move",
    "new.flag": "When time is up",
    "new.flag.forfeit": "the player is out",
    "new.flag.note": "it is only noted",
    "new.entropy": "Each player's device adds to the chance (nobody can choose the deal alone)",
    "new.options": "Options of the game",
    "new.create": "Create the match",
    "new.made": "The match is ready",
    "new.links": "Hand each player its own link, and nobody else's: who has it plays that seat. These links are shown only now.",
    "new.another": "Another match",
    "new.watch": "Go to the table",
    "link.seat": "{name} plays by this link",
    "link.spectator": "Spectators watch by this link",
    "link.here": "These links lead to this computer alone. For phones, open the desk here by the address that this computer has in the network (the service's REFEREE_HOST must let others in).",
    "link.copy": "Copy",
    "link.copied": "Copied",
    "link.qr": "QR code of the link for {name}",
    "link.spectators": "spectators",

    "table.you": "You are {name}",
    "table.spectator": "You are watching",
    "table.organizer": "You are the arbiter",
    "table.wait": "{names} to move",
    "table.your-turn": "It is your turn",
    "table.be-quick": "Be quick, if there is anything to be done",
    "table.open": "Whoever is quick may act",
    "table.won": "{names} won",
    "table.nobody": "Nobody won",
    "table.drawn": "A draw: all share the first place",
    "table.shared": "{names} share the first place",
    "table.team": "{names} won together",
    "table.void": "The match is void",
    "table.paused": "The match is paused",
    "table.called": "{seat} has called the arbiter",
    "table.awaiting": "Waiting for the devices of {names}",
    "table.certified": "confirmed by the arbiter",
    "table.provisional": "the arbiter has not confirmed it yet",
    "table.board": "Board",
    "table.zoom": "Zoom",
    "table.seats": "Players",
    "table.out": "out",
    "table.flag": "time is up",
    "table.place": "place {place}",
    "table.log": "What happened",
    "table.log.empty": "Nothing yet.",
    "table.first": "To the start",
    "table.back": "One step back",
    "table.on": "One step on",
    "table.last": "Now",
    "table.play": "Play",
    "table.stop": "Stop",
    "table.step": "Step",
    "table.past": "This is how it stood after step {version}.",
    "table.draw": "{name} offers a draw",
    "table.takeback": "{name} asks to go back to after step {version}",
    "table.to-now": "Back to now",
    "table.jump": "To my moves",
    "table.no-call": "The match is over, and the arbiter can be called in play alone. If something is wrong, speak to the arbiter, who may still set another result.",
    "table.gone": "This match is not there, or this link may not see it.",

    "help": "How it is played",
    "help.signs": "What the signs say",
    "help.marks": "Orange frames: what you may tap now. Blue dashes: what the last move touched.",
    "help.rulings": "All rulings, one by one",

    "seat": "Your move",
    "seat.waiting": "It is not your turn.",
    "seat.search": "Find",
    "seat.hint": "Choose here, or tap what is framed on the board.",
    "seat.picked": "{count} moves left",
    "seat.clear": "Start over",
    "seat.many": "and {count} more: tap on the board, or search",
    "seat.at-once": "Send at the first tap",
    "seat.fill": "Fill at random",
    "seat.tap": "Tap a piece and then where it is to go: the two change places.",
    "seat.legal": "This is allowed.",
    "seat.stale": "Something has happened meanwhile. Look again, then decide.",
    "seat.ruling": "Ruling “{ruling}”",
    "seat.origin": "Source: {origin}",
    "seat.add": "Add",
    "seat.remove": "Remove",
    "seat.left-out": "leave out",
    "seat.more": "Draw, take-back, arbiter, resign",
    "seat.sure": "You leave the match for good.",
    "seat.to": "Undo all that came after step",
    "seat.text": "What is it about?",
    "seat.entropy": "This device adds its random numbers…",

    "arbiter": "Arbiter",
    "arbiter.call": "{seat} calls",
    "arbiter.about": "about step {about}",
    "arbiter.seat": "Player",
    "arbiter.reason": "Reason (shown to the players)",
    "arbiter.answer": "Answer (for the caller alone)",
    "arbiter.ruling": "Ruling (may be left out)",
    "arbiter.seconds": "Seconds",
    "arbiter.to": "After step",
    "arbiter.keep": "Leave the piles as they lie",
    "arbiter.place": "Place of {name}",
    "arbiter.score": "Score of {name}",
    "arbiter.refusals": "Refused commands",
    "arbiter.refusals.none": "Nothing has been refused.",
    "arbiter.at": "at step {version}",
    "arbiter.files": "Record",
    "arbiter.log": "Match file",
    "arbiter.report": "Report",
    "arbiter.verdict": "Is the log in order?",
    "arbiter.busy": "A moment…",
    "arbiter.link": "New link",
    "arbiter.link.about": "The old link of {name} is dead at once, and the new one is shown only now.",
    "arbiter.sure.certify": "“{outcome}” becomes final: only another ruling changes it.",
    "arbiter.sure.void": "The match ends without a result. Press again if you mean it.",
    "arbiter.sure.forfeit": "The player leaves the match. Press again if you mean it.",
    "verdict.signed": "Signed: the log is in order, and signed by this service.",
    "verdict.not signed": "In order. The log is not signed.",
    "verdict.in dispute": "In dispute: the log is not in order.",
  },

  games: {
    "giants-dance": "The Giants' Dance",
    "dancing-villager": "Dancing Villager",
    "giganten": "Giganten",
    "dragon-dance": "Dragon Dance",
    "giro-galoppo": "Giro Galoppo",
  },

  about: {
    "giants-dance": "Giants parade through the streets of Dendermonde and outdo each other's dances.",
    "dancing-villager": "Villagers for dice: count the roll, then be first at the dogs or at the bonfire.",
    "giganten": "Hidden dinosaurs on land and swamp, for 2 or for 4 in teams: take the enemy's nest.",
    "dragon-dance": "Cards laid on cards of the same colours, for 2 to 5: out first, with a dragon's head.",
    "giro-galoppo": "A steeplechase for 2 to 5: cards laid face down, horses pushed back, a line to cross.",
  },

  values: {
    "true": "yes", "false": "no", "null": "–",
    "dog": "dog", "bonfire": "bonfire", "meat": "meat", "charcoal": "charcoal",
    "up": "arms up", "down": "arms down", "flat": "flat", "leaning": "leaning", "standing": "standing",
    "rotate": "rotation", "parade": "parade", "distract": "distraction",
    "church": "the Church", "sluice": "the Sluice", "justice": "the Justice Square",
    "heroes": "the Heroes' Square", "flax": "the Flax Market", "market": "the Market Square",
    "street": "the street",
  },

  fields: {
    "kind": "Piece", "at": "Cell", "to": "To", "pieces": "Pieces", "reserve": "Reserve",
    "secret_trap": "Secret trap", "tiles": "Tiles", "tile": "Tile", "turn": "Turned by",
    "villagers": "Villagers", "pose": "Pose", "on_top": "on another", "what": "What",
    "seat": "Player", "rotate": "Rotation cards", "parade": "Parade cards",
    "rotate_tokens": "Rotation tokens", "parade_tokens": "Parade tokens", "moves": "Moves",
    "piece": "Piece", "challenge": "Challenge", "card": "Card",
  },

  options: {
    "ties": "Of equal cards", "length": "Length of the course", "natural_obstacles": "Rivers and moor",
    "river": "Rivers", "moor": "Moor", "age_order": "Seats from the youngest",
    "starter": "Who starts (seat)", "hand": "Cards in a hand", "need": "Points needed to go out",
    "to_win": "Rounds to win", "max_rounds": "Rounds at most", "turning": "Cards upside down",
    "faces": "Cards printed otherwise",
    "mode": "Villagers", "scorer": "Who reports (seat)", "villagers": "Villagers each",
    "charcoal": "Charcoal sticks", "meat": "Meat sticks", "dogs": "Dogs", "target": "Dogs to win",
    "first_dog_seat": "First dog before (seat)", "pose_weights": "How likely each pose is",
    "on_top_weight": "How likely one lies on another (%)", "window_ms": "Time to grab (ms)",
    "flat": "Flat", "up": "Arms up", "down": "Arms down", "leaning": "Leaning", "standing": "Standing",
    "trail": "The trail", "movement_deck": "Movement cards", "dance_deck": "Dance cards",
    "rotate": "Rotation", "parade": "Parade", "token_value": "Worth of a token",
    "challenge": "Challenge tokens", "height_order": "Seats from the smallest giant",
    "board": "How the tiles lie", "tile_draw": "How tiles are drawn", "tiles": "Tiles: L land, S swamp",
    "a": "Tile a", "b": "Tile b", "c": "Tile c", "d": "Tile d",
    "first": "Who moves first (seat)", "blank": "The blank piece", "trap_beside_nest": "A trap may lie beside the nest",
    "trap_effect": "What a trap does", "secret_trap": "A secret trap each", "reserve": "Reserve",
    "hidden_setup": "Set up behind a screen", "double_moves": "Double moves",
    "no_progress_limit": "Quiet turns until a draw",
  },

  /** Each command by its type. */
  commands: {
    "table": {
      "resign": "Resign",
      "offer_draw": "Offer a draw",
      "accept_draw": "Accept the draw",
      "decline_draw": "Decline the draw",
      "request_takeback": "Ask to take back",
      "accept_takeback": "Agree to go back to step {to}",
      "decline_takeback": "Do not go back",
      "call_arbiter": "Call the arbiter",
      "withdraw_call": "I need no arbiter any more",
      "answer_call": "Answer the call",
      "add_entropy": "Add random numbers",
      "deal": "Deal without those who are missing",
      "claim_timeout": "Claim time: {seat}",
      "certify": "Certify the result",
      "pause": "Pause",
      "resume": "Resume",
      "forfeit": "Take a player out",
      "void": "Declare void",
      "adjudicate": "Set the result",
      "take_back": "Take back",
      "grant_time": "Grant time",
    },
    "giro-galoppo": {
      "place_obstacle": "Obstacle on space {space}",
      "choose_card": "Card {card}",
    },
    "giganten": {
      "lay_tiles": ({tiles}) => `Tiles ${all(tiles.map((/** @type {Told} */ {tile, turn}) => `${tile} at ${turn}°`))}`,
      "set_up": "Set up the pieces",
      "move": ({piece: id, to, challenge}, _who, _say, state) => capital(
        `${piece(state, id)} from ${place(state, id)} to ${cell(to)}${challenge ? `, challenging ${cell(challenge)}` : ""}`,
      ),
      "double_move": ({moves, challenge}, _who, _say, state) => capital(all(moves.map(
        (/** @type {Told} */ {piece: id, to}) => `${piece(state, id)} to ${cell(to)}`,
      )) + (challenge ? `; ${piece(state, challenge.piece)} challenges ${cell(challenge.at)}` : "")),
      "bring_in": "Bring in {kind} at {at}",
      "return_piece": "Put {kind} back at {at}",
      "end_turn": "End the turn without a move",
      "advance": ({go}) => (go ? "Step into the emptied cell" : "Stay where it is"),
    },
    "dragon-dance": {
      "lay": (one) => `Lay ${laid(one)}`,
      "draw": "Draw a card",
      "keep": "Keep the card",
      "block": (one) => `Block with ${laid(one)}`,
      "let_stand": "Let the head stand",
      "decline": "Lay no more",
    },
    "dancing-villager": {
      "ready": "Ready to roll",
      "grab": ({what, seat}, who) => (
        `Grab the ${what}${seat === undefined ? "" : ` for ${who(seat)}`}`
      ),
      "report_roll": "Report the roll",
      "close": "No more grabs",
    },
    "giants-dance": {
      "place_challenge": ({square: place, kind}, _who, say) => `${say(kind)} at ${square(place)}`,
      "move": ({card}) => `Go ${count(card, "field")}`,
      "dance": ({rotate, parade, rotate_tokens, parade_tokens}) => [
        ...dances("rotation", rotate, rotate_tokens), ...dances("parade", parade, parade_tokens),
      ].join("; ") || "Do not dance",
    },
  },

  /** What a group of commands is called. */
  groups: {
    "place_obstacle": "Place an obstacle", "choose_card": "Lay a card face down",
    "lay_tiles": "Lay your tiles", "set_up": "Set up your pieces", "move": "Move",
    "double_move": "Double move", "bring_in": "Bring in a piece", "return_piece": "Put a piece back",
    "end_turn": "End the turn", "advance": "You have won the fight", "lay": "Lay a card",
    "draw": "Draw", "keep": "Keep", "block": "Block with an egg", "let_stand": "Do not block",
    "decline": "Decline", "ready": "The next roll", "grab": "Grab!", "report_roll": "Report the roll",
    "close": "Close", "place_challenge": "Place a challenge token", "dance": "Dance",
  },

  events: {
    "table": {
      "match_created": ({seats}) => `A match between ${all(seats.map((/** @type {any} */ one) => one.name ?? one))}.`,
      "entropy_added": "{seat}'s device has added to the chance.",
      "dealt_without": ({seats, reason}, who) => `Dealt without ${all(seats.map(who))}${because(reason)}`,
      "withdrawn": ({seat, why, reason}, who) => ({
        resigned: `${who(seat)} resigns.`,
        flagged: `${who(seat)} is out of time and out of the match.`,
        forfeited: `The arbiter takes ${who(seat)} out of the match${because(reason)}`,
      })[/** @type {"resigned"} */ (why)],
      "match_ended": ({ranking, reason}, who) => `${({
        "played-out": "The match is over", "withdrawal": "The match is over, by withdrawal",
        "agreed": "A draw is agreed", "flag": "The match is over, on time",
      })[/** @type {"flag"} */ (reason)]}: ${places(ranking, who)}.`,
      "seed_revealed": "The seed of all chance is public now.",
      "draw_offered": "{seat} offers a draw.",
      "draw_accepted": "{seat} agrees to a draw.",
      "draw_declined": "{seat} declines the draw.",
      "takeback_requested": "{seat} asks to go back to step {to}.",
      "takeback_accepted": "{seat} agrees to go back.",
      "takeback_declined": "{seat} does not want to go back.",
      "offer_lapsed": "The offer of {seat} has lapsed.",
      "taken_back": ({to, reason}) => `The match goes back to step ${to}${because(reason)}`,
      "flagged": "{seat}'s time is up.",
      "certified": "The result is certified.",
      "paused": "The match is paused.",
      "resumed": "The match goes on.",
      "arbiter_called": ({seat, text}, who) => `${who(seat)} calls the arbiter${because(text)}`,
      "call_withdrawn": "{seat} needs no arbiter any more.",
      "call_answered": ({seat, reason}, who) => `The arbiter answers ${who(seat)}${because(reason)}`,
      "voided": ({reason}) => `The match is void${because(reason)}`,
      "adjudicated": ({ranking, reason}, who) => `The arbiter sets the result (${reason}): ${places(ranking, who)}.`,
      "time_granted": "{seat} gets {seconds} seconds more.",
      "token_reissued": "{seat} has a new link.",
      "outage_excused": ({from, until}) => `${count(Math.round((until - from) / 1000), "second")} of an outage count for nobody.`,
    },
    "giro-galoppo": {
      "obstacle_placed": "{seat} puts an obstacle on space {space}.",
      "card_chosen": ({seat, card}, who) => `${who(seat)} lays ${card === null ? "a card" : `a ${card}`} face down.`,
      "cards_shown": ({cards}, who) => `The cards are turned over: ${all(
        cards.flatMap((/** @type {any} */ card, /** @type {number} */ seat) => (card === null ? [] : [`${who(seat)} ${card}`])),
      )}.`,
      "horse_moved": ({seat, card, from, to, outcome, pushed}, who) => ({
        moved: `${who(seat)} plays ${card} and rides from ${space(from)} to ${space(to)}`
          + (pushed ? `, pushing ${who(pushed.seat)} back to ${space(pushed.to)}.` : "."),
        blocked: `${who(seat)} plays ${card}, would end on ${space(from + card)}, which is blocked, and stays.`,
        held: `${who(seat)} plays ${card} too, and is held by the tie.`,
      })[/** @type {"moved"} */ (outcome)],
      "hands_returned": "All cards are played: everybody takes them up again.",
      "race_over": "The finishing line is crossed.",
    },
    "giganten": {
      "tiles_dealt": "The tiles are dealt.",
      "tiles_laid": "{seat} has laid the tiles.",
      "board_revealed": "The board is laid.",
      "set_up_done": "{seat} has set up.",
      "setups_revealed": "Everybody has set up: play begins.",
      "moved": ({seat, moves}, who, _say, state) => `${who(seat)} moves ${all(moves.map(
        (/** @type {Told} */ {piece: id, from, to}) => `${piece(state, id)} from ${cell(from)} to ${cell(to)}`,
      ))}.`,
      "challenged": ({by, against, at, kinds, terrain, outcome}) => `${called(by, kinds[0])} challenges ${called(against, kinds[1])} ${
        terrain === "L" ? "on land" : "in swamp"} at ${cell(at)}: ${({
        challenger: "the challenger wins", defender: "the challenged wins", draw: "a draw",
        "both-lost": "both leave",
      })[/** @type {"draw"} */ (outcome)]}.`,
      "sprung": ({owner, piece: id, at, effect}, who) => `A trap of ${who(owner)} at ${cell(at)} catches piece ${id}: ${({
        remove: "it leaves the board", hold: "it is held for two turns",
        return: "it leaves the board and may come back",
      })[/** @type {"hold"} */ (effect)]}.`,
      "left_board": ({seat, kind}, who) => `The ${kind} of ${who(seat)} leaves the board.`,
      "advanced": ({piece: id, to}, _who, _say, state) => `${capital(piece(state, id))} advances to ${cell(to)}.`,
      "stayed": ({piece: id}, _who, _say, state) => `${capital(piece(state, id))} stays.`,
      "brought_in": ({seat, kind, at}, who) => `${who(seat)} brings in ${kind ?? "a piece"} at ${cell(at)}.`,
      "returned": ({seat, kind, at}, who) => `The ${kind} of ${who(seat)} is back, at ${cell(at)}.`,
      "rested": "{seat} makes no further move.",
      "nest_taken": ({by, seat}, who) => `Piece ${by} has taken the nest of ${who(seat)}.`,
      "seat_out": "{seat} is out.",
      "turn_ended": "{seat}'s turn is over.",
      "passed_over": "{seat} can do nothing now.",
      "immobile": "{seat} can do nothing any more and has lost.",
      "no_progress": ({turns}) => `${count(turns, "quiet turn")} in a row: a draw.`,
    },
    "dragon-dance": {
      "dealt": "The cards are dealt.",
      "piles_shuffled": "The pile is shuffled anew.",
      "first_card": "{card} is turned up.",
      "laid": (one, who) => `${who(one.seat)} lays ${laid(one)}, ${paid(one)}.`,
      "drew": ({seat, card}, who) => `${who(seat)} draws ${card ?? "a card"}.`,
      "kept": "{seat} keeps the card.",
      "passed": "{seat} can neither lay nor draw.",
      "going_out": "{seat} has laid the last card: does anybody block?",
      "let_stood": "{seat} lets the head stand.",
      "blocked": (one, who) => `${who(one.by)} blocks ${who(one.seat)} with ${laid(one)}, ${paid(one)}.`,
      "went_out": ({seat, bonus}, who) => `${who(seat)} goes out, for ${count(bonus, "point")}.`,
      "declined": "{seat} lays no more.",
      "round_ended": ({points, dragon, how}, who) => `${
        how === "stuck" ? "Nobody can go on: the round is over" : "The round is over"}${
        dragon === null ? "" : `, ${who(dragon)} has won it`} (${all(
        points.map((/** @type {number} */ one, /** @type {number} */ seat) => `${who(seat)} ${one}`))}).`,
      "hand_returned": ({seat, count: cards}, who) => `${count(cards, "card")} of ${who(seat)} go back under the pile.`,
    },
    "dancing-villager": {
      "called": "{seat} is ready.",
      "rolled": "The villagers are rolled: count!",
      "dog_tamed": ({seat, from}, who) => `${who(seat)} tames a dog from the ${from}.`,
      "dog_joined": "All lie flat: another dog joins.",
      "grabbed": ({seat, what}, who) => `${who(seat)} grabs the ${what}.`,
      "window_closed": ({count: {up, down}, call}) => `Time is up: ${up} up, ${down} down. ${
        call === null ? "Nothing was to be grabbed." : call === "tame" ? "It was a tame!" : "It was an assault!"}`,
      "villager_lost": ({seat, why}, who) => `${who(seat)} loses a villager, by ${why === "mistake" ? "a mistake" : "an assault"}.`,
      "dogs_escaped": ({seat, dogs}, who) => `${who(seat)} has no villagers left: ${count(dogs, "dog")} escape.`,
      "sticks_removed": ({kind, number}) => `${number} ${kind} ${number === 1 ? "stick goes" : "sticks go"} off the bonfire.`,
      "round_ended": ({how}) => `The round ends with ${how === "tame" ? "a tame" : "an assault"}: all sticks are back.`,
      "dog_added": ({opposite}, who) => `A dog comes and stands before ${who(opposite)}.`,
      "game_won": "{seat} wins.",
    },
    "giants-dance": {
      "set_up": "The trail is laid, and the cards are dealt.",
      "piles_shuffled": "Piles are shuffled anew.",
      "challenge_placed": ({seat, square: place, kind}, who, say) => `${who(seat)} lays ${
        kind === null ? "a challenge token" : `a token for ${say(kind)}`} face down at ${square(place)}.`,
      "giant_moved": ({seat, card, to}, who) => `${who(seat)} plays a ${card} and goes to ${to === 20 ? "the Market Square" : `field ${to}`}.`,
      "tokens_turned_up": ({field, tokens}, who, say) => `Turned up on field ${field}: ${all(
        tokens.map((/** @type {Told} */ {owner, kind}) => `${say(kind)} of ${who(owner)}`))}.`,
      "tokens_taken": ({seat, field, rotate, parade}, who) => `${who(seat)} takes ${all([
        ...(rotate ? [count(rotate, "rotation token")] : []), ...(parade ? [count(parade, "parade token")] : []),
      ])} from field ${field}.`,
      "danced": ({seat, place, rotate, parade}, who) => `${who(seat)} dances ${place === "street" ? "on" : "at"} ${square(place)}: ${[
        ...(rotate ? [`rotation ${rotate.sum}`] : []), ...(parade ? [`parade ${parade.sum}`] : []),
      ].join(", ") || "unseen"}.`,
      "no_dance": "{seat} does not dance.",
      "cards_drawn": ({seat, movement, dance}, who) => `${who(seat)} draws ${count(movement.length + dance.length, "card")}.`,
      "square_scored": ({square: place, points}, who) => `Scored: ${square(place)}. ${points.map(
        (/** @type {Told} */ row) => `${who(row.seat)} ${count(row.dancing + row.winning + row.double + row.challenge, "point")}`,
      ).join(", ") || "Nobody scores"}.`,
      "street_scored": ({points}, who) => `Scored: the street. ${points.map(
        (/** @type {number} */ one, /** @type {number} */ seat) => `${who(seat)} ${count(one, "point")}`).join(", ")}.`,
    },
  },
};
