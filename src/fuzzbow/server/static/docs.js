// The OpenAPI document, readable, with a form to try each operation.

import { call } from "./api.js";
import { copyButton } from "./copy.js";
import { byId, element } from "./dom.js";
import { showProblem } from "./problem.js";

let schemas = {};

const named = (schema) => (schema?.$ref ? schemas[schema.$ref.split("/").at(-1)] : schema);

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  return schema.type ?? "anything";
}

function exampleOf(schema) {
  const found = named(schema);
  if (found.examples) return found.examples[0];
  if (found.default !== undefined) return found.default;
  if (found.type === "array") return [exampleOf(found.items)];
  const wanted = Object.entries(found.properties ?? {}).filter(([name]) => found.required?.includes(name));
  return found.properties ? Object.fromEntries(wanted.map(([name, part]) => [name, exampleOf(part)])) : "";
}

function fields(title, schema) {
  const found = named(schema);
  if (!found?.properties) return null;
  const rows = Object.entries(found.properties).map(([name, part]) =>
    element("tr", {},
      element("th", { scope: "row" }, name),
      element("td", {}, typeOf(part)),
      element("td", {}, found.required?.includes(name) ? "needed" : ""),
      element("td", {}, part.description ?? "")));
  return element("div", { class: "part" },
    element("h3", {}, title),
    element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": title },
      element("table", {}, element("tbody", {}, rows))));
}

function form(method, path, body) {
  const id = `try-${method}-${path}`.replaceAll(/[^a-z0-9]+/gi, "-");
  const parameter = path.match(/\{(\w+)\}/)?.[1];
  const input = body
    ? element("textarea", { id, rows: "6", spellcheck: "false", class: "code" }, JSON.stringify(exampleOf(body), null, 1))
    : element("input", { id, type: "text", autocomplete: "off" });
  const output = element("pre", { class: "reply", tabindex: "0", role: "status" });
  const copy = copyButton("Copy", () => output.textContent);
  output.hidden = copy.hidden = true;
  const show = (text) => {
    output.hidden = copy.hidden = false;
    output.textContent = text;
  };
  async function send(event) {
    event.preventDefault();
    try {
      const target = parameter ? path.replace(`{${parameter}}`, encodeURIComponent(input.value)) : path;
      show(JSON.stringify(await call(method.toUpperCase(), target, body ? JSON.parse(input.value) : undefined), null, 1));
    } catch (error) {
      show(error instanceof SyntaxError ? `That is not JSON yet: ${error.message}` : error.message);
    }
  }
  return element("form", { class: "try", onsubmit: send },
    body || parameter ? element("div", { class: "field" }, element("label", { for: id }, body ? "Body" : parameter), input) : null,
    element("button", { type: "submit", class: "plain" }, "Send"), output, copy);
}

function operation(path, method, about) {
  const body = about.requestBody?.content["application/json"].schema;
  const good = Object.entries(about.responses).find(([status]) => status.startsWith("2"));
  const answer = good?.[1].content?.["application/json"]?.schema;
  const errors = Object.entries(about.responses).filter(([status]) => status >= "400");
  return element("details", { class: "operation" },
    element("summary", {}, element("code", {}, `${method.toUpperCase()} ${path}`), ` ${about.description ?? about.summary}`),
    body ? fields("Request", body) : null,
    answer ? fields(`Answer, status ${good[0]}`, answer) : null,
    element("p", { class: "quiet part" }, `Errors: ${errors.map(([status, item]) => `${status} ${item.description.toLowerCase()}`).join(", ")}.`),
    answer ? form(method, path, body) : element("p", { class: "part" }, element("a", { href: path }, `Open ${path}`)));
}

async function start() {
  try {
    const document = await call("GET", "/openapi.json");
    schemas = document.components.schemas;
    byId("operations").replaceChildren(
      ...Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, about]) => operation(path, method, about))));
  } catch (error) {
    showProblem(byId("docs-problem"), error, start);
  }
}

start();
