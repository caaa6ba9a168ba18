/**
 * A match, live: its commits as server-sent events, read by `fetch`, so that the token stands in a
 * header and in no address.
 *
 * Nothing is lost or comes twice, whatever breaks: whoever comes back names the last message that
 * it has dealt with, and the service goes on behind it.
 */
import {SENT, headers, setTime} from "./api.js";

/** The service says at least every 15 s what time it is: longer silence is a dead connection. */
const SILENCE_MS = 25_000;
const SHORTEST_MS = 500;
const LONGEST_MS = 8_000;

/**
 * @typedef {{
 *   commit: (commit: import("./api.js").Commit) => void,
 *   rewritten: () => void,
 *   state: (state: "live" | "away" | "over" | "refused") => void,
 * }} Follower `rewritten`: what was told is no longer what the log holds; forget it
 */

/**
 * Follow a match from its first commit until `signal` says so, or the token is good no more.
 * @param {string} match @param {Follower} follower @param {AbortSignal} signal
 */
export async function follow(match, follower, signal) {
  let last = "";
  let pause = SHORTEST_MS;
  while (!signal.aborted) {
    try {
      for await (const {event, id, data} of await open(match, last, signal)) {
        pause = SHORTEST_MS;
        follower.state("live");
        if (event === "time") setTime(JSON.parse(data).now);
        if (event === "commit") follower.commit(JSON.parse(data));
        if (event === "rewritten") {
          follower.rewritten();
          last = "";
          break;
        }
        last = id || last;
      }
    } catch (fault) {
      if (signal.aborted) return;
      follower.state(fault instanceof Ended ? fault.why : "away");
      if (fault instanceof Ended && fault.why === "refused") return;
      if (fault instanceof Ended) pause = LONGEST_MS;
    }
    await sleep(pause + Math.random() * pause, signal);
    pause = Math.min(pause * 2, LONGEST_MS);
  }
}

/**
 * Nothing is to come: a finished match has only its certificate or another ruling before it, which is
 * asked for now and then; a token that is not good has nothing at all.
 */
class Ended extends Error {
  /** @param {"over" | "refused"} why */
  constructor(why) {
    super(why);
    this.why = why;
  }
}

/**
 * Open the stream behind the last message.
 * @param {string} match @param {string} last @param {AbortSignal} signal
 */
async function open(match, last, signal) {
  const silence = new AbortController();
  const answer = await fetch(`/v1/matches/${encodeURIComponent(match)}/events`, {
    headers: headers({Accept: "text/event-stream", ...(last && {"Last-Event-ID": last})}),
    signal: AbortSignal.any([signal, silence.signal]),
    cache: "no-store",
  });
  if (answer.status === 204) throw new Ended("over");
  if ([401, 403, 404].includes(answer.status)) throw new Ended("refused");
  if (!answer.ok || answer.body === null) throw new Error(answer.statusText);
  return messages(answer.body, () => silence.abort());
}

/**
 * The messages of a stream of server-sent events.
 * @param {ReadableStream<Uint8Array>} body @param {() => void} giveUp when it is silent for too long
 */
async function* messages(body, giveUp) {
  const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let text = "";
  try {
    while (true) {
      const silent = setTimeout(giveUp, SILENCE_MS);
      const {done, value} = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      const parts = (text + value).split("\n\n");
      text = parts.pop() ?? "";
      yield* parts.map(message).filter(({event}) => event);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** One message: its fields; comments have none. @param {string} text */
function message(text) {
  const fields = {event: "", id: "", data: ""};
  for (const line of text.split("\n")) {
    const [, name, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (name === "event" || name === "id" || name === "data") fields[name] = value ?? "";
  }
  return fields;
}

/**
 * Sleep, but not on when a command of this page has been taken: there is news.
 * @param {number} ms @param {AbortSignal} signal @returns {Promise<void>}
 */
const sleep = (ms, signal) => new Promise((wake) => {
  setTimeout(wake, ms);
  signal.addEventListener("abort", () => wake(), {once: true});
  addEventListener(SENT, () => wake(), {once: true});
});
