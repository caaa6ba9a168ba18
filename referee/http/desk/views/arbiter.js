/** What an arbiter does at a table: calls, rulings with their reasons, refusals, links, the record. */
import {Declined, file, game as gameOf, newToken, refusals, verdict} from "../api.js";
import {useAnswer, useEvery} from "../match.js";
import {useSending} from "../playing.js";
import {html, useEffect, useState} from "../vendor/preact.js";
import {groupName, t, tellCommand} from "../words.js";
import {Here, Link} from "./links.js";
import {Refusal, Sure, allNames, beforeMove, outcomeOf} from "./parts.js";

/** @typedef {import("../api.js").View} View @typedef {import("../api.js").Command} Command */

const POLL_MS = 3000;

/** What each ruling asks for; the fields are below. */
const RULINGS = {
  take_back: ["to", "reason", "keep_piles"],
  grant_time: ["seat", "seconds"],
  forfeit: ["seat", "reason"],
  adjudicate: ["ranking", "reason"],
  void: ["reason"],
};

/** What is asked once more, as nothing but another ruling undoes it. */
const GRAVE = new Set(["forfeit", "void"]);

/** @param {{view: View, at: number | null, commits: import("../api.js").Commit[]}} props */
export function Arbiter({view, at, commits}) {
  const sending = useSending(view);
  const over = view.result !== null || view.status === "void";
  const to = at ?? beforeMove(view, commits);
  /** @param {Command} command */
  const button = (command) => html`
    <button onClick=${() => sending.say(command)}>${groupName(command.type)}</button>`;
  const rulings = Object.entries(RULINGS).filter(([type]) => isOpen(view, type));
  return html`
    <section class="card arbiter" aria-labelledby="arbiter">
      <h2 id="arbiter">${t("arbiter")}</h2>
      ${view.call && html`<${Answer} view=${view} say=${sending.say} />`}
      <p class="row">
        ${!over && view.status === "active" && button({type: "pause"})}
        ${!over && view.status === "paused" && view.called === null && button({type: "resume"})}
        ${view.result && !view.result.certified && html`
          <${Sure} words=${groupName("certify")} about=${t("arbiter.sure.certify", {outcome: outcomeOf(view)})}
            kind="main" act=${() => sending.say({type: "certify"})} />`}
      </p>
      <${Refusal} problem=${sending.problem} game=${view.game} names=${allNames(view)} />
      ${!over && view.state === null && html`
        <${Ruling} key="deal" type="deal" fields=${["reason"]} view=${view} to=${to} say=${sending.say} />`}
      ${rulings.map(([type, fields]) => html`
        <${Ruling} key=${type} type=${type} fields=${fields} view=${view} to=${to} say=${sending.say} />`)}
      <${Links} view=${view} />
      <${Record} view=${view} />
      <${Refused} view=${view} />
    </section>`;
}

/** @param {View} view @param {string} type */
function isOpen(view, type) {
  if (type === "adjudicate") return view.status !== "void";
  if (view.result !== null || view.status === "void") return false;
  return type !== "grant_time" || view.clock !== undefined;
}

/** @param {{view: View, say: (command: Command) => Promise<boolean>}} props */
function Answer({view: {call, game, seats}, say}) {
  /** @param {any} event */
  const answer = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const ruling = String(form.get("ruling"));
    say({type: "answer_call", reason: String(form.get("reason")), ...(ruling && {ruling})});
  };
  return html`
    <form class="offer" onSubmit=${answer}>
      <p><strong>${t("arbiter.call", {seat: seats[call?.seat ?? 0]?.name})}</strong>: ${call?.text}
        ${typeof call?.about === "number" && ` (${t("arbiter.about", {about: call.about})})`}</p>
      <label>${t("arbiter.answer")}<input name="reason" maxlength="500" required /></label>
      <${Clauses} game=${game} />
      <button class="main">${groupName("answer_call")}</button>
    </form>`;
}

/** The rulings of a game, one of which an answer may name. @param {{game: string}} props */
function Clauses({game}) {
  const [all, setAll] = useState(/** @type {readonly {id: string, text: string}[]} */ ([]));
  useAnswer((how) => gameOf(game, how), ({rulings}) => setAll(rulings), [game]);
  return html`<label>${t("arbiter.ruling")}<select name="ruling"><option value="">–</option>
    ${all.map(({id, text}) => html`<option value=${id}>${id}: ${text}</option>`)}</select></label>`;
}

/**
 * @param {{type: string, fields: readonly string[], view: View, to: number, say: (command: Command) => Promise<boolean>}} props
 */
function Ruling({type, fields, view, to, say}) {
  const [sure, setSure] = useState(false);
  const grave = GRAVE.has(type);
  /** @param {any} event */
  const rule = async (event) => {
    event.preventDefault();
    const form = event.target;
    setSure(grave && !sure);
    if (grave && !sure) return;
    const said = new FormData(form);
    const read = Object.fromEntries(fields.map((field) => [field, READ[field]?.(said, view)]));
    if (await say({type, ...read})) form.closest("details").open = false;
  };
  return html`
    <details>
      <summary>${groupName(type)}</summary>
      <form onSubmit=${rule}>
        ${fields.map((field) => html`<${Input} field=${field} view=${view} to=${to} />`)}
        <p role="status">${sure && t(`arbiter.sure.${type}`)}</p>
        <p class="row"><button class=${grave ? "danger" : "main"}>${groupName(type)}</button>
          ${sure && html`<button type="button" onClick=${() => setSure(false)}>${t("cancel")}</button>`}</p>
      </form>
    </details>`;
}

/** How each field is read from its form. @type {Record<string, (said: FormData, view: View) => any>} */
const READ = {
  reason: (said) => String(said.get("reason")),
  seat: (said) => Number(said.get("seat")),
  seconds: (said) => Number(said.get("seconds")),
  to: (said) => Number(said.get("to")),
  keep_piles: (said) => said.has("keep_piles"),
  ranking: (said, {seats}) => seats.map(({seat}) => ({
    seat, place: numberOrNull(said.get(`place-${seat}`)), score: numberOrNull(said.get(`score-${seat}`)),
  })),
};

/** @param {FormDataEntryValue | null} text */
const numberOrNull = (text) => (text === null || text === "" ? null : Number(text));

/** @param {{field: string, view: View, to: number}} props */
function Input({field, view: {seats, version, result}, to}) {
  if (field === "reason") return html`<label>${t("arbiter.reason")}<input name="reason" maxlength="500" required /></label>`;
  if (field === "seconds") {
    return html`<label>${t("arbiter.seconds")}<input name="seconds" type="number" min="1" max="2592000" value="60" required /></label>`;
  }
  if (field === "to") {
    return html`<label>${t("arbiter.to")}<input name="to" type="number" min="1" max=${version}
      value=${to} required /></label>`;
  }
  if (field === "keep_piles") {
    return html`<label class="check"><input type="checkbox" name="keep_piles" /> ${t("arbiter.keep")}</label>`;
  }
  if (field === "seat") {
    return html`<label>${t("arbiter.seat")}<select name="seat">
      ${seats.map(({seat, name}) => html`<option value=${seat}>${name}</option>`)}</select></label>`;
  }
  const rank = new Map(result?.ranking.map((row) => [row.seat, row]));
  return seats.map(({seat, name}) => html`<div class="row" key=${seat}>
    <label>${t("arbiter.place", {name})}<input name=${`place-${seat}`} type="number" min="1" max=${seats.length}
      value=${rank.get(seat)?.place} /></label>
    <label>${t("arbiter.score", {name})}<input name=${`score-${seat}`} type="number" step="any"
      value=${rank.get(seat)?.score} /></label></div>`);
}

/** @param {{view: View}} props */
function Links({view: {match, seats}}) {
  const [made, setMade] = useState(/** @type {{seat: number, name: string, token: string} | null} */ (null));
  const make = async (/** @type {number} */ seat) => {
    const {token} = await newToken(match, seat);
    setMade({seat, name: seats[seat]?.name ?? "", token});
  };
  return html`
    <details>
      <summary>${t("arbiter.link")}</summary>
      ${seats.map(({seat, name}) => html`
        <p class="row"><${Sure} words=${`${t("arbiter.link")}: ${name}`} about=${t("arbiter.link.about", {name})}
          act=${() => make(seat)} /></p>`)}
      ${made && html`<${Here} /><ul class="links">
        <${Link} match=${match} token=${made.token} name=${made.name} about=${t("link.seat", {name: made.name})} /></ul>`}
    </details>`;
}

/** The log, the report, the verdict, for whoever may read them. @param {{view: View}} props */
export function Record({view: {match, head}}) {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [head]);
  /** @param {() => Promise<string>} asked what is to be said once it is there */
  const say = async (asked) => {
    setSaid(t("arbiter.busy"));
    try {
      setSaid(await asked());
    } catch (fault) {
      if (!(fault instanceof Declined)) throw fault;
      setSaid(fault.problem.detail);
    }
  };
  const save = (/** @type {"log" | "report"} */ what, /** @type {string} */ name) => say(async () => {
    download(await file(match, what), name);
    return "";
  });
  const judge = () => say(async () => {
    const {verdict: one, disputes} = await verdict(match);
    return [t(`verdict.${one}`), ...disputes.map(({message}) => message)].join(" ");
  });
  return html`
    <h3>${t("arbiter.files")}</h3>
    <p class="row">
      <button onClick=${() => save("log", `${match}.match`)}>${t("arbiter.log")}</button>
      <button onClick=${() => save("report", `${match}.html`)}>${t("arbiter.report")}</button>
      <button onClick=${judge}>${t("arbiter.verdict")}</button>
    </p>
    <p role="status">${said}</p>`;
}

/** @param {Blob} data @param {string} name */
function download(data, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The record of what was refused. @param {{view: View}} props */
function Refused({view}) {
  const [all, setAll] = useState(/** @type {readonly any[]} */ ([]));
  const look = () => {
    if (!document.hidden) refusals(view.match, {once: true}).then((found) => setAll(found.refusals)).catch(() => {});
  };
  useEffect(look, [view.match]);
  useEvery(look, POLL_MS);
  const names = allNames(view);
  return html`
    <details>
      <summary>${t("arbiter.refusals")} (${all.length})</summary>
      ${all.length === 0 && html`<p class="soft">${t("arbiter.refusals.none")}</p>`}
      <ul>${all.toReversed().map(({seat, by, version, command, ruling, detail}) => html`
        <li><strong>${names[seat] ?? by}</strong>, ${t("arbiter.at", {version})}: ${
          command.cut ? command.type : tellCommand(view, command)}<br />
          <span class="soft">${ruling}: ${detail}</span></li>`)}</ul>
    </details>`;
}
