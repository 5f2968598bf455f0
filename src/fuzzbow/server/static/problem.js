// An error as a person would want it: what is wrong, and a way on where there is one.

import { element } from "./dom.js";

export function showProblem(place, error, retry) {
  const parts = [element("p", {}, error.message)];
  if (error.retry && retry) {
    parts.push(element("button", { type: "button", class: "plain", onclick: retry }, "Try again"));
  }
  place.replaceChildren(...parts);
  place.hidden = false;
}

export function clearProblem(place) {
  if (place.hidden) return;
  place.hidden = true;
  place.replaceChildren();
}
