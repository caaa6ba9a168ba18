/**
 * The desk: watch, play and arbitrate. It uses the public API alone, and is the example from which
 * an author of a front end may begin:
 *
 *     address.js  where somebody is, and the token        words.*.js  all words, a file a language
 *     api.js      the requests                            match.js    a match, kept up to date
 *     live.js     the stream, come what may               tables.js   all tables, kept up to date
 *     moves.js    which commands name what on the board   playing.js  what a seat may do
 *     kept.js     what a tab keeps                        views/      what is shown
 */
import {claims, go, linkTo, placeNow, signOut, takeToken, token} from "./address.js";
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {Create} from "./views/create.js";
import {Sure} from "./views/parts.js";
import {Round} from "./views/round.js";
import {SignIn} from "./views/sign_in.js";
import {Table} from "./views/table.js";
import {LANGUAGES, language, speak, t} from "./words.js";

takeToken();

function Desk() {
  const [place, setPlace] = useState(placeNow());
  useEffect(() => {
    const moved = () => {
      takeToken();
      setPlace(placeNow());
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const {role, match = place.match} = claims(token());
  return html`
    <${Head} organizes=${role === "organizer"} place=${place} />
    <main id="main">${shown(role, place, match)}</main>
    <footer class="foot"><a href="/schema">${t("api")}</a></footer>
  `;
}

/**
 * What is shown at a place: a seat's and a spectator's token lead to their match.
 * @param {string | undefined} role @param {import("./address.js").Place} place
 * @param {string | undefined} match
 */
function shown(role, place, match) {
  if (match !== undefined) return html`<${Table} key=${match + token()} match=${match} />`;
  if (role !== "organizer") return html`<${SignIn} />`;
  return place.page === "new" ? html`<${Create} />` : html`<${Round} />`;
}

/** @param {{organizes: boolean, place: import("./address.js").Place}} props */
function Head({organizes, place}) {
  const out = () => {
    signOut();
    go({});
    location.reload();
  };
  const menu = html`
    <nav aria-label=${t("desk")}>
      <a href=${linkTo({page: "round"})} aria-current=${current(!place.match && place.page !== "new")}>
        ${t("menu.round")}</a>
      <a href=${linkTo({page: "new"})} aria-current=${current(place.page === "new")}>${t("menu.new")}</a>
    </nav>`;
  return html`
    <header class="head">
      <img src="/desk/icon.svg" alt="" width="28" height="28" />
      <strong>${t("desk")}</strong>
      ${organizes && menu}
      <span class="grow"></span>
      <label class="quiet"><span class="hidden">${t("language")}</span>
        <select value=${language} onChange=${(/** @type {any} */ event) => speak(event.target.value)}>
          ${Object.entries(LANGUAGES).map(([code, words]) => html`
            <option value=${code} lang=${code} selected=${code === language}>${words.language}</option>`)}
        </select>
      </label>
      ${token() !== null && html`
        <${Sure} words=${t("sign-out")} about=${t("sign-out.sure")} act=${out} />`}
    </header>`;
}

/** @param {boolean} is */
const current = (is) => (is ? "page" : null);

document.documentElement.lang = language;
document.title = t("desk");
render(html`<${Desk} />`, /** @type {HTMLElement} */ (document.getElementById("desk")));
