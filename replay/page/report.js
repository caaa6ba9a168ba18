"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { pieces, steps } = JSON.parse(byId("boards").textContent);
  const [board, slider, place, log] = ["board", "slider", "place", "log"].map(byId);
  const lines = Array.from(log.children);
  const last = steps.length;

  // A picture is shown as an image, in which nothing can run and nothing is fetched.
  const picture = (version) => steps[version - 1].map((piece) => pieces[piece]).join("");
  const source = (svg) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);

  const show = (wanted, follow = true) => {
    const version = Math.min(Math.max(1, wanted), last);
    board.src = source(picture(version));
    board.alt = `The board after commit ${version}`;
    slider.value = String(version);
    place.value = `${version} / ${last}`;
    lines.forEach((line, index) => line.toggleAttribute("aria-current", index === version - 1));
    const line = lines[version - 1];
    if (follow && line) log.scrollTop = line.offsetTop - log.clientHeight / 2;
  };

  const now = () => Number(slider.value);
  const move = { first: () => 1, back: () => now() - 1, on: () => now() + 1, last: () => last };
  for (const [id, to] of Object.entries(move)) byId(id).addEventListener("click", () => show(to()));
  slider.addEventListener("input", () => show(now()));
  lines.forEach((line, index) => line.addEventListener("click", () => show(index + 1, false)));

  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(move[keys[event.key]]());
  });

  show(last);
})();
