/** What happened, in words: an entry a commit, each of which leads to the board as it was then. */
import {html, useEffect, useRef} from "../vendor/preact.js";
import {t, tellEvent} from "../words.js";

/** @typedef {import("../api.js").View} View @typedef {import("../api.js").Commit} Commit */

/** More entries than this are not drawn: nobody reads them, and a phone would. */
const SHOWN = 400;

/**
 * @param {{view: View, commits: Commit[], at: number | null, show: (at: number | null) => void}} props
 */
export function Log({view, commits, at, show}) {
  const end = useRef(/** @type {HTMLOListElement | null} */ (null));
  useEffect(() => {
    const entry = end.current?.querySelector("[aria-current]") ?? end.current?.lastElementChild;
    if (entry instanceof HTMLElement && end.current) {
      end.current.scrollTop = entry.offsetTop - end.current.clientHeight / 2;
    }
  }, [commits, at]);
  return html`
    <section class="card log" aria-labelledby="log">
      <h2 id="log">${t("table.log")}</h2>
      ${commits.length === 0 && html`<p>${t("table.log.empty")}</p>`}
      <ol ref=${end} tabindex="0" aria-labelledby="log">
        ${commits.slice(-SHOWN).map((commit) => html`
          <${Entry} key=${commit.head} commit=${commit} view=${view}
            now=${commit.version === at} show=${show} />`)}
      </ol>
    </section>`;
}

/** What a commit tells, in sentences. @param {View} view @param {Commit} commit */
export const toldOf = (view, {events}) =>
  events.map((event) => tellEvent(view, event)).join(" ");

/** @param {{commit: Commit, view: View, now: boolean, show: (at: number) => void}} props */
function Entry({commit, view, now, show}) {
  const {version, at} = commit;
  return html`
    <li aria-current=${now ? "step" : null}>
      <button class="step" title=${new Date(at).toLocaleString()} onClick=${() => show(version)}>${version}</button>
      <span>${toldOf(view, commit)}</span>
    </li>`;
}
