/**
 * A match, live: its commits as server-sent events, read by `fetch`, so that the token stands in a
 * header and in no address.
 *
 * Nothing is lost or comes twice, whatever breaks: whoever comes back names the last message that
 * it has dealt with, and the service goes on behind it.
 */
import {Declined, declined, headers, pauseAfter, setTime, sleep} from "./api.js";

/** The service says at least every 15 s what time it is: longer silence is a dead connection. */
const SILENCE_MS = 25_000;
/** What is over is asked for rarely. */
const OVER_MS = 8_000;

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
  let failures = 0;
  let wait = 0;
  while (!signal.aborted) {
    try {
      for await (const {event, id, data} of await open(match, last, signal)) {
        failures = 0;
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
      wait = 0;
    } catch (fault) {
      if (signal.aborted) return;
      follower.state(fault instanceof Ended ? fault.why : "away");
      if (fault instanceof Ended && fault.why === "refused") return;
      wait = fault instanceof Ended ? OVER_MS : fault instanceof Declined ? fault.wait : 0;
    }
    failures += 1;
    await sleep(Math.max(wait, pauseAfter(failures)), signal);
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
  if (!answer.ok || answer.body === null) throw await declined(answer);
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
