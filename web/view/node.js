/** One machine: how it stands, and what ran on it. */
import { Plot } from "../chart/plot.js";
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, number, plain } from "../core/format.js";
import { follow, panel, statusChip, table, trialLink } from "../core/parts.js";
import { marks, meters } from "./nodes.js";
import { show } from "./timeline.js";

/** @param {any} ctx @param {HTMLElement} host @param {string} n */
function statePanel(ctx, host, n) {
  const { node, body } = panel("Node " + plain(n, 60));
  host.appendChild(node);
  const of = (/** @type {any} */ data) => data.nodes.find((/** @type {any} */ x) => x.node === n);
  const fact = (/** @type {string} */ name, /** @type {any} */ what) =>
    h("div", null, h("dt", null, name), h("dd", null, what));
  follow(ctx, body, {
    every: 1500,
    fetch: () => get([...ctx.base, "nodes"], {}, ctx.signal),
    empty: (data) => (of(data) ? null : "There is no such node."),
    show: (data, place) => {
      const x = of(data);
      const listed = (/** @type {any} */ t) => [trialLink(ctx, t), " "];
      const running = Array.isArray(x.running) ? x.running.map(listed) : count(x.running);
      const state = fact("State", [statusChip(x.state), " ", plain(x.why || "", 300)]);
      const runs = fact("Runs", running.length === 0 ? "nothing" : running);
      const labels = marks(x) ? fact("Labels", marks(x)) : null;
      fill(place, h("dl.facts", null, state, runs, labels), meters(x));
    },
  });
}

/** @param {any} ctx @param {any} a an attempt */
const row = (ctx, a) => [
  trialLink(ctx, a.trial),
  h("span.mono", null, plain(a.attempt, 20)),
  duration(a.started),
  a.ended === null ? "runs" : duration(number(a.ended) - number(a.started)),
  plain(String(a.end_class || "runs").replace(/_/g, " "), 30),
];

const heads = ["Trial", "Attempt", "Started#", "Ran#", "Ended"];

/** @param {any} ctx @param {HTMLElement} host @param {string} n */
function attemptsPanel(ctx, host, n) {
  const { node, body } = panel("Attempts");
  host.appendChild(node);
  const place = h("div", null);
  const list = h("div", null);
  const plot = new Plot(place, { label: "Attempts on this node", left: 14, signal: ctx.signal });
  const of = (/** @type {any} */ data) =>
    data.attempts.filter((/** @type {any} */ x) => x.node === n);
  follow(ctx, body, {
    every: 2500,
    fetch: () => get([...ctx.base, "timeline"], { limit: 5000 }, ctx.signal),
    empty: (data) => (of(data).length > 0 ? null : "Nothing ran here yet."),
    show: (data, box) => {
      if (!place.parentNode) box.append(place, list);
      const attempts = of(data);
      show(ctx, plot, { nodes: [{ node: n }], attempts, down: data.down });
      const latest = attempts.slice(-100).reverse();
      const rows = latest.map((/** @type {any} */ a) => row(ctx, a));
      fill(list, table(heads, rows, "Attempts on this node"));
    },
  });
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const n = ctx.route.n || "";
  statePanel(ctx, host, n);
  attemptsPanel(ctx, host, n);
}
