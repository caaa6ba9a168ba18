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
  /** @param {Problem} problem @param {number} [wait] for so many ms, says the service */
  constructor(problem, wait = 0) {
    super(problem.detail);
    this.problem = problem;
    this.wait = wait;
  }

  /** Whether the same request may do later: nobody was there, or too much was asked for. */
  get passes() {
    return [0, 429, 502, 503, 504].includes(this.problem.status);
  }
}

const SHORTEST_MS = 500;
const LONGEST_MS = 8_000;

/** How long to wait after so many failures: not all tabs of a hall at once. @param {number} failures */
export const pauseAfter = (failures) =>
  Math.min(SHORTEST_MS * 2 ** (failures - 1), LONGEST_MS) * (1 + Math.random());

/**
 * Sleep, but not on when a command of this page has been taken: there is news.
 * @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>}
 */
export const sleep = (ms, signal) => new Promise((wake) => {
  setTimeout(wake, ms);
  signal?.addEventListener("abort", () => wake(), {once: true});
  addEventListener(SENT, () => wake(), {once: true});
});

/**
 * @typedef {{signal?: AbortSignal, once?: boolean}} How `signal`: when an answer is wanted no more;
 *   `once`: for who comes again by itself, and is to know that nobody is there
 */

/**
 * Ask again, after a pause, as long as the service is away or has too much to do.
 * @template T @param {() => Promise<T>} request @param {How} [how] @returns {Promise<T>}
 */
async function patiently(request, {signal, once = false} = {}) {
  for (let failures = 1; ; failures += 1) {
    try {
      return await request();
    } catch (fault) {
      if (once || signal?.aborted || !(fault instanceof Declined) || !fault.passes) throw fault;
      await sleep(Math.max(fault.wait, pauseAfter(failures)), signal);
    }
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

const OFFLINE = {type: "", title: "offline", status: 0, detail: "offline"};

/**
 * Ask, and have what the answer holds if it is a good one.
 * @template T @param {string} path @param {RequestInit} request
 * @param {(answer: Response) => Promise<T>} held @returns {Promise<T>}
 */
async function ask(path, request, held) {
  const sent = {...request, headers: headers(/** @type {any} */ (request.headers))};
  const answer = await fetch(path, sent).catch(() => null);
  if (answer === null) throw new Declined(OFFLINE);
  const time = Number(answer.headers.get("Referee-Time"));
  if (time) setTime(time);
  if (!answer.ok) throw await declined(answer);
  return held(answer).catch(() => { // it broke off
    throw new Declined(OFFLINE);
  });
}

/** @param {Response} answer */
export async function declined(answer) {
  const {status, statusText: title, headers} = answer;
  const problem = await answer.json().catch(() => ({type: "", title, status, detail: title}));
  return new Declined(problem, 1000 * Number(headers.get("Retry-After")));
}

/** @param {Response} answer @returns {Promise<any>} */
const json = (answer) => answer.json();

/**
 * @template [T=any] @param {string} path @param {How} [how]
 * @param {(answer: Response) => Promise<T>} [held] @returns {Promise<T>}
 */
const read = (path, how = {}, held = json) =>
  patiently(() => ask(path, {signal: how.signal ?? null}, held), how);

/** @param {string} path @param {unknown} body @param {RequestInit} [more] */
const post = (path, body, more = {}) => ask(path, {
  ...more,
  method: "POST",
  body: JSON.stringify(body),
  headers: {"Content-Type": "application/json", ...more.headers},
}, json);

/** @param {string} match */
const path = (match) => `/v1/matches/${encodeURIComponent(match)}`;
/** @param {number | null} at */
const asOf = (at) => (at === null ? "" : `?at=${at}`);

/** @param {How} [how] @returns {Promise<Shapes["Games"]>} */
export const games = (how) => read("/v1/games", how);

/** @param {string} game @param {How} [how] @returns {Promise<Shapes["GamePage"]>} */
export const game = (game, how) => read(`/v1/games/${game}`, how);

/** @param {string} game @param {string} id @param {How} [how] @returns {Promise<Shapes["Ruled"]>} */
export const ruling = (game, id, how) => read(`/v1/games/${game}/rulings/${id}`, how);

/** @param {string} wanted as a query @param {How} [how] @returns {Promise<Shapes["Page"]>} */
export const matches = (wanted, how) => read(`/v1/matches?${wanted}`, how);

/**
 * Create a match. The key makes it one match, however often an answer is lost.
 * @param {object} order @param {string} key @returns {Promise<Shapes["CreatedMatch"]>}
 */
export const create = (order, key) =>
  post("/v1/matches", order, {headers: {"Idempotency-Key": key}});

/** @param {string} match @param {number | null} at @param {How} [how] @returns {Promise<View>} */
export const view = (match, at, how) => read(path(match) + asOf(at), how);

/** @param {string} match @param {number | null} at @param {How} [how] @returns {Promise<string>} */
export const board = (match, at, how) =>
  read(`${path(match)}/board.svg${asOf(at)}`, how, (answer) => answer.text());

/** @param {string} match @param {How} [how] @returns {Promise<Legal>} */
export const legal = (match, how) => read(`${path(match)}/legal`, how);

/** @param {string} match @param {Command} command @param {How} [how] */
export const check = (match, command, how) => patiently(
  () => post(`${path(match)}/check`, command, {signal: how?.signal ?? null}), how,
);

/** @param {string} match @param {How} [how] @returns {Promise<Shapes["Refusals"]>} */
export const refusals = (match, how) => read(`${path(match)}/refusals`, how);

/** @param {string} match @returns {Promise<Shapes["Judgement"]>} */
export const verdict = (match) => read(`${path(match)}/verdict`);

/** @param {string} match @param {number} seat @returns {Promise<Shapes["SeatToken"]>} */
export const newToken = (match, seat) => post(`${path(match)}/seats/${seat}/token`, {});

/** @param {string} match @param {"log" | "report"} what @returns {Promise<Blob>} */
export const file = (match, what) =>
  read(`${path(match)}/${what}`, {}, (answer) => answer.blob());

/**
 * Send a command. One whose answer does not come is sent again with the same key, and so is taken
 * once. `place` is the version, or its tag, that it was decided on: 412 if that has passed.
 * @param {string} match @param {Command} command @param {string | null} place
 * @returns {Promise<Shapes["Accepted"]>}
 */
export async function send(match, command, place = null) {
  const headers = {"Idempotency-Key": randomHex(16), ...(place && {"If-Match": `"${place}"`})};
  const answer = await patiently(() => post(`${path(match)}/commands`, command, {headers}));
  dispatchEvent(new Event(SENT));
  return answer;
}

/** Random bytes of the browser's as hex digits. @param {number} bytes */
export const randomHex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
