/** How a game goes: in short, what the signs of its picture say, and all its rulings. */
import {game as gameOf} from "../api.js";
import {html, useState} from "../vendor/preact.js";
import {helpOf, t} from "../words.js";

/** @param {{game: string}} props */
export function Help({game}) {
  const help = helpOf(game);
  return html`
    <section class="card help">
      <details>
        <summary><h2>${t("help")}</h2></summary>
        ${help && html`
          <p><strong>${help.aim}</strong></p>
          <ul>${help.play.map((line) => html`<li>${line}</li>`)}</ul>
          <h3>${t("help.signs")}</h3>
          <ul>${[...help.signs, t("help.marks")].map((line) => html`<li>${line}</li>`)}</ul>`}
        <${Rulings} game=${game} />
      </details>
    </section>`;
}

/** All rulings, in the referee's own words, asked for when somebody wants them. @param {{game: string}} props */
function Rulings({game}) {
  const [all, setAll] = useState(/** @type {readonly {id: string, text: string}[] | null} */ (null));
  const look = () => {
    if (all === null) gameOf(game).then(({rulings}) => setAll(rulings)).catch(() => {});
  };
  return html`
    <details onToggle=${look}>
      <summary>${t("help.rulings")}</summary>
      <dl lang="en">${all?.map(({id, text}) => html`<dt>${id}</dt><dd>${text}</dd>`)}</dl>
    </details>`;
}
