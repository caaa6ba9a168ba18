/** Links that sign people in, with a QR code each for their phones. */
import {linkFor} from "../address.js";
import {html, useRef, useState} from "../vendor/preact.js";
import {encode} from "../vendor/uqr.js";
import {t} from "../words.js";

/** A warning where links lead to this very computer, and so from a phone nowhere. */
export const Here = () => /^(localhost|127\.|\[::1\])/.test(location.hostname)
  && html`<p class="note">${t("link.here")}</p>`;

/** @param {{match: string, token: string, name: string, about: string}} props */
export function Link({match, token, name, about}) {
  const [copied, setCopied] = useState(false);
  const link = linkFor(match, token);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  // The newer way to copy is for pages that came encrypted, and a hall's network may have none.
  const copy = () => {
    field.current?.select();
    setCopied(document.execCommand("copy"));
  };
  return html`
    <li class="card link">
      <${Code} text=${link} label=${t("link.qr", {name})} />
      <div>
        <p><strong>${about}</strong></p>
        <input readonly ref=${field} aria-label=${about} value=${link} onFocus=${(/** @type {any} */ event) => event.target.select()} />
        <p><button onClick=${copy}>${t(copied ? "link.copied" : "link.copy")}</button></p>
      </div>
    </li>`;
}

/** @param {{text: string, label: string}} props */
function Code({text, label}) {
  const {size, data} = encode(text, {ecc: "L", border: 2});
  const dots = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`
    <svg class="qr" role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`}>
      <path d=${`M0 0h${size}v${size}H0z`} fill="#fff" /><path d=${dots.join("")} fill="#000" />
    </svg>`;
}
