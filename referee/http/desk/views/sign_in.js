/** Where a token is given, by whoever has come without a link. */
import {claims, go, keepToken} from "../address.js";
import {html} from "../vendor/preact.js";
import {t} from "../words.js";

export function SignIn() {
  /** @param {any} event */
  const signIn = (event) => {
    event.preventDefault();
    const given = new FormData(event.target).get("token");
    keepToken(String(given));
    const {match} = claims(String(given));
    go(match === undefined ? {page: "round"} : {match});
    location.reload();
  };
  return html`
    <section class="card narrow">
      <h1>${t("desk")}</h1>
      <p>${t("sign-in.about")}</p>
      <form onSubmit=${signIn}>
        <label>${t("sign-in.token")}
          <input name="token" type="password" autocomplete="off" required /></label>
        <button class="main">${t("sign-in")}</button>
      </form>
    </section>`;
}
