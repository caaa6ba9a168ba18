/** The desk's words in the language that its reader wants, and events and commands in sentences. */
import de from "./words.de.js";
import en from "./words.en.js";

/** @typedef {import("./words.en.js").Told} Told @typedef {import("./words.en.js").Sentences} Sentences */
/** @typedef {Pick<import("./api.js").View, "game" | "seats" | "state">} Match a view, or what counts of it */
/** @type {Record<string, import("./words.en.js").Words>} */
export const LANGUAGES = {en, de};
const KEPT = "referee-language";

const wanted = [localStorage.getItem(KEPT), ...navigator.languages.map((one) => one.slice(0, 2))];
export const language = wanted.find((one) => one !== null && one in LANGUAGES) ?? "en";
const words = LANGUAGES[language] ?? en;

/** @param {string} language */
export function speak(language) {
  localStorage.setItem(KEPT, language);
  location.reload();
}

/**
 * Words of the desk itself. @param {string} key @param {Told} [fields] what stands in its braces
 */
export const t = (key, fields = {}) =>
  filled(words.ui[key] ?? key, fields, String);

/** @param {string} game */
export const gameName = (game) => looked(words.games, game) ?? plain(game);

/** A game in a line, as the catalogue has it where it has no words here. @param {{id: string, about: string}} game */
export const aboutGame = ({id, about}) => looked(words.about, id) ?? about;

/** A field of a command, or an option. @param {string} name */
export const fieldName = (name) => looked(words.fields, name) ?? plain(name);

/** An option of a game. @param {string} name */
export const optionName = (name) => looked(words.options, name) ?? plain(name);

/** What commands of a type are called together. @param {string} type */
export const groupName = (type) =>
  looked(words.groups, type) ?? looked(words.commands.table ?? {}, type) ?? plain(type);

/** A value in words. @param {any} value @returns {string} */
export function say(value) {
  if (Array.isArray(value)) return value.map(say).join(typeof value[0] === "number" ? "," : " ");
  if (typeof value === "object" && value !== null) return Object.values(value).map(say).join(" ");
  return looked(words.values, String(value)) ?? String(value);
}

/**
 * An event in a sentence. @param {Match} match @param {Told} event
 */
export const tellEvent = (match, event) => told(words.events, match, event);

/**
 * A command in a sentence. @param {Match} match @param {Told} command
 */
export const tellCommand = (match, command) => told(words.commands, match, command);

/** Whether an event is the game's own, not the table's. @param {Told} event */
export const isOfGame = ({type}) => words.events.table?.[type] === undefined;

/** @param {Sentences} sentences @param {Match} match @param {Told} one */
function told(sentences, {game, seats, state}, one) {
  const sentence = sentences[game]?.[one.type] ?? sentences.table?.[one.type];
  const who = (/** @type {number} */ seat) => seats[seat]?.name ?? String(seat);
  if (typeof sentence === "function") return sentence(one, who, say, state);
  return sentence === undefined ? generic(one, who) : filled(sentence, one, say, who);
}

/** How a game goes, and what its signs say; nothing where nobody has written it. @param {string} game */
export const helpOf = (game) => (Object.hasOwn(words.help, game) ? words.help[game] : undefined);

/** What is written in a picture, in the reader's language. @param {string} text */
export const onBoard = (text) => text.split(" · ").map((part) => {
  const [pattern, said] = words.board.find(([one]) => one.test(part)) ?? [];
  return pattern === undefined ? part : part.replace(pattern, /** @type {any} */ (said));
}).join(" · ");

/** What has no words of its own: its type, and its fields. @param {Told} one @param {(seat: number) => string} who */
function generic(one, who) {
  const fields = Object.entries(one)
    .filter(([name]) => !["type", "version", "index", "at"].includes(name))
    .map(([name, value]) => `${fieldName(name)} ${name === "seat" ? who(value) : say(value)}`);
  return [plain(one.type), ...fields].join(", ");
}

/**
 * @param {string} text @param {Told} fields @param {(value: any) => string} say
 * @param {(seat: number) => string} [who]
 */
const filled = (text, fields, say, who) => text.replace(/\{(\w+)\}/g, (_, name) => (
  name === "seat" && who ? who(fields.seat) : say(fields[name])
));

/** @param {string} name */
const plain = (name) => name.replaceAll(/[_-]/g, " ").replace(/^./, (first) => first.toUpperCase());

/** @param {object} there @param {string} name @returns {string | undefined} */
const looked = (there, name) =>
  (Object.hasOwn(there, name) ? /** @type {any} */ (there)[name] : undefined);
