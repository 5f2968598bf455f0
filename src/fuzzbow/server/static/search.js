// A query over the index; each hit shows its telling words, and can say why it was found.

import { onNewAddress, remember, valuesOf } from "./address.js";
import { call, latest } from "./api.js";
import { copyButton } from "./copy.js";
import { byId, debounced, element, number } from "./dom.js";
import { explain } from "./explanation.js";
import { hitText } from "./hit_text.js";
import { clearProblem, showProblem } from "./problem.js";

const INDEX = "index"; // the measure that searches
const NOISE = 0.01; // what scores less resembles the query by accident

export function startSearching(info) {
  const there = info.documents !== null;
  byId("search-form").hidden = !there;
  byId("search-absent").hidden = there;
  if (!there) return;
  const [query, wanted, where] = ["query", "hits-wanted", "where"].map(byId);
  const explains = info.measures.find(({ name }) => name === INDEX)?.explains ?? false;
  const ask = latest();
  const status = byId("search-status");
  const idle = `${info.documents.toLocaleString("en")} texts are in the index.`;
  status.textContent = idle;
  let marking = new AbortController();

  function show(hits, text) {
    marking.abort();
    marking = new AbortController();
    const items = hits.map((hit) => hitItem(hit, text, explains, marking.signal));
    byId("hits").replaceChildren(...items.map(({ item }) => item));
    byId("share-search").hidden = !text;
    if (explains) markWhenSeen(items, marking.signal);
  }

  async function update() {
    const text = query.value.trim();
    clearProblem(byId("search-problem"));
    if (!text) {
      show([], "");
      status.textContent = idle;
      return;
    }
    const question = { query: text, k: Number(wanted.value), where: where.value.trim() || null, min_score: NOISE };
    try {
      const answer = await ask("POST", "/v1/search", question);
      if (answer === null) return;
      show(answer.hits, text);
      status.textContent = found(answer.hits.length);
    } catch (error) {
      show([], "");
      status.textContent = "";
      showProblem(byId("search-problem"), error, update);
    }
  }

  function restore() {
    const known = valuesOf("search");
    query.value = known.query ?? query.value;
    where.value = known.where ?? where.value;
    if ([...wanted.options].some((option) => option.value === known.hits)) wanted.value = known.hits;
    if (query.value) update();
  }
  function change() {
    remember("search", { query: query.value, hits: wanted.value, where: where.value });
    return update();
  }

  const soon = debounced(change, 200);
  query.addEventListener("input", soon);
  where.addEventListener("input", debounced(change, 600));
  wanted.addEventListener("change", change);
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    change();
  });
  byId("share-search").replaceChildren(copyButton("Copy link", () => location.href));
  onNewAddress(restore);
  restore();
}

const found = (count) =>
  count === 0 ? "Nothing in the index resembles that." : `${count} ${count === 1 ? "hit" : "hits"}, best first.`;

function hitItem(hit, query, explains, signal) {
  const place = element("div", { class: "why", id: `why-${hit.rank}`, hidden: true });
  const text = hitText(hit.text);
  let asked = null;
  const why = () => (asked ??= call("POST", "/v1/explain", { a: query, b: hit.text, measure: INDEX }, signal));
  const button = element("button", {
    type: "button",
    class: "plain",
    "aria-expanded": "false",
    "aria-controls": place.id,
    onclick: () => toggle(button, place, why),
  }, "Explain", element("span", { class: "hidden" }, ` hit ${hit.id}`));
  const facts = Object.entries(hit.metadata ?? {}).filter(([, value]) => value !== null);
  const item = element("li", { class: "hit" },
    element("div", { class: "hit-score" },
      element("span", { class: "hit-number" }, number(hit.score)),
      element("span", { class: "scale", "aria-hidden": "true" }, element("span", { "--score": hit.score }))),
    element("div", { class: "hit-body" },
      ...text.nodes,
      element("p", { class: "quiet" }, [`id ${hit.id}`, ...facts.map(([name, value]) => `${name} ${value}`)].join(" · ")),
      explains ? button : null, place));
  return { item, mark: async () => text.explain((await why()).right) };
}

// One hit after the other asks for its words, and only when somebody can see it.
function markWhenSeen(items, signal) {
  let queue = Promise.resolve();
  const observer = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      observer.unobserve(target);
      const { mark } = items.find(({ item }) => item === target);
      // a hit that cannot be explained, or no longer has to be, stays as it is
      queue = queue.then(() => (signal.aborted ? null : mark())).catch(() => null);
    }
  });
  for (const { item } of items) observer.observe(item);
  signal.addEventListener("abort", () => observer.disconnect());
}

async function toggle(button, place, why) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  place.hidden = open;
  if (open || place.childElementCount > 0) return;
  try {
    place.replaceChildren(explain(await why()));
  } catch (error) {
    showProblem(place, error, null);
  }
}
