/** What a seat may do: its legal commands, what has been picked of them, and sending. */
import {Declined, legal, randomHex, send} from "./api.js";
import {useAnswer} from "./match.js";
import {beginning, named, names} from "./moves.js";
import {useEffect, useMemo, useState} from "./vendor/preact.js";

/**
 * @typedef {import("./api.js").View} View @typedef {import("./api.js").Command} Command
 * @typedef {import("./api.js").Legal} Legal @typedef {import("./moves.js").Mark} Mark
 * @typedef {import("./api.js").Problem} Problem
 */

/** The seat that looks, null for others. @param {View} view */
export function seatOf(view) {
  const [, seat] = /^seat (\d+)$/.exec(view.viewer) ?? [];
  return seat === undefined ? null : Number(seat);
}

/** Send a command; what is wrong with it, if anything is. @param {View} view */
export function useSending(view) {
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [busy, setBusy] = useState(false);
  useEffect(() => setProblem(null), [view.version]);
  /** @param {Command} command @param {string | null} [place] */
  const say = async (command, place = null) => {
    setBusy(true);
    setProblem(null);
    try {
      await send(view.match, command, place);
      return true;
    } catch (fault) {
      if (!(fault instanceof Declined)) throw fault;
      setProblem(fault.problem);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {say, problem, busy};
}

/**
 * The legal commands of the seat that looks, narrowed to those that name all that was picked.
 * @param {View} view
 */
export function usePlaying(view) {
  const [legals, setLegals] = useState(/** @type {Legal | null} */ (null));
  const [picks, setPicks] = useState(/** @type {Mark[][]} */ ([]));
  const [chosen, setChosen] = useState(/** @type {Command | null} */ (null));
  const sending = useSending(view);
  const seat = seatOf(view);
  const owes = seat !== null && view.to_act.includes(seat);
  // Who owes nothing may have something to do too: a hand on a thing, say.
  const asks = seat !== null && view.status === "active" && view.state !== null;
  useEffect(() => {
    setPicks([]);
    setChosen(null);
    if (!asks) setLegals(null);
  }, [view.head, asks]);
  useAnswer((how) => (asks ? legal(view.match, how) : null), setLegals, [view.head, asks]);
  useEntropy(view, sending.say);
  const present = legals !== null && legals.version >= view.version ? legals : null;
  const commands = useMemo(() => /** @type {Command[]} */ ([...(present?.commands ?? [])]), [present]);
  const left = useMemo(() => named(commands, picks), [commands, picks]);
  const next = useMemo(() => (picks.length > 0 ? left : commands.map(beginning)), [commands, left]);
  const only = left.length === 1 && picks.length > 0 ? /** @type {Command} */ (left[0]) : null;
  const templates = present?.templates ?? [];
  return {
    seat,
    acts: (owes && view.status === "active") || commands.length + templates.length > 0,
    left,
    picks,
    templates,
    chosen: chosen ?? only,
    choose: setChosen,
    /** Narrow to what names this; where nothing does, begin anew with it. @param {Mark[]} marks */
    pick(marks) {
      setChosen(null);
      const both = [...picks, marks];
      setPicks(named(commands, both).length > 0 ? both : [marks]);
    },
    clear() {
      setPicks([]);
      setChosen(null);
    },
    /**
     * How an element is shown: `next`, what may be picked now; `again`, what would begin anew.
     * @param {Mark[]} marks
     */
    shows(marks) {
      if (picks.some((pick) => String(pick) === String(marks))) return "picked";
      if (names(next, marks)) return "next";
      return names(commands, marks) ? "again" : "";
    },
    /** Where others may act too, what they do meanwhile does not matter. @param {Command} command */
    play: (command) => sending.say(command, owes && view.to_act.length === 1 ? placeOf(view) : null),
    sending,
  };
}

/** The tag of what the player has seen. @param {View} view */
const placeOf = (view) => `${view.version}.${view.head.slice(0, 16)}`;

/** Add this device's random numbers, where the match asks its seat for them. @param {View} view @param {(command: Command) => any} say */
function useEntropy(view, say) {
  const seat = seatOf(view);
  const asked = view.state === null && view.status === "active"
    && seat !== null && view.to_act.includes(seat);
  useEffect(() => {
    if (asked) say({type: "add_entropy", hex: randomHex(32)});
  }, [asked]);
}
