/**
 * Filling in a command whose fields a template describes: the one language of all games, in which a
 * field holds one of some values, a number between two, or a list of such.
 *
 * @typedef {{[key: string]: any}} Slot
 * @typedef {{type: string, fields: Record<string, Slot>}} Template
 * @typedef {<T>(values: readonly T[]) => T[]} Order the order in which values are taken
 */

/** As they stand. @type {Order} */
export const asListed = (values) => [...values];

/** By chance of the browser's. @type {Order} */
export function shuffled(values) {
  const keys = crypto.getRandomValues(new Uint32Array(values.length));
  return values.map((value, at) => /** @type {const} */ ([keys[at] ?? 0, value]))
    .sort(([one], [other]) => one - other).map(([, value]) => value);
}

/** A command as a template describes it, what may be left out left out. @param {Template} template @param {Order} order */
export const filled = ({fields}, order) => Object.fromEntries(
  Object.entries(fields).filter(([, slot]) => !slot.optional)
    .map(([name, slot]) => [name, valueFor(slot, order)]),
);

/** A value that a field may hold. @param {Slot} slot @param {Order} order @returns {any} */
export function valueFor(slot, order) {
  if (slot.one_of) return order(slot.one_of)[0];
  if (slot.between) return order(slot.between)[0];
  const count = slot.length[0];
  if (isPlain(slot.list_of)) {
    if (slot.spend) return order(slot.spend).slice(0, count);
    return Array.from({length: count}, () => valueFor(slot.list_of, order));
  }
  return rows(slot, count, order);
}

/** Whether the entries of a list are values, not objects of members. @param {Slot} entry */
export const isPlain = (entry) =>
  Array.isArray(entry.one_of) || Array.isArray(entry.between) || Array.isArray(entry.length);

/** @param {Slot} slot @param {number} count @param {Order} order */
function rows({list_of: members, distinct = [], spend = {}}, count, order) {
  const columns = Object.entries(/** @type {Record<string, Slot>} */ (members))
    .filter(([, member]) => !member.optional)
    .map(([name, member]) => {
      const pool = spend[name] ?? (distinct.includes(name) ? member.one_of : null);
      return /** @type {const} */ ([name, pool === null ? null : order(pool), member]);
    });
  return Array.from({length: count}, (_, row) => Object.fromEntries(
    columns.map(([name, pool, member]) => [name, pool === null ? valueFor(member, order) : pool[row]]),
  ));
}

/**
 * What an entry of a list may still hold in a member, with what it holds now: no two alike where they
 * must not be, and nothing spent twice.
 * @param {Slot} slot the list's @param {any[]} list @param {number} row @param {string | null} name
 */
export function choices(slot, list, row, name) {
  const of = (/** @type {any} */ entry) => JSON.stringify(name === null ? entry : entry[name]);
  const others = list.filter((_, at) => at !== row).map(of);
  const all = name === null ? slot.list_of.one_of : slot.list_of[name].one_of;
  if (name !== null && slot.distinct?.includes(name)) {
    return all.filter((/** @type {any} */ value) => !others.includes(JSON.stringify(value)));
  }
  const spend = name === null ? slot.spend : slot.spend?.[name];
  if (!spend) return all;
  const left = spend.map((/** @type {any} */ value) => JSON.stringify(value));
  for (const other of others) if (left.includes(other)) left.splice(left.indexOf(other), 1);
  return [...new Set(left)].map((value) => JSON.parse(String(value)));
}
