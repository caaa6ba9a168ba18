/** What a page keeps over a reload and while another page is shown: in this tab alone. */
import {useState} from "./vendor/preact.js";

/**
 * A state that is kept under a name until somebody signs out.
 * @template T @param {string} name @param {T} first @returns {[T, (value: T) => void]}
 */
export function useKept(name, first) {
  const key = `referee-${name}`;
  const [value, setValue] = useState(() => /** @type {T} */ ({...first, ...JSON.parse(sessionStorage.getItem(key) ?? "{}")}));
  /** @param {T} next */
  const keep = (next) => {
    sessionStorage.setItem(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, keep];
}
