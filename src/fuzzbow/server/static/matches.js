// Both texts, word under word, shaded by what each adds to the score and joined by best matches.

import { element, number, percent, shape } from "./dom.js";

const MOST_LINES = 80;

export function matches(answer) {
  const lines = shape("svg", { class: "lines", "aria-hidden": "true" });
  const left = sentence(answer, "left", "Words of one text");
  const right = sentence(answer, "right", "Words of the other");
  const detail = element("p", { class: "detail", role: "status" }, HINT);
  const stage = element("div", { class: "stage" }, lines, left, right);
  const figure = element("figure", { class: "matches" }, stage, element("figcaption", {}, detail));
  const pairs = joined(answer);
  const draw = () => drawLines(lines, stage, left, right, pairs);
  new ResizeObserver(draw).observe(stage);
  const highlight = (side, place) => {
    mark(figure, pairs, side, place);
    detail.textContent = place === null ? HINT : sentenceAbout(answer, side, place);
  };
  listen(left, "left", highlight);
  listen(right, "right", highlight);
  return figure;
}

const HINT =
  "The number under a word is its part of the score; a line leads to its best match, dashed where that has a better one. Point at a word, or move with the arrow keys.";

function sentence(answer, side, label) {
  const largest = Math.max(...answer.left.words.concat(answer.right.words).map((word) => word.share), 1e-12);
  const buttons = answer[side].words.map((word, place) =>
    element("button", {
      type: "button",
      class: `word ${word.status}`,
      tabindex: place === 0 ? "0" : "-1",
      "data-place": place,
      "--share": Math.sqrt(word.share / largest),
      "aria-label": sentenceAbout(answer, side, place),
    },
      element("span", { class: "letters" }, written(answer[side].text, word)),
      element("span", { class: "share" }, percent(word.share, answer.score))));
  const none = element("span", { class: "quiet" }, "no words");
  return element("div", { class: "sentence", role: "group", "aria-label": label }, buttons.length ? buttons : none);
}

// Offsets count characters, as Python does; JavaScript's strings count halves of some.
function written(text, word) {
  return [...text].slice(word.start, word.end).join("") || word.word;
}

function sentenceAbout(answer, side, place) {
  const word = answer[side].words[place];
  const other = answer[side === "left" ? "right" : "left"];
  const parts = [`“${written(answer[side].text, word)}”`];
  if (word.match !== null && word.similarity > 0) {
    parts.push(`resembles “${written(other.text, other.words[word.match])}” to ${number(word.similarity, 2)}`);
  } else if (answer.dimension_count > 0) {
    parts.push(`owns ${word.dimensions} of ${answer.dimension_count} dimensions`);
  } else {
    parts.push("has no match");
  }
  if (word.weight !== null) parts.push(`weighs ${number(word.weight, 2)}`);
  parts.push(`adds ${number(word.share)} to the score`);
  return `${parts[0]} ${parts.slice(1).join(", ")}${word.note ? `; ${word.note}` : ""}.`;
}

// Best matches as pairs of places; two words that choose each other are one pair.
function joined(answer) {
  const pairs = new Map();
  for (const side of ["left", "right"]) {
    answer[side].words.forEach((word, place) => {
      if (word.match === null || !(word.similarity > 0)) return;
      const [left, right] = side === "left" ? [place, word.match] : [word.match, place];
      const known = pairs.get(`${left} ${right}`);
      if (known) Object.assign(known, { mutual: true, share: known.share + word.share });
      else pairs.set(`${left} ${right}`, { left, right, share: word.share, mutual: false });
    });
  }
  const ordered = [...pairs.values()].sort((one, other) => other.share - one.share).slice(0, MOST_LINES);
  const largest = Math.max(ordered[0]?.share ?? 0, 1e-12);
  return ordered.map((pair) => ({ ...pair, strength: Math.sqrt(pair.share / largest) }));
}

function drawLines(lines, stage, left, right, pairs) {
  const frame = stage.getBoundingClientRect();
  if (frame.width === 0) return;
  lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  const box = (sentence, place) => sentence.children[place].getBoundingClientRect();
  lines.replaceChildren(...pairs.map((pair) => {
    const [top, bottom] = [box(left, pair.left), box(right, pair.right)];
    const [x, y] = [top.left + top.width / 2 - frame.left, top.bottom - frame.top];
    const [u, v] = [bottom.left + bottom.width / 2 - frame.left, bottom.top - frame.top];
    const bend = (v - y) / 2;
    return shape("path", {
      d: `M${x} ${y}C${x} ${y + bend} ${u} ${v - bend} ${u} ${v}`,
      class: pair.mutual ? "line" : "line one-way",
      "stroke-width": 1 + 4 * pair.strength,
      "stroke-opacity": 0.25 + 0.6 * pair.strength,
      "data-left": pair.left,
      "data-right": pair.right,
    });
  }));
}

function mark(figure, pairs, side, place) {
  const other = side === "left" ? "right" : "left";
  const linked = new Set(pairs.filter((pair) => pair[side] === place).map((pair) => pair[other]));
  figure.classList.toggle("chosen", place !== null);
  for (const line of figure.querySelectorAll(".line")) {
    line.classList.toggle("on", line.dataset[side] === String(place));
  }
  const [mine, theirs] = side === "left" ? [0, 1] : [1, 0];
  const sentences = figure.querySelectorAll(".sentence");
  for (const word of sentences[mine].children) word.classList.toggle("on", word.dataset.place === String(place));
  for (const word of sentences[theirs].children) word.classList.toggle("on", linked.has(Number(word.dataset.place)));
}

function listen(sentence, side, highlight) {
  const placeOf = (event) => event.target.closest?.(".word")?.dataset.place;
  const choose = (event) => {
    const place = placeOf(event);
    if (place !== undefined) highlight(side, Number(place));
  };
  sentence.addEventListener("pointerover", choose);
  sentence.addEventListener("focusin", choose);
  sentence.addEventListener("pointerleave", () => highlight(side, null));
  sentence.addEventListener("focusout", () => highlight(side, null));
  sentence.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const words = sentence.querySelectorAll(".word");
    if (!step || words.length === 0) return;
    event.preventDefault();
    const next = words[(Number(placeOf(event)) + step + words.length) % words.length];
    for (const word of words) word.tabIndex = word === next ? 0 : -1;
    next.focus();
  });
}
