/** The metric over one parameter after the other. */
import { shade } from "../chart/palette.js";
import { cross, dot, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import { figure, number, plain, trialName } from "../core/format.js";
import {
  choice,
  follow,
  legendItem,
  metricChoice,
  metricOf,
  panel,
  toggle,
  turns,
} from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";
import { isWhole, tableOf } from "../core/table_of.js";
import { jitter } from "./rungs.js";

/** @param {any} ctx @param {HTMLElement} host @param {{axes: any[], rows: any[]}} data @param {number} at @param {number} height */
function drawSlice(ctx, host, data, at, height) {
  const axis = data.axes[at];
  const metric = metricOf(ctx);
  const box = h("figure", null, h("figcaption", null, plain(axis.name, 60)));
  host.appendChild(box);
  const plot = new Plot(box, { label: metric + " over " + axis.name, height, signal: ctx.signal });
  const newest = Math.max(1, ...data.rows.map((r) => number(r.trial) || 0));
  const many = axis.values ? axis.values.length : 0;
  const xOf = (/** @type {any} */ r) =>
    axis.values
      ? (many === 1 ? 0 : r.places[at] * (many - 1)) + 0.5 * jitter(r.trial)
      : number(r.values[at]);
  const points = data.rows.map((r) => ({ x: xOf(r), y: r.metric, row: r }));
  const ys = points.map((p) => p.y);
  plot.show({
    x: axis.values
      ? {
          label: plain(axis.name, 40),
          names: axis.values.map((/** @type {any} */ v) => plain(v, 30)),
        }
      : {
          label: plain(axis.name, 40),
          domain: extent(points.map((p) => p.x)),
          log: axis.log,
          whole: isWhole(axis),
        },
    y: {
      label: plain(metric, 40),
      domain: here().all === "1" ? extent(ys) : calmExtent(ys),
      log: here().logy === "1",
    },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.row.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.row.trial)),
      h("div", null, plain(metric, 40) + " " + figure(p.y, 6)),
      h("div", null, plain(axis.name, 40) + " " + plain(p.row.values[at], 40)),
    ],
    summary: points.length + " trials",
    draw: (ctx2d) => {
      const colours = Array.from({ length: 16 }, (_, i) => shade(i / 15));
      ctx2d.globalAlpha = points.length > 500 ? 0.55 : 0.8;
      for (const p of points) {
        ctx2d.fillStyle = colours[Math.round((15 * (number(p.row.trial) || 0)) / newest)];
        if (p.row.status === "ERRORED") {
          ctx2d.strokeStyle = css("--bad");
          cross(ctx2d, plot.x(p.x), plot.y(p.y), 3);
        } else dot(ctx2d, plot.x(p.x), plot.y(p.y), 2.6);
      }
    },
  });
}

/** One chart, or one for each parameter. @param {any} ctx @param {{axes: any[], rows: any[]}} data @param {AbortSignal} signal */
function slices(ctx, data, signal) {
  const chosen = data.axes.findIndex((x) => x.name === here().param && !x.isMetric);
  const charts = h(chosen >= 0 ? "div" : "div.charts.wide", null);
  data.axes.forEach((x, i) => {
    const isShown = !x.isMetric && (chosen < 0 || chosen === i);
    if (isShown)
      drawSlice({ ...ctx, about: ctx.about, signal }, charts, data, i, chosen >= 0 ? 440 : 220);
  });
  return [
    charts,
    h("p.legend", null, legendItem("ramp", "", "number of the trial, the latest are strongest")),
  ];
}

/** @param {any} found */
function emptyText(found) {
  if ((found.lines || []).length === 0) return "No trial has a value yet.";
  return (found.axes || []).length === 0 ? "This experiment has no parameters." : null;
}

/** @param {any} ctx @param {(key: string) => (value: any) => void} set */
function tools(ctx, set) {
  const names = (ctx.about.parameters || []).map((/** @type {any} */ x) => [x.name, x.name]);
  return [
    metricChoice(ctx, set("metric")),
    choice("Parameter", here().param || "", [["", "all"], ...names], set("param")),
    toggle("log y", here().logy === "1", set("logy")),
    toggle("outliers", here().all === "1", set("all")),
  ];
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let data = /** @type {any} */ (null);
  let shown = "";
  const place = h("div", null);
  const turn = turns(ctx.signal);
  const redraw = () => data && fill(place, slices(ctx, data, turn()));
  const set = (/** @type {string} */ key) => (/** @type {any} */ value) => {
    adjust({ [key]: value === true ? "1" : value });
    if (key === "metric") reload();
    else redraw();
  };
  const { node, body } = panel("Slice", tools(ctx, set));
  host.appendChild(node);
  const reload = follow(ctx, body, {
    every: 4000,
    fetch: () => get([...ctx.base, "parallel"], { metric: metricOf(ctx), limit: 2000 }, ctx.signal),
    empty: emptyText,
    show: (found, box) => {
      if (!place.parentNode) box.appendChild(place);
      const last = found.lines[found.lines.length - 1];
      const key = found.lines.length + metricOf(ctx) + JSON.stringify(last);
      if (key === shown) return;
      shown = key;
      data = tableOf(found, metricOf(ctx));
      redraw();
    },
  });
}
