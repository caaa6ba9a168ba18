/** The options of a game as a form, made from their JSON Schema, with the defaults shown. */
import {html} from "../vendor/preact.js";
import {optionName, say, t} from "../words.js";

/**
 * @typedef {{[key: string]: any}} Schema @typedef {Record<string, any>} Values
 * @typedef {(value: any) => void} Change called with undefined where the default is to stand
 */

/** @param {{schema: Schema, values: Values, change: (values: Values) => void}} props */
export function Options({schema, values, change}) {
  return html`
    <p class="soft about">${at(schema, schema).description?.replaceAll("`", "").split("\n\n").at(-1)}</p>
    <${Fields} root=${schema} schema=${at(schema, schema)} values=${values} standing=${{}} change=${change} />`;
}

/** A schema behind its reference. @param {Schema} root @param {Schema} schema @returns {Schema} */
function at(root, schema) {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? "") ?? [];
  return name === undefined ? schema : {...root.$defs[name], ...schema};
}

/** @param {{root: Schema, schema: Schema, values: Values, standing: Values, change: (values: Values) => void}} props */
function Fields({root, schema, values, standing, change}) {
  const fields = Object.entries(/** @type {Record<string, Schema>} */ (schema.properties));
  return html`<div class="options">${fields.map(([name, field]) => html`
    <${Field} key=${name} root=${root} name=${name} schema=${at(root, field)} value=${values[name]}
      standing=${field.default ?? standing[name]}
      change=${(/** @type {any} */ value) => change(without({...values, [name]: value}))} />`)}</div>`;
}

/** @param {Values} values */
const without = (values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** @param {{root: Schema, name: string, schema: Schema, value: any, standing: any, change: Change}} props */
function Field({root, name, schema, value, standing, change}) {
  const label = optionName(name);
  if (schema.properties) {
    const whole = (/** @type {Values} */ part) =>
      change(Object.keys(part).length === 0 ? undefined : {...standing, ...part});
    return html`<fieldset><legend>${label}</legend>
      <${Fields} root=${root} schema=${schema} values=${value ?? {}} standing=${standing ?? {}} change=${whole} />
    </fieldset>`;
  }
  if (schema.type === "boolean") {
    return html`<label class="check"><input type="checkbox" checked=${value ?? standing}
      onChange=${(/** @type {any} */ event) => change(event.target.checked)} /> ${label}</label>`;
  }
  if (schema.enum) return html`<${Choice} label=${label} schema=${schema} value=${value ?? standing} change=${change} />`;
  const whole = [schema, ...(schema.anyOf ?? [])].find(({type}) => type === "integer");
  if (whole) {
    return html`<label>${label}<input type="number" min=${whole.minimum} max=${whole.maximum}
      placeholder=${standing ?? t("none")} value=${value ?? standing ?? ""}
      onChange=${(/** @type {any} */ {target}) => change(target.value === "" ? undefined : Number(target.value))} /></label>`;
  }
  return html`<${Written} label=${label} schema=${schema} value=${value ?? standing} change=${change} />`;
}

/** @param {{label: string, schema: Schema, value: any, change: Change}} props */
function Choice({label, schema, value, change}) {
  return html`<label>${label}
    <select onChange=${(/** @type {any} */ event) => change(event.target.value)}>
      ${schema.enum.map((/** @type {string} */ one) => html`
        <option value=${one} selected=${one === value}>${say(one)}</option>`)}
    </select></label>`;
}

/** What has too many forms for a form of its own: a word, or JSON. @param {{label: string, schema: Schema, value: any, change: Change}} props */
function Written({label, schema, value, change}) {
  const words = [schema, ...(schema.anyOf ?? [])].flatMap((one) => one.enum ?? one.const ?? []);
  const shown = typeof value === "string" ? value : JSON.stringify(value ?? null);
  const list = `options-${label.replaceAll(" ", "-")}`;
  /** @param {any} event */
  const written = ({target}) => {
    try {
      change(JSON.parse(target.value));
    } catch {
      change(target.value === "" ? undefined : target.value);
    }
  };
  return html`<label>${label}<input value=${shown} list=${words.length > 0 ? list : null} onChange=${written} />
    ${words.length > 0 && html`<datalist id=${list}>${words.map((word) => html`<option value=${word} />`)}</datalist>`}
  </label>`;
}
