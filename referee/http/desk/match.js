/** A match as its page needs it: the view, kept up to date, all commits, and the board at a step. */
import {Declined, board, view as viewOf} from "./api.js";
import {follow} from "./live.js";
import {useEffect, useRef, useState} from "./vendor/preact.js";

/** @typedef {import("./api.js").View} View @typedef {import("./api.js").Commit} Commit */

/** Commits come in bursts, the past as one: what is shown is drawn once for them. */
const BURST_MS = 30;

/**
 * The match as the bearer sees it. `line`: how the connection is.
 * @param {string} match
 * @returns {{view: View | null, commits: Commit[], line: string, problem: import("./api.js").Problem | null}}
 */
export function useMatch(match) {
  const [view, setView] = useState(/** @type {View | null} */ (null));
  const [commits, setCommits] = useState(/** @type {Commit[]} */ ([]));
  const [line, setLine] = useState("away");
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const stop = new AbortController();
    /** @type {Map<number, Commit>} */
    const known = new Map();
    let drawing = 0;
    let newest = 0;
    const look = async () => {
      try {
        const seen = await viewOf(match, null, {signal: stop.signal});
        if (stop.signal.aborted || seen.version < newest) return;
        newest = seen.version;
        setView(seen);
        setProblem(null);
      } catch (fault) {
        if (fault instanceof Declined && fault.problem.status) setProblem(fault.problem);
      }
    };
    const draw = () => {
      drawing = 0;
      setCommits([...known.values()]);
      if (Math.max(0, ...known.keys()) > newest) look();
    };
    const soon = () => {
      drawing ||= setTimeout(draw, BURST_MS);
    };
    const follower = {
      /** @param {Commit} commit */
      commit(commit) {
        known.set(commit.version, commit);
        soon();
      },
      rewritten() {
        known.clear();
        newest = 0;
        look().then(soon);
      },
      state: setLine,
    };
    look();
    follow(match, follower, stop.signal);
    return () => stop.abort();
  }, [match]);
  return {view, commits, line, problem};
}

/**
 * The picture of the board after a step, and of now where `at` is null; the last one until there is
 * another.
 * @param {View | null} view @param {number | null} at
 */
export function useBoard(view, at) {
  const [picture, setPicture] = useState("");
  useAnswer((how) => view && board(view.match, at, how), setPicture, [view?.match, at ?? view?.head]);
  return picture;
}

/**
 * Ask as soon as something has changed, and go on with the answer; that to what was asked before is
 * wanted no more.
 * @template T @param {(how: import("./api.js").How) => Promise<T> | null} ask null: nothing is asked
 * @param {(answer: T) => void} then @param {any[]} changes
 */
export function useAnswer(ask, then, changes) {
  useEffect(() => {
    const stop = new AbortController();
    ask(stop)?.then((answer) => {
      if (!stop.signal.aborted) then(answer);
    }).catch((fault) => {
      if (!(fault instanceof Declined)) throw fault;
    });
    return () => stop.abort();
  }, changes);
}

/** Call something every so many ms while it is wanted. @param {() => void} what @param {number | null} ms */
export function useEvery(what, ms) {
  const latest = useRef(what);
  latest.current = what;
  useEffect(() => {
    if (ms === null) return undefined;
    const clock = setInterval(() => latest.current?.(), ms);
    return () => clearInterval(clock);
  }, [ms]);
}
