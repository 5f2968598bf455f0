// Talking to the server: JSON in and out, errors in a person's words, the key where it is needed.

import { byId } from "./dom.js";

const KEY = "fuzzbow-key";

export class Problem extends Error {
  constructor(message, { code = "unreachable", retry = false } = {}) {
    super(message);
    this.code = code;
    this.retry = retry;
  }
}

function askForKey() {
  const dialog = byId("key-dialog");
  if (dialog.open) return new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  byId("key").value = "";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => {
      const key = byId("key").value.trim();
      if (key) sessionStorage.setItem(KEY, key);
      done();
    }, { once: true });
  });
}

async function send(method, path, body, signal) {
  const headers = { Accept: "application/json" };
  const key = sessionStorage.getItem(KEY);
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, { method, headers, signal, body: body && JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer. Is it still running?", { retry: true });
  }
}

export async function call(method, path, body, signal) {
  let answer = await send(method, path, body, signal);
  if (answer.status === 401) {
    await askForKey();
    answer = await send(method, path, body, signal);
  }
  const data = await answer.json().catch(() => null);
  if (answer.ok && data !== null) return data;
  const { code, message } = data?.error ?? { code: "unknown", message: `status ${answer.status}` };
  throw new Problem(readable(code, message), { code, retry: answer.status >= 429 || answer.status === 401 });
}

function readable(code, message) {
  if (code === "too_busy") return "The server is busy. Try again in a moment.";
  if (code === "wrong_key") return "That key is not the server's.";
  if (code === "body_too_large") return "That is too much text for one request.";
  if (code === "internal_error") return "The server failed. Its log says why.";
  return message.charAt(0).toUpperCase() + message.slice(1) + ".";
}

// Only the last of several questions gets an answer: an older one is called off.
export function latest() {
  let controller = null;
  return async (method, path, body) => {
    controller?.abort();
    const mine = (controller = new AbortController());
    try {
      const data = await call(method, path, body, mine.signal);
      return mine === controller ? data : null;
    } catch (error) {
      if (error.name === "AbortError" || mine !== controller) return null;
      throw error;
    }
  };
}
