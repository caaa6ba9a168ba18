/** What a seat does: its legal commands in words, by click or key, and its words with the table. */
import {grouped} from "../moves.js";
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {groupName, t, tellCommand} from "../words.js";
import {Refusal, Sure, allNames, beforeMove} from "./parts.js";
import {Form} from "./template.js";

/** @typedef {import("../api.js").View} View @typedef {import("../api.js").Command} Command */
/** @typedef {import("../api.js").Commit} Commit */
/** @typedef {ReturnType<typeof import("../playing.js").usePlaying>} Playing */

/** As many commands as a list may have before one has to narrow it. */
const LISTED = 60;
/** Where a hand is to be quick, a command is sent as it is tapped. */
const IN_HASTE = new Set(["dancing-villager"]);

/**
 * @param {{view: View, playing: Playing, form: ReturnType<typeof import("./template.js").useForm>, at: number | null, commits: Commit[]}} props
 */
export function Seat({view, playing, form, at, commits}) {
  const {acts, chosen, choose, clear, play, sending} = playing;
  const [haste, setHaste] = useState(IN_HASTE.has(view.game));
  const words = (/** @type {Command} */ command) => tellCommand(view, command);
  useEffect(() => {
    if (!haste || !chosen) return;
    play(chosen);
    clear();
  }, [chosen]);
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useLayoutEffect(() => button.current?.focus({preventScroll: true}), [chosen]);
  useKeys({Enter: () => chosen && play(chosen), Escape: clear});
  const awaited = acts && view.state === null;
  return html`
    <section class=${`card seat ${acts ? "yours" : ""}`} aria-labelledby="seat">
      <h2 id="seat">${t("seat")}</h2>
      ${!acts && html`<p class="soft">${t("seat.waiting")}</p>`}
      ${awaited && html`<p role="status">${t("seat.entropy")}</p>`}
      ${chosen && !haste && html`
        <div class="decided"><strong>${words(chosen)}</strong>
          <button class="main" ref=${button} disabled=${sending.busy} onClick=${() => play(chosen)}>${t("send")}</button>
          <button onClick=${clear}>${t("cancel")}</button></div>`}
      <${Refusal} problem=${sending.problem} game=${view.game} names=${allNames(view)} />
      <${Asked} view=${view} say=${sending.say} seat=${playing.seat} />
      ${acts && !awaited && at === null && html`
        <${Commands} playing=${playing} words=${words} haste=${haste} setHaste=${setHaste} choose=${choose} />`}
      ${acts && form.open && at === null && html`<${Form} view=${view} form=${form} playing=${playing} />`}
      <${Talk} view=${view} sending=${sending} seat=${playing.seat} at=${at} commits=${commits} />
    </section>`;
}

/** Keys of the whole page; in a field they write, and Enter is a button's own. @param {Record<string, () => void>} keys */
function useKeys(keys) {
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    const pressed = ({target, key, ctrlKey, metaKey, altKey}) => {
      const own = key === "Enter" ? "input, select, button, a, summary" : "input, select";
      const element = /** @type {Element} */ (target);
      if (!ctrlKey && !metaKey && !altKey && !element.closest?.(own)) keys[key]?.();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

/**
 * @param {{playing: Playing, words: (command: Command) => string, haste: boolean, setHaste: (haste: boolean) => void, choose: (command: Command) => void}} props
 */
function Commands({playing: {left, picks, chosen, clear}, words, haste, setHaste, choose}) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = wanted ? left.filter((command) => words(command).toLowerCase().includes(wanted)) : left;
  useKeys(Object.fromEntries(found.slice(0, 9).map((command, at) => [String(at + 1), () => choose(command)])));
  if (left.length === 0) return null;
  return html`
    <p class="soft">${t("seat.hint")}</p>
    ${left.length > 12 && html`<label>${t("seat.search")}
      <input type="search" value=${search} onInput=${(/** @type {any} */ event) => setSearch(event.target.value)} /></label>`}
    ${picks.length > 0 && left.length > 1 && html`<p class="row"><span>${t("seat.picked", {count: left.length})}</span>
      <button onClick=${clear}>${t("seat.clear")}</button></p>`}
    <div class="commands">
      ${grouped(found.slice(0, LISTED)).map(([type, commands]) => html`
        <div role="group" aria-label=${groupName(type)}>
          <h3>${groupName(type)}</h3>
          ${commands.map((command) => html`
            <button class="command" aria-pressed=${command === chosen}
              onClick=${() => choose(command)}>${words(command)}</button>`)}
        </div>`)}
    </div>
    ${found.length > LISTED && html`<p class="soft">${t("seat.many", {count: found.length - LISTED})}</p>`}
    <label class="check"><input type="checkbox" checked=${haste} onChange=${() => setHaste(!haste)} />
      ${t("seat.at-once")}</label>`;
}

/** Whether a seat still sits at the table. @param {View} view @param {number | null} seat @returns {seat is number} */
const plays = (view, seat) =>
  seat !== null && !view.result && view.status !== "void" && !view.seats[seat]?.withdrawn;

/** Sends a command of the table. @param {{view: View, say: Playing["sending"]["say"], command: Command, kind?: string, more?: object}} props `more`: what its words name beside it */
const Say = ({view, say, command, kind = "", more = {}}) => html`
  <button type="button" class=${kind} onClick=${() => say(command)}>${
    tellCommand(view, {...command, ...more})}</button>`;

/** What others ask this seat for. @param {{view: View, say: Playing["sending"]["say"], seat: number | null}} props */
function Asked({view, say, seat}) {
  if (!plays(view, seat)) return null;
  const {draw_offer: draw, takeback} = view;
  const asked = (/** @type {{seat: number, accepted: readonly number[]} | undefined} */ offer) =>
    offer !== undefined && offer.seat !== seat && !offer.accepted.includes(seat);
  /** @param {Command} command @param {string} [kind] @param {object} [more] */
  const button = (command, kind, more) => html`
    <${Say} view=${view} say=${say} command=${command} kind=${kind} more=${more} />`;
  return html`
    ${asked(draw) && html`<p class="offer">${button({type: "accept_draw"}, "main")} ${button({type: "decline_draw"})}</p>`}
    ${asked(takeback) && html`<p class="offer">
      ${button({type: "accept_takeback"}, "main", {to: takeback?.to})} ${button({type: "decline_takeback"})}</p>`}
    ${view.called === seat && html`<p class="offer">${button({type: "withdraw_call"})}</p>`}`;
}

/**
 * Draws, take-backs, the arbiter, and leaving.
 * @param {{view: View, sending: Playing["sending"], seat: number | null, at: number | null, commits: Commit[]}} props
 */
function Talk({view, sending: {say}, seat, at, commits}) {
  if (!plays(view, seat)) return null;
  const words = (/** @type {Command} */ command) => tellCommand(view, command);
  /** @param {any} event */
  const goBack = (event) => {
    event.preventDefault();
    say({type: "request_takeback", to: Number(new FormData(event.target).get("to"))});
  };
  /** @param {any} event */
  const call = async (event) => {
    event.preventDefault();
    const form = event.target;
    const text = String(new FormData(form).get("text"));
    if (await say({type: "call_arbiter", text, ...(at !== null && {about: at})})) form.reset();
  };
  return html`
    <details>
      <summary>${t("seat.more")}</summary>
      <p class="row"><${Say} view=${view} say=${say} command=${{type: "offer_draw"}} />
        <${Sure} words=${words({type: "resign"})} about=${t("seat.sure")} act=${() => say({type: "resign"})} /></p>
      <form class="row" onSubmit=${goBack}>
        <label>${t("seat.to")}<input name="to" type="number" min="1" max=${view.version}
          value=${at ?? beforeMove(view, commits, seat)} required /></label>
        <button>${words({type: "request_takeback"})}</button></form>
      ${view.called !== seat && html`<form class="row" onSubmit=${call}>
        <label>${t("seat.text")}<input name="text" maxlength="500" required /></label>
        <button>${words({type: "call_arbiter"})}</button></form>`}
    </details>`;
}
