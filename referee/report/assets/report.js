"use strict";
(async () => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const made = (tag, text, name) => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const [log, slider, now, play, viewers] = ["log", "slider", "now", "play", "viewer"].map(byId);
  const lines = all("li", log);
  const last = Number(slider.max);
  const fault = Number(log.dataset.fault);

  const packed = Uint8Array.from(atob(byId("course").textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const course = await new Response(unpacked).json();
  document.documentElement.classList.add("live");

  // ── Drawings: of each step is kept what changes from the one before ──

  const EVERY = 50;

  // What splices make of a drawing, and which pieces of it come and go by that: each says how many
  // pieces stay, how many go, and which come, by how much higher its number is than the last one's.
  const spliced = (drawing, splices) => {
    const [came, gone] = [new Set(), new Set()];
    let [pieces, at] = [[], 0];
    for (const [stay, count, ...come] of splices) {
      pieces = pieces.concat(drawing.slice(at, at + stay));
      at += stay;
      for (const end = at + count; at < end; at += 1) gone.add(at);
      let piece = 0;
      for (const higher of come) {
        piece += higher;
        came.add(pieces.push(piece) - 1);
      }
    }
    return { pieces: pieces.concat(drawing.slice(at)), came, gone };
  };

  const drawings = ({ steps, pieces }) => {
    const kept = course.viewers.map(() => [[]]);
    const after = (version, viewer) => {
      const near = Math.min(Math.floor(version / EVERY), kept[viewer].length - 1);
      let drawn = kept[viewer][near];
      for (let step = near * EVERY + 1; step <= version; step += 1) {
        drawn = spliced(drawn, steps[step - 1][viewer]).pieces;
        if (step % EVERY === 0 && step / EVERY === kept[viewer].length) kept[viewer].push(drawn);
      }
      return drawn;
    };
    const text = (drawn, marks = () => false) => {
      const written = (piece, at) => (marks(at) ? pieces[piece].replace(/^<[a-z]+/, "$& data-changed=''") : pieces[piece]);
      return drawn.map(written).join("");
    };
    const change = (version, viewer) => spliced(after(version - 1, viewer), steps[version - 1][viewer]);
    return { after, text, change };
  };
  const [boards, words] = [drawings(course.boards), drawings(course.words)];

  // ── Pictures, and what changed in them ──

  const parsed = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  const SVG = "http://www.w3.org/2000/svg";
  const WIDEST = 0.45; // of the board: what is wider is a heading or a row, and nothing to point at

  const box = (root, element) => {
    const [own, to] = [element.getBBox(), root.getScreenCTM().inverse().multiply(element.getScreenCTM())];
    const corners = [[own.x, own.y], [own.x + own.width, own.y + own.height]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(to));
    const [[left, right], [top, bottom]] = ["x", "y"].map((axis) => corners.map((corner) => corner[axis]).sort((a, b) => a - b));
    return { x: left - 3, y: top - 3, width: right - left + 6, height: bottom - top + 6 };
  };

  const boxes = (root) => {
    const inside = (one) => [all("*", one).length, all("[data-changed]", one).length];
    // A group is new with all that it holds, or has only moved; else its parts are what changed.
    const whole = (one) => { const [parts, changed] = inside(one); return changed === 0 || changed === parts; };
    const short = (one) => one.localName !== "text" || /^.{0,9}\d/.test(one.textContent);
    const news = all("[data-changed]", root).filter((one) => whole(one) && short(one) && one instanceof SVGGraphicsElement && !one.closest("defs"));
    const changed = news.filter((one) => !news.includes(one.parentElement.closest("[data-changed]")));
    const widest = WIDEST * root.viewBox.baseVal.width;
    return changed.map((one) => box(root, one)).filter(({ width }) => width > 6 && width < widest);
  };

  const outlined = (root, outlines, name) => {
    for (const outline of outlines) {
      const rect = document.createElementNS(SVG, "rect");
      for (const [key, value] of Object.entries({ ...outline, rx: 6, class: name })) rect.setAttribute(key, value);
      root.append(rect);
    }
  };

  // Shows a picture, with outlines around what came in it, and around where something went.
  const draw = (place, drawn, came, before, gone) => {
    const root = parsed(boards.text(drawn, came));
    root.setAttribute("aria-describedby", "words");
    root.setAttribute("preserveAspectRatio", "xMidYMin");
    place.replaceChildren(root);
    root.removeAttribute("data-changed");
    const come = boxes(root);
    if (before) {
      const old = parsed(boards.text(before, gone));
      old.removeAttribute("data-changed");
      old.setAttribute("class", "before");
      old.setAttribute("preserveAspectRatio", "xMidYMin");
      place.append(old);
      outlined(root, boxes(old), "went");
      old.remove();
    }
    outlined(root, come, "came");
  };

  const picture = (version, viewer) => {
    const disputed = course.due && viewer === 0 && version === fault;
    for (const caption of all("figcaption", byId("found"))) caption.hidden = !disputed;
    byId("due").hidden = !disputed;
    byId("boards").classList.toggle("two", Boolean(disputed));
    if (disputed) {
      const found = boards.after(version, 0);
      const due = spliced(found, course.due[0]);
      draw(byId("due").querySelector(".picture"), due.pieces, (at) => due.came.has(at));
      draw(byId("board"), found, (at) => due.gone.has(at));
      const { width, height } = byId("board").firstChild.viewBox.baseVal;
      byId("boards").classList.add(width > 1.3 * height ? "wide" : "high");
      return;
    }
    const { pieces, came, gone } = boards.change(version, viewer);
    const [first, before] = [version === 1, boards.after(version - 1, viewer)];
    draw(byId("board"), pieces, (at) => !first && came.has(at), first ? null : before, (at) => gone.has(at));
  };

  // ── One step is shown ──

  const clamped = (version) => Math.min(Math.max(1, version), last);
  const at = () => Number(slider.value);
  const eyes = () => Number(viewers ? viewers.value : 0);
  const told = (version, viewer) => (viewer ? course.steps[version - 1][4][viewer - 1] : 0) || originals[version - 1];
  const originals = lines.map((line) => line.querySelector("p").textContent);

  const tellNow = (version, viewer) => {
    const [rulings, ofTable, clocks, acts, , kept] = course.steps[version - 1];
    const line = lines[version - 1];
    byId("number").textContent = `Commit ${version}`;
    byId("stamp").textContent = line.querySelector("small").textContent;
    byId("said").textContent = told(version, viewer);
    byId("acts").textContent = acts === 0 ? "The match is paused." : acts.length ? `To act: ${acts.map((seat) => course.names[seat]).join(", ")}` : "";
    const states = ["", "runs", "fallen"];
    byId("clocks").replaceChildren(...(clocks || []).map(([left, state], seat) => {
      const clock = made("li", `${course.names[seat]} `, states[state]);
      clock.append(made("b", left), state ? ` ${["", "running", "flag down"][state]}` : "");
      return clock;
    }));
    byId("refused").replaceChildren(...all(".refused:not([hidden])", line).map((one) => one.cloneNode(true)));
    const named = rulings.map((number) => course.rulings[number][0]);
    const table = ofTable ? [`${ofTable} of the table`] : [];
    const [judged, behind] = [[...named.slice(0, kept), ...table], named.slice(kept)].map((ids) => ids.join(", "));
    byId("which").textContent = [judged && `Kept: ${judged}`, behind && `This rests on: ${behind}`].filter(Boolean).join(". ");
    byId("rulings").replaceChildren(...rulings.map((number) => {
      const [id, text, origin] = course.rulings[number];
      const ruling = made("li", "");
      ruling.append(made("b", id), ` ${text} `, made("small", origin));
      return ruling;
    }));
    byId("why").hidden = named.length + ofTable === 0;
    byId("choose").checked = chosen.has(version);
    now.classList.toggle("fault", version === fault);
    byId("wrong").hidden = version !== fault;
    byId("wrong").textContent = version === fault ? document.querySelector(".verdict p").textContent : "";
  };

  // `follow`: the log scrolls along; `near`: the stage does; `addressed`: so does the address.
  const show = (wanted, { follow = true, near = true, addressed = true } = {}) => {
    const [version, viewer] = [clamped(wanted), eyes()];
    const line = lines[version - 1];
    slider.value = String(version);
    byId("place").value = `${version} / ${last}`;
    slider.setAttribute("aria-valuetext", `Commit ${version} of ${last}`);
    picture(version, viewer);
    byId("words").textContent = words.text(words.after(version, viewer));
    tellNow(version, viewer);
    for (const one of all("[aria-current]", log)) one.removeAttribute("aria-current");
    line.setAttribute("aria-current", "step");
    if (follow) log.scrollTop = line.offsetTop - log.clientHeight / 3;
    if (addressed) history.replaceState(null, "", `#${version}`);
    if (near) byId("stage").scrollIntoView();
  };

  // ── By hand ──

  const address = (hash) => (/^#[0-9]{1,9}$/.test(hash) ? Number(hash.slice(1)) : 0);
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
    if (line && !event.target.closest("a")) show(Number(line.id), { follow: false, near: false });
  });

  const far = 10;
  const keys = { ArrowLeft: -1, ArrowRight: 1, PageUp: -far, PageDown: far, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    const elsewhere = event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input[type=search], select");
    if (elsewhere) return;
    if (event.key in keys) show(at() + keys[event.key]);
    else if (event.key === " " && !event.target.matches("button, input, summary")) play.click();
    else return;
    event.preventDefault();
  });

  byId("larger").addEventListener("click", (event) => {
    const large = byId("boards").classList.toggle("large");
    event.target.setAttribute("aria-pressed", String(large));
  });

  // ── As somebody else ──

  if (viewers) viewers.addEventListener("change", () => {
    const viewer = eyes();
    lines.forEach((line, index) => {
      line.querySelector("p").textContent = told(index + 1, viewer);
      for (const one of all(".refused", line)) one.hidden = viewer > 0 && one.dataset.seat !== String(viewer - 1);
    });
    show(at(), { near: false, addressed: false });
  });

  // ── Search, jumps, and by itself ──

  const go = (fits, ahead = true) => {
    const from = ahead ? [...lines.slice(at()), ...lines.slice(0, at())] : [...lines.slice(0, at() - 1).reverse(), ...lines.slice(at() - 1).reverse()];
    const found = from.find(fits);
    if (found) show(Number(found.id));
  };

  const sought = () => byId("search").value.trim().toLowerCase();
  const fits = (line) => sought() !== "" && line.textContent.toLowerCase().includes(sought());
  const count = () => {
    const hits = lines.filter(fits);
    for (const line of lines) line.classList.toggle("hit", hits.includes(line));
    byId("hits").value = sought() ? `${hits.length} found` : "";
  };
  byId("search").addEventListener("input", count);
  byId("search").addEventListener("keydown", (event) => event.key === "Enter" && go(fits, !event.shiftKey));
  byId("later").addEventListener("click", () => go(fits));
  byId("earlier").addEventListener("click", () => go(fits, false));

  for (const jump of all("[data-to]")) {
    const is = (line) => (line.dataset.is || "").split(" ").includes(jump.dataset.to);
    jump.disabled = !lines.some(is);
    jump.addEventListener("click", (event) => go(is, !event.shiftKey));
  }

  let timer = 0;
  const playing = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(() => (at() < last ? show(at() + 1) : playing(false)), 1000) : 0;
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "Pause" : "Play";
  };
  play.addEventListener("click", () => playing(timer === 0));

  // ── On paper: the boards that were chosen, or the one that the page opens at ──

  const chosen = new Set();
  const source = (svg) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  const printed = (svg, caption) => {
    const [figure, image] = [made("figure", ""), made("img", "")];
    image.src = source(svg);
    image.alt = caption;
    figure.append(image, made("figcaption", caption));
    return figure;
  };
  const prints = () => {
    const versions = [...(chosen.size ? chosen : [Number(log.dataset.opens)])].sort((a, b) => a - b);
    byId("prints").replaceChildren(...versions.flatMap((version) => {
      const found = boards.after(version, eyes());
      const caption = `After commit ${version}: ${told(version, eyes())}`;
      if (!course.due || version !== fault) return [printed(boards.text(found), caption)];
      const due = boards.text(spliced(found, course.due[0]).pieces);
      return [printed(due, `Commit ${version}, expected by the rules`), printed(boards.text(found), caption)];
    }));
  };
  byId("choose").addEventListener("change", (event) => {
    if (event.target.checked) chosen.add(at());
    else chosen.delete(at());
    prints();
  });

  // Without an address the page begins at its top, or at the fault.
  const begin = address(location.hash);
  show(begin || Number(log.dataset.opens), { near: begin > 0 || fault > 0, addressed: false });
  prints();
})();
