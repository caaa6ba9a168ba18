/** A table: the board as its viewer sees it, who is to move, clocks, what happened, and what to do. */
import {Board} from "../board.js";
import {now, view as viewOf} from "../api.js";
import {useAnswer, useBoard, useEvery, useMatch} from "../match.js";
import {traceOf} from "../moves.js";
import {seatOf, usePlaying} from "../playing.js";
import {html, useEffect, useState} from "../vendor/preact.js";
import {gameName, isOfGame, t} from "../words.js";
import {Arbiter, Record} from "./arbiter.js";
import {Help} from "./help.js";
import {Log, toldOf} from "./log.js";
import {allNames, clock, leftOf, namesOf, outcomeOf} from "./parts.js";
import {Seat} from "./seat.js";
import {useForm} from "./template.js";

/** @typedef {import("../api.js").View} View @typedef {import("../api.js").Commit} Commit */

const PLAY_MS = 900;

/** @param {{match: string}} props */
export function Table({match}) {
  const {view, commits, line, problem} = useMatch(match);
  if (view === null) {
    return html`<p class="card narrow" role="status">${problem === null ? "…" : t("table.gone")}</p>`;
  }
  return html`<${Seen} view=${view} commits=${commits} line=${line} />`;
}

/** @param {{view: View, commits: Commit[], line: string}} props */
function Seen({view, commits, line}) {
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const [zoom, setZoom] = useState(false);
  const playing = usePlaying(view);
  const form = useForm(view, playing.templates);
  const show = (/** @type {number | null} */ step) => setAt(step !== null && step >= view.version ? null : step);
  const picture = useBoard(view, at);
  const past = usePast(view, at) ?? view;
  const still = at !== null;
  useEffect(() => {
    document.title = `${playing.acts ? "● " : ""}${gameName(view.game)} · ${view.seats.map(({name}) => name).join(", ")}`;
  }, [view, playing.acts]);
  return html`
    <div class="table">
      <div class="middle">
        <h1 class="title">${gameName(view.game)} <span class="soft">${youAre(view)}</span></h1>
        ${still
          ? html`<div class="banner past" role="status"><strong>${t("table.past", {version: at})}</strong>
              <button onClick=${() => show(null)}>${t("table.to-now")}</button></div>`
          : html`<${Status} view=${view} last=${commits.at(-1)} line=${line} acts=${playing.acts} />`}
        <${Board} svg=${picture} zoom=${zoom} label=${t("table.board")} names=${allNames(view)}
          chips=${still ? [] : form.chips} moved=${traceOf(commits, at ?? view.version, isOfGame)}
          shows=${still ? () => "" : form.open ? form.shows : playing.shows}
          pick=${form.open ? form.pick : playing.pick} />
        <${Steps} view=${view} at=${at} show=${show} zoom=${zoom} setZoom=${setZoom} />
      </div>
      <div class="side">
        ${playing.seat !== null && !over(view) && html`<${Seat} view=${view} playing=${playing} form=${form} at=${at} commits=${commits} />`}
        <${Seats} view=${past} />
        ${view.viewer === "organizer" && html`<${Arbiter} view=${view} at=${at} commits=${commits} />`}
        ${playing.seat !== null && over(view) && html`
          <section class="card"><p class="soft">${t("table.no-call")}</p><${Record} view=${view} /></section>`}
        <${Help} game=${view.game} />
        <${Log} view=${view} commits=${commits} at=${at} show=${show} />
      </div>
    </div>`;
}

/** @param {View} view */
const over = (view) => view.result !== null || view.status === "void";

/** The match as it stood after a step. @param {View} view @param {number | null} at */
function usePast(view, at) {
  const [past, setPast] = useState(/** @type {View | null} */ (null));
  useEffect(() => setPast(null), [view.match, at]);
  useAnswer((how) => (at === null ? null : viewOf(view.match, at, how)), setPast, [view.match, at]);
  return past;
}

/** @param {View} view */
function youAre(view) {
  const seat = seatOf(view);
  if (seat !== null) return t("table.you", {name: view.seats[seat]?.name});
  return t(view.viewer === "organizer" ? "table.organizer" : "table.spectator");
}

/**
 * Where the match stands, who asks for something, and what happened last.
 * @param {{view: View, last: Commit | undefined, line: string, acts: boolean}} props
 */
function Status({view, last, line, acts}) {
  return html`
    <div class=${`banner ${acts ? "yours" : view.status}`} role="status">
      <strong>${saidOf(view, acts)}</strong>
      ${acts && html` <button class="jump" onClick=${() => document.getElementById("seat")?.scrollIntoView()}>${t("table.jump")}</button>`}
      <${Countdown} view=${view} />
      ${askedIn(view).map((words) => html`<p>${words}</p>`)}
      ${last && html`<p class="soft">${toldOf(view, last)}</p>`}
      ${line === "away" && html`<span class="away">${t("away")}</span>`}
      ${line === "refused" && html`<span class="away">${t("sign-in.bad")}</span>`}
    </div>`;
}

/** What somebody asks the others for. @param {View} view */
function askedIn({seats, draw_offer: draw, takeback}) {
  return [
    draw && t("table.draw", {name: seats[draw.seat]?.name}),
    takeback && t("table.takeback", {name: seats[takeback.seat]?.name, version: takeback.to}),
  ].filter((words) => words !== undefined);
}

/** How long a window of the game is open; the clocks stand with the players. @param {{view: View}} props */
function Countdown({view: {deadline, clock: clocks}}) {
  const [, tick] = useState(0);
  const shown = deadline !== null && clocks === undefined;
  useEvery(() => tick((count) => count + 1), shown ? 250 : null);
  return shown ? html` <span class="clock runs" aria-hidden="true">${clock(deadline - now())}</span>` : null;
}

/** Where the match stands, in a sentence. @param {View} view @param {boolean} acts */
function saidOf(view, acts) {
  if (view.result) {
    return `${outcomeOf(view)} · ${t(view.result.certified ? "table.certified" : "table.provisional")}`;
  }
  if (view.status === "void") return t("table.void");
  if (view.called !== null) return t("table.called", {seat: view.seats[view.called]?.name});
  if (view.status === "paused") return t("table.paused");
  if (view.state === null) return t("table.awaiting", {names: namesOf(view, view.to_act)});
  if (view.to_act.length === 0) return t(acts ? "table.be-quick" : "table.open");
  return acts ? t("table.your-turn") : t("table.wait", {names: namesOf(view, view.to_act)});
}

/** @param {{view: View, at: number | null, show: (at: number | null) => void, zoom: boolean, setZoom: (zoom: boolean) => void}} props */
function Steps({view: {version}, at, show, zoom, setZoom}) {
  const [plays, setPlays] = useState(false);
  const here = at ?? version;
  useEvery(() => (at === null ? setPlays(false) : show(here + 1)), plays ? PLAY_MS : null);
  const play = () => {
    if (at === null) show(1);
    setPlays(!plays);
  };
  /** @param {string} words @param {string} sign @param {() => void} what @param {boolean} off */
  const button = (words, sign, what, off) => html`
    <button aria-label=${words} title=${words} disabled=${off} onClick=${what}>${sign}</button>`;
  return html`
    <div class="steps" role="group" aria-label=${t("table.step")}>
      ${button(t("table.first"), "❘◀", () => show(1), here === 1)}
      ${button(t("table.back"), "◁", () => show(here - 1), here === 1)}
      ${button(t(plays ? "table.stop" : "table.play"), plays ? "❚❚" : "▶", play, version === 1)}
      ${button(t("table.on"), "▷", () => show(here + 1), at === null)}
      ${button(t("table.last"), "▶❘", () => show(null), at === null)}
      <input type="range" min="1" max=${version} value=${here} aria-label=${t("table.step")}
        onInput=${(/** @type {any} */ event) => show(Number(event.target.value))} />
      <output>${here} / ${version}</output>
      <button aria-pressed=${zoom} onClick=${() => setZoom(!zoom)}>${t("table.zoom")}</button>
    </div>`;
}

/** The players, with their clocks. @param {{view: View}} props */
function Seats({view}) {
  const [, tick] = useState(0);
  const runs = view.status === "active" && (view.clock?.running.length ?? 0) > 0;
  useEvery(() => tick((count) => count + 1), runs ? 500 : null);
  const rank = new Map(view.result?.ranking.map((row) => [row.seat, row]));
  return html`
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">${t("table.seats")}</h2>
      <ul class="seats">
        ${view.seats.map(({seat, name, withdrawn}) => html`
          <li class=${view.to_act.includes(seat) ? "acts" : ""}>
            <span class="name">${name}</span>
            <span class="soft">${[
              withdrawn && t("table.out"),
              rank.get(seat)?.place && t("table.place", {place: rank.get(seat)?.place}),
              rank.get(seat)?.score,
              view.clock?.flagged[seat] && t("table.flag"),
            ].filter((one) => one !== false && one !== undefined && one !== null && one !== "").join(" · ")}</span>
            ${view.clock && html`<span class=${`clock ${runs && view.clock.running.includes(seat) ? "runs" : ""}`}>
              ${clock(leftOf(view.clock, seat, runs ? now() : view.clock.read_at))}</span>`}
          </li>`)}
      </ul>
    </section>`;
}
