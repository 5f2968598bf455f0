// A query over the index; each hit can say why it was found.

import { call, latest } from "./api.js";
import { byId, debounced, element, number } from "./dom.js";
import { explain } from "./explanation.js";
import { clearProblem, showProblem } from "./problem.js";

const NOISE = 0.01; // what scores less resembles the query by accident

export function startSearching(info) {
  const there = info.documents !== null;
  byId("search-form").hidden = !there;
  byId("search-absent").hidden = there;
  if (!there) return;
  const [query, wanted, where] = ["query", "hits-wanted", "where"].map(byId);
  const ask = latest();
  const status = byId("search-status");
  const idle = `${info.documents.toLocaleString("en")} texts are in the index.`;
  status.textContent = idle;

  async function update() {
    const text = query.value.trim();
    clearProblem(byId("search-problem"));
    if (!text) {
      byId("hits").replaceChildren();
      status.textContent = idle;
      return;
    }
    const question = { query: text, k: Number(wanted.value), where: where.value.trim() || null, min_score: NOISE };
    try {
      const answer = await ask("POST", "/v1/search", question);
      if (answer === null) return;
      byId("hits").replaceChildren(...answer.hits.map((hit) => hitItem(hit, text)));
      status.textContent = found(answer.hits.length);
    } catch (error) {
      byId("hits").replaceChildren();
      status.textContent = "";
      showProblem(byId("search-problem"), error, update);
    }
  }

  const soon = debounced(update, 200);
  query.addEventListener("input", soon);
  where.addEventListener("input", debounced(update, 600));
  wanted.addEventListener("change", update);
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
}

const found = (count) =>
  count === 0 ? "Nothing in the index resembles that." : `${count} ${count === 1 ? "hit" : "hits"}, best first.`;

function hitItem(hit, query) {
  const place = element("div", { class: "why", id: `why-${hit.rank}`, hidden: true });
  const button = element("button", {
    type: "button",
    class: "plain",
    "aria-expanded": "false",
    "aria-controls": place.id,
    onclick: () => toggle(button, place, query, hit.text),
  }, "Explain", element("span", { class: "hidden" }, ` hit ${hit.id}`));
  const facts = Object.entries(hit.metadata ?? {}).filter(([, value]) => value !== null);
  return element("li", { class: "hit" },
    element("div", { class: "hit-score" },
      element("span", { class: "hit-number" }, number(hit.score)),
      element("span", { class: "scale", "aria-hidden": "true" }, element("span", { "--score": hit.score }))),
    element("div", { class: "hit-body" },
      element("p", { class: "hit-text" }, hit.text),
      element("p", { class: "quiet" }, [`id ${hit.id}`, ...facts.map(([name, value]) => `${name} ${value}`)].join(" · ")),
      button, place));
}

async function toggle(button, place, query, text) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  place.hidden = open;
  if (open || place.childElementCount > 0) return;
  try {
    place.replaceChildren(explain(await call("POST", "/v1/explain", { a: query, b: text })));
  } catch (error) {
    showProblem(place, error, null);
  }
}
