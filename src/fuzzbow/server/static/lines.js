// Lines between words that are each other's best matches.

import { shape } from "./dom.js";

const MOST_LINES = 80;
const STRONG = 0.05; // of what the strongest match adds; a weaker one shows on pointing at its word
const MOST_STRONG = 16;

// Best matches as pairs of places, the strongest first; two words that choose each other are one.
export function joined(answer) {
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
  const ordered = [...pairs.values()].sort((one, other) => other.share - one.share);
  const largest = Math.max(ordered[0]?.share ?? 0, 1e-12);
  return ordered.map((pair, rank) => ({
    ...pair,
    strength: Math.sqrt(pair.share / largest),
    strong: rank < MOST_STRONG && pair.share >= STRONG * largest,
  }));
}

export function drawLines(lines, stage, left, right, pairs) {
  const frame = stage.getBoundingClientRect();
  if (frame.width === 0) return;
  lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  const [above, below] = [boxes(left, frame), boxes(right, frame)];
  const drawn = pairs.filter((pair) => above.has(pair.left) && below.has(pair.right)).slice(0, MOST_LINES);
  lines.replaceChildren(...drawn.map((pair) => line(pair, above.get(pair.left), below.get(pair.right))));
}

// Where the words of a sentence that are shown stand in the frame.
function boxes(sentence, frame) {
  return new Map([...sentence.querySelectorAll(".word")].map((word) => {
    const { left, width, top, bottom } = word.getBoundingClientRect();
    return [Number(word.dataset.place), { x: left + width / 2 - frame.left, top: top - frame.top, bottom: bottom - frame.top }];
  }));
}

function line(pair, { x, bottom }, { x: u, top }) {
  const bend = (top - bottom) / 2;
  const kinds = ["line", ...(pair.mutual ? [] : ["one-way"]), ...(pair.strong ? [] : ["weak"])];
  return shape("path", {
    d: `M${x} ${bottom}C${x} ${bottom + bend} ${u} ${top - bend} ${u} ${top}`,
    class: kinds.join(" "),
    "stroke-width": 1 + 4 * pair.strength,
    "stroke-opacity": 0.25 + 0.6 * pair.strength,
    "data-left": pair.left,
    "data-right": pair.right,
  });
}
