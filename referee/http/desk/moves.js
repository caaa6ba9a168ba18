/**
 * Which commands name what is on the board.
 *
 * An element of `board.svg` that commands may name says by which of their fields, and with what
 * value: `data-space="7"`, `data-to="3,5"`; `data-x-y="3,-1"` where several fields name a thing
 * together. A field counts wherever it stands in a command, and a list of values holds each.
 * `data-event-field="7"` is named by events alone, so that a move can be shown.
 *
 * @typedef {import("./api.js").Command} Command
 * @typedef {[names: string[], value: string]} Mark
 */

/** What an element stands for. @param {Element} element @returns {Mark[]} */
export const marksOf = (element) =>
  element.getAttributeNames()
    .filter((name) => name.startsWith("data-"))
    .map((name) => [name.slice(5).split("-"), element.getAttribute(name) ?? ""]);

/** Whether any of these commands names what has these marks. @param {Command[]} commands @param {Mark[]} marks */
export const names = (commands, marks) =>
  marks.some(([fields, value]) => heldIn(commands, fields).has(value));

/** Commands that name everything picked. @param {Command[]} commands @param {Mark[][]} picks */
export const named = (commands, picks) =>
  (picks.length === 0 ? commands : commands.filter((one) => picks.every((marks) => names([one], marks))));

/** @type {WeakMap<Command[], Map<string, Set<string>>>} */
const HELD = new WeakMap();

/** All that commands hold in fields, looked up once for all elements of a board. @param {Command[]} commands @param {string[]} fields */
function heldIn(commands, fields) {
  const known = HELD.get(commands) ?? new Map();
  HELD.set(commands, known);
  const key = String(fields);
  if (!known.has(key)) known.set(key, new Set(commands.flatMap((one) => held(one, fields))));
  return known.get(key);
}

/** What a command holds in fields, wherever they stand together in it. @param {any} value @param {string[]} fields @returns {string[]} */
function held(value, fields) {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap((one) => held(one, fields));
  if (!fields.every((field) => field in value)) return within;
  const here = fields.length > 1 ? fields.map((field) => value[field]) : value[fields[0] ?? ""];
  return [String(here), ...(Array.isArray(here) && fields.length === 1 ? here.map(String) : []), ...within];
}

/**
 * What is picked first of a command: its first field that holds anything, such as the piece of a
 * move. @param {any} value @returns {any}
 */
export function beginning(value) {
  if (Array.isArray(value)) return value.map(beginning);
  if (typeof value !== "object" || value === null) return value;
  const first = Object.entries(value).find(([name, held]) => name !== "type" && held?.length !== 0);
  return first ? {[first[0]]: beginning(first[1])} : {};
}

/** By which fields events say where something happened, for each name of a mark. @type {Record<string, string[]>} */
const TRACES = {
  to: ["to", "from"], space: ["space", "to", "from"], "event-field": ["field", "to", "from"],
  square: ["square", "place"], piece: ["piece"], what: ["what"],
};

/**
 * What the last move on the board touched, up to a step: says so of an element, by its marks.
 * @param {import("./api.js").Commit[]} commits @param {number} step
 * @param {(event: import("./api.js").Event) => boolean} counts @returns {(marks: Mark[]) => boolean}
 */
export function traceOf(commits, step, counts) {
  const last = commits.findLast(({version, events}) => version <= step && (
    events.some(({type}) => type === "taken_back") || touched(events.filter(counts))
  ));
  const events = /** @type {Command[]} */ (last?.events.filter(counts) ?? []);
  return (marks) => marks.some(([fields, value]) => (
    TRACES[fields.join("-")]?.some((field) => heldIn(events, [field]).has(value))
  ));
}

/** @param {Command[]} events */
const touched = (events) =>
  Object.values(TRACES).flat().some((field) => heldIn(events, [field]).size > 0);

/** Commands by their types, in their order. @param {Command[]} commands */
export function grouped(commands) {
  /** @type {Map<string, Command[]>} */
  const groups = new Map();
  for (const command of commands) {
    groups.set(command.type, [...(groups.get(command.type) ?? []), command]);
  }
  return [...groups];
}
