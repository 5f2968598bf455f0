// Elements from data. Text always becomes a text node, so nothing in it is ever markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

export const element = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const shape = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const number = (value, digits = 3) => (value === null ? "–" : value.toFixed(digits));

export function percent(part, whole) {
  if (!(whole > 0) || part <= 0) return "0 %";
  const share = (100 * part) / whole;
  if (share > 99.5 && part < whole) return "> 99 %";
  return share < 0.5 ? "< 1 %" : `${Math.round(share)} %`;
}

// Calls that come in quick succession become one, the last.
export function debounced(call, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}
