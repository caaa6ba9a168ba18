/**
 * Which commands name what is on the board.
 *
 * An element of `board.svg` that commands may name says by which of their fields, and with what
 * value: `data-space="7"`, `data-to="3,5"`; `data-x-y="3,-1"` where several fields name a thing
 * together. A field counts wherever it stands in a command, and a list of values holds each.
 *
 * @typedef {import("./api.js").Command} Command
 * @typedef {[names: string[], value: string]} Mark
 */

/** What an element stands for. @param {Element} element @returns {Mark[]} */
export const marksOf = (element) =>
  element.getAttributeNames()
    .filter((name) => name.startsWith("data-"))
    .map((name) => [name.slice(5).split("-"), element.getAttribute(name) ?? ""]);

/** Whether a command names what has these marks. @param {unknown} command @param {Mark[]} marks */
export const names = (command, marks) =>
  objectsIn(command).some((object) => marks.some((mark) => holds(object, mark)));

/** @param {Record<string, unknown>} object @param {Mark} mark */
function holds(object, [fields, value]) {
  if (fields.some((field) => !(field in object))) return false;
  if (fields.length > 1) return String(fields.map((field) => object[field])) === value;
  const held = object[fields[0] ?? ""];
  return String(held) === value || (Array.isArray(held) && held.map(String).includes(value));
}

/** All objects within a value. @param {any} value @returns {Record<string, unknown>[]} */
function objectsIn(value) {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? within : [value, ...within];
}

/** Commands that name everything picked. @param {Command[]} commands @param {Mark[][]} picks */
export const named = (commands, picks) =>
  commands.filter((command) => picks.every((marks) => names(command, marks)));

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

/** Commands by their types, in their order. @param {Command[]} commands */
export function grouped(commands) {
  /** @type {Map<string, Command[]>} */
  const groups = new Map();
  for (const command of commands) {
    groups.set(command.type, [...(groups.get(command.type) ?? []), command]);
  }
  return [...groups];
}
