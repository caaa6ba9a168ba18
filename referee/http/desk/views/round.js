/** The round at a glance: every table, live. */
import {go, linkTo} from "../address.js";
import {games as allGames, now} from "../api.js";
import {useKept} from "../kept.js";
import {useAnswer, useEvery} from "../match.js";
import {useTables} from "../tables.js";
import {html, useState} from "../vendor/preact.js";
import {gameName, t} from "../words.js";
import {clock, leftOf, namesOf, outcomeOf} from "./parts.js";

/** @typedef {import("../tables.js").Row} Row */

const PAGE = 50;
const STATUS = ["active", "paused", "finished", "void"];

export function Round() {
  const [wanted, want] = useKept("round", {tournament: "", round: "", game: "", status: ""});
  const [limit, setLimit] = useState(PAGE);
  const asked = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
  const {rows, more, state} = useTables(asked, limit);
  const [, tick] = useState(0);
  useEvery(() => tick((count) => count + 1), 1000);
  return html`
    <section>
      <h1>${t("round")}</h1>
      <${Filters} rows=${rows ?? []} wanted=${wanted} want=${want} />
      <p role="status" class=${state === "live" ? "hidden" : "note"}>${state !== "live" && t(`round.${state}`)}</p>
      ${rows !== null && rows.length === 0 && html`
        <p>${t("round.empty")} <a href=${linkTo({page: "new"})}>${t("round.create")}</a></p>`}
      ${rows !== null && rows.length > 0 && html`<${Tables} rows=${rows} />`}
      ${more && html`<button onClick=${() => setLimit(limit + PAGE)}>${t("round.more")}</button>`}
    </section>`;
}

/** @typedef {{tournament: string, round: string, game: string, status: string}} Wanted */

/** @param {{rows: Row[], wanted: Wanted, want: (wanted: Wanted) => void}} props */
function Filters({rows, wanted, want}) {
  const [games, setGames] = useState(/** @type {{id: string}[]} */ ([]));
  useAnswer(allGames, (all) => setGames(all.games), []);
  const known = [...new Set(rows.map((row) => row.tournament).filter(Boolean))];
  /** @param {keyof Wanted} name */
  const written = (name) => (/** @type {any} */ event) => want({...wanted, [name]: event.target.value.trim()});
  /** @param {"game" | "status"} name @param {{value: string, words: string}[]} all */
  const choice = (name, all) => html`
    <label>${t(`round.${name}`)}
      <select name=${name} onChange=${written(name)}>
        <option value="">${t("round.any")}</option>
        ${all.map(({value, words}) => html`<option value=${value} selected=${value === wanted[name]}>${words}</option>`)}
      </select></label>`;
  return html`
    <form class="filters" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label>${t("round.tournament")}
        <input list="tournaments" value=${wanted.tournament} onChange=${written("tournament")} /></label>
      <datalist id="tournaments">${known.map((name) => html`<option value=${name} />`)}</datalist>
      <label>${t("new.round")}
        <input type="number" min="1" max="1000" value=${wanted.round} onChange=${written("round")} /></label>
      ${choice("game", games.map(({id}) => ({value: id, words: gameName(id)})))}
      ${choice("status", STATUS.map((one) => ({value: one, words: t(`status.${one}`)})))}
    </form>`;
}

/** Those that call for an arbiter come first. @param {{rows: Row[]}} props */
function Tables({rows}) {
  const heads = ["table", "players", "status", "to-act", "clocks", "refusals", "last"];
  const calls = (/** @type {Row} */ {called}) => Number(typeof called === "number");
  return html`
    <table class="round">
      <thead><tr>${heads.map((head) => html`<th scope="col">${t(`round.${head}`)}</th>`)}</tr></thead>
      <tbody>${[...rows].sort((one, other) => calls(other) - calls(one)).map((row) => html`
        <${Line} key=${row.match} row=${row} />`)}</tbody>
    </table>`;
}

/** @param {{row: Row}} props */
function Line({row}) {
  const {match, seats, status, version, result, called = null, to_act: owe = [], refusals} = row;
  const round = row.round === null ? "" : t("round.round", {round: row.round});
  const where = [row.tournament, round, row.table].filter(Boolean).join(" · ");
  return html`
    <tr class=${called === null ? status : "called"} onClick=${() => go({match})}>
      <td><a href=${linkTo({match})}>${gameName(row.game)}</a>
        ${where && html`<br /><span class="soft">${where}</span>`}</td>
      <td data-head=${t("round.players")}>${seats.map(({name}) => name).join(", ")}</td>
      <td data-head=${t("round.status")}><span class=${`status ${status}`}>${t(`status.${status}`)}</span>
        ${result && html` <span class="soft">${outcomeOf(row)}</span>`}
        ${called !== null && html`<br /><strong>${t("round.called", {seat: seats[called]?.name})}</strong>`}</td>
      <td data-head=${t("round.to-act")}>${owe.length === 0 && status === "active" && row.to_act
        ? t("table.open") : namesOf(row, owe)}</td>
      <td data-head=${t("round.clocks")}><${Clocks} row=${row} /></td>
      <td data-head=${t("round.refusals")}>${refusals ?? ""}</td>
      <td data-head=${t("round.last")}>${t("round.step", {version, time: clock(now() - row.updated)})}</td>
    </tr>`;
}

/** @param {{row: Row}} props */
function Clocks({row: {clock: one, seats, status}}) {
  if (one === undefined) return null;
  const active = status === "active";
  return html`<ul class="clocks">${seats.map(({seat, name}) => html`
    <li><span class="soft">${name}</span>
      <span class=${`clock ${active && one.running.includes(seat) ? "runs" : ""}`}>${
        clock(leftOf(one, seat, active ? now() : one.read_at))}</span>
      ${one.flagged[seat] && html`<span class="flag"><span aria-hidden="true">⚑</span> ${t("table.flag")}</span>`}</li>`)}</ul>`;
}
