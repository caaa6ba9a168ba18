/**
 * What a form begins with where its template cannot say all that the rules do. This saves questions
 * whose answer is no; `check` has the last word, and a game that is not named here needs nothing.
 *
 * @typedef {import("./api.js").View} View @typedef {{[field: string]: any}} Row
 */

/** Which entries of a set-up would be refused whatever the others are. @type {Record<string, (view: View, row: Row) => boolean>} */
const SUITS = {
  giganten: ({state}, {kind, at: [x, y]}) => {
    const rows = /** @type {any} */ (state).board;
    const ground = (/** @type {number} */ x, /** @type {number} */ y) => rows[rows.length - 1 - y]?.[x] ?? ".";
    const beside = [ground(x - 1, y), ground(x + 1, y), ground(x, y - 1), ground(x, y + 1)];
    if (kind === "nest" && beside.filter((one) => one !== ".").length < 3) return false;
    return !["nest", "blitz"].includes(kind) || ground(x, y) === "L";
  },
};

/**
 * Entries that change places until each suits its own.
 * @param {View} view @param {Row[]} rows @param {string} place the member that names it
 */
export function settled(view, rows, place) {
  const suits = SUITS[view.game];
  if (!suits) return rows;
  const settled = [...rows];
  settled.forEach((row, at) => {
    if (suits(view, row)) return;
    const there = settled.findIndex((other) =>
      suits(view, {...row, [place]: other[place]}) && suits(view, {...other, [place]: row[place]}));
    if (there < 0) return;
    const other = /** @type {Row} */ (settled[there]);
    [settled[at], settled[there]] = [{...row, [place]: other[place]}, {...other, [place]: row[place]}];
  });
  return settled;
}
