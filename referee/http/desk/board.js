/**
 * The board: the game's own picture, taken into the page as elements. Nothing in it can act: it is
 * parsed as XML, and only drawing is let in.
 */
import {marksOf} from "./moves.js";
import {html, useEffect, useRef} from "./vendor/preact.js";
import {onBoard} from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAWING = new Set([
  "svg", "g", "rect", "circle", "ellipse", "path", "line", "polygon", "polyline", "text", "tspan",
  "title", "desc", "defs", "pattern", "clipPath", "linearGradient", "radialGradient", "stop",
]);

/** A picture as elements of this page, its words in the reader's language. @param {string} text @param {string[]} names which stay as they are */
function drawing(text, names) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  for (const element of [root, ...root.querySelectorAll("*")]) {
    if (element.namespaceURI !== SVG || !DRAWING.has(element.localName)) element.remove();
    for (const {name} of [...element.attributes]) {
      if (/^(on|style$|href$|xlink:)/.test(name)) element.removeAttribute(name);
    }
    const said = element.textContent ?? "";
    if (["text", "title"].includes(element.localName) && !names.includes(said)) {
      element.textContent = onBoard(said);
    }
  }
  root.setAttribute("aria-label", onBoard(root.getAttribute("aria-label") ?? ""));
  return document.importNode(root, true);
}

/**
 * @typedef {import("./moves.js").Mark} Mark
 * @typedef {{mark: [name: string, value: string], text: string, picked: boolean}} Chip what a form
 *   has put on the board
 */

/**
 * @param {{
 *   svg: string, label: string, names: string[], zoom: boolean, chips: Chip[], moved: (marks: Mark[]) => boolean,
 *   shows: (marks: Mark[]) => string, pick: (marks: Mark[]) => void,
 * }} props `shows`: how an element is shown, by what it stands for; "" where it cannot be picked;
 *   `moved`: whether the last move touched it
 */
export function Board({svg, label, names, zoom, chips, moved, shows, pick}) {
  const frame = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (svg) frame.current?.replaceChildren(drawing(svg, names));
  }, [svg]);
  useEffect(() => {
    if (frame.current) decorate(frame.current, shows, moved, chips);
  });
  /** @param {Event} event */
  const clicked = (event) => {
    const element = /** @type {Element} */ (event.target).closest(".named");
    if (element) pick(marksOf(element));
  };
  return html`<div class=${`board ${zoom ? "zoomed" : ""}`} tabindex=${zoom ? 0 : null}
    role="region" aria-label=${label} ref=${frame} onClick=${clicked}></div>`;
}

/**
 * Show what can be tapped, what has been, what the last move touched, and what a form puts there.
 * @param {HTMLElement} frame @param {(marks: Mark[]) => string} shows
 * @param {(marks: Mark[]) => boolean} moved @param {Chip[]} chips
 */
function decorate(frame, shows, moved, chips) {
  frame.querySelectorAll(".halo, .trace, .chip").forEach((one) => one.remove());
  for (const element of frame.querySelectorAll("g")) {
    const marks = marksOf(element);
    const how = marks.length > 0 ? shows(marks) : "";
    element.setAttribute("class", how && `named ${how}`);
    if (moved(marks)) element.append(framed(element, "trace"));
    if (how === "next" || how === "picked") element.append(framed(element, "halo"));
  }
  for (const {mark: [name, value], text, picked} of chips) {
    const place = frame.querySelector(`g[data-${name}="${CSS.escape(value)}"]`);
    if (place instanceof SVGGraphicsElement) place.append(chip(place, text, picked));
  }
}

/** A frame round an element. @param {SVGGraphicsElement} element @param {string} kind */
function framed(element, kind) {
  const {x, y, width, height} = element.getBBox();
  return made("rect", {class: kind, x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: 4});
}

/** A word on an element, such as the piece that a form puts on a cell. @param {SVGGraphicsElement} element @param {string} text @param {boolean} picked */
function chip(element, text, picked) {
  const {x, y, width, height} = element.getBBox();
  const group = made("g", {class: picked ? "chip picked" : "chip"});
  const words = made("text", {
    x: x + width / 2, y: y + height / 2, "font-size": Math.min(width / 4, (width * 1.6) / text.length),
  });
  words.textContent = text;
  group.append(framed(element, "ground"), words);
  return group;
}

/** @param {string} kind @param {Record<string, string | number>} attributes */
function made(kind, attributes) {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
