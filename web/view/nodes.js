/** The machines of an experiment. */
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, figure, number, percent, plain } from "../core/format.js";
import { follow, link, panel, statusChip, table } from "../core/parts.js";

/** @param {any} x a node @returns {any} its resources, as bars */
export function meters(x) {
  const capacity = x.capacity && typeof x.capacity === "object" ? x.capacity : {};
  return Object.entries(capacity).map(([name, all]) => {
    const used = number((x.used || {})[name]) || 0;
    const part = number(all) > 0 ? used / number(all) : 0;
    return h("div.meter", null, h("span", null, plain(name, 30)), h("span.bar", { role: "img", "aria-label": percent(part) + " of " + plain(name, 30) }, h("i", { style: { width: Math.min(100, 100 * part) + "%" } })), h("span.number", null, figure(used) + " / " + figure(all)));
  });
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
      const row = (/** @type {any} */ x) => [link({ e: ctx.route.e, view: "node", n: x.node }, plain(x.node, 60)), statusChip(x.state), Array.isArray(x.running) ? count(x.running.length) : count(x.running), x.since === null || x.since === undefined ? "" : duration(x.since), meters(x), plain(x.why || "", 200)];
      fill(place, table(["Node", "State", "Running#", "Since#", "Resources", ""], data.nodes.map(row), "Nodes"));
    },
  });
}
