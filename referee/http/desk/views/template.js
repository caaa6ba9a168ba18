/** A command with too many forms to list, as a form made from its template's description. */
import {Declined, check} from "../api.js";
import {asListed, choices, filled, isPlain, shuffled, valueFor} from "../filling.js";
import {useAnswer} from "../match.js";
import {settled} from "../starts.js";
import {html, useEffect, useState} from "../vendor/preact.js";
import {fieldName, groupName, say, t} from "../words.js";
import {Refusal, allNames} from "./parts.js";

/**
 * @typedef {import("../api.js").View} View @typedef {import("../filling.js").Slot} Slot
 * @typedef {import("../filling.js").Template} Template @typedef {import("../moves.js").Mark} Mark
 * @typedef {{[field: string]: any}} Values
 */

const CHECK_MS = 300;
const LONG = 8;
const TRIES = 30;

/**
 * The form that is open, and its part on the board: what it puts there, and what a tap does.
 * @param {View} view @param {readonly any[]} templates
 */
export function useForm(view, templates) {
  const template = /** @type {Template | undefined} */ (templates[0]);
  const [values, setValues] = useState(/** @type {Values} */ ({}));
  const [held, setHeld] = useState(/** @type {number | null} */ (null));
  const asked = JSON.stringify(template ?? null);
  useEffect(() => {
    setHeld(null);
    setValues({});
  }, [asked]);
  useAnswer((how) => (template ? lawful(view, template, asListed, how) : null), setValues, [asked]);
  const [list, member, slot] = template ? onBoard(template) : [null, null, null];
  const rows = /** @type {Values[]} */ (list === null ? [] : values[list] ?? []);
  const valueOf = (/** @type {Mark[]} */ marks) => marks.find(([names]) => names.join("-") === member)?.[1];
  const places = new Map(slot?.list_of[member ?? ""].one_of.map((/** @type {any} */ one) => [String(one), one]));
  return {
    open: template !== undefined && Object.keys(values).length > 0,
    template,
    values,
    setValues,
    /** Fill it in by chance. */
    fill: () => template && lawful(view, template, shuffled).then(setValues),
    board: list !== null,
    chips: rows.map((row, at) => ({
      mark: /** @type {[string, string]} */ ([member ?? "", String(row[member ?? ""])]),
      text: say(Object.entries(row).filter(([name]) => name !== member).map(([, value]) => value)),
      picked: at === held,
    })),
    /** @param {Mark[]} marks */
    shows: (marks) => (places.has(valueOf(marks)) ? (held === null ? "again" : "next") : ""),
    /** Take up what stands there, or put down what was taken up. @param {Mark[]} marks */
    pick(marks) {
      const place = places.get(valueOf(marks));
      if (list === null || member === null || place === undefined) return;
      const there = rows.findIndex((row) => String(row[member]) === String(place));
      if (held === null) return setHeld(there < 0 ? null : there);
      const from = rows[held]?.[member];
      setHeld(null);
      setValues({...values, [list]: rows.map((row, at) => (
        at === held ? {...row, [member]: place} : at === there ? {...row, [member]: from} : row
      ))});
    },
  };
}

/**
 * A command that fits a template and that the rules allow, which say more than it: tried by chance,
 * and the last one where none was found.
 * @param {View} view @param {Template} template @param {import("../filling.js").Order} order
 * @param {import("../api.js").How} [how]
 */
async function lawful(view, template, order, how) {
  let values = begun(view, template, order);
  for (let tries = 0; tries < TRIES && !how?.signal?.aborted; tries += 1) {
    if ((await judged(view, {type: template.type, ...values}, how)) === true) break;
    values = begun(view, template, shuffled);
  }
  return values;
}

/** @param {View} view @param {Template} template @param {import("../filling.js").Order} order */
function begun(view, template, order) {
  const values = filled(template, order);
  const [list, member, slot] = onBoard(template);
  if (list === null) return values;
  return {...values, [list]: settled(view, values[list], member, slot.list_of[member].one_of)};
}

/** Whether a command would be taken: true, or what is wrong with it. @param {View} view @param {import("../api.js").Command} command @param {import("../api.js").How} [how] */
const judged = (view, command, how) => check(view.match, command, how).then(
  () => /** @type {const} */ (true),
  (fault) => {
    if (!(fault instanceof Declined)) throw fault;
    return fault.problem;
  },
);

/** The list whose entries have each a place of their own, and the member that names it. @param {Template} template */
function onBoard({fields}) {
  for (const [name, slot] of Object.entries(fields)) {
    const member = slot.distinct?.find((/** @type {string} */ one) => slot.list_of[one]?.one_of);
    if (member) return /** @type {[string, string, Slot]} */ ([name, member, slot]);
  }
  return /** @type {[null, null, null]} */ ([null, null, null]);
}

/**
 * @param {{view: View, form: ReturnType<typeof useForm>, playing: import("./seat.js").Playing}} props
 */
export function Form({view, form: {template, values, setValues, fill, board}, playing: {play, sending}}) {
  if (template === undefined) return null;
  const command = {type: template.type, ...values};
  const [sent, setSent] = useState(false);
  useEffect(() => setSent(false), [view.head]);
  const found = useCheck(view, command, sent);
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setSent(true);
    if (!(await play(command))) setSent(false);
  };
  return html`
    <form class="template" onSubmit=${submit}>
      <h3>${groupName(template.type)}</h3>
      ${board && html`<p class="soft">${t("seat.tap")}</p>`}
      <p class="row">
        <button class="main" disabled=${sending.busy}>${t("send")}</button>
        <button type="button" onClick=${fill}>${t("seat.fill")}</button>
      </p>
      ${found === true && html`<p role="status" class="legal">✓ ${t("seat.legal")}</p>`}
      <${Refusal} problem=${found === true ? null : found} game=${view.game} names=${allNames(view)} />
      ${Object.entries(template.fields).map(([name, slot]) => html`
        <${Field} key=${name} name=${name} slot=${slot} value=${values[name]}
          change=${(/** @type {any} */ value) => setValues(without({...values, [name]: value}))} />`)}
    </form>`;
}

/** @param {Values} values */
const without = (values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** What is said of a command once it stays as it is, until it is sent. @param {View} view @param {import("../api.js").Command} command @param {boolean} sent */
function useCheck(view, command, sent) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const asked = JSON.stringify(command);
  useAnswer(async (how) => {
    await new Promise((go) => setTimeout(go, CHECK_MS));
    return sent || how.signal?.aborted ? found : judged(view, command, how);
  }, setFound, [asked, view.head, sent]);
  return found;
}

/** @typedef {{name: string, slot: Slot, value: any, change: (value: any) => void, among?: any[]}} FieldProps */

/** A field as its slot describes it; `among`: what it may hold beside the others. @param {FieldProps} props */
function Field({name, slot, value, change, among}) {
  const label = fieldName(name);
  if (slot.one_of) {
    return html`<label>${label}<${Choice} slot=${slot} all=${among ?? slot.one_of} value=${value} change=${change} /></label>`;
  }
  if (slot.between) {
    const [least, most] = slot.between;
    return html`<label>${label}<input type="number" min=${least} max=${most} value=${value ?? ""}
      required=${!slot.optional} onChange=${(/** @type {any} */ {target}) =>
        change(target.value === "" ? undefined : Number(target.value))} /></label>`;
  }
  return html`<${List} name=${label} slot=${slot} value=${value} change=${change} />`;
}

/** @param {{slot: Slot, all: any[], value: any, change: (value: any) => void}} props */
function Choice({slot, all, value, change}) {
  const now = JSON.stringify(value);
  return html`
    <select onChange=${(/** @type {any} */ event) =>
      change(event.target.value === "" ? undefined : JSON.parse(event.target.value))}>
      ${slot.optional && html`<option value="" selected=${value === undefined}>${t("seat.left-out")}</option>`}
      ${all.map((one) => html`
        <option value=${JSON.stringify(one)} selected=${JSON.stringify(one) === now}>${say(one)}</option>`)}
    </select>`;
}

/** A list: an entry a row, as many as it may have. @param {FieldProps} props */
function List({name, slot, value, change}) {
  const list = /** @type {any[]} */ (value ?? []);
  const [least, most] = slot.length;
  const set = (/** @type {number} */ row, /** @type {any} */ entry) =>
    change(list.map((one, at) => (at === row ? entry : one)));
  const more = () => change([...list, valueFor({...slot, length: [list.length + 1]}, asListed)[list.length]]);
  const fewer = () => change(list.length === 1 && slot.optional ? undefined : list.slice(0, -1));
  return html`
    <details open=${list.length <= LONG} class="list">
      <summary>${name} (${list.length})</summary>
      <ol>${list.map((entry, row) => html`<li class="row">
        <${Entry} slot=${slot} list=${list} row=${row} entry=${entry}
          change=${(/** @type {any} */ one) => set(row, one)} /></li>`)}</ol>
      ${list.length < most && html`<button type="button" onClick=${more}>${t("seat.add")}</button>`}
      ${list.length > (slot.optional ? 0 : least) && html`
        <button type="button" onClick=${fewer}>${t("seat.remove")}</button>`}
    </details>`;
}

/** @param {{slot: Slot, list: any[], row: number, entry: any, change: (entry: any) => void}} props */
function Entry({slot, list, row, entry, change}) {
  if (isPlain(slot.list_of)) {
    return html`<${Field} name=${String(row + 1)} slot=${slot.list_of} value=${entry} change=${change}
      among=${slot.list_of.one_of && choices(slot, list, row, null)} />`;
  }
  return Object.entries(/** @type {Record<string, Slot>} */ (slot.list_of)).map(([name, member]) => html`
    <${Field} key=${name} name=${name} slot=${member} value=${entry[name]}
      among=${member.one_of && choices(slot, list, row, name)}
      change=${(/** @type {any} */ value) => change(without({...entry, [name]: value}))} />`);
}
