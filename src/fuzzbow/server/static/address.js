// What the page shows, in its address: a link can be shared, a page reloaded. It stands behind
// the #, which browsers do not send, so that texts get into no server's log.

const known = new Map(); // tab -> what was typed there
let current = "";

function read() {
  const [, tab, rest] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
  current = tab;
  if (rest) known.set(tab, Object.fromEntries(new URLSearchParams(rest)));
}

function write() {
  const values = known.get(current);
  history.replaceState(null, "", `#${current}${values ? `?${new URLSearchParams(values)}` : ""}`);
}

export const currentTab = () => current;

export const valuesOf = (tab) => known.get(tab) ?? {};

export function showTab(tab) {
  current = tab;
  write();
}

export function remember(tab, values) {
  known.set(tab, values);
  if (tab === current) write();
}

// Somebody opened another link to this page.
export const onNewAddress = (call) =>
  addEventListener("hashchange", () => {
    read();
    call();
  });

read();
