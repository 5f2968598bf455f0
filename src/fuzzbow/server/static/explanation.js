// An explanation: the words joined by their matches, the sets as areas, and all the numbers.

import { element, number, percent } from "./dom.js";
import { matches } from "./matches.js";
import { sets } from "./sets.js";

export function explain(answer) {
  const words = answer.left.words.length + answer.right.words.length;
  if (words === 0) return element("p", { class: "quiet" }, "Two texts without words have nothing to compare.");
  const circles = sets(answer);
  return element("div", { class: circles ? "explanation" : "explanation alone" },
    matches(answer),
    circles,
    answer.dimension_count > 0 ? dimensionTable(answer) : null,
    wordTable(answer));
}

function table(title, header, rows) {
  return element("details", { class: "numbers" },
    element("summary", {}, title),
    element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": title },
      element("table", {},
        element("thead", {}, element("tr", {}, header.map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, rows.map(([first, ...rest]) =>
          element("tr", {}, element("th", { scope: "row" }, first), rest.map((cell) => element("td", {}, cell))))))));
}

function wordTable(answer) {
  const header = ["word", "of", "best match", "similarity", "in one", "in the other", "weight", "shared", "of the score", "note"];
  const rows = [["one", answer.left], ["the other", answer.right]].flatMap(([side, text]) =>
    text.words.map((word) => [
      word.word, side, word.match_word ?? "–", number(word.similarity),
      number(word.membership_left), number(word.membership_right), number(word.weight),
      number(word.intersection), percent(word.share, answer.score), word.note,
    ]));
  return table("All the numbers, word by word", header, rows);
}

function dimensionTable(answer) {
  const header = ["dimension", "points to", "owner in one", "owner in the other", "in one", "in the other", "of the score"];
  const rows = answer.dimensions.map((item) => [
    item.name, item.nearest.join(", "), item.owner_left_word ?? "–", item.owner_right_word ?? "–",
    number(item.membership_left), number(item.membership_right), percent(item.share, answer.score),
  ]);
  return table(`The ${rows.length} largest of ${answer.dimension_count} dimensions`, header, rows);
}
