// The text of a hit: its telling words marked once they are known, folded where it is long.

import { element } from "./dom.js";
import { bestPassage, characters, largestShare } from "./words.js";

const LONG = 70; // words
const PASSAGE = 45;
const TELLING = 0.2; // of the largest share
const LETTER = /[\p{L}\p{N}]/u; // punctuation can have a share, but tells nobody anything

export function hitText(text) {
  const paragraph = element("p", { class: "hit-text" });
  const button = element("button", {
    type: "button",
    class: "plain fold-text",
    onclick: () => {
      open = !open;
      draw();
    },
  });
  let open = false;
  let side = { text, words: spaced(text) };
  function draw() {
    const long = side.words.length > LONG;
    button.hidden = !long;
    button.textContent = open ? "Show less" : `Show all ${side.words.length.toLocaleString("en")} words`;
    button.setAttribute("aria-expanded", String(open));
    const first = long && !open ? bestPassage(side.words, PASSAGE) : 0;
    const words = long && !open ? side.words.slice(first, first + PASSAGE) : side.words;
    paragraph.replaceChildren(...marked(side, words, long && !open));
  }
  draw();
  return { nodes: [paragraph, button], explain: (known) => { side = known; draw(); } };
}

// Words before the server has told them: what stands between spaces.
function spaced(text) {
  const found = [];
  let start = 0;
  for (const part of text.split(/(\s+)/)) {
    const end = start + [...part].length;
    if (part.trim()) found.push({ start, end, share: 0 });
    start = end;
  }
  return found;
}

function marked(side, words, cut) {
  const letters = characters(side);
  const least = TELLING * largestShare(side.words);
  const end = cut ? words.at(-1).end : letters.length;
  let position = cut ? words[0].start : 0;
  const parts = [position > 0 ? "… " : ""];
  const text = (from, to) => letters.slice(from, to).join("");
  for (const word of words) {
    if (word.share < least || word.start < position || !LETTER.test(word.word)) continue;
    parts.push(text(position, word.start),
      element("mark", { "--share": (word.share * TELLING) / least }, text(word.start, word.end)));
    position = word.end;
  }
  return [...parts, text(position, end), end < letters.length ? " …" : ""];
}
