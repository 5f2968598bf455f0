// Two sets as circles whose areas, and whose overlap, are the numbers.

import { element, number, percent, shape } from "./dom.js";

const HEIGHT = 180;
const WIDTH = 320;

// Area that circles of radii r and s share when their centres are d apart.
function lens(r, s, d) {
  if (d >= r + s) return 0;
  if (d <= Math.abs(r - s)) return Math.PI * Math.min(r, s) ** 2;
  const first = Math.acos((d * d + r * r - s * s) / (2 * d * r));
  const second = Math.acos((d * d + s * s - r * r) / (2 * d * s));
  const kite = Math.sqrt((r + s - d) * (d + r - s) * (d - r + s) * (d + r + s)) / 2;
  return r * r * first + s * s * second - kite;
}

// The distance at which the shared area is the wanted one, by halving.
function distance(r, s, shared) {
  let [near, far] = [Math.abs(r - s), r + s];
  for (let step = 0; step < 50; step += 1) {
    const middle = (near + far) / 2;
    if (lens(r, s, middle) > shared) near = middle;
    else far = middle;
  }
  return (near + far) / 2;
}

export function sets(answer) {
  const { left_size: left, right_size: right, intersection: shared, union } = answer;
  if (!(left > 0 && right > 0)) return null; // circles of nothing say nothing
  const parts = [
    ["only", "in one text", Math.max(left - shared, 0)],
    ["both", "shared", shared],
    ["other", "in the other", Math.max(right - shared, 0)],
  ];
  const spoken = `Shared ${number(shared)} of ${number(union)} in all; ${number(parts[0][2])} only in one text, ${number(parts[2][2])} only in the other.`;
  return element("figure", { class: "sets" },
    circles(left, right, shared, spoken),
    element("figcaption", {},
      element("p", { class: "legend-title" }, "Intersection and union"),
      element("dl", { class: "legend" }, parts.map(([kind, name, size]) =>
        element("div", {},
          element("dt", {}, swatch(kind), name),
          element("dd", {}, `${number(size)} · ${percent(size, union)}`))),
        element("div", { class: "total" }, element("dt", {}, "union"), element("dd", {}, number(union))))));
}

const swatch = (kind) =>
  shape("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" },
    shape("rect", { width: 16, height: 16, class: `area ${kind}` }));

function circles(left, right, shared, spoken) {
  let [r, s] = [Math.sqrt(left / Math.PI), Math.sqrt(right / Math.PI)];
  let apart = shared > 0 && r > 0 && s > 0 ? distance(r, s, shared) : (r + s) * 1.04;
  const from = Math.min(-r, apart - s);
  const span = Math.max(r, apart + s) - from;
  const scale = Math.min((WIDTH - 12) / span, (HEIGHT - 12) / (2 * Math.max(r, s)));
  [r, s, apart] = [r * scale, s * scale, apart * scale];
  const x = (WIDTH - span * scale) / 2 - from * scale;
  const one = { cx: x, cy: HEIGHT / 2, r };
  const other = { cx: x + apart, cy: HEIGHT / 2, r: s };
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  return shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": spoken, class: "circles" },
    shape("clipPath", { id: clip }, shape("circle", one)),
    shape("circle", { ...one, class: "area only" }),
    shape("circle", { ...other, class: "area other" }),
    shape("circle", { ...other, class: "area both", "clip-path": `url(#${clip})` }),
    shape("circle", { ...one, class: "rim" }),
    shape("circle", { ...other, class: "rim dashed" }));
}
