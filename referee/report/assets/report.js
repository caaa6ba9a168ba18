"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const [board, words, slider, place, log, now, play] = [
    "board", "words", "slider", "place", "log", "now", "play",
  ].map(byId);
  const lines = Array.from(log.children);
  const last = Number(slider.max);

  // ── Drawings: of each step is kept what changes from the one before ──

  const drawings = (id) => {
    const { pieces, steps } = JSON.parse(byId(id).textContent);
    const drawn = [[]];
    return (version) => {
      for (let step = drawn.length; step <= version; step += 1) {
        const next = drawn[step - 1].slice();
        for (const [at, gone, ...come] of steps[step - 1]) next.splice(at, gone, ...come);
        drawn.push(next);
      }
      return drawn[version].map((piece) => pieces[piece]).join("");
    };
  };
  const picture = drawings("boards");
  const text = drawings("texts");

  // ── One step is shown ──

  // A picture is shown as an image, in which nothing can run and nothing is fetched.
  const source = (svg) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  const clamped = (version) => Math.min(Math.max(1, version), last);

  const show = (wanted, follow = true, addressed = true) => {
    const version = clamped(wanted);
    const line = lines[version - 1];
    board.src = source(picture(version));
    board.alt = `The board after commit ${version}`;
    words.textContent = text(version);
    slider.value = String(version);
    place.value = `${version} / ${last}`;
    now.textContent = line ? line.querySelector("p").firstChild.data : "";
    for (const one of log.querySelectorAll("[aria-current]")) one.removeAttribute("aria-current");
    if (line) line.setAttribute("aria-current", "step");
    if (follow && line) log.scrollTop = line.offsetTop - log.clientHeight / 2;
    if (addressed) history.replaceState(null, "", `#${version}`);
  };

  const at = () => Number(slider.value);
  const address = (hash) => (/^#[0-9]{1,9}$/.test(hash) ? Number(hash.slice(1)) : 0);

  // ── By hand ──

  const move = { first: () => 1, back: () => at() - 1, on: () => at() + 1, last: () => last };
  for (const [id, to] of Object.entries(move)) byId(id).addEventListener("click", () => show(to()));
  slider.addEventListener("input", () => show(at()));
  window.addEventListener("hashchange", () => show(address(location.hash) || at()));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link) event.preventDefault(); // the page itself is to stay where it is
    if (link) show(address(link.hash));
  });
  log.addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) show(Number(line.id), false);
  });

  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const elsewhere = event.altKey || event.ctrlKey || event.metaKey || event.target.id === "search";
    if (!(event.key in keys) || elsewhere) return;
    event.preventDefault();
    show(move[keys[event.key]]());
  });

  // ── Search, and by itself ──

  const find = () => {
    const sought = byId("search").value.trim().toLowerCase();
    const ahead = [...lines.slice(at()), ...lines.slice(0, at())];
    const found = sought && ahead.find((line) => line.textContent.toLowerCase().includes(sought));
    if (found) show(Number(found.id));
  };
  byId("next").addEventListener("click", find);
  byId("search").addEventListener("keydown", (event) => event.key === "Enter" && find());

  let timer = 0;
  const playing = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(() => (at() < last ? show(at() + 1) : playing(false)), 1000) : 0;
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "Pause" : "Play";
  };
  play.addEventListener("click", () => playing(timer === 0));

  // Without an address the page begins at its top.
  show(address(location.hash) || Number(log.dataset.opens), true, false);
})();
