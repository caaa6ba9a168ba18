/**
 * The tables of a hall, kept up to date: the list, and what its rows leave out where no tournament is
 * asked for.
 */
import {matches, refusals, view as viewOf} from "./api.js";
import {useEffect, useRef, useState} from "./vendor/preact.js";

/**
 * @typedef {import("./api.js").Shapes["MatchRow"]} Row
 * @typedef {{rows: Row[] | null, more: boolean, state: "live" | "incomplete" | "away"}} Tables
 *   `incomplete`: a part of the store is away, and rows from there are as they were
 * @typedef {Partial<Row> & {place?: string, asked?: number}} Known what is known beside a row
 */

const POLL_MS = 2000;
/** All is asked for again by itself, and who looks is to know that it cannot be had. */
const ONCE = {once: true};
/** A refusal makes no version, and so is asked for: of so many tables at each look, in turn. */
const IN_TURN = 10;

/**
 * The newest matches that are wanted.
 * @param {Record<string, string>} wanted @param {number} limit @returns {Tables}
 */
export function useTables(wanted, limit) {
  const [tables, setTables] = useState(/** @type {Tables} */ ({rows: null, more: false, state: "live"}));
  const known = useRef(/** @type {Map<string, Known>} */ (new Map()));
  const asked = new URLSearchParams({...wanted, limit: String(limit)}).toString();
  useEffect(() => {
    let stopped = false;
    let last = /** @type {Tables} */ ({rows: null, more: false, state: "live"});
    const run = async () => {
      while (!stopped) {
        if (!document.hidden) last = await look(asked, last, known.current ?? new Map());
        if (!stopped) setTables(last);
        await new Promise((go) => setTimeout(go, POLL_MS));
      }
    };
    run();
    return () => {
      stopped = true;
    };
  }, [asked]);
  return tables;
}

/** @param {string} asked @param {Tables} last @param {Map<string, Known>} known @returns {Promise<Tables>} */
async function look(asked, last, known) {
  const page = await matches(asked, ONCE).catch(() => null);
  if (page === null) return {...last, state: "away"};
  const bare = page.matches.filter(({to_act}) => to_act === undefined);
  await Promise.all([
    ...bare.map((row) => learn(row, known)), ...inTurn(bare, known).map((row) => count(row, known)),
  ]);
  const there = new Set(page.matches.map(({match}) => match));
  const away = page.incomplete ? (last.rows ?? []).filter(({match}) => !there.has(match)) : [];
  return {
    rows: [...page.matches, ...away].map((row) => ({...known.get(row.match), ...row})),
    more: page.cursor !== null,
    state: page.incomplete ? "incomplete" : "live",
  };
}

/** Ask for a match's view, once a version. @param {Row} row @param {Map<string, Known>} known */
async function learn({match, version, updated}, known) {
  const place = `${version} ${updated}`;
  if (known.get(match)?.place === place) return;
  const view = await viewOf(match, null, ONCE).catch(() => null);
  if (view === null) return;
  const {to_act, deadline, called, clock} = view;
  known.set(match, {...known.get(match), place, to_act, deadline, called, clock});
}

/** Those that were not asked for the longest; what is over, once. @param {Row[]} rows @param {Map<string, Known>} known */
function inTurn(rows, known) {
  const asked = (/** @type {Row} */ {match}) => known.get(match)?.asked ?? 0;
  const open = rows.filter((row) => asked(row) === 0 || ["active", "paused"].includes(row.status));
  return open.sort((one, other) => asked(one) - asked(other)).slice(0, IN_TURN);
}

/** Ask how much was refused in a match. @param {Row} row @param {Map<string, Known>} known */
async function count({match}, known) {
  const record = await refusals(match, ONCE).catch(() => null);
  if (record === null) return;
  known.set(match, {...known.get(match), asked: Date.now(), refusals: record.refusals.length});
}
