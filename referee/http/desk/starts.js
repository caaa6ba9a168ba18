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
 * Entries that go elsewhere, or change places, until each suits its own.
 * @param {View} view @param {Row[]} rows @param {string} member names an entry's place
 * @param {any[]} places all that there are
 */
export function settled(view, rows, member, places) {
  const suits = SUITS[view.game];
  if (!suits) return rows;
  const settled = [...rows];
  settled.forEach((row, at) => {
    if (suits(view, row)) return;
    const who = (/** @type {any} */ place) => settled.findIndex((one) => String(one[member]) === String(place));
    const to = places.find((place) => suits(view, {...row, [member]: place})
      && (who(place) < 0 || suits(view, {...settled[who(place)], [member]: row[member]})));
    if (to === undefined) return;
    const there = who(to);
    if (there >= 0) settled[there] = {...settled[there], [member]: row[member]};
    settled[at] = {...row, [member]: to};
  });
  return settled;
}
