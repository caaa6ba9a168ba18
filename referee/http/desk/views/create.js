/** A new match: of any game, its options as its schema has them, and then a link for each seat. */
import {linkTo} from "../address.js";
import {Declined, create, game as gameOf, games as allGames, randomHex} from "../api.js";
import {useKept} from "../kept.js";
import {useAnswer} from "../match.js";
import {html, useEffect, useRef, useState} from "../vendor/preact.js";
import {aboutGame, gameName, t} from "../words.js";
import {Here, Link} from "./links.js";
import {Refusal} from "./parts.js";
import {Options} from "./options.js";

/**
 * @typedef {import("../api.js").Shapes} Shapes @typedef {import("../api.js").Problem} Problem
 * @typedef {typeof EMPTY} Draft what stands in the form
 */

const EMPTY = {
  game: "giganten",
  seats: ["", ""],
  options: /** @type {Record<string, any>} */ ({}),
  terms: {
    tournament: "", round: "", table: "", public: false, entropy: false,
    clocks: false, base: "15", increment: "5", flag: "forfeit",
  },
};

export function Create() {
  const [made, setMade] = useKept("made", /** @type {Shapes["CreatedMatch"] | null} */ (null));
  return made === null
    ? html`<${Order} done=${setMade} />`
    : html`<${Made} made=${made} again=${() => setMade(null)} />`;
}

/** @param {{made: Shapes["CreatedMatch"], again: () => void}} props */
function Made({made: {match, seats, spectator_token}, again}) {
  return html`
    <section>
      <h1>${t("new.made")}</h1>
      <p>${t("new.links")}</p>
      <${Here} />
      <p class="row"><a class="button main" href=${linkTo({match})}>${t("new.watch")}</a>
        <button onClick=${again}>${t("new.another")}</button></p>
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
  const [draft, keep] = useKept("draft", EMPTY);
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const {games, schema} = useGames(draft.game);
  const sent = useRef(/** @type {{text: string, key: string} | null} */ (null));
  const counts = games.find(({id}) => id === draft.game)?.players.counts;
  /** @param {any} event */
  const order = async (event) => {
    event.preventDefault();
    setProblem(null);
    const order = orderOf(draft);
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
        <${Games} games=${games} chosen=${draft.game}
          choose=${(/** @type {string} */ game) => keep({...draft, game, options: {}})} />
        ${counts && html`<${Players} counts=${counts} seats=${draft.seats}
          change=${(/** @type {string[]} */ seats) => keep({...draft, seats})} />`}
        <${Terms} terms=${draft.terms} change=${(/** @type {Draft["terms"]} */ terms) => keep({...draft, terms})} />
        <details class="card">
          <summary>${t("new.options")}</summary>
          ${schema && html`<${Options} key=${draft.game} schema=${schema} values=${draft.options}
            change=${(/** @type {Draft["options"]} */ options) => keep({...draft, options})} />`}
        </details>
        <${Refusal} problem=${problem} game=${draft.game} />
        <button class="main">${t("new.create")}</button>
      </form>
    </section>`;
}

/** The catalogue, and the schema of the options of one game. @param {string} chosen */
function useGames(chosen) {
  const [games, setGames] = useState(/** @type {readonly Shapes["GameRow"][]} */ ([]));
  const [schema, setSchema] = useState(/** @type {any} */ (null));
  useAnswer(allGames, (all) => setGames(all.games), []);
  useEffect(() => setSchema(null), [chosen]);
  useAnswer((how) => gameOf(chosen, how), ({schemas}) => setSchema(schemas.options), [chosen]);
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

/** Where and how it is played, whatever the game. @param {{terms: Draft["terms"], change: (terms: Draft["terms"]) => void}} props */
function Terms({terms, change}) {
  /** @param {any} event */
  const written = ({target: {name, type, value, checked}}) =>
    change({...terms, [name]: type === "checkbox" ? checked : value});
  /** @param {keyof Draft["terms"]} name @param {object} [more] */
  const field = (name, more) => html`
    <label>${t(`new.${name}`)}<input name=${name} value=${terms[name]} ...${more} /></label>`;
  /** @param {keyof Draft["terms"]} name */
  const check = (name) => html`
    <label class="check"><input type="checkbox" name=${name} checked=${terms[name]} /> ${t(`new.${name}`)}</label>`;
  return html`
    <fieldset onInput=${written}>
      <legend>${t("round.table")}</legend>
      <div class="row">
        ${field("tournament", {maxlength: 100})}
        ${field("round", {type: "number", min: 1, max: 1000})}
        ${field("table", {maxlength: 100})}
      </div>
      ${check("public")} ${check("entropy")} ${check("clocks")}
      ${terms.clocks && html`<div class="row">
        ${field("base", {type: "number", min: 1, max: 1440, required: true})}
        ${field("increment", {type: "number", min: 0, max: 3600, required: true})}
        <label>${t("new.flag")}<select name="flag">
          ${["forfeit", "note"].map((one) => html`
            <option value=${one} selected=${one === terms.flag}>${t(`new.flag.${one}`)}</option>`)}</select></label></div>`}
    </fieldset>`;
}

/** The order as the API takes it; what was left empty is left out. @param {Draft} draft */
function orderOf({game, seats, options, terms}) {
  const tournament = terms.tournament.trim();
  const table = terms.table.trim();
  return {
    game,
    options,
    seats: seats.map((name, seat) => ({name: name.trim() || t("new.player", {number: seat + 1})})),
    ...(tournament && {tournament}),
    ...(tournament && terms.round && {round: Number(terms.round)}),
    ...(table && {table}),
    ...(terms.public && {public: true}),
    ...(terms.entropy && {entropy: "seats"}),
    ...(terms.clocks && {clock: {
      base_s: 60 * Number(terms.base),
      increment_s: Number(terms.increment),
      on_flag: terms.flag,
    }}),
  };
}
