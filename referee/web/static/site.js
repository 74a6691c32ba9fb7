// What all pages do with JavaScript: the switch between light and dark. Without it the system decides.
const root = document.documentElement;
const KEY = "referee-theme";

const isDark = () =>
  (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser may refuse to keep anything
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page then.
  }
}

const wanted = kept();
if (wanted === "dark" || wanted === "light") root.dataset.theme = wanted;

const button = document.querySelector("[data-theme-switch]");
if (button) {
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  button.hidden = false;
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    name();
  });
}
