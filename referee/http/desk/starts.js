/**
 * What a form begins with where its template cannot say all that the rules do. This saves questions
 * whose answer is no; `check` has the last word, and a game that is not named here needs nothing.
 *
 * @typedef {import("./api.js").View} View @typedef {{[field: string]: any}} Row
 * @typedef {[x: number, y: number]} Cell
 */

/** A team's nests differ by so much in their x or y. */
const NEST_GAP = 8;

/**
 * Which entries of a set-up would be refused whatever the others are; `left`: where no entry stands.
 * @type {Record<string, (view: View, row: Row, left: any[]) => boolean>}
 */
const SUITS = {
  giganten: (view, {kind, at}, left) => {
    if (kind === "blitz") return isLand(view, at);
    return kind !== "nest" || (isFitForNest(view, at) && suitsPartner(view, at, left));
  },
};

/** @param {View} view @param {Cell} cell */
function groundOf({state}, [x, y]) {
  const rows = /** @type {any} */ (state).board;
  return rows[rows.length - 1 - y]?.[x] ?? ".";
}

/** @param {View} view @param {Cell} cell */
const isLand = (view, cell) => groundOf(view, cell) === "L";

/** Land, and no corner of the board. @param {View} view @param {Cell} cell */
const isFitForNest = (view, [x, y]) => isLand(view, [x, y])
  && /** @type {Cell[]} */ ([[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]])
    .filter((cell) => groundOf(view, cell) !== ".").length > 2;

/** Of four seats: far from the partner's nest, which finds a place later on if there is none yet. @param {View} view @param {Cell} nest @param {Cell[]} left */
function suitsPartner(view, nest, left) {
  const partner = view.seats[(Number(view.viewer.split(" ")[1]) + 2) % 4];
  if (view.seats.length < 4 || !partner || partner.withdrawn) return true;
  const stands = /** @type {any} */ (view.state).pieces.filter((/** @type {Row} */ {seat}) => seat === partner.seat);
  const isFar = (/** @type {Cell} */ [x, y]) =>
    Math.max(Math.abs(x - nest[0]), Math.abs(y - nest[1])) >= NEST_GAP;
  return stands.length > 0
    ? stands.every((/** @type {Row} */ {kind, at}) => kind !== "nest" || isFar(at))
    : left.some((cell) => isFitForNest(view, cell) && isFar(cell));
}

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
    const taken = new Set(settled.map((one) => String(one[member])));
    const left = places.filter((place) => !taken.has(String(place)));
    if (suits(view, row, left)) return;
    const who = (/** @type {any} */ place) => settled.findIndex((one) => String(one[member]) === String(place));
    const to = places.find((place) => suits(view, {...row, [member]: place}, left)
      && (who(place) < 0 || suits(view, {...settled[who(place)], [member]: row[member]}, left)));
    if (to === undefined) return;
    const there = who(to);
    if (there >= 0) settled[there] = {...settled[there], [member]: row[member]};
    settled[at] = {...row, [member]: to};
  });
  return settled;
}
