/** What keys do, wherever no text is being typed. */
import { h } from "./dom.js";
import { go, here } from "./route.js";
import { nextTheme } from "./theme.js";
import { views } from "../views.js";

const keys = [
  ["/", "to the filter"],
  ["j, k", "next and previous row of the table of trials; Enter opens it, x compares it"],
  ["[, ]", "previous and next view"],
  ["← →", "from point to point of a chart that has the focus; Enter opens its trial"],
  ["o, t, c", "overview, trials, learning curves"],
  ["d", "light, dark, or as the system has it"],
  ["?", "this list"],
];

export function askKeys() {
  if (document.querySelector("dialog")) return;
  const close = h("button.main", { type: "button" }, "Close");
  const dialog = h("dialog", { "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" }, "Keys"), h("dl.keys", null, keys.map(([key, what]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, what)))), h("div.buttons", null, close));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.appendChild(dialog);
  dialog.showModal();
}

/** @param {number} by */
function turn(by) {
  const { e, view } = here();
  const listed = views.filter((x) => x.group && (e ? x.inside : !x.inside));
  const at = listed.findIndex((x) => x.name === (view || (e ? "overview" : "experiments")));
  const next = listed[(at + by + listed.length) % listed.length];
  if (next) go({ e, view: next.name });
}

/** @type {Record<string, string>} */
const shortcuts = { o: "overview", t: "trials", c: "curves" };

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog")) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  const { e } = here();
  if (event.key === "?") askKeys();
  else if (event.key === "d") nextTheme();
  else if (event.key === "[") turn(-1);
  else if (event.key === "]") turn(1);
  else if (event.key === "/") {
    const filter = /** @type {HTMLElement | null} */ (document.querySelector("[data-filter]"));
    if (!filter) return;
    filter.focus();
  } else if (e && shortcuts[event.key]) go({ e, view: shortcuts[event.key] });
  else return;
  event.preventDefault();
}

export const startKeys = () => addEventListener("keydown", onKey);
