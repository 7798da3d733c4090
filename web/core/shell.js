/** What is around a view: the bar above it, and the list of views. */
import { fill, h } from "./dom.js";
import { plain, trialName } from "./format.js";
import { askKeys } from "./keys.js";
import { link, statusChip } from "./parts.js";
import { nextTheme, theme } from "./theme.js";
import { views } from "../views.js";

const lineTexts = { off: "", waiting: "connecting…", live: "live", ended: "" };

const trail = h("div.trail", null);
const status = h("div.status", null);
const lineState = h("span.line", { role: "status" });
const themeButton = h("button.plain", { type: "button", title: "Light, dark, or as the system has it (key: d)" });

export const topBar = {
  start() {
    const top = /** @type {Element} */ (document.getElementById("top"));
    const name = () => fill(themeButton, h("span", { "aria-hidden": "true" }, "◐"), h("span.visually-hidden", null, "Theme: "), h("span.word", null, " " + theme()));
    themeButton.addEventListener("click", () => {
      nextTheme();
      name();
    });
    addEventListener("themechange", name);
    name();
    const help = h("button.plain", { type: "button", "aria-label": "Keys", title: "Keys (?)", onclick: askKeys }, "?");
    fill(top, h("a.brand", { href: "?", "data-route": "" }, "tune-node"), trail, status, h("div.right", null, lineState, themeButton, help));
  },

  /** @param {Record<string, string>} route @param {{name: string, title: string}} view */
  place(route, view) {
    const parts = [];
    if (route.e) parts.push(link({ e: route.e }, plain(route.e, 60)));
    if (route.t && view.name === "trial") parts.push(h("span.mono", null, trialName(plain(route.t, 20))));
    fill(trail, parts.map((x) => [h("span.sep", { "aria-hidden": "true" }, "/"), x]));
  },

  /** @param {any} about */
  experiment(about) {
    fill(status, about ? statusChip(about.paused ? "paused" : about.status === "running" && about.live === false ? "left off" : about.status) : null);
  },

  /** @param {import("./live.js").LineState} state */
  line(state) {
    lineState.dataset.state = state;
    fill(lineState, lineTexts[state]);
  },
};

/** @param {Record<string, string>} route @param {{name: string}} shown */
export function rail(route, shown) {
  const nav = /** @type {HTMLElement} */ (document.getElementById("rail"));
  const listed = views.filter((x) => x.group && (route.e ? true : !x.inside));
  const groups = [...new Set(listed.map((x) => x.group))];
  const row = (/** @type {any} */ x) => {
    const to = link(x.inside ? { e: route.e, view: x.name === "overview" ? "" : x.name } : { view: x.name === "experiments" ? "" : x.name }, x.title);
    if (x.name === shown.name || x.name === /** @type {any} */ (shown).under) to.setAttribute("aria-current", "page");
    return h("li", null, to);
  };
  fill(nav, groups.map((group) => [h("h2", null, group), h("ul", null, listed.filter((x) => x.group === group).map(row))]));
  const current = nav.querySelector("[aria-current]");
  if (current && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = /** @type {HTMLElement} */ (current).offsetLeft - 40;
}
