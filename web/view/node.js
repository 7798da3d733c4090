/** One machine: how it stands, and what ran on it. */
import { Plot } from "../chart/plot.js";
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, number, plain } from "../core/format.js";
import { follow, panel, statusChip, table, trialLink } from "../core/parts.js";
import { meters } from "./nodes.js";
import { show } from "./timeline.js";

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const n = ctx.route.n || "";
  const state = panel("Node " + plain(n, 60));
  const line = panel("Attempts");
  host.append(state.node, line.node);
  follow(ctx, state.body, {
    every: 1500,
    fetch: () => get([...ctx.base, "nodes"], {}, ctx.signal),
    empty: (data) => (data.nodes.some((/** @type {any} */ x) => x.node === n) ? null : "There is no such node."),
    show: (data, place) => {
      const x = data.nodes.find((/** @type {any} */ y) => y.node === n);
      const running = Array.isArray(x.running) ? x.running.map((/** @type {any} */ t) => [trialLink(ctx, t), " "]) : count(x.running);
      fill(place, h("dl.facts", null, h("div", null, h("dt", null, "State"), h("dd", null, statusChip(x.state), " ", plain(x.why || "", 300))), h("div", null, h("dt", null, "Runs"), h("dd", null, running && running.length === 0 ? "nothing" : running))), meters(x));
    },
  });
  const place = h("div", null);
  const list = h("div", null);
  const plot = new Plot(place, { label: "Attempts on this node", left: 14, signal: ctx.signal });
  follow(ctx, line.body, {
    every: 2500,
    fetch: () => get([...ctx.base, "timeline"], { limit: 5000 }, ctx.signal),
    empty: (data) => (data.attempts.some((/** @type {any} */ x) => x.node === n) ? null : "Nothing ran here yet."),
    show: (data, box) => {
      if (!place.parentNode) box.append(place, list);
      const attempts = data.attempts.filter((/** @type {any} */ x) => x.node === n);
      show(ctx, plot, { nodes: [{ node: n }], attempts, down: data.down });
      const rows = attempts.slice(-100).reverse().map((/** @type {any} */ a) => [trialLink(ctx, a.trial), h("span.mono", null, plain(a.attempt, 20)), duration(a.started), a.ended === null ? "runs" : duration(number(a.ended) - number(a.started)), plain(String(a.end_class || "runs").replace(/_/g, " "), 30)]);
      fill(list, table(["Trial", "Attempt", "Started#", "Ran#", "Ended"], rows, "Attempts on this node"));
    },
  });
}
