// What all pages do with JavaScript. The switch between light and dark: without it the system decides.
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

// A link that shows a form anew takes along what was chosen in it.
for (const link of document.querySelectorAll("[data-with]")) {
  link.addEventListener("click", () => {
    const given = new FormData(document.querySelector("form.choose"));
    const address = new URL(link.href);
    for (const name of link.dataset.with.split(" ")) address.searchParams.set(name, given.get(name) ?? "");
    link.href = address;
  });
}
