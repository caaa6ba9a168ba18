/** A new match: of any game, its options as its schema has them, and then a link for each seat. */
import {linkTo} from "../address.js";
import {Declined, create, game as gameOf, games as allGames, randomHex} from "../api.js";
import {html, useEffect, useRef, useState} from "../vendor/preact.js";
import {aboutGame, gameName, t} from "../words.js";
import {Here, Link} from "./links.js";
import {Refusal} from "./parts.js";
import {Options} from "./options.js";

/** @typedef {import("../api.js").Shapes} Shapes @typedef {import("../api.js").Problem} Problem */

export function Create() {
  const [made, setMade] = useState(/** @type {Shapes["CreatedMatch"] | null} */ (null));
  return made === null ? html`<${Order} done=${setMade} />` : html`<${Made} made=${made} />`;
}

/** @param {{made: Shapes["CreatedMatch"]}} props */
function Made({made: {match, seats, spectator_token}}) {
  return html`
    <section>
      <h1>${t("new.made")}</h1>
      <p>${t("new.links")}</p>
      <${Here} />
      <p><a class="button main" href=${linkTo({match})}>${t("new.watch")}</a></p>
      <ul class="links">
        ${seats.map(({name, token}) => html`
          <${Link} match=${match} token=${token} name=${name} about=${t("link.seat", {name})} />`)}
        <${Link} match=${match} token=${spectator_token} name=${t("link.spectators")}
          about=${t("link.spectator")} />
      </ul>
    </section>`;
}

/** @param {{done: (made: Shapes["CreatedMatch"]) => void}} props */
function Order({done}) {
  const [chosen, setChosen] = useState("giganten");
  const [seats, setSeats] = useState(/** @type {string[]} */ (["", ""]));
  const [options, setOptions] = useState(/** @type {Record<string, any>} */ ({}));
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const {games, schema} = useGames(chosen);
  const sent = useRef(/** @type {{text: string, key: string} | null} */ (null));
  const counts = games.find(({id}) => id === chosen)?.players.counts;
  useEffect(() => setOptions({}), [chosen]);
  /** @param {any} event */
  const order = async (event) => {
    event.preventDefault();
    setProblem(null);
    const order = orderOf(new FormData(event.target), chosen, seats, options);
    // The same order again is the same match; a mended one is another.
    const text = JSON.stringify(order);
    if (sent.current?.text !== text) sent.current = {text, key: randomHex(16)};
    try {
      done(await create(order, sent.current.key));
    } catch (fault) {
      if (!(fault instanceof Declined)) throw fault;
      setProblem(fault.problem);
    }
  };
  return html`
    <section>
      <h1>${t("new")}</h1>
      <form class="order" onSubmit=${order}>
        <${Games} games=${games} chosen=${chosen} choose=${setChosen} />
        ${counts && html`<${Players} counts=${counts} seats=${seats} change=${setSeats} />`}
        <${Terms} />
        <details class="card">
          <summary>${t("new.options")}</summary>
          ${schema && html`<${Options} key=${chosen} schema=${schema} values=${options} change=${setOptions} />`}
        </details>
        <${Refusal} problem=${problem} game=${chosen} />
        <button class="main">${t("new.create")}</button>
      </form>
    </section>`;
}

/** The catalogue, and the schema of the options of one game. @param {string} chosen */
function useGames(chosen) {
  const [games, setGames] = useState(/** @type {readonly Shapes["GameRow"][]} */ ([]));
  const [schema, setSchema] = useState(/** @type {any} */ (null));
  useEffect(() => {
    allGames().then((all) => setGames(all.games)).catch(() => {});
  }, []);
  useEffect(() => {
    setSchema(null);
    gameOf(chosen).then(({schemas}) => setSchema(schemas.options)).catch(() => {});
  }, [chosen]);
  return {games, schema};
}

/** @param {{games: readonly Shapes["GameRow"][], chosen: string, choose: (game: string) => void}} props */
function Games({games, chosen, choose}) {
  return html`
    <fieldset class="games">
      <legend>${t("new.game")}</legend>
      ${games.map((game) => html`
        <label class=${`card choice ${game.id === chosen ? "chosen" : ""}`}>
          <input type="radio" name="game" value=${game.id} checked=${game.id === chosen}
            onChange=${() => choose(game.id)} />
          <strong>${gameName(game.id)}</strong><span class="soft">${aboutGame(game)}</span></label>`)}
    </fieldset>`;
}

/** @param {{counts: readonly number[], seats: string[], change: (seats: string[]) => void}} props */
function Players({counts, seats, change}) {
  const resize = (/** @type {number} */ count) =>
    change(Array.from({length: count}, (_, seat) => seats[seat] ?? ""));
  useEffect(() => {
    if (!counts.includes(seats.length)) resize(counts[0] ?? 2);
  }, [counts]);
  const name = (/** @type {number} */ seat, /** @type {string} */ name) =>
    change(seats.map((one, at) => (at === seat ? name : one)));
  return html`
    <fieldset>
      <legend>${t("new.seats")}</legend>
      <p class="row" role="group" aria-label=${t("new.seats")}>
        ${counts.map((count) => html`
          <button type="button" aria-pressed=${count === seats.length} onClick=${() => resize(count)}>${count}</button>`)}</p>
      ${seats.map((one, seat) => html`
        <label>${t("new.seat", {number: seat + 1})}
          <input value=${one} maxlength="100" placeholder=${t("new.player", {number: seat + 1})}
            onInput=${(/** @type {any} */ event) => name(seat, event.target.value)} /></label>`)}
    </fieldset>`;
}

/** Where and how it is played, whatever the game. */
function Terms() {
  const [clocks, setClocks] = useState(false);
  return html`
    <fieldset>
      <legend>${t("round.table")}</legend>
      <div class="row">
        <label>${t("new.tournament")}<input name="tournament" maxlength="100" /></label>
        <label>${t("new.round")}<input name="round" type="number" min="1" max="1000" /></label>
        <label>${t("new.table")}<input name="table" maxlength="100" /></label>
      </div>
      <label class="check"><input type="checkbox" name="public" /> ${t("new.public")}</label>
      <label class="check"><input type="checkbox" name="entropy" /> ${t("new.entropy")}</label>
      <label class="check"><input type="checkbox" name="clocks" checked=${clocks}
        onChange=${() => setClocks(!clocks)} /> ${t("new.clock")}</label>
      ${clocks && html`<div class="row">
        <label>${t("new.base")}<input name="base" type="number" min="1" max="1440" value="15" required /></label>
        <label>${t("new.increment")}<input name="increment" type="number" min="0" max="3600" value="5" required /></label>
        <label>${t("new.flag")}<select name="flag">
          <option value="forfeit">${t("new.flag.forfeit")}</option>
          <option value="note">${t("new.flag.note")}</option></select></label></div>`}
    </fieldset>`;
}

/**
 * The order as the API takes it; what was left empty is left out.
 * @param {FormData} form @param {string} game @param {string[]} seats @param {Record<string, any>} options
 */
function orderOf(form, game, seats, options) {
  const text = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
  const tournament = text("tournament");
  return {
    game,
    options,
    seats: seats.map((name, seat) => ({name: name.trim() || t("new.player", {number: seat + 1})})),
    ...(tournament && {tournament}),
    ...(tournament && text("round") && {round: Number(text("round"))}),
    ...(text("table") && {table: text("table")}),
    ...(form.has("public") && {public: true}),
    ...(form.has("entropy") && {entropy: "seats"}),
    ...(form.has("clocks") && {clock: {
      base_s: 60 * Number(text("base")),
      increment_s: Number(text("increment")),
      on_flag: text("flag"),
    }}),
  };
}
