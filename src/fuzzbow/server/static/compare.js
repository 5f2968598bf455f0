// Two texts, the score as one types, and why.

import { onNewAddress, remember, valuesOf } from "./address.js";
import { latest } from "./api.js";
import { copyButton } from "./copy.js";
import { byId, debounced, element, number } from "./dom.js";
import { explain } from "./explanation.js";
import { clearProblem, showProblem } from "./problem.js";

const EXAMPLES = [
  ["cat and dog", "He has a cat", "She had one dog"],
  ["paraphrase", "The firm bought its rival for 2 million dollars", "A company acquired a competitor for 2 million dollars"],
  ["other numbers", "The company paid 1,650 dollars", "The firm paid 9,900 dollars"],
  ["unrelated", "He has a cat", "The airplane landed at noon"],
];

export function startComparing(info) {
  const [a, b, measure] = ["text-a", "text-b", "measure"].map(byId);
  const measures = new Map(info.measures.map((item) => [item.name, item]));
  measure.append(...info.measures.map(({ name }) => element("option", { value: name }, name)));
  measure.value = info.measure;
  const ask = latest();

  function restore() {
    const known = valuesOf("compare");
    a.value = known.a ?? a.value;
    b.value = known.b ?? b.value;
    if (measures.has(known.measure)) measure.value = known.measure;
  }
  const typed = () => remember("compare", { a: a.value, b: b.value, measure: measure.value });
  function change() {
    typed();
    return update();
  }

  async function update() {
    const chosen = measures.get(measure.value);
    byId("meaning").textContent = chosen.meaning;
    byId("answer").setAttribute("aria-busy", "true");
    const question = { a: a.value, b: b.value, measure: chosen.name };
    try {
      const path = chosen.explains ? "/v1/explain" : "/v1/similarity";
      const answer = await ask("POST", path, question);
      if (answer === null) return;
      clearProblem(byId("compare-problem"));
      show(chosen, answer);
    } catch (error) {
      byId("answer").classList.add("stale");
      showProblem(byId("compare-problem"), error, update);
    }
    byId("answer").setAttribute("aria-busy", "false");
  }

  const soon = debounced(change, 120);
  for (const box of [a, b]) box.addEventListener("input", soon);
  measure.addEventListener("change", change);
  onNewAddress(() => {
    restore();
    update();
  });
  byId("share-comparison").replaceChildren(copyButton("Copy link", () => {
    typed();
    return location.href;
  }));
  byId("examples").append(
    ...EXAMPLES.map(([name, left, right]) =>
      element("button", {
        type: "button",
        class: "chip",
        onclick: () => {
          [a.value, b.value] = [left, right];
          change();
        },
      }, name)),
  );
  restore();
  update();
}

const speak = debounced((text) => { byId("spoken").textContent = text; }, 700);

function show(chosen, answer) {
  const score = chosen.explains ? answer.score : answer.similarity;
  byId("answer").classList.remove("stale");
  byId("score").textContent = number(score);
  byId("scale-fill").style.setProperty("--score", score);
  speak(`Similarity ${number(score)}`);
  byId("formula").textContent = chosen.explains
    ? `${number(answer.intersection)} ÷ ${number(answer.denominator)}: ${answer.formula}`
    : "";
  byId("explanation").replaceChildren(
    chosen.explains
      ? explain(answer)
      : element("p", { class: "quiet" }, `For ${chosen.name} a score cannot be divided among the words exactly; for the weighted, dynamax and max measures it can.`),
  );
}
