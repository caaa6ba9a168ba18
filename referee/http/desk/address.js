/**
 * What the address says, and the token that came with it.
 *
 * A link brings a token in its fragment, which no browser sends anywhere: `#match=ID&token=…`. It is
 * taken out of the address at once and kept for this tab alone.
 */

const KEPT = "referee-token";

/** @typedef {{match?: string, page?: string}} Place where in the desk somebody is */

/** The place that the address names. @returns {Place} */
export function placeNow() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Take a token out of the address, if there is one. */
export function takeToken() {
  const said = new URLSearchParams(location.hash.slice(1));
  const token = said.get("token");
  if (token === null) return;
  keepToken(token);
  said.delete("token");
  history.replaceState(null, "", `#${said}`);
}

export const token = () => sessionStorage.getItem(KEPT);

/** @param {string} token */
export const keepToken = (token) => sessionStorage.setItem(KEPT, token.trim());

/** Forget the token, and all that this tab has kept beside it. */
export const signOut = () => sessionStorage.clear();

/** Go to a place of the desk. @param {Place} place */
export function go(place) {
  location.hash = String(new URLSearchParams(/** @type {Record<string, string>} */ (place)));
}

/** The address of a place within this page. @param {Place} place */
export const linkTo = (place) =>
  `#${new URLSearchParams(/** @type {Record<string, string>} */ (place))}`;

/** A link that signs somebody in to a match. @param {string} match @param {string} token */
export const linkFor = (match, token) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({match, token})}`;

/**
 * What a token claims. The service judges it; here it only saves a question.
 * @param {string | null} token @returns {{role?: string, match?: string, seat?: number}}
 */
export function claims(token) {
  try {
    const [, body = ""] = (token ?? "").split(".");
    return JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}
