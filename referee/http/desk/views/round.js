/** The round at a glance: every table, live. */
import {go, linkTo} from "../address.js";
import {games as allGames, matches, now, view as viewOf} from "../api.js";
import {useEvery} from "../match.js";
import {html, useEffect, useRef, useState} from "../vendor/preact.js";
import {gameName, t} from "../words.js";
import {clock, leftOf, namesOf} from "./parts.js";

/** @typedef {import("../api.js").Shapes["MatchRow"]} Row */

const POLL_MS = 2000;
const PAGE = 50;

export function Round() {
  const [tournament, setTournament] = useState("");
  const [game, setGame] = useState("");
  const [limit, setLimit] = useState(PAGE);
  const {rows, more} = useRows(tournament, game, limit);
  const [games, setGames] = useState(/** @type {{id: string}[]} */ ([]));
  useEffect(() => {
    allGames().then((all) => setGames(all.games));
  }, []);
  const [, tick] = useState(0);
  useEvery(() => tick((count) => count + 1), 1000);
  const known = [...new Set(rows?.map((row) => row.tournament).filter(Boolean))];
  return html`
    <section>
      <h1>${t("round")}</h1>
      <form class="filters" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <label>${t("round.tournament")}
          <input list="tournaments" value=${tournament}
            onChange=${(/** @type {any} */ event) => setTournament(event.target.value.trim())} /></label>
        <datalist id="tournaments">${known.map((name) => html`<option value=${name} />`)}</datalist>
        <label>${t("round.game")}
          <select onChange=${(/** @type {any} */ event) => setGame(event.target.value)}>
            <option value="">${t("round.any")}</option>
            ${games.map(({id}) => html`<option value=${id}>${gameName(id)}</option>`)}
          </select></label>
      </form>
      ${rows !== null && rows.length === 0 && html`
        <p>${t("round.empty")} <a href=${linkTo({page: "new"})}>${t("round.create")}</a></p>`}
      ${rows !== null && rows.length > 0 && html`<${Tables} rows=${rows} />`}
      ${more && html`<button onClick=${() => setLimit(limit + PAGE)}>${t("round.more")}</button>`}
    </section>`;
}

/**
 * The newest matches. Those of a tournament come with what a hall has to see; of others their views
 * say it, each asked for once a version.
 * @param {string} tournament @param {string} game @param {number} limit
 */
function useRows(tournament, game, limit) {
  const [page, setPage] = useState(/** @type {{rows: Row[] | null, more: boolean}} */ ({rows: null, more: false}));
  const seen = useRef(/** @type {Map<string, Partial<Row>>} */ (new Map()));
  const look = async () => {
    if (document.hidden) return;
    const wanted = {limit: String(limit), ...(tournament && {tournament}), ...(game && {game})};
    const {matches: rows, cursor} = await matches(wanted).catch(() => ({matches: null, cursor: null}));
    if (rows === null) return;
    const whole = await Promise.all(rows.map((row) => completed(row, seen.current ?? new Map())));
    setPage({rows: whole, more: cursor !== null});
  };
  useEffect(() => {
    look();
  }, [tournament, game, limit]);
  useEvery(look, POLL_MS);
  return page;
}

/** @param {Row} row @param {Map<string, Partial<Row>>} seen @returns {Promise<Row>} */
async function completed(row, seen) {
  if (row.to_act !== undefined) return row;
  const place = `${row.match} ${row.version}`;
  if (!seen.has(place)) {
    const view = await viewOf(row.match).catch(() => null);
    if (view === null) return row;
    const {to_act, deadline, called, clock} = view;
    seen.set(place, {to_act, deadline, called, ...(clock && {clock})});
  }
  return {...row, ...seen.get(place)};
}

/** @param {{rows: Row[]}} props */
function Tables({rows}) {
  const heads = ["table", "players", "status", "to-act", "clocks", "refusals", "last"];
  return html`
    <table class="round">
      <thead><tr>${heads.map((head) => html`<th scope="col">${t(`round.${head}`)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<${Line} key=${row.match} row=${row} />`)}</tbody>
    </table>`;
}

/** @param {{row: Row}} props */
function Line({row}) {
  const {match, seats, status, called = null, to_act = [], refusals} = row;
  const round = row.round === null ? "" : t("round.round", {round: row.round});
  const where = [row.tournament, round, row.table].filter(Boolean).join(" · ");
  return html`
    <tr class=${called === null ? status : "called"} onClick=${() => go({match})}>
      <td><a href=${linkTo({match})}>${gameName(row.game)}</a>
        ${where && html`<br /><span class="soft">${where}</span>`}</td>
      <td data-head=${t("round.players")}>${seats.map(({name}) => name).join(", ")}</td>
      <td data-head=${t("round.status")}><span class=${`status ${status}`}>${t(`status.${status}`)}</span>
        ${called !== null && html`<br /><strong>${t("round.called", {seat: seats[called]?.name})}</strong>`}</td>
      <td data-head=${t("round.to-act")}>${namesOf(row, to_act)}</td>
      <td data-head=${t("round.clocks")}><${Clocks} row=${row} /></td>
      <td data-head=${t("round.refusals")}>${refusals ?? ""}</td>
      <td data-head=${t("round.last")}>${t("ago", {time: clock(now() - row.updated)})}</td>
    </tr>`;
}

/** @param {{row: Row}} props */
function Clocks({row: {clock: one, seats, status}}) {
  if (one === undefined) return null;
  return html`${seats.map(({seat}) => html`
    <span class=${`clock ${status === "active" && one.running.includes(seat) ? "runs" : ""}`}>
      ${clock(leftOf(one, seat, status === "active" ? now() : one.read_at))}${one.flagged[seat] ? " ⚑" : ""}
    </span> `)}`;
}
