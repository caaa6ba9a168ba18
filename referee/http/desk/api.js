/**
 * The API, by `fetch`. Its types are made from its own document, `/schema/openapi.json`, by
 * `openapi-typescript`.
 *
 * @typedef {import("./openapi.js").components["schemas"]} Shapes
 * @typedef {Shapes["MatchView"]} View
 * @typedef {Shapes["LegalCommands"]} Legal
 * @typedef {Shapes["Problem"]} Problem
 * @typedef {Shapes["CommitMessage"]} Commit
 * @typedef {{type: string, [field: string]: any}} Command a command of any game, or of the table
 * @typedef {{type: string, [field: string]: any}} Event an event of any game, or of the table
 */
import {token} from "./address.js";

/** An event of the window: a command of this page has been taken. */
export const SENT = "referee-sent";

/** A request that was turned down, or that reached nobody. */
export class Declined extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** How far the service's time, which clocks go by, is ahead of this machine's, in ms. */
let ahead = 0;

/** What time it is for the service, Unix ms. */
export const now = () => Date.now() + ahead;

/** @param {number} time what the service has just said the time is */
export function setTime(time) {
  ahead = time - Date.now();
}

/** @param {Record<string, string>} more */
export function headers(more = {}) {
  const bearer = token();
  return bearer === null ? more : {Authorization: `Bearer ${bearer}`, ...more};
}

/**
 * Ask, and have the answer if it is a good one.
 * @param {string} path @param {RequestInit} request @returns {Promise<Response>}
 */
export async function ask(path, request = {}) {
  const sent = {...request, headers: headers(/** @type {any} */ (request.headers))};
  const answer = await fetch(path, sent).catch(() => null);
  if (answer === null) {
    throw new Declined({type: "", title: "offline", status: 0, detail: "offline"});
  }
  const time = Number(answer.headers.get("Referee-Time"));
  if (time) setTime(time);
  if (answer.ok || answer.status === 304) return answer;
  throw new Declined(await answer.json().catch(() => (
    {type: "", title: answer.statusText, status: answer.status, detail: answer.statusText}
  )));
}

/** @param {string} path @param {RequestInit} [request] */
const json = async (path, request) => (await ask(path, request)).json();

/** @param {string} path @param {unknown} body @param {Record<string, string>} [more] */
const post = (path, body, more = {}) => json(path, {
  method: "POST",
  body: JSON.stringify(body),
  headers: {"Content-Type": "application/json", ...more},
});

/** @param {string} match */
const path = (match) => `/v1/matches/${encodeURIComponent(match)}`;
/** @param {number | null} at */
const asOf = (at) => (at === null ? "" : `?at=${at}`);

/** @returns {Promise<Shapes["Games"]>} */
export const games = () => json("/v1/games");

/** @param {string} game @returns {Promise<Shapes["GamePage"]>} */
export const game = (game) => json(`/v1/games/${game}`);

/** @param {string} game @param {string} id @returns {Promise<Shapes["Ruled"]>} */
export const ruling = (game, id) => json(`/v1/games/${game}/rulings/${id}`);

/** @param {string} wanted as a query @returns {Promise<Shapes["Page"]>} */
export const matches = (wanted) => json(`/v1/matches?${wanted}`);

/**
 * Create a match. The key makes it one match, however often an answer is lost.
 * @param {object} order @param {string} key @returns {Promise<Shapes["CreatedMatch"]>}
 */
export const create = (order, key) => post("/v1/matches", order, {"Idempotency-Key": key});

/** @param {string} match @param {number | null} at @returns {Promise<View>} */
export const view = (match, at = null) => json(path(match) + asOf(at));

/** @param {string} match @param {number | null} at @returns {Promise<string>} */
export const board = async (match, at = null) =>
  (await ask(`${path(match)}/board.svg${asOf(at)}`)).text();

/** @param {string} match @returns {Promise<Legal>} */
export const legal = (match) => json(`${path(match)}/legal`);

/** @param {string} match @param {Command} command */
export const check = (match, command) => post(`${path(match)}/check`, command);

/** @param {string} match @returns {Promise<Shapes["Refusals"]>} */
export const refusals = (match) => json(`${path(match)}/refusals`);

/** @param {string} match @returns {Promise<Shapes["Judgement"]>} */
export const verdict = (match) => json(`${path(match)}/verdict`);

/** @param {string} match @param {number} seat @returns {Promise<Shapes["SeatToken"]>} */
export const newToken = (match, seat) => post(`${path(match)}/seats/${seat}/token`, {});

/** @param {string} match @param {"log" | "report"} what @returns {Promise<Blob>} */
export const file = async (match, what) => (await ask(`${path(match)}/${what}`)).blob();

/**
 * Send a command. One whose answer does not come is sent again with the same key, and so is taken
 * once. `place` is the version, or its tag, that it was decided on: 412 if that has passed.
 * @param {string} match @param {Command} command @param {string | null} place
 * @returns {Promise<Shapes["Accepted"]>}
 */
export async function send(match, command, place = null) {
  const more = {"Idempotency-Key": randomHex(16), ...(place && {"If-Match": `"${place}"`})};
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      const answer = await post(`${path(match)}/commands`, command, more);
      dispatchEvent(new Event(SENT));
      return answer;
    } catch (fault) {
      if (!(fault instanceof Declined) || !PASSING.has(fault.problem.status)) throw fault;
      await new Promise((go) => setTimeout(go, pause));
    }
  }
}

const PASSING = new Set([0, 429, 502, 503, 504]);

/** Random bytes of the browser's as hex digits. @param {number} bytes */
export const randomHex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
