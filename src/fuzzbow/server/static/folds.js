// Which words of a long text are shown: those of strong matches.

import { element } from "./dom.js";

const LONG = 40; // words; a shorter text is shown whole
const MOST = 16; // words where nothing matches
const LEAST = 2; // words that are worth folding

// Parts of a text in order, each shown or folded.
export function runs(words, pairs, side) {
  if (words.length <= LONG) return [{ from: 0, to: words.length, folded: false }];
  const shown = telling(words, pairs, side);
  const found = [];
  for (let from = 0; from < words.length;) {
    let to = from + 1;
    while (to < words.length && shown.has(to) === shown.has(from)) to += 1;
    found.push({ from, to, folded: !shown.has(from) && to - from >= LEAST });
    from = to;
  }
  return found;
}

function telling(words, pairs, side) {
  const strong = pairs.filter((pair) => pair.strong).map((pair) => pair[side]);
  if (strong.length > 0) return new Set(strong);
  const byShare = [...words.keys()].sort((one, other) => words[other].share - words[one].share);
  return new Set(byShare.slice(0, MOST));
}

// A button in the place of words that puts them there.
export function foldButton(places, wordButton) {
  const button = element("button", {
    type: "button",
    class: "fold",
    tabindex: "-1",
    "aria-expanded": "false",
    onclick: () => {
      const words = places.map(wordButton);
      button.replaceWith(...words);
      words[0].tabIndex = 0;
      words[0].focus();
    },
  }, `… ${places.length.toLocaleString("en")}`, element("span", { class: "hidden" }, " more words"));
  return button;
}
