/**
 * A front end as its author would begin it: every type here is made from the API's document, and
 * nothing is taken for another type than it is declared to have.
 */
import type { components, operations } from "./api.js";

type Shapes = components["schemas"];
type Command = Shapes["Command"];
type Order = Shapes["NewMatch"];
type Slot = Shapes["Slot"];
type Template = Shapes["Template"];
type View = Shapes["MatchView"];
type GiroEvent = Shapes["GiroGaloppoEvent"];
type GiroCommit = Omit<Shapes["CommitMessage"], "events"> & { events: GiroEvent[] };

// ── Requests ────────────────────────────────────────────────────────────────────────────────────

type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Good<Responses> = Responses extends { 200: infer Message } ? Json<Message>
  : Responses extends { 201: infer Message } ? Json<Message> : never;
type Answer<Id extends keyof operations> = Good<operations[Id]["responses"]>;

/** A request that the referee turned down. */
export class Declined extends Error {
  constructor(readonly problem: Shapes["Problem"]) {
    super(problem.detail);
  }
}

export class Referee {
  constructor(readonly url: string, readonly token: string) {}

  create(order: Order): Promise<Answer<"createMatch">> {
    return this.ask<"createMatch">("/v1/matches", order);
  }

  view(match: string): Promise<Answer<"getMatch">> {
    return this.ask<"getMatch">(`/v1/matches/${match}`);
  }

  legal(match: string): Promise<Answer<"listLegalCommands">> {
    return this.ask<"listLegalCommands">(`/v1/matches/${match}/legal`);
  }

  send(match: string, command: Command, version?: number): Promise<Answer<"sendCommand">> {
    const path = `/v1/matches/${match}/commands`;
    if (version === undefined) return this.ask<"sendCommand">(path, command);
    return this.ask<"sendCommand">(path, command, { "If-Match": `"${version}"` });
  }

  /** Send a command that is made from a template, whatever game it is of. */
  sendFilled(match: string, template: Template): Promise<Answer<"sendCommand">> {
    return this.ask<"sendCommand">(`/v1/matches/${match}/commands`, filled(template));
  }

  private async ask<Id extends keyof operations>(
    path: string, body?: object, headers: Record<string, string> = {},
  ): Promise<Answer<Id>> {
    const answer = await fetch(this.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Declined(await answer.json());
    return answer.json();
  }
}

/** What to do about a problem: its kind, its ruling, the fields that are wrong. */
export function advice({ status, ruling, detail, version, errors = [] }: Shapes["Problem"]): string {
  if (ruling !== undefined) return `${ruling}: ${detail}`;
  if (status === 412 && version !== undefined) return `look again at version ${version}`;
  return [detail, ...errors.map((error) => `${error.path}: ${error.message}`)].join("; ");
}

// ── Orders ──────────────────────────────────────────────────────────────────────────────────────

const seats = [{ name: "Ada" }, { name: "Ben" }];

export const giro: Order = {
  game: "giro-galoppo", seats, public: true,
  options: { length: 30, natural_obstacles: { river: [7, 15], moor: [22] } },
  clock: { base_s: 600, increment_s: 5, on_flag: "forfeit" },
};
export const villager: Order = {
  game: "dancing-villager", seats, options: { mode: "table", scorer: 0, villagers: 2 },
};
export const giants: Order = {
  game: "giants-dance", seats, options: { trail: "shuffled", token_value: 3 },
};
export const dragon: Order = {
  game: "dragon-dance", seats, options: { turning: "none", faces: { S1: "RYGB" } },
};

// ── What is shown ───────────────────────────────────────────────────────────────────────────────

/** The board in a line: what a state holds is known as soon as its game is. */
export function board(view: View): string {
  if (view.state === null) return "nothing is dealt yet";
  const { phase } = view.state;
  switch (view.game) {
    case "giro-galoppo":
      return view.state.spaces.map((space) => space ?? "–").join(" ");
    case "dragon-dance":
      return view.state.hands.map((hand) => hand?.join(" ") ?? "hidden").join(" | ");
    case "giants-dance": {
      const { trail, fields } = view.state;
      return trail.map((square, field) => fields[field] ?? square).join(" ");
    }
    case "dancing-villager":
      return `${view.state.village} at home, called: ${view.state.call ?? "nothing"}`;
    default:
      return phase;
  }
}

export function standings({ result, seats }: View): string[] {
  if (result === null) return [];
  return result.ranking.map(({ seat, place, score }) =>
    `${place ?? "–"} ${seats[seat]?.name ?? "?"} ${score?.toFixed(1) ?? ""}`);
}

function missed(event: never): never {
  throw new Error(`nobody tells of ${JSON.stringify(event)}`);
}

/** An event in words; one that is forgotten here does not compile. */
export function told(event: GiroEvent): string {
  switch (event.type) {
    case "match_created":
      return `${event.seats.map((seat) => seat.name).join(" and ")} run ${event.options.length} spaces`;
    case "obstacle_placed":
      return `${event.seat} puts an obstacle on ${event.space}`;
    case "card_chosen":
      return `${event.seat} lays ${event.card === null ? "a card" : event.card.toFixed()}`;
    case "cards_shown":
      return `cards ${event.cards.map((card) => card ?? "–").join(" ")}`;
    case "horse_moved":
      return `${event.seat} goes ${event.to - event.from} and pushes ${event.pushed?.seat ?? "nobody"}`;
    case "hands_returned":
    case "race_over":
    case "certified":
    case "paused":
      return event.type;
    case "draw_offered":
    case "draw_accepted":
    case "draw_declined":
    case "takeback_accepted":
    case "takeback_declined":
    case "flagged":
    case "token_reissued":
    case "call_withdrawn":
      return `${event.type} by ${event.seat}`;
    case "takeback_requested":
      return `${event.seat} asks to go back to ${event.to}`;
    case "taken_back":
      return `back to ${event.to}: ${event.reason ?? "agreed"}`;
    case "offer_lapsed":
      return `the ${event.offer} of ${event.seat} lapsed`;
    case "withdrawn":
      return `${event.seat} ${event.why}`;
    case "resumed":
      return `after ${event.paused_ms} ms`;
    case "arbiter_called":
      return `${event.seat} calls: ${event.text ?? "?"}`;
    case "call_answered":
      return `${event.seat} is told: ${event.reason ?? "?"}`;
    case "time_granted":
      return `${event.seconds} s for ${event.seat}`;
    case "outage_excused":
      return `${event.until - event.from} ms excused`;
    case "match_ended":
    case "adjudicated":
      return `${event.reason}: won by ${event.winners.join(", ")}`;
    case "entropy_added":
      return `${event.seat} adds ${event.hex.length} digits`;
    case "dealt_without":
      return `dealt without ${event.seats.join(", ")}: ${event.reason}`;
    case "voided":
      return `void: ${event.reason}`;
    case "seed_revealed":
      return `seed of ${event.seed.length} digits`;
    default:
      return missed(event);
  }
}

// ── Templates ───────────────────────────────────────────────────────────────────────────────────

type Entry = Shapes["ListOf"]["list_of"];

/** A slot has a list in it; an entry of members has slots. */
function isSlot(entry: Entry): entry is Slot {
  return Object.values(entry).some(Array.isArray);
}

/** Values that a slot allows, the first of them first. */
function values(slot: Slot): unknown[] {
  if ("one_of" in slot) return slot.one_of;
  if ("list_of" in slot) return [list(slot)];
  const [least, most] = slot.between;
  return Array.from({ length: most - least + 1 }, (_, step) => least + step);
}

/** The shortest list that a slot allows; what must not come twice does not. */
function list({ list_of: entry, length: [least], distinct = [], spend = {} }: Shapes["ListOf"]) {
  const used = new Map<string, unknown[]>();
  const purse = new Map<string, unknown[]>(Object.entries(Array.isArray(spend) ? { "": spend } : spend));
  const pick = (name: string, slot: Slot): unknown => {
    const before = used.get(name) ?? [];
    const left = purse.get(name);
    const may = (value: unknown) =>
      (distinct.includes(name) ? !before.includes(value) : true) && (left?.includes(value) ?? true);
    const value = values(slot).find(may);
    used.set(name, [...before, value]);
    left?.splice(left.indexOf(value), 1);
    return value;
  };
  return Array.from({ length: least }, () => isSlot(entry) ? pick("", entry) : members(entry, pick));
}

function members(slots: Template["fields"], pick: (name: string, slot: Slot) => unknown) {
  const needed = Object.entries(slots).filter(([, slot]) => slot.optional !== true);
  return Object.fromEntries(needed.map(([name, slot]) => [name, pick(name, slot)]));
}

/** A command that a template allows, in whatever game. */
export function filled({ type, fields }: Template): object {
  return { type, ...members(fields, (_, slot) => values(slot)[0]) };
}

// ── Following ───────────────────────────────────────────────────────────────────────────────────

const OVER: GiroEvent["type"][] = ["match_ended", "adjudicated", "voided"];

/** Tell of a match of Giro Galoppo until it is over. */
export function follow(url: string, match: string, token: string): Promise<string[]> {
  const lines: string[] = [];
  const stream = new EventSource(
    `${url}/v1/matches/${match}/events?after=0&access_token=${token}`);
  return new Promise((done) => {
    stream.addEventListener("commit", ({ data }: MessageEvent<string>) => {
      const commit: GiroCommit = JSON.parse(data);
      lines.push(...commit.events.map((event) => `${commit.version} ${told(event)}`));
      if (!commit.events.some((event) => OVER.includes(event.type))) return;
      stream.close();
      done(lines);
    });
    stream.addEventListener("rewritten", ({ data }: MessageEvent<string>) => {
      const { version }: Shapes["RewrittenMessage"] = JSON.parse(data);
      lines.splice(0, lines.length, `again from ${version}`);
    });
  });
}

function heard(frame: Shapes["SocketMessage"]): string {
  if ("ok" in frame) return `${frame.id} accepted: version ${frame.ok.version}`;
  if ("refused" in frame) return `${frame.id ?? "?"} refused: ${advice(frame.refused)}`;
  if ("time" in frame) return `it is ${frame.time.now}`;
  if ("rewritten" in frame) return `again from ${frame.rewritten.version}`;
  return `${frame.version} ${frame.events.map((event) => event.type).join()}`;
}

/** Send commands on the socket, one by one; their answers. */
export function say(url: string, match: string, token: string, commands: Command[]): Promise<string[]> {
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/v1/matches/${match}/live?access_token=${token}`);
  const answers: string[] = [];
  const next = () => {
    const command = commands[answers.length];
    if (command === undefined) return socket.close(1000);
    const frame: Shapes["CommandFrame"] = { id: answers.length, command, key: `say-${answers.length}` };
    socket.send(JSON.stringify(frame));
  };
  return new Promise((done) => {
    socket.onopen = next;
    socket.onclose = () => done(answers);
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const frame: Shapes["SocketMessage"] = JSON.parse(data);
      if (!("ok" in frame || "refused" in frame)) return;
      answers.push(heard(frame));
      next();
    };
  });
}

// ── A match ─────────────────────────────────────────────────────────────────────────────────────

async function declined(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "taken";
  } catch (error) {
    if (error instanceof Declined) return advice(error.problem);
    throw error;
  }
}

/** Play a little of Giro Galoppo; all that was told of it. */
export async function play(url: string, token: string) {
  const organizer = new Referee(url, token);
  const { match, seats: [ada, ben], spectator_token: watcher } = await organizer.create(giro);
  if (ada === undefined || ben === undefined) throw new Error("two seats were asked for");
  const lines = follow(url, match, watcher);
  const first = new Referee(url, ada.token);
  const { version } = await first.send(match, { type: "place_obstacle", space: 9 }, 1);
  const problems = [
    await declined(first.send(match, { type: "place_obstacle", space: 9 })),
    await declined(first.send(match, { type: "resign" }, version - 1)),
  ];
  const answers = await say(url, match, ben.token, [
    { type: "place_obstacle", space: 9 }, { type: "place_obstacle", space: 12 },
  ]);
  const { commands, complete } = await first.legal(match);
  if (complete && commands[0] !== undefined) await first.send(match, commands[0]);
  const seen = board(await first.view(match));
  await organizer.send(match, {
    type: "adjudicate", reason: "enough",
    ranking: [{ seat: 0, place: 1, score: 2 }, { seat: 1, place: 2 }],
  });
  return { problems, answers, seen, lines: await lines, end: standings(await first.view(match)) };
}

/** Fill in the first template that a new match has; the events that follow, and the board. */
export async function fillIn(url: string, token: string, order: Order): Promise<string[]> {
  const organizer = new Referee(url, token);
  const { match, seats: [first] } = await organizer.create(order);
  const player = new Referee(url, first?.token ?? "");
  const { templates: [template] = [] } = await player.legal(match);
  if (template === undefined) return [];
  const { events } = await player.sendFilled(match, template);
  return [board(await organizer.view(match)), ...events.map((event) => event.type)];
}
