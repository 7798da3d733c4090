/** Each metric of a trial over its iterations. */
import { hue } from "../chart/palette.js";
import { dot, line, Plot } from "../chart/plot.js";
import { extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { figure, number, plain } from "../core/format.js";
import { follow, panel } from "../core/parts.js";

/** Columns of results that are no metrics. */
const known = new Set(["training_iteration", "t", "time_total_s", "seq"]);
/** Charts that are drawn at most: objectives come first. */
const most = 24;

/** One metric's chart, drawn again as it grows. */
class MetricChart {
  /** @param {string} name @param {AbortSignal} signal */
  constructor(name, signal) {
    this.last = h("span.mono.quiet", null);
    this.box = h("figure", null, h("figcaption", null, plain(name, 60), " ", this.last));
    this.plot = new Plot(this.box, { label: name + " over iterations", height: 170, signal });
  }

  /** @param {Array<[number, number]>} points at least one */
  show(points) {
    const { plot } = this;
    const last = figure(points[points.length - 1][1], 5);
    fill(this.last, last);
    plot.show({
      x: { label: "iteration", domain: extent(points.map((p) => p[0])), whole: true },
      y: { label: "", domain: extent(points.map((p) => p[1])) },
      points: points.map((p) => ({ x: p[0], y: p[1] })),
      describe: (p) => [figure(p.y, 6), h("div.quiet", null, "iteration " + figure(p.x))],
      summary: "last " + last,
      draw: (ctx2d) => {
        ctx2d.strokeStyle = ctx2d.fillStyle = hue(0);
        ctx2d.lineWidth = 1.6;
        line(ctx2d, plot, points);
        if (points.length < 40) points.forEach((p) => dot(ctx2d, plot.x(p[0]), plot.y(p[1]), 2));
      },
    });
  }
}

/** @param {any} data @param {string[]} first @returns {Array<[string, Array<[number, number]>]>} */
function metricsOf(data, first) {
  const at = data.columns.indexOf("training_iteration");
  /** @type {Array<[string, Array<[number, number]>]>} */
  const all = [];
  data.columns.forEach((/** @type {string} */ name, /** @type {number} */ column) => {
    if (known.has(name)) return;
    const points = data.rows.map((/** @type {any[]} */ r) => [number(r[at]), number(r[column])]);
    const told = points.filter((/** @type {[number, number]} */ p) => Number.isFinite(p[1]));
    if (told.length > 0) all.push([name, told]);
  });
  const rank = (/** @type {string} */ name) => (first.includes(name) ? first.indexOf(name) : 1e9);
  return all.sort((a, b) => rank(a[0]) - rank(b[0]));
}

/** @param {any} ctx @param {HTMLElement} host @param {string} t */
export function metricsPanel(ctx, host, t) {
  const { node, body } = panel("Metrics");
  host.appendChild(node);
  /** @type {Map<string, MetricChart>} */
  const charts = new Map();
  const place = h("div.charts", null);
  const said = h("p.quiet", null);
  const goals = (ctx.about.objectives || []).map((/** @type {any} */ x) => x.metric);
  follow(ctx, body, {
    every: 1500,
    fetch: () => get([...ctx.base, "trials", t, "results"], { points: 400 }, ctx.signal),
    empty: (data) => (data.rows.length === 0 ? "It has not reported yet." : null),
    show: (data, box) => {
      if (!place.parentNode) box.append(place, said);
      const all = metricsOf(data, goals);
      for (const [name, points] of all.slice(0, most)) {
        const chart = charts.get(name) || new MetricChart(name, ctx.signal);
        if (!charts.has(name)) place.appendChild(chart.box);
        charts.set(name, chart);
        chart.show(points);
      }
      said.textContent = all.length > most ? "and " + (all.length - most) + " more" : "";
    },
  });
}
