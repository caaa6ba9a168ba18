/**
 * The words in the pictures, in German: what stands between two `·`, as an expression finds it, and
 * what stands there instead. The first that fits counts.
 */

const und = (/** @type {string} */ names) => names.replace(/ and (?!.* and )/, " und ");
/** @type {Record<string, string>} */
const PLACES = {
  "Church": "Kirche", "Sluice": "Schleuse", "Justice": "Gericht", "Heroes": "Helden", "Flax": "Flachs",
  "Market": "Markt", "Church Square": "Kirche", "the Sluice": "Schleuse",
  "the Square of Justice": "Gerichtsplatz", "Heroes Square": "Heldenplatz",
  "the Flaxmarket": "Flachsmarkt", "the Market Square": "Marktplatz", "the street": "Straße",
};
/** What a roll means is broken into lines anywhere. @type {Record<string, string>} */
const ROLL = {
  "count quickly": "schnell zählen", "the answer comes": "die Antwort kommt", "with the close": "am Ende",
  "none yet": "noch keiner", "no stick": "kein Spieß", "nothing": "nichts", "doubled": "verdoppelt",
  "up": "hoch", "down": "unten", "the charcoal": "die Kohle", "charcoal": "Kohle",
  "the meat": "das Fleisch", "meat": "Fleisch", "runs out": "geht aus", "the dogs": "die Hunde",
  "can be": "sind zu", "tamed": "zähmen", "attack": "greifen an", "the": "–",
};
const OF_ROLL = Object.keys(ROLL).join("|");
/** @type {Record<string, string>} */
const SEATED = {"to act": "am Zug", "ready": "bereit", "out": "aus", "wrong": "falsch", "safe": "sicher"};

/** @type {[RegExp, string | ((...found: string[]) => string)][]} */
export default [
  // The table
  [/^Nobody won\.$/, "Niemand hat gewonnen."],
  [/^(.+ and .+) won\.$/, (_, names = "") => `${und(names)} teilen den ersten Platz.`],
  [/^(.+) won\.$/, "$1 hat gewonnen."],
  [/^The match is paused\.$/, "Die Partie ist angehalten."],
  [/^The match is void\.$/, "Die Partie ist ungültig."],
  [/^Nothing is dealt yet: the entropy of (.+) is awaited\.$/, (_, names = "") => `Noch ist nicht gegeben: Der Zufall von ${und(names)} fehlt.`],
  [/^withdrew$/, "ausgeschieden"], [/^place (\d+)$/, "Platz $1"], [/^paused$/, "angehalten"],
  [/^finished$/, "beendet"], [/^void$/, "ungültig"], [/^round (\d+)$/, "Runde $1"],

  // The Giants' Dance
  [/^Turn (\d+): (.+) is last and is to move\.$/, "Zug $1: $2 ist Letzter und geht."],
  [/^Turn (\d+): (.+) may dance (?:on|at) (.+)\.$/, (_, turn, name, place = "") => `Zug ${turn}: ${name} darf tanzen (${PLACES[place]}).`],
  [/^Turn (\d+): (.+) is to lay a challenge token\.$/, "Zug $1: $2 legt ein Plättchen."],
  [/^(\d+ )?(Church|Sluice|Justice|Heroes|Flax|Market)$/, (_, field = "", place = "") => field + PLACES[place]],
  [/^points$/, "Punkte"], [/^field$/, "Feld"], [/^moves$/, "gehen"], [/^dances$/, "tanzen"],
  [/^tokens$/, "Plättchen"], [/^rotate$/, "Drehung"], [/^parade$/, "Umzug"],
  [/^challenge$/, "Herausforderung"], [/^street$/, "Straße"],
  [/^(?=.*token)(?:(?:\d+|token)(?: \+ )?)+$/, (said = "") => said.replaceAll("token", "Plättchen")],

  // Giganten
  [/^turn (\d+)$/, "Zug $1"], [/^laying the tiles$/, "Tafeln legen"], [/^setting up$/, "Aufstellung"],
  [/^Waiting for the tiles of (.+)\.$/, (_, names = "") => `Es fehlen die Tafeln von ${und(names)}.`],
  [/^Waiting for (.+) to set up\.$/, (_, names = "") => `Es fehlt die Aufstellung von ${und(names)}.`],
  [/^(.+) is to move\.$/, "Am Zug: $1."], [/^(.+) is asked to advance\.$/, "$1 darf vorrücken."],
  [/^(\d+) moves$/, "$1 Züge"],
  [/^tiles: ([a-d ]+), laid (.+)$/, (_, drawn, laid = "") => `Tafeln: ${drawn}, gelegt: ${laid.replaceAll(" at ", " um ")}`],
  [/^tiles: /, "Tafeln: "], [/^lost: /, "verloren: "], [/^waiting: /, "darf wiederkommen: "],
  [/^reserve: 1 piece$/, "Reserve: 1 Figur"], [/^reserve: (\d+) pieces$/, "Reserve: $1 Figuren"],
  [/^reserve: /, "Reserve: "], [/^secret trap: (.+) \(known to all\)$/, "geheime Falle: $1 (allen bekannt)"],
  [/^secret trap: /, "geheime Falle: "], [/^held: (.+)$/, (_, held = "") => `gefangen: ${und(held).replaceAll(" for ", " für ")}`],

  // Dragon Dance
  [/^Dragon Dance$/, "Drachentanz"], [/^round (\d+) of (\d+) at most$/, "Runde $1 von höchstens $2"],
  [/^(\d+) in the pile$/, "$1 im Stapel"], [/^black dragon$/, "schwarzer Drache"],
  [/^white dragon$/, "weißer Drache"], [/^1 point$/, "1 Punkt"], [/^(\d+) points$/, "$1 Punkte"],
  [/^(\d+) in all$/, "$1 insgesamt"], [/^won (\d+)$/, "gewonnen: $1"],
  [/^(.+) is to lay a card, or to draw one\.$/, "$1 legt oder zieht eine Karte."],
  [/^(.+) is to lay the card just drawn, or to keep it\.$/, "$1 legt die gezogene Karte oder behält sie."],
  [/^(.+) is going out; (.+) is to block the head, or to let it stand\.$/, "$1 macht Schluss; $2 sperrt den Kopf oder lässt ihn stehen."],
  [/^(.+) has gone out; (.+) may lay one card more\.$/, "$1 hat Schluss gemacht; $2 darf noch eine Karte legen."],
  [/^goes out$/, "macht Schluss"], [/^is out$/, "ist fertig"],

  // Giro Galoppo
  [/^the race is over$/, "das Rennen ist vorbei"], [/^the race$/, "das Rennen"],
  [/^placing the obstacles$/, "Hindernisse setzen"],
  [/^of equal cards the rearmost moves$/, "bei gleichen Karten zieht das hinterste"],
  [/^space (\d+)$/, "Feld $1"], [/^the gate$/, "Startbox"], [/^has left the race$/, "aus dem Rennen"],
  [/^the (\d) lies face down$/, "die $1 liegt verdeckt"], [/^a card lies face down$/, "eine liegt verdeckt"],

  // Dancing Villager
  [/^Dancing Villager$/, "Der tanzende Dörfler"], [/^round (\d+), roll (\d+)$/, "Runde $1, Wurf $2"],
  [/^before the roll$/, "vor dem Wurf"], [/^paused, before the roll$/, "angehalten, vor dem Wurf"],
  [/^the window is open$/, "jetzt wird gegriffen"], [/^paused, the window is open$/, "angehalten beim Griff"],
  [/^over$/, "vorbei"], [/^paused, over$/, "angehalten"],
  [/^(\d+) villagers?, (\d+\/\d+) dogs$/, "$1 Dörfler, $2 Hunde"],
  [/^charcoal: (\d+) of (\d+)$/, "Kohle: $1 von $2"], [/^meat: (\d+) of (\d+)$/, "Fleisch: $1 von $2"],
  [/^village: 1 dog$/, "Dorf: 1 Hund"], [/^village: (\d+) dogs$/, "Dorf: $1 Hunde"],
  [/^pack: 1 dog$/, "Rudel: 1 Hund"], [/^pack: (\d+) dogs$/, "Rudel: $1 Hunde"],
  [/^Roll$/, "Wurf"], [/^Grabs$/, "Griffe"], [/^Result$/, "Ergebnis"], [/^none$/, "keine"],
  [/^(\d+ .+): dog$/, "$1: Hund"], [/^(\d+ .+): bonfire$/, "$1: Feuer"],
  [/^(to act|ready|out|wrong|safe)(?:, (wrong|safe))?$/, (_, one = "", other) => [one, other].flatMap((word) => SEATED[word ?? ""] ?? []).join(", ")],
  [new RegExp(`^(?:[\\d ,:·]|${OF_ROLL})+$`), (said = "") => said.replaceAll(new RegExp(OF_ROLL, "g"), (word) => ROLL[word] ?? "")],
];
