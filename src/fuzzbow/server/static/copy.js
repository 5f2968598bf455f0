// Buttons that copy something, and say that they did.

import { debounced, element } from "./dom.js";

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // over plain HTTP from another machine there is no clipboard but the old one
  const box = element("textarea", { class: "hidden", "aria-hidden": "true" });
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("the browser forbids it");
}

export function copyButton(label, text) {
  const said = element("span", { role: "status" });
  const forget = debounced(() => { said.textContent = ""; }, 2_000);
  const button = element("button", {
    type: "button",
    class: "plain",
    onclick: async () => {
      said.textContent = await copy(text()).then(() => "Copied", () => "Cannot copy");
      forget();
    },
  }, label);
  return element("span", { class: "copy" }, said, button);
}
