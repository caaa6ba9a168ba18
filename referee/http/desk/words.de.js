/** All words of the desk in German: `words.en.js` says what stands where. */

import board from "./board.de.js";
import help from "./help.de.js";

/** @typedef {import("./words.en.js").Told} Told @typedef {import("./words.en.js").Who} Who */

const list = new Intl.ListFormat("de", {type: "conjunction"});
/** @param {number} number @param {string} one @param {string} many */
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
/** @param {Iterable<string>} things */
const all = (things) => list.format(things);
/** The end of a sentence: why, as somebody has written it. @param {string | null | undefined} reason */
const because = (reason) => (reason ? `: ${reason}${/[.!?…]$/.test(reason) ? "" : "."}` : ".");
/** @param {Told[]} ranking @param {Who} who */
const places = (ranking, who) => ranking.map(({seat, place, score}) => (
  `${place === null ? "–" : `${place}.`} ${who(seat)}${score === null ? "" : ` (${score})`}`
)).join(", ");
/** @param {number} space */
const space = (space) => (space === 0 ? "die Startbox" : `Feld ${space}`);
/** @param {number[]} cell */
const cell = ([x, y]) => `${x},${y}`;
/** @param {number} id @param {string | null} [kind] */
const called = (id, kind) => (kind ? `${kind[0]?.toUpperCase()}${kind.slice(1)} (${id})` : `Figur ${id}`);
/** A piece by its kind, as far as its viewer knows that, and its number. @param {any} state @param {number} id @returns {string} */
const piece = (state, id) => called(id, state?.pieces?.find((/** @type {any} */ one) => one.id === id)?.kind);
/** Where a piece stands. @param {any} state @param {number} id */
const place = (state, id) => cell(state?.pieces?.find((/** @type {any} */ one) => one.id === id)?.at ?? []);
/** @param {string} kind @param {number[]} values @param {number} tokens */
const dances = (kind, values, tokens) => (values.length + tokens === 0 ? [] : [
  `${kind} ${[...values, ...(tokens ? [`${tokens} Plättchen`] : [])].join(" + ")}`,
]);
/** @param {string} place */
const square = (place) => (
  {
    church: "Kirche", sluice: "Schleuse", justice: "Gerichtsplatz", heroes: "Heldenplatz",
    flax: "Flachsmarkt", market: "Marktplatz", street: "Straße",
  }[place] ?? place
);
/** @param {Told} one */
const laid = (one) => `${one.card} auf ${one.x}, ${one.y}${one.turned ? ", auf den Kopf gestellt" : ""}`;
/** @param {Told} one */
const paid = (one) => `auf ${count(one.covers, "Kästchen", "Kästchen")}, ${count(one.points, "Punkt", "Punkte")}`;

/** @type {import("./words.en.js").Words} */
export default {
  language: "Deutsch",
  help,
  board,

  ui: {
    "desk": "Das Pult",
    "language": "Sprache",
    "api": "Für Programme: die Schnittstelle",
    "away": "Verbindung verloren. Neuer Versuch …",
    "offline": "Der Dienst ist nicht zu erreichen.",
    "sign-in": "Anmelden",
    "sign-in.about": "Öffne den Link, den du bekommen hast, oder füge seinen Schlüssel hier ein. Er bleibt allein in diesem Tab.",
    "sign-in.token": "Schlüssel",
    "sign-in.bad": "Dieser Schlüssel gilt nicht oder nicht mehr.",
    "sign-out": "Abmelden",
    "sign-out.sure": "Danach braucht dieses Gerät den Link wieder.",
    "menu.round": "Alle Tische",
    "menu.new": "Neue Partie",
    "send": "Absenden",
    "cancel": "Abbrechen",
    "none": "keine",

    "round": "Alle Tische",
    "round.tournament": "Turnier",
    "round.game": "Spiel",
    "round.any": "alle",
    "round.empty": "Noch gibt es keine Partien.",
    "round.create": "Die erste anlegen",
    "round.more": "Mehr zeigen",
    "round.table": "Tisch",
    "round.players": "Spieler",
    "round.status": "Stand",
    "round.to-act": "Am Zug",
    "round.clocks": "Uhren",
    "round.refusals": "Abgelehnt",
    "round.last": "Letzter Zug",
    "round.called": "{seat} ruft den Schiedsrichter",
    "round.round": "Runde {round}",
    "round.step": "Schritt {version}, vor {time}",
    "round.incomplete": "Ein Teil des Speichers ist nicht zu erreichen: Tische daraus fehlen vielleicht oder stehen da, wie sie waren.",
    "round.away": "Die Liste ist gerade nicht zu haben: So sah sie zuletzt aus.",
    "status.active": "läuft",
    "status.paused": "angehalten",
    "status.finished": "beendet",
    "status.void": "ungültig",

    "new": "Neue Partie",
    "new.game": "Spiel",
    "new.seats": "Spieler",
    "new.seat": "Name von Spieler {number}",
    "new.player": "Spieler {number}",
    "new.tournament": "Turnier (kann wegbleiben)",
    "new.round": "Runde",
    "new.table": "Tisch",
    "new.public": "Alle dürfen zuschauen, auch ohne Link",
    "new.clocks": "Mit Uhren",
    "new.base": "Minuten für jeden",
    "new.increment": "Sekunden dazu je Zug",
    "new.flag": "Wenn die Zeit um ist",
    "new.flag.forfeit": "scheidet der Spieler aus",
    "new.flag.note": "wird es nur vermerkt",
    "new.entropy": "Das Gerät jedes Spielers gibt seinen Zufall dazu (niemand kann allein bestimmen, wie gegeben wird)",
    "new.options": "Varianten des Spiels",
    "new.create": "Partie anlegen",
    "new.made": "Die Partie ist bereit",
    "new.links": "Gib jedem Spieler seinen eigenen Link und niemandem sonst: Wer ihn hat, spielt auf diesem Platz. Diese Links werden nur jetzt gezeigt.",
    "new.another": "Noch eine Partie",
    "new.watch": "Zum Tisch",
    "link.seat": "Mit diesem Link spielt {name}",
    "link.spectator": "Mit diesem Link schauen Zuschauer zu",
    "link.here": "Diese Links führen nur auf diesen Rechner. Für Handys: das Pult hier unter der Adresse öffnen, die dieser Rechner im Netz hat (REFEREE_HOST des Dienstes muss andere einlassen).",
    "link.copy": "Kopieren",
    "link.copied": "Kopiert",
    "link.qr": "QR-Code des Links für {name}",
    "link.spectators": "Zuschauer",

    "table.you": "Du bist {name}",
    "table.spectator": "Du schaust zu",
    "table.organizer": "Du bist Schiedsrichter",
    "table.wait": "Am Zug: {names}",
    "table.your-turn": "Du bist am Zug",
    "table.be-quick": "Sei schnell, wenn etwas zu tun ist",
    "table.open": "Wer schnell ist, darf handeln",
    "table.won": "Gewonnen: {names}",
    "table.nobody": "Niemand hat gewonnen",
    "table.drawn": "Unentschieden: Alle teilen den ersten Platz",
    "table.shared": "{names} teilen den ersten Platz",
    "table.team": "{names} haben zusammen gewonnen",
    "table.void": "Die Partie ist ungültig",
    "table.paused": "Die Partie ist angehalten",
    "table.called": "{seat} hat den Schiedsrichter gerufen",
    "table.awaiting": "Erwartet wird das Gerät von {names}",
    "table.certified": "vom Schiedsrichter bestätigt",
    "table.provisional": "vom Schiedsrichter noch nicht bestätigt",
    "table.board": "Brett",
    "table.zoom": "Größer",
    "table.seats": "Spieler",
    "table.out": "ausgeschieden",
    "table.flag": "Zeit um",
    "table.place": "Platz {place}",
    "table.log": "Was geschah",
    "table.log.empty": "Noch nichts.",
    "table.first": "An den Anfang",
    "table.back": "Einen Schritt zurück",
    "table.on": "Einen Schritt weiter",
    "table.last": "Jetzt",
    "table.play": "Abspielen",
    "table.stop": "Anhalten",
    "table.step": "Schritt",
    "table.past": "So stand es nach Schritt {version}.",
    "table.draw": "{name} bietet Remis an",
    "table.takeback": "{name} bittet, zum Stand nach Schritt {version} zurückzugehen",
    "table.to-now": "Zurück zum Jetzt",
    "table.jump": "Zu meinen Zügen",
    "table.no-call": "Die Partie ist zu Ende, und rufen kann man den Schiedsrichter nur im Spiel. Stimmt etwas nicht, so sprich ihn an: Er kann das Ergebnis noch anders festsetzen.",
    "table.gone": "Diese Partie gibt es nicht, oder dieser Link darf sie nicht sehen.",

    "help": "So wird gespielt",
    "help.signs": "Was die Zeichen sagen",
    "help.marks": "Orange Rahmen: was du jetzt antippen kannst. Blau gestrichelt: was der letzte Zug berührt hat.",
    "help.rulings": "Alle Regelentscheide, einzeln (englisch)",

    "seat": "Dein Zug",
    "seat.waiting": "Du bist nicht am Zug.",
    "seat.search": "Suchen",
    "seat.hint": "Wähle hier, oder tippe auf dem Brett an, was umrandet ist.",
    "seat.picked": "Noch {count} Züge",
    "seat.clear": "Von vorn",
    "seat.many": "und {count} weitere: tippe auf das Brett oder suche",
    "seat.at-once": "Beim ersten Tippen absenden",
    "seat.fill": "Zufällig ausfüllen",
    "seat.tap": "Tippe auf eine Figur und dann dorthin, wo sie stehen soll: Die beiden tauschen.",
    "seat.legal": "Das ist erlaubt.",
    "seat.stale": "Inzwischen ist etwas geschehen. Sieh noch einmal hin und entscheide dann.",
    "seat.ruling": "Regel „{ruling}“",
    "seat.origin": "Quelle: {origin}",
    "seat.add": "Hinzufügen",
    "seat.remove": "Entfernen",
    "seat.left-out": "weglassen",
    "seat.more": "Remis, Zurücknehmen, Schiedsrichter, Aufgeben",
    "seat.sure": "Du verlässt die Partie endgültig.",
    "seat.to": "Alles rückgängig machen nach Schritt",
    "seat.text": "Worum geht es?",
    "seat.entropy": "Dieses Gerät gibt seine Zufallszahlen dazu …",

    "arbiter": "Schiedsrichter",
    "arbiter.call": "{seat} ruft",
    "arbiter.about": "zu Schritt {about}",
    "arbiter.seat": "Spieler",
    "arbiter.reason": "Begründung (für die Spieler sichtbar)",
    "arbiter.answer": "Antwort (nur für den, der rief)",
    "arbiter.ruling": "Regel (kann wegbleiben)",
    "arbiter.seconds": "Sekunden",
    "arbiter.to": "Nach Schritt",
    "arbiter.keep": "Die Stapel bleiben liegen, wie sie sind",
    "arbiter.place": "Platz von {name}",
    "arbiter.score": "Wertung von {name}",
    "arbiter.refusals": "Abgelehnte Züge",
    "arbiter.refusals.none": "Nichts wurde abgelehnt.",
    "arbiter.at": "bei Schritt {version}",
    "arbiter.files": "Aufzeichnung",
    "arbiter.log": "Partiedatei",
    "arbiter.report": "Bericht",
    "arbiter.verdict": "Ist das Protokoll in Ordnung?",
    "arbiter.busy": "Einen Moment …",
    "arbiter.link": "Neuer Link",
    "arbiter.link.about": "Der alte Link von {name} gilt sofort nicht mehr, und der neue wird nur jetzt gezeigt.",
    "arbiter.sure.certify": "„{outcome}“ wird endgültig: Nur ein anderer Entscheid ändert es.",
    "arbiter.sure.void": "Die Partie endet ohne Ergebnis. Noch einmal drücken, wenn es so sein soll.",
    "arbiter.sure.forfeit": "Der Spieler verlässt die Partie. Noch einmal drücken, wenn es so sein soll.",
    "verdict.signed": "Unterschrieben: Das Protokoll ist in Ordnung und von diesem Dienst unterschrieben.",
    "verdict.not signed": "In Ordnung. Das Protokoll ist nicht unterschrieben.",
    "verdict.in dispute": "Strittig: Das Protokoll ist nicht in Ordnung.",
  },

  games: {
    "giants-dance": "Der Tanz der Riesen",
    "dancing-villager": "Der tanzende Dörfler",
    "giganten": "Giganten",
    "dragon-dance": "Drachentanz",
    "giro-galoppo": "Giro Galoppo",
  },

  about: {
    "giants-dance": "Riesen ziehen durch die Straßen von Dendermonde und übertreffen einander im Tanz.",
    "dancing-villager": "Dörfler als Würfel: den Wurf zählen und als Erster bei den Hunden oder am Feuer sein.",
    "giganten": "Verdeckte Dinosaurier auf Land und im Sumpf, für 2 oder für 4 in Teams: Erobere das Nest.",
    "dragon-dance": "Karten auf Karten gleicher Farbe, für 2 bis 5: Wer zuerst fertig ist, schließt mit einem Drachenkopf.",
    "giro-galoppo": "Ein Hindernisrennen für 2 bis 5: verdeckte Karten, zurückgedrängte Pferde, eine Ziellinie.",
  },

  values: {
    "true": "ja", "false": "nein", "null": "–",
    "dog": "Hund", "bonfire": "Feuer", "meat": "Fleisch", "charcoal": "Kohle",
    "up": "Arme hoch", "down": "Arme unten", "flat": "flach", "leaning": "angelehnt", "standing": "steht",
    "rotate": "Drehung", "parade": "Umzug", "distract": "Ablenkung",
    "church": "Kirche", "sluice": "Schleuse", "justice": "Gerichtsplatz", "heroes": "Heldenplatz",
    "flax": "Flachsmarkt", "market": "Marktplatz", "street": "Straße",
  },

  fields: {
    "kind": "Figur", "at": "Feld", "to": "Nach", "pieces": "Figuren", "reserve": "Reserve",
    "secret_trap": "Geheime Falle", "tiles": "Tafeln", "tile": "Tafel", "turn": "Gedreht um",
    "villagers": "Dörfler", "pose": "Haltung", "on_top": "auf einem anderen", "what": "Was",
    "seat": "Spieler", "rotate": "Drehungskarten", "parade": "Umzugskarten",
    "rotate_tokens": "Drehungsplättchen", "parade_tokens": "Umzugsplättchen", "moves": "Züge",
    "piece": "Figur", "challenge": "Herausforderung", "card": "Karte",
  },

  options: {
    "ties": "Bei gleichen Karten", "length": "Länge der Bahn", "natural_obstacles": "Flüsse und Moor",
    "river": "Flüsse", "moor": "Moor", "age_order": "Plätze vom jüngsten an",
    "starter": "Wer beginnt (Platz)", "hand": "Karten auf der Hand", "need": "Punkte, um Schluss zu machen",
    "to_win": "Runden zum Sieg", "max_rounds": "Höchstens Runden", "turning": "Karten auf dem Kopf",
    "faces": "Anders bedruckte Karten",
    "mode": "Dörfler", "scorer": "Wer meldet (Platz)", "villagers": "Dörfler für jeden",
    "charcoal": "Kohlespieße", "meat": "Fleischspieße", "dogs": "Hunde", "target": "Hunde zum Sieg",
    "first_dog_seat": "Der erste Hund steht vor (Platz)", "pose_weights": "Wie wahrscheinlich jede Haltung ist",
    "on_top_weight": "Wie oft einer auf einem anderen liegt (%)", "window_ms": "Zeit zum Greifen (ms)",
    "flat": "Flach", "up": "Arme hoch", "down": "Arme unten", "leaning": "Angelehnt", "standing": "Stehend",
    "trail": "Der Weg", "movement_deck": "Bewegungskarten", "dance_deck": "Tanzkarten",
    "rotate": "Drehung", "parade": "Umzug", "token_value": "Wert eines Plättchens",
    "challenge": "Herausforderungen", "height_order": "Plätze vom kleinsten Riesen an",
    "board": "Wie die Tafeln liegen", "tile_draw": "Wie Tafeln gezogen werden", "tiles": "Tafeln: L Land, S Sumpf",
    "a": "Tafel a", "b": "Tafel b", "c": "Tafel c", "d": "Tafel d",
    "first": "Wer zuerst zieht (Platz)", "blank": "Die leere Figur", "trap_beside_nest": "Eine Falle darf neben dem Nest liegen",
    "trap_effect": "Was eine Falle tut", "secret_trap": "Eine geheime Falle für jeden", "reserve": "Reserve",
    "hidden_setup": "Hinter einem Schirm aufstellen", "double_moves": "Doppelzüge",
    "no_progress_limit": "Ruhige Züge bis zum Remis",
  },

  commands: {
    "table": {
      "resign": "Aufgeben",
      "offer_draw": "Remis anbieten",
      "accept_draw": "Remis annehmen",
      "decline_draw": "Remis ablehnen",
      "request_takeback": "Um Zurücknehmen bitten",
      "accept_takeback": "Einverstanden: zurück nach Schritt {to}",
      "decline_takeback": "Nicht zurückgehen",
      "call_arbiter": "Schiedsrichter rufen",
      "withdraw_call": "Ich brauche keinen Schiedsrichter mehr",
      "answer_call": "Den Ruf beantworten",
      "add_entropy": "Zufallszahlen dazugeben",
      "deal": "Ohne die Fehlenden geben",
      "claim_timeout": "Zeit reklamieren: {seat}",
      "certify": "Ergebnis bestätigen",
      "pause": "Anhalten",
      "resume": "Weiterspielen lassen",
      "forfeit": "Einen Spieler herausnehmen",
      "void": "Für ungültig erklären",
      "adjudicate": "Ergebnis festsetzen",
      "take_back": "Zurücknehmen",
      "grant_time": "Zeit gewähren",
    },
    "giro-galoppo": {
      "place_obstacle": "Hindernis auf Feld {space}",
      "choose_card": "Karte {card}",
    },
    "giganten": {
      "lay_tiles": ({tiles}) => `Tafeln ${all(tiles.map((/** @type {Told} */ {tile, turn}) => `${tile} um ${turn}°`))}`,
      "set_up": "Figuren aufstellen",
      "move": ({piece: id, to, challenge}, _who, _say, state) =>
        `${piece(state, id)} von ${place(state, id)} nach ${cell(to)}${challenge ? `, fordert ${cell(challenge)}` : ""}`,
      "double_move": ({moves, challenge}, _who, _say, state) => all(moves.map(
        (/** @type {Told} */ {piece: id, to}) => `${piece(state, id)} nach ${cell(to)}`,
      )) + (challenge ? `; ${piece(state, challenge.piece)} fordert ${cell(challenge.at)}` : ""),
      "bring_in": "{kind} einsetzen auf {at}",
      "return_piece": "{kind} zurücksetzen auf {at}",
      "end_turn": "Den Zug beenden, ohne zu ziehen",
      "advance": ({go}) => (go ? "In das frei gewordene Feld vorrücken" : "Stehen bleiben"),
    },
    "dragon-dance": {
      "lay": (one) => `${laid(one)} legen`,
      "draw": "Eine Karte ziehen",
      "keep": "Die Karte behalten",
      "block": (one) => `Mit ${laid(one)} sperren`,
      "let_stand": "Den Kopf stehen lassen",
      "decline": "Nichts mehr legen",
    },
    "dancing-villager": {
      "ready": "Bereit zum Wurf",
      "grab": ({what, seat}, who) => (
        `${what === "dog" ? "Den Hund" : "Das Feuer"} greifen${seat === undefined ? "" : ` für ${who(seat)}`}`
      ),
      "report_roll": "Den Wurf melden",
      "close": "Keiner greift mehr",
    },
    "giants-dance": {
      "place_challenge": ({square: place, kind}, _who, say) => `${say(kind)}: ${square(place)}`,
      "move": ({card}) => `${count(card, "Feld", "Felder")} gehen`,
      "dance": ({rotate, parade, rotate_tokens, parade_tokens}) => [
        ...dances("Drehung", rotate, rotate_tokens), ...dances("Umzug", parade, parade_tokens),
      ].join("; ") || "Nicht tanzen",
    },
  },

  groups: {
    "place_obstacle": "Ein Hindernis setzen", "choose_card": "Eine Karte verdeckt legen",
    "lay_tiles": "Lege deine Tafeln", "set_up": "Stelle deine Figuren auf", "move": "Ziehen",
    "double_move": "Doppelzug", "bring_in": "Eine Figur einsetzen", "return_piece": "Eine Figur zurücksetzen",
    "end_turn": "Den Zug beenden", "advance": "Du hast den Kampf gewonnen", "lay": "Eine Karte legen",
    "draw": "Ziehen", "keep": "Behalten", "block": "Mit einem Ei sperren", "let_stand": "Nicht sperren",
    "decline": "Ablehnen", "ready": "Der nächste Wurf", "grab": "Greif zu!", "report_roll": "Den Wurf melden",
    "close": "Schließen", "place_challenge": "Ein Herausforderungsplättchen legen", "dance": "Tanzen",
  },

  events: {
    "table": {
      "match_created": ({seats}) => `Eine Partie zwischen ${all(seats.map((/** @type {any} */ one) => one.name ?? one))}.`,
      "entropy_added": "Das Gerät von {seat} hat seinen Zufall dazugegeben.",
      "dealt_without": ({seats, reason}, who) => `Gegeben ohne ${all(seats.map(who))}${because(reason)}`,
      "withdrawn": ({seat, why, reason}, who) => ({
        resigned: `${who(seat)} gibt auf.`,
        flagged: `Die Zeit von ${who(seat)} ist um: ausgeschieden.`,
        forfeited: `Der Schiedsrichter nimmt ${who(seat)} aus der Partie${because(reason)}`,
      })[/** @type {"resigned"} */ (why)],
      "match_ended": ({ranking, reason}, who) => `${({
        "played-out": "Die Partie ist zu Ende", "withdrawal": "Die Partie ist durch Aufgabe zu Ende",
        "agreed": "Remis vereinbart", "flag": "Die Partie ist durch Zeit zu Ende",
      })[/** @type {"flag"} */ (reason)]}: ${places(ranking, who)}.`,
      "seed_revealed": "Der Keim allen Zufalls ist jetzt öffentlich.",
      "draw_offered": "{seat} bietet Remis an.",
      "draw_accepted": "{seat} ist mit Remis einverstanden.",
      "draw_declined": "{seat} lehnt das Remis ab.",
      "takeback_requested": "{seat} bittet, nach Schritt {to} zurückzugehen.",
      "takeback_accepted": "{seat} ist einverstanden, zurückzugehen.",
      "takeback_declined": "{seat} will nicht zurückgehen.",
      "offer_lapsed": "Das Angebot von {seat} ist verfallen.",
      "taken_back": ({to, reason}) => `Die Partie geht nach Schritt ${to} zurück${because(reason)}`,
      "flagged": "Die Zeit von {seat} ist um.",
      "certified": "Das Ergebnis ist bestätigt.",
      "paused": "Die Partie ist angehalten.",
      "resumed": "Die Partie geht weiter.",
      "arbiter_called": ({seat, text}, who) => `${who(seat)} ruft den Schiedsrichter${because(text)}`,
      "call_withdrawn": "{seat} braucht keinen Schiedsrichter mehr.",
      "call_answered": ({seat, reason}, who) => `Der Schiedsrichter antwortet ${who(seat)}${because(reason)}`,
      "voided": ({reason}) => `Die Partie ist ungültig${because(reason)}`,
      "adjudicated": ({ranking, reason}, who) => `Der Schiedsrichter setzt das Ergebnis fest (${reason}): ${places(ranking, who)}.`,
      "time_granted": "{seat} bekommt {seconds} Sekunden mehr.",
      "token_reissued": "{seat} hat einen neuen Link.",
      "outage_excused": ({from, until}) => `${count(Math.round((until - from) / 1000), "Sekunde", "Sekunden")} Ausfall zählen für niemanden.`,
    },
    "giro-galoppo": {
      "obstacle_placed": "{seat} setzt ein Hindernis auf Feld {space}.",
      "card_chosen": ({seat, card}, who) => `${who(seat)} legt ${card === null ? "eine Karte" : `eine ${card}`} verdeckt.`,
      "cards_shown": ({cards}, who) => `Die Karten werden aufgedeckt: ${all(
        cards.flatMap((/** @type {any} */ card, /** @type {number} */ seat) => (card === null ? [] : [`${who(seat)} ${card}`])),
      )}.`,
      "horse_moved": ({seat, card, from, to, outcome, pushed}, who) => ({
        moved: `${who(seat)} spielt ${card} und reitet von ${space(from)} bis ${space(to)}`
          + (pushed ? `; ${who(pushed.seat)} muss zurück: ${space(pushed.to)}.` : "."),
        blocked: `${who(seat)} spielt ${card}, käme auf ein gesperrtes Feld (${from + card}) und bleibt.`,
        held: `${who(seat)} spielt ebenfalls ${card} und muss aussetzen.`,
      })[/** @type {"moved"} */ (outcome)],
      "hands_returned": "Alle Karten sind gespielt: Jeder nimmt sie wieder auf.",
      "race_over": "Die Ziellinie ist überquert.",
    },
    "giganten": {
      "tiles_dealt": "Die Tafeln sind ausgeteilt.",
      "tiles_laid": "{seat} hat die Tafeln gelegt.",
      "board_revealed": "Das Brett liegt.",
      "set_up_done": "{seat} hat aufgestellt.",
      "setups_revealed": "Alle haben aufgestellt: Das Spiel beginnt.",
      "moved": ({seat, moves}, who, _say, state) => `${who(seat)} zieht ${all(moves.map(
        (/** @type {Told} */ {piece: id, from, to}) => `${piece(state, id)} von ${cell(from)} nach ${cell(to)}`,
      ))}.`,
      "challenged": ({by, against, at, kinds, terrain, outcome}) => `${called(by, kinds[0])} fordert ${called(against, kinds[1])} ${
        terrain === "L" ? "an Land" : "im Sumpf"} auf ${cell(at)}: ${({
        challenger: "der Angreifer gewinnt", defender: "der Angegriffene gewinnt", draw: "unentschieden",
        "both-lost": "beide scheiden aus",
      })[/** @type {"draw"} */ (outcome)]}.`,
      "sprung": ({owner, piece: id, at, effect}, who) => `Eine Falle von ${who(owner)} auf ${cell(at)} fängt Figur ${id}: ${({
        remove: "sie verlässt das Brett", hold: "sie ist zwei Züge gefangen",
        return: "sie verlässt das Brett und darf wiederkommen",
      })[/** @type {"hold"} */ (effect)]}.`,
      "left_board": ({seat, kind}, who) => `${kind} von ${who(seat)} verlässt das Brett.`,
      "advanced": ({piece: id, to}, _who, _say, state) => `${piece(state, id)} rückt vor nach ${cell(to)}.`,
      "stayed": ({piece: id}, _who, _say, state) => `${piece(state, id)} bleibt stehen.`,
      "brought_in": ({seat, kind, at}, who) => `${who(seat)} setzt ${kind ?? "eine Figur"} auf ${cell(at)} ein.`,
      "returned": ({seat, kind, at}, who) => `${kind} von ${who(seat)} ist zurück, auf ${cell(at)}.`,
      "rested": "{seat} zieht nicht weiter.",
      "nest_taken": ({by, seat}, who) => `Figur ${by} hat das Nest von ${who(seat)} erobert.`,
      "seat_out": "{seat} ist ausgeschieden.",
      "turn_ended": "Der Zug von {seat} ist zu Ende.",
      "passed_over": "{seat} kann gerade nichts tun.",
      "immobile": "{seat} kann nichts mehr tun und hat verloren.",
      "no_progress": ({turns}) => `${count(turns, "ruhiger Zug", "ruhige Züge")} in Folge: unentschieden.`,
    },
    "dragon-dance": {
      "dealt": "Die Karten sind gegeben.",
      "piles_shuffled": "Der Stapel ist neu gemischt.",
      "first_card": "{card} wird aufgedeckt.",
      "laid": (one, who) => `${who(one.seat)} legt ${laid(one)}, ${paid(one)}.`,
      "drew": ({seat, card}, who) => `${who(seat)} zieht ${card ?? "eine Karte"}.`,
      "kept": "{seat} behält die Karte.",
      "passed": "{seat} kann weder legen noch ziehen.",
      "going_out": "{seat} hat die letzte Karte gelegt: Sperrt jemand?",
      "let_stood": "{seat} lässt den Kopf stehen.",
      "blocked": (one, who) => `${who(one.by)} sperrt ${who(one.seat)} mit ${laid(one)}, ${paid(one)}.`,
      "went_out": ({seat, bonus}, who) => `${who(seat)} macht Schluss, für ${count(bonus, "Punkt", "Punkte")}.`,
      "declined": "{seat} legt nichts mehr.",
      "round_ended": ({points, dragon, how}, who) => `${
        how === "stuck" ? "Niemand kann weiter: Die Runde ist zu Ende" : "Die Runde ist zu Ende"}${
        dragon === null ? "" : `, gewonnen von ${who(dragon)}`} (${all(
        points.map((/** @type {number} */ one, /** @type {number} */ seat) => `${who(seat)} ${one}`))}).`,
      "hand_returned": ({seat, count: cards}, who) => `${count(cards, "Karte", "Karten")} von ${who(seat)} kommen unter den Stapel.`,
    },
    "dancing-villager": {
      "called": "{seat} ist bereit.",
      "rolled": "Die Dörfler sind geworfen: Zählt!",
      "dog_tamed": ({seat, from}, who) => `${who(seat)} zähmt einen Hund aus ${from === "pack" ? "dem Rudel" : "dem Dorf"}.`,
      "dog_joined": "Alle liegen flach: Noch ein Hund kommt dazu.",
      "grabbed": ({seat, what}, who) => `${who(seat)} greift ${what === "dog" ? "den Hund" : "das Feuer"}.`,
      "window_closed": ({count: {up, down}, call}) => `Die Zeit ist um: ${up} hoch, ${down} unten. ${
        call === null ? "Nichts war zu greifen." : call === "tame" ? "Es war eine Zähmung!" : "Es war ein Angriff!"}`,
      "villager_lost": ({seat, why}, who) => `${who(seat)} verliert einen Dörfler, durch ${why === "mistake" ? "einen Fehler" : "einen Angriff"}.`,
      "dogs_escaped": ({seat, dogs}, who) => `${who(seat)} hat keine Dörfler mehr: ${count(dogs, "Hund läuft", "Hunde laufen")} davon.`,
      "sticks_removed": ({kind, number}) => `${number} ${kind === "meat" ? "Fleisch" : "Kohle"} kommt vom Feuer.`,
      "round_ended": ({how}) => `Die Runde endet mit ${how === "tame" ? "einer Zähmung" : "einem Angriff"}: Alle Spieße sind zurück.`,
      "dog_added": ({opposite}, who) => `Ein Hund kommt und stellt sich vor ${who(opposite)}.`,
      "game_won": "{seat} gewinnt.",
    },
    "giants-dance": {
      "set_up": "Der Weg ist gelegt, die Karten sind gegeben.",
      "piles_shuffled": "Stapel sind neu gemischt.",
      "challenge_placed": ({seat, square: place, kind}, who, say) => `${who(seat)} legt ${
        kind === null ? "ein Plättchen" : `ein Plättchen für ${say(kind)}`} verdeckt auf: ${square(place)}.`,
      "giant_moved": ({seat, card, to}, who) => `${who(seat)} spielt eine ${card} und geht zu: ${to === 20 ? "Marktplatz" : `Feld ${to}`}.`,
      "tokens_turned_up": ({field, tokens}, who, say) => `Aufgedeckt auf Feld ${field}: ${all(
        tokens.map((/** @type {Told} */ {owner, kind}) => `${say(kind)} von ${who(owner)}`))}.`,
      "tokens_taken": ({seat, field, rotate, parade}, who) => `${who(seat)} nimmt von Feld ${field}: ${all([
        ...(rotate ? [`${rotate}-mal Drehung`] : []), ...(parade ? [`${parade}-mal Umzug`] : []),
      ])}.`,
      "danced": ({seat, place, rotate, parade}, who) => `${who(seat)} tanzt (${square(place)}): ${[
        ...(rotate ? [`Drehung ${rotate.sum}`] : []), ...(parade ? [`Umzug ${parade.sum}`] : []),
      ].join(", ") || "verdeckt"}.`,
      "no_dance": "{seat} tanzt nicht.",
      "cards_drawn": ({seat, movement, dance}, who) => `${who(seat)} zieht ${count(movement.length + dance.length, "Karte", "Karten")}.`,
      "square_scored": ({square: place, points}, who) => `Gewertet: ${square(place)}. ${points.map(
        (/** @type {Told} */ row) => `${who(row.seat)} ${count(row.dancing + row.winning + row.double + row.challenge, "Punkt", "Punkte")}`,
      ).join(", ") || "Niemand bekommt Punkte"}.`,
      "street_scored": ({points}, who) => `Gewertet: Straße. ${points.map(
        (/** @type {number} */ one, /** @type {number} */ seat) => `${who(seat)} ${count(one, "Punkt", "Punkte")}`).join(", ")}.`,
    },
  },
};
