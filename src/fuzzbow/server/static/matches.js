// Both texts, word under word, shaded by what each adds to the score and joined by best matches.

import { element, number, percent, shape } from "./dom.js";
import { foldButton, runs } from "./folds.js";
import { drawLines, joined } from "./lines.js";
import { largestShare, written } from "./words.js";

const TELLING = 0.1; // of the largest share; a word below it has no number
const LEAST_PERCENT = 0.005; // of the score, which would be "< 1 %"

export function matches(answer) {
  const lines = shape("svg", { class: "lines", "aria-hidden": "true" });
  const pairs = joined(answer);
  const left = sentence(answer, "left", "Words of one text", pairs);
  const right = sentence(answer, "right", "Words of the other", pairs);
  const stage = element("div", { class: "stage" }, lines, left, right);
  const hint = stage.querySelector(".fold") ? HINT + FOLDED : HINT;
  const detail = element("p", { class: "detail", role: "status" }, hint);
  const figure = element("figure", { class: "matches" }, stage, element("figcaption", {}, detail));
  new ResizeObserver(() => drawLines(lines, stage, left, right, pairs)).observe(stage);
  const highlight = (side, place) => {
    mark(figure, pairs, side, place);
    detail.textContent = place === null ? hint : sentenceAbout(answer, side, place);
  };
  listen(left, "left", highlight);
  listen(right, "right", highlight);
  return figure;
}

const HINT =
  "The number under a word is its part of the score; a line leads to its best match, dashed where that has a better one. Weak matches show when you point at a word, or move to it with the arrow keys.";
const FOLDED = " Words without a strong match are folded; press … to unfold them.";

function sentence(answer, side, label, pairs) {
  const words = answer[side].words;
  const largest = largestShare(answer.left.words.concat(answer.right.words));
  const button = (place) => wordButton(answer, side, place, largest);
  const parts = runs(words, pairs, side).map(({ from, to, folded }) => {
    const places = Array.from({ length: to - from }, (_, step) => from + step);
    return folded ? foldButton(places, button) : places.map(button);
  });
  const none = element("span", { class: "quiet" }, "no words");
  const row = element("div", { class: "sentence", role: "group", "aria-label": label }, words.length ? parts.flat() : none);
  row.querySelector("button")?.setAttribute("tabindex", "0");
  return row;
}

function wordButton(answer, side, place, largest) {
  const word = answer[side].words[place];
  const telling = word.share >= Math.max(TELLING * largest, LEAST_PERCENT * answer.score);
  return element("button", {
    type: "button",
    class: `word ${word.status}`,
    tabindex: "-1",
    "data-place": place,
    "--share": Math.sqrt(word.share / largest),
  },
    element("span", { class: "letters" }, written(answer[side], word)),
    telling ? element("span", { class: "share" }, percent(word.share, answer.score)) : null,
    element("span", { class: "hidden" }, ` ${about(answer, side, place)}`));
}

function about(answer, side, place) {
  const word = answer[side].words[place];
  const other = answer[side === "left" ? "right" : "left"];
  const parts = [];
  if (word.match !== null && word.similarity > 0) {
    parts.push(`resembles “${written(other, other.words[word.match])}” to ${number(word.similarity, 2)}`);
  } else if (answer.dimension_count > 0) {
    parts.push(`owns ${word.dimensions ?? 0} of ${answer.dimension_count} dimensions`);
  } else {
    parts.push("has no match");
  }
  if (word.weight !== null) parts.push(`weighs ${number(word.weight, 2)}`);
  parts.push(`adds ${number(word.share)} to the score`);
  return `${parts.join(", ")}${word.note ? `; ${word.note}` : ""}.`;
}

const sentenceAbout = (answer, side, place) =>
  `“${written(answer[side], answer[side].words[place])}” ${about(answer, side, place)}`;

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
  const choose = (event) => {
    const place = event.target.closest?.(".word")?.dataset.place;
    if (place !== undefined) highlight(side, Number(place));
  };
  sentence.addEventListener("pointerover", choose);
  sentence.addEventListener("focusin", choose);
  sentence.addEventListener("pointerleave", () => highlight(side, null));
  sentence.addEventListener("focusout", () => highlight(side, null));
  sentence.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const buttons = [...sentence.querySelectorAll("button")];
    if (!step || buttons.length === 0) return;
    event.preventDefault();
    const next = buttons.at((buttons.indexOf(event.target.closest("button")) + step) % buttons.length);
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  });
}
