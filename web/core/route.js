/** What the page shows, as the query of its address. Pure, but for `go` and what it calls. */
import { isStored } from "./stored.js";

/** @typedef {Record<string, string>} Route `view`, `e` (experiment), `t` (trial), and a view's own */

/** @param {string} search with or without "?" @returns {Route} */
export function parse(search) {
  /** @type {Route} */
  const route = {};
  for (const [key, value] of new URLSearchParams(search)) {
    if (/^[a-z_]{1,20}$/.test(key) && value.length <= 4000 && !(key in route)) route[key] = value;
  }
  return route;
}

/** @param {Record<string, any>} route @returns {string} "?…", without what is empty */
export function format(route) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(route)) {
    if (value !== "" && value !== null && value !== undefined && value !== false)
      query.set(key, String(value));
  }
  const text = query.toString();
  return text ? "?" + text : "?";
}

/**
 * A list in one value: names may hold commas.
 *
 * @param {string[]} names
 */
export const join = (names) => names.map((x) => x.replace(/[\\,]/g, "\\$&")).join(",");

/** @param {string | undefined} text @returns {string[]} */
export function split(text) {
  if (!text) return [];
  const found = text.match(/(?:\\.|[^,\\])+/gs) || [];
  return found.map((x) => x.replace(/\\(.)/gs, "$1"));
}

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {() => void} act is called after each change of the address */
export const onRoute = (act) => void listeners.add(act);

/** What a report shows: it has no address of its own. @type {Route} */
let shown = {};

/** @returns {Route} */
export const here = () => (isStored() ? shown : parse(location.search));

/**
 * @param {Record<string, any>} route
 * @param {{replace?: boolean, quiet?: boolean}} [how] `quiet`: the view has drawn it already
 */
export function go(route, how = {}) {
  if (isStored()) {
    // A report has no other page to go to.
    if (how.quiet) shown = parse(format(route));
    return;
  }
  const url = location.pathname + format(route);
  if (how.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  if (!how.quiet) listeners.forEach((x) => x());
}

/** Changes some of the address; the back button leads past it. @param {Record<string, any>} changes */
export const adjust = (changes, quiet = true) =>
  go({ ...here(), ...changes }, { replace: true, quiet });

export function followLinks() {
  addEventListener("popstate", () => listeners.forEach((x) => x()));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-route]") : null;
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(parse(link.getAttribute("href") || "?"));
  });
}
