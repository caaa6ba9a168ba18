/** What a page keeps over a reload and while another page is shown: in this tab alone. */
import {useState} from "./vendor/preact.js";

/**
 * A state that is kept under a name until somebody signs out.
 * @template T @param {string} name @param {T} first @returns {[T, (value: T) => void]}
 */
export function useKept(name, first) {
  const key = `referee-${name}`;
  const [value, setValue] = useState(/** @returns {T} */ () => JSON.parse(sessionStorage.getItem(key) ?? "null") ?? first);
  /** @param {T} next */
  const keep = (next) => {
    if (next === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, keep];
}
