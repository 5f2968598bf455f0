// Tabs, and what each of them needs to know from the server.

import { currentTab, onNewAddress, showTab } from "./address.js";
import { call } from "./api.js";
import { startComparing } from "./compare.js";
import { copyButton } from "./copy.js";
import { byId, element } from "./dom.js";
import { showProblem } from "./problem.js";
import { startSearching } from "./search.js";

const tabs = [...document.querySelectorAll('[role="tab"]')];

function select(tab, { focus = false } = {}) {
  for (const each of tabs) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
  showTab(tab.id.replace("tab-", ""));
  window.dispatchEvent(new Event("resize")); // pictures measure themselves when they are seen
}

function startTabs() {
  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  for (const tab of tabs) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const place = tabs.indexOf(tab);
      let next = null;
      if (event.key in moves) next = tabs.at((place + moves[event.key]) % tabs.length);
      if (event.key === "Home") next = tabs[0];
      if (event.key === "End") next = tabs.at(-1);
      if (next === null) return;
      event.preventDefault();
      select(next, { focus: true });
    });
  }
  selectNamed();
  onNewAddress(selectNamed);
}

function selectNamed() {
  const wanted = byId(`tab-${currentTab()}`);
  select(tabs.includes(wanted) ? wanted : tabs[0]);
}

function startReport(there) {
  byId("report-absent").hidden = there;
  if (!there) return;
  const frame = element("iframe", { title: "Report on STS data", sandbox: "", class: "report" });
  const show = () => { frame.src = `/report?theme=${document.documentElement.dataset.theme}`; };
  addEventListener("themechange", show);
  show();
  byId("report-place").append(frame);
}

async function start() {
  try {
    const info = await call("GET", "/v1/info");
    startReport(info.report);
    startSearching(info);
    startComparing(info);
  } catch (error) {
    showProblem(byId("compare-problem"), error, start);
  }
}

for (const command of document.querySelectorAll("pre")) command.after(copyButton("Copy", () => command.textContent));
startTabs();
start();
