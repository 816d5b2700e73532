// Page behavior beyond plain HTML: theme, filter, links to anchors, values of figures, print.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Storage may be forbidden, as some browsers do for file:// pages; the choice then lasts as long as the page.
  const stored = (value) => {
    try {
      if (value) localStorage.setItem("theme", value);
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  if (stored()) root.dataset.theme = stored();
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";

  function theme() {
    const button = document.getElementById("theme");
    const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.setAttribute("aria-description", "changes the colors of the pages");
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      stored(root.dataset.theme);
      name();
    });
    dark.addEventListener("change", name);
    name();
  }

  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  // Links on the front page lead to the page of the paper or to the list of claims, and open what hides their target.
  function land() {
    const place = decoded(location.hash.slice(1));
    const paper = place.split("/")[0];
    if (root.dataset.page === "index") {
      if (place.split("?")[0] === "claims") location.replace(`claims.html${location.hash}`);
      const page = place.includes("/") && document.querySelector(`nav a[data-paper="${CSS.escape(paper)}"]`);
      if (page) location.replace(page.getAttribute("href") + location.hash);
      return;
    }
    if (root.dataset.page === "claims") return;
    const found = place && document.getElementById(place);
    if (!found) return;
    for (let each = found; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    const calibration = found.dataset.calibration;
    const choice = calibration && found.parentElement.querySelector(`input[value="${calibration}"]`);
    if (choice) choice.checked = true;
    found.scrollIntoView();
  }

  // A link to the current address does not change the address, so nothing else would call `land`.
  function again(event) {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) land();
  }

  // A claim such as C1 does not match C18; any other word also matches parts of words.
  const finder = (word) => {
    if (/[ "]/.test(word)) {
      const phrase = word.replaceAll('"', "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const exact = new RegExp(`(?<![\\w.])${phrase}(?![\\w]|[.]\\d)`);
      return (words) => exact.test(words);
    }
    const whole = /^([a-z]+\d+\/)?c\d+$/.test(word) && new RegExp(`\\b${word}\\b`);
    return whole ? (words) => whole.test(words) : (words) => words.includes(word);
  };

  // Quoted words are one search term, and so are a word and a following number: theorem 3.
  const phrases = (text) => text.match(/"[^"]+"|(?:theorem|lemma|corollary|proposition|remark|figure|table|section|appendix|algorithm|equation) [a-z]?[\d.]+|\S+/g) || [""];

  // The filter's state is in the address, as #claims?verdict=fails, so that a filtered list can be linked.
  function filter() {
    const form = document.getElementById("filter");
    if (!form) return;
    const rows = [...document.querySelectorAll("#list > li")].map((row) => ({
      row,
      paper: row.dataset.paper,
      kind: row.dataset.class,
      subjects: row.dataset.subject.trim().split(" "),
      cells: row.dataset.cells.trim().split(" ").map((cell) => cell.split(":")),
      words: `${row.textContent} ${row.id} ${row.dataset.words}`.toLowerCase(),
    }));
    const apply = () => {
      const { text, paper, verdict, calibration, class: kind, subject } = Object.fromEntries(new FormData(form));
      const finders = phrases(text.toLowerCase()).map(finder);
      let hits = 0;
      for (const each of rows) {
        const judged = each.cells.some(([at, is]) => (!verdict || is === verdict) && (!calibration || at === calibration));
        const about = (!kind || each.kind === kind) && (!subject || each.subjects.includes(subject));
        const shown = judged && about && (!paper || each.paper === paper) && finders.every((finds) => finds(each.words));
        each.row.hidden = !shown;
        hits += shown;
      }
      document.getElementById("hits").textContent = `${hits} of ${rows.length} claims and variants${hits ? "" : ": no claim has all of these words"}`;
    };
    const keep = () => {
      const set = [...new FormData(form)].filter(([, value]) => value);
      const query = new URLSearchParams(set).toString();
      history.replaceState(null, "", query ? `#claims?${query}` : "#claims");
      apply();
    };
    const read = () => {
      const [place, query] = location.hash.split("?");
      if (place && place !== "#claims") return;
      const set = new URLSearchParams(query);
      for (const name of ["text", "paper", "verdict", "calibration", "class", "subject"]) form.elements[name].value = set.get(name) || "";
      if (query) document.getElementById("claims").scrollIntoView();
    };
    form.addEventListener("input", keep);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(keep));
    addEventListener("hashchange", () => { read(); apply(); });
    read();
    apply();
  }

  // Values of figures: a tip appears under the pointer at once, or with the arrow keys.
  function values() {
    const tip = Object.assign(document.createElement("div"), { id: "tip", hidden: true });
    tip.setAttribute("role", "status");
    document.body.append(tip);
    let current = null;
    let at = null;
    const hide = () => {
      tip.hidden = true;
      if (current) current.classList.remove("current");
      current = null;
    };
    const show = (circle) => {
      hide();
      current = circle;
      circle.classList.add("current");
      const title = circle.querySelector("title");
      if (title) {
        circle.dataset.says = title.textContent;
        title.remove();
      }
      tip.textContent = circle.dataset.says;
      tip.hidden = false;
      at = circle.getBoundingClientRect();
      const size = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(at.left + at.width / 2 - size.width / 2, innerWidth - size.width - 4))}px`;
      tip.style.top = `${at.top > size.height + 8 ? at.top - size.height - 6 : at.bottom + 6}px`;
    };
    const moved = () => {
      const now = current && current.getBoundingClientRect();
      if (now && (now.left !== at.left || now.top !== at.top)) hide();
    };
    for (const overlay of document.querySelectorAll("svg.values")) {
      const circles = [...overlay.querySelectorAll("circle:not(.deciding)")];
      overlay.addEventListener("pointerover", (event) => { if (event.target.tagName === "circle") show(event.target); });
      overlay.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
      overlay.addEventListener("blur", () => { if (overlay.contains(current)) hide(); });
      overlay.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") hide();
        if (!step) return;
        event.preventDefault();
        const from = circles.includes(current) ? circles.indexOf(current) : Math.min(-step, 0);
        const next = circles[(from + step + circles.length) % circles.length];
        next.scrollIntoView({ block: "nearest", inline: "nearest" });
        show(next);
      });
    }
    addEventListener("pointerdown", (event) => { if (event.target !== current) hide(); });
    addEventListener("scroll", moved, { passive: true, capture: true });
  }

  // Only elements that actually scroll are Tab stops.
  function stops() {
    for (const box of document.querySelectorAll(".scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  addEventListener("DOMContentLoaded", () => {
    theme();
    filter();
    values();
    stops();
    land();
    addEventListener("hashchange", land);
    document.addEventListener("click", again);
    addEventListener("resize", stops);
    document.addEventListener("toggle", stops, true);
    document.addEventListener("change", stops);
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const each of opened) each.open = true;
    });
    addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
  });
})();
