// The reader's theme, set before anything is drawn: the system's, unless the button chose another.
// No module, since modules wait for the page.

(() => {
  const KEY = "fuzzbow-theme";
  const THEMES = ["auto", "dark", "light"];

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // a browser may forbid it
    }
  }

  function choose(theme) {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // then it lasts as long as the page
    }
  }

  const known = stored();
  document.documentElement.dataset.theme = THEMES.includes(known) ? known : "auto";
  addEventListener("DOMContentLoaded", () => {
    const name = document.getElementById("theme-name");
    const now = () => document.documentElement.dataset.theme;
    name.textContent = now();
    document.getElementById("theme").addEventListener("click", () => {
      choose(THEMES[(THEMES.indexOf(now()) + 1) % THEMES.length]);
      name.textContent = now();
      dispatchEvent(new Event("themechange"));
    });
  });
})();
