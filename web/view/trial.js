/** All that is known of one trial. */
import { hue } from "../chart/palette.js";
import { dot, line, Plot } from "../chart/plot.js";
import { extent } from "../chart/ranges.js";
import { askTrial, verbsFor } from "../core/actions.js";
import { address, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { bytes, count, duration, figure, number, plain, trialName } from "../core/format.js";
import { follow, link, pairs, panel, statusChip, table, tile } from "../core/parts.js";
import { here } from "../core/route.js";
import { logPanel } from "./trial_log.js";
import { whyText } from "./why.js";

/** @param {any} ctx @param {any} x @param {() => void} after */
function head(ctx, x, after) {
  const act = (/** @type {string} */ verb) => h("button", { type: "button", "data-act": verb, onclick: () => askTrial(ctx.base, x.trial, verb, after) }, verb[0].toUpperCase() + verb.slice(1));
  const isBest = ctx.about.best && String(ctx.about.best.trial) === String(x.trial);
  return h(
    "section.panel",
    { "aria-label": "Trial" },
    h("div.head", null, h("h2", null, "Trial ", h("span.mono", null, trialName(x.trial)), " ", statusChip(x.status), isBest ? h("span.star", { title: "the best trial" }, "★ best") : null), h("div.tools.buttons", null, ctx.about.live === false ? null : verbsFor(x.status).map(act), h("button", { type: "button", onclick: () => step(ctx, x, -1), "aria-label": "previous trial", disabled: number(x.trial) <= 0 }, "←"), h("button", { type: "button", onclick: () => step(ctx, x, 1), "aria-label": "next trial" }, "→"))),
    h("div.body", null, h("p.why", null, whyText(x)), x.error ? h("pre.error", null, plain(x.error, 4000)) : null, numbers(ctx, x)),
  );
}

/** @param {any} ctx @param {any} x @param {number} by */
function step(ctx, x, by) {
  const to = link({ ...here(), t: number(x.trial) + by });
  document.body.appendChild(to);
  to.click();
  to.remove();
}

/** @param {any} ctx @param {any} x */
function numbers(ctx, x) {
  const goals = (ctx.about.objectives || []).map((/** @type {any} */ o) => tile("Best " + plain(o.metric, 40), h("span.mono", null, figure((x.best_metrics || {})[o.metric], 6)), x.best_iteration ? "at iteration " + count(x.best_iteration) : null));
  return h("div.tiles", null, h("dl", null, goals, tile("Iterations", count(x.iterations)), tile("Training time", duration(x.time_total_s)), tile("Origin", plain(x.origin || "–", 40)), tile("Failures", count(x.failures)), tile("Node", x.node ? link({ e: ctx.route.e, view: "node", n: x.node }, plain(x.node, 40)) : "–")));
}

/** @param {any} ctx @param {any} data */
function metricPlots(ctx, data) {
  const { columns, rows } = data;
  const at = columns.indexOf("training_iteration");
  const known = new Set(["training_iteration", "t", "time_total_s", "seq"]);
  const charts = h("div.charts", null);
  columns.forEach((/** @type {string} */ name, /** @type {number} */ column) => {
    if (known.has(name)) return;
    const points = rows.map((/** @type {any[]} */ r) => [number(r[at]), number(r[column])]).filter((/** @type {any} */ p) => Number.isFinite(p[1]));
    if (points.length === 0) return;
    const box = h("figure", null, h("figcaption", null, plain(name, 60), " ", h("span.mono.quiet", null, figure(points[points.length - 1][1], 5))));
    charts.appendChild(box);
    const plot = new Plot(box, { label: name + " over iterations", height: 170, signal: ctx.signal });
    plot.show({
      x: { label: "iteration", domain: extent(points.map((/** @type {any} */ p) => p[0])) },
      y: { label: "", domain: extent(points.map((/** @type {any} */ p) => p[1])) },
      points: points.map((/** @type {any} */ p) => ({ x: p[0], y: p[1] })),
      describe: (p) => [figure(p.y, 6), h("div.quiet", null, "iteration " + figure(p.x))],
      summary: "last " + figure(points[points.length - 1][1]),
      draw: (ctx2d) => {
        ctx2d.strokeStyle = ctx2d.fillStyle = hue(0);
        ctx2d.lineWidth = 1.6;
        line(ctx2d, plot, points);
        if (points.length < 40) points.forEach((/** @type {any} */ p) => dot(ctx2d, plot.x(p[0]), plot.y(p[1]), 2));
      },
    });
  });
  return charts;
}

/** @param {any} ctx @param {HTMLElement} host @param {string} t */
function curvesPanel(ctx, host, t) {
  const { node, body } = panel("Metrics");
  host.appendChild(node);
  let shown = "";
  follow(ctx, body, {
    every: 1500,
    fetch: () => get([...ctx.base, "trials", t, "results"], { points: 400 }, ctx.signal),
    empty: (data) => (data.rows.length === 0 ? "It has not reported yet." : null),
    show: (data, place) => {
      const key = data.rows.length + JSON.stringify(data.rows[data.rows.length - 1]);
      if (key === shown) return;
      shown = key;
      fill(place, metricPlots(ctx, data));
    },
  });
}

/** @param {any[]} attempts */
const attemptRows = (attempts) => attempts.map((a) => [h("span.mono", null, plain(a.attempt, 20)), plain(a.node || "", 40), duration(a.started), a.ended === null || a.ended === undefined ? "runs" : duration(number(a.ended) - number(a.started)), plain(String(a.end_class || "runs").replace(/_/g, " "), 30), plain(a.detail || "", 300)]);

/** @param {any} ctx @param {any} x */
function checkpointRows(ctx, x) {
  return x.checkpoints.map((/** @type {any} */ c) => {
    const isThere = c.state === "good" && c.checkpoint !== null && !/^(executor|memory):/.test(String(c.location || ""));
    const name = "checkpoint " + plain(c.checkpoint === null ? "–" : c.checkpoint, 20);
    const to = isThere ? h("a", { href: address([...ctx.base, "trials", String(x.trial), "checkpoints", String(c.checkpoint)]), download: "" }, name) : name;
    return [to, count(c.training_iteration), bytes(c.bytes), plain(c.state, 20), plain(c.detail || "", 200)];
  });
}

/** @param {any} ctx @param {any} x */
function artifactRows(ctx, x) {
  return x.artifacts.map((/** @type {any} */ a) => {
    const segments = String(a.path).split("/");
    return [h("a", { href: address([...ctx.base, "trials", String(x.trial), "artifacts", ...segments]), download: "" }, plain(a.path, 200)), bytes(a.bytes)];
  });
}

/** @param {any} ctx @param {any} x */
function lists(ctx, x) {
  const some = (/** @type {any} */ list) => Array.isArray(list) && list.length > 0;
  const part = (/** @type {string} */ title, /** @type {any} */ content) => {
    const made = panel(title);
    made.body.appendChild(content);
    return made.node;
  };
  return [
    some(x.decisions) ? part("Decisions", table(["Time#", "Iteration#", "What", "Why"], x.decisions.map((/** @type {any} */ d) => [duration(d.t), count(d.training_iteration), plain(String(d.action).replace(/_/g, " "), 30), plain(d.text || d.reason, 300)]), "Decisions")) : null,
    some(x.attempts) ? part("Attempts", table(["Attempt", "Node", "Started#", "Ran#", "Ended", "Detail"], attemptRows(x.attempts), "Attempts")) : null,
    some(x.checkpoints) ? part("Checkpoints", table(["Checkpoint", "Iteration#", "Size#", "State", ""], checkpointRows(ctx, x), "Checkpoints")) : null,
    some(x.artifacts) ? part("Artifacts", table(["File", "Size#"], artifactRows(ctx, x), "Artifacts")) : null,
    some(x.exports) ? part("Exports", table(["Format", "Place"], x.exports.map((/** @type {any} */ e) => [plain(e.format, 40), plain(e.path || e.detail || e.reason || "", 200)]), "Exports")) : null,
  ];
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const t = ctx.route.t || "0";
  const top = h("div", null);
  const config = panel("Configuration");
  const metrics = panel("Last report");
  const rest = h("div.stack", null);
  const left = h("div.column", null);
  const right = h("div.column", null, config.node, metrics.node);
  host.append(top, h("div.columns", null, left, right), rest);
  curvesPanel(ctx, left, t);
  logPanel(ctx, left, t);
  const reload = follow(ctx, top, {
    fetch: () => get([...ctx.base, "trials", t], {}, ctx.signal),
    show: (x, place) => {
      if (!place.contains(document.activeElement) || !place.firstChild) fill(place, head(ctx, x, () => reload()));
      fill(config.body, pairs(x.config, "Configuration"), JSON.stringify(x.best_config || x.config) !== JSON.stringify(x.config) ? [h("h3", null, "At its best report"), pairs(x.best_config, "Configuration at its best report")] : null);
      fill(metrics.body, pairs(x.metrics, "Metrics of the last report"));
      fill(rest, lists(ctx, x));
    },
  });
}
