/** The machines of an experiment. */
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { bytes, count, duration, figure, percent, plain, resourcePairs } from "../core/format.js";
import { follow, link, panel, statusChip, table } from "../core/parts.js";

/** @param {{capacity?: any, used?: any}} x a node, or all together @returns {any} its resources, as bars */
export function meters(x) {
  const used = x.used ? new Map(resourcePairs(x.used)) : null;
  return resourcePairs(x.capacity).map(([name, all]) => {
    const text = (/** @type {number} */ n) => (name === "memory" ? bytes(n) : figure(n));
    if (!used) return h("div", null, text(all) + " " + plain(name, 30));
    const part = (used.get(name) || 0) / all;
    return h(
      "div.meter",
      null,
      h("span", null, plain(name, 30)),
      h(
        "span.bar",
        { role: "img", "aria-label": percent(part) + " of " + plain(name, 30) },
        h("i", { style: { width: Math.min(100, 100 * part) + "%" } }),
      ),
      h("span.number", null, text(used.get(name) || 0) + " / " + text(all)),
    );
  });
}

/** @param {any} x a node @returns {string} its labels and taints */
export function marks(x) {
  const labels = x.labels.map((/** @type {any} */ text) => plain(text, 100));
  const taints = x.taints.map((/** @type {any} */ text) => "taint " + plain(text, 100));
  return [...labels, ...taints].join(", ");
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel("Nodes");
  host.appendChild(node);
  follow(ctx, body, {
    every: 1500,
    fetch: () => get([...ctx.base, "nodes"], {}, ctx.signal),
    empty: (data) => (data.nodes.length === 0 ? "No node is known: nothing was placed yet." : null),
    show: (data, place) => {
      const row = (/** @type {any} */ x) => [
        link({ e: ctx.route.e, view: "node", n: x.node }, plain(x.node, 60)),
        statusChip(x.state),
        Array.isArray(x.running) ? count(x.running.length) : count(x.running),
        x.since === null || x.since === undefined ? "" : duration(x.since),
        meters(x),
        marks(x),
        plain(x.why || "", 200),
      ];
      fill(
        place,
        table(
          ["Node", "State", "Running#", "Since#", "Resources", "Labels", ""],
          data.nodes.map(row),
          "Nodes",
        ),
      );
    },
  });
}
