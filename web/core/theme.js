/** Light, dark, or as the system has it. */

const ways = /** @type {const} */ (["system", "light", "dark"]);

/** @returns {string} */
export function theme() {
  try {
    const kept = localStorage.getItem("tune-node-theme") || "";
    return ways.includes(/** @type {any} */ (kept)) ? kept : "system";
  } catch (_) {
    return "system";
  }
}

function apply() {
  const way = theme();
  if (way === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = way;
  dispatchEvent(new Event("themechange"));
}

export function nextTheme() {
  const next = ways[(ways.indexOf(/** @type {any} */ (theme())) + 1) % ways.length];
  try {
    localStorage.setItem("tune-node-theme", next);
  } catch (_) {
    // A browser that keeps nothing: the system's way stays.
  }
  apply();
  return next;
}

export function startTheme() {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("themechange")));
}
