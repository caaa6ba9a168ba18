/** Small things that several pages show. */
import {ruling} from "../api.js";
import {useAnswer} from "../match.js";
import {html, useEffect, useState} from "../vendor/preact.js";
import {isOfGame, language, t} from "../words.js";

/** @typedef {import("../api.js").View} View @typedef {import("../api.js").Problem} Problem */

const list = new Intl.ListFormat(language, {type: "conjunction"});

/** The names of seats in a row. @param {{seats: View["seats"]}} view @param {readonly number[]} seats */
export const namesOf = (view, seats) => list.format(seats.map((seat) => view.seats[seat]?.name ?? ""));

/** @param {{seats: View["seats"]}} view */
export const allNames = (view) => view.seats.map(({name}) => name);

/** Games in which two who win together are a team, by their number of seats. @type {Record<string, number>} */
const TEAMS = {giganten: 4};

/**
 * Who has won, in a sentence; a first place that several share is no win of each.
 * @param {{game: string, seats: View["seats"], result: View["result"]}} match
 */
export function outcomeOf({game, seats, result}) {
  const winners = result?.winners ?? [];
  const names = namesOf({seats}, winners);
  if (winners.length === 0) return t("table.nobody");
  if (winners.length === 1) return t("table.won", {names});
  if (winners.length === seats.length) return t("table.drawn");
  return t(TEAMS[game] === seats.length ? "table.team" : "table.shared", {names});
}

/** A length of time as clocks show it. @param {number} ms */
export function clock(ms) {
  const all = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** What a seat has left by now. @param {NonNullable<View["clock"]>} clock @param {number} seat @param {number} now */
export const leftOf = (clock, seat, now) =>
  (clock.left_ms[seat] ?? 0) - (clock.running.includes(seat) ? Math.max(0, now - clock.read_at) : 0);

/**
 * A button that asks once more before it does what is not to be done by a slip.
 * @param {{words: string, about: string, act: () => void, kind?: string}} props
 */
export function Sure({words, about, act, kind = ""}) {
  const [asked, setAsked] = useState(false);
  const done = () => {
    setAsked(false);
    act();
  };
  if (!asked) return html`<button type="button" class=${kind} onClick=${() => setAsked(true)}>${words}</button>`;
  return html`
    <span class="sure" role="group" aria-label=${words}><span role="status">${about}</span>
      <button type="button" class="danger" onClick=${done}>${words}</button>
      <button type="button" onClick=${() => setAsked(false)}>${t("cancel")}</button></span>`;
}

/**
 * The step before the last move of a seat, or of anybody.
 * @param {View} view @param {readonly import("../api.js").Commit[]} commits @param {number | null} [seat]
 */
export function beforeMove({version}, commits, seat = null) {
  const move = commits.findLast(({events}) => {
    const [first] = /** @type {readonly import("../api.js").Event[]} */ (events);
    return first !== undefined && isOfGame(first) && (seat === null || first.seat === seat);
  });
  return Math.max(1, (move?.version ?? version) - 1);
}

/**
 * Why a request was turned down: in a sentence, and with the ruling and where it comes from.
 * @param {{problem: Problem | null, game: string, names?: string[]}} props `names`: of the seats
 */
export function Refusal({problem, game, names = []}) {
  const [rule, setRule] = useState(/** @type {any} */ (null));
  const id = problem?.ruling;
  useEffect(() => setRule(null), [game, id]);
  useAnswer((how) => (id ? ruling(game, id, how) : null), setRule, [game, id]);
  if (problem === null) return html`<div role="alert"></div>`;
  return html`
    <div role="alert" class="refusal">
      <p><strong>${detailOf(problem, names)}</strong></p>
      ${(problem.errors ?? []).map(({path, message}) => html`<p>${path}: ${message}</p>`)}
      ${rule && html`
        <p>${t("seat.ruling", {ruling: rule.id})}: <q>${rule.text}</q></p>
        <p class="soft">${t("seat.origin", {origin: rule.origin})}</p>`}
    </div>`;
}

/** @param {Problem} problem @param {string[]} names */
function detailOf({status, detail}, names) {
  if (status === 0) return t("offline");
  if (status === 412) return t("seat.stale");
  if (status === 401) return t("sign-in.bad");
  return detail.replace(/\bseat (\d+)\b/gi, (seat, number) => names[number] ?? seat);
}
