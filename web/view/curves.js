/** Learning curves of many trials, and where each was stopped. */
import { hue, shade, statusColour } from "../chart/palette.js";
import { bar, cross, dot, ink, line, Plot } from "../chart/plot.js";
import { calmExtent, extent, lasting, smooth } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import {
  duration,
  figure,
  number,
  parameterNames,
  parameterOf,
  plain,
  trialName,
} from "../core/format.js";
import {
  choice,
  follow,
  legendItem,
  link,
  metricChoice,
  metricOf,
  modeOf,
  panel,
  table,
  toggle,
  trialLink,
} from "../core/parts.js";
import { adjust, go, here, split } from "../core/route.js";
import { isStored } from "../core/stored.js";

/** @typedef {{trial: any, status: string, stopped: number | null, cutOff: number | null, points: Array<[number, number]>}} Curve */

/** @param {any} x */
const place = (x) => (x === null || x === undefined ? null : number(x));

/** @param {any} x @returns {Curve} of the answer to …/curves */
const ofCurves = (x) => ({
  trial: x.trial,
  status: x.status,
  stopped: place(x.stopped_at),
  cutOff: place(x.cut_off_at),
  points: (x.points || []).map((/** @type {any[]} */ p) => [number(p[0]), number(p[1])]),
});

/** The column of x in the rows of a trial's results. @type {Record<string, string>} */
const columnOf = { iteration: "training_iteration", time: "t", cost: "time_total_s" };

/** @param {any} ctx @param {string} trial @param {string} metric @returns {Promise<Curve>} */
async function ofTrial(ctx, trial, metric) {
  const [row, results] = await Promise.all([
    get([...ctx.base, "trials", trial], {}, ctx.signal),
    get([...ctx.base, "trials", trial, "results"], { metric, points: 400 }, ctx.signal),
  ]);
  const x = results.columns.indexOf(columnOf[here().x || "iteration"] || "training_iteration");
  const y = results.columns.indexOf(metric);
  const at = results.columns.indexOf("training_iteration");
  const rows = lasting(results.rows, (/** @type {any[]} */ r) => number(r[at]));
  const points = rows.map((r) => /** @type {[number, number]} */ ([number(r[x]), number(r[y])]));
  return { trial: row.trial, status: row.status, stopped: null, cutOff: null, points };
}

/** @param {any} ctx @returns {Promise<{curves: Curve[], total: number}>} */
async function fetchCurves(ctx) {
  const { which, x, many, pick } = here();
  const metric = metricOf(ctx);
  const picked = split(pick).slice(0, 20);
  if (picked.length > 0)
    return {
      curves: await Promise.all(picked.map((t) => ofTrial(ctx, t, metric))),
      total: picked.length,
    };
  const found = await get(
    [...ctx.base, "curves"],
    { metric, trials: many || 100, points: 200, x: x || "iteration", which: which || "best" },
    ctx.signal,
  );
  return { curves: found.curves.map(ofCurves), total: found.total };
}

/** The best value of each curve, as a rank between 0 and 1, 1 the best. @param {Curve[]} curves @param {string} mode */
export function ranks(curves, mode) {
  const bests = curves.map((c) => {
    const [low, high] = extent(c.points.map((p) => p[1]));
    return c.points.some((p) => Number.isFinite(p[1])) ? (mode === "max" ? high : -low) : -Infinity;
  });
  const order = bests.map((_, i) => i).sort((a, b) => bests[a] - bests[b]);
  const result = new Array(curves.length).fill(0);
  order.forEach((i, at) => (result[i] = curves.length === 1 ? 1 : at / (curves.length - 1)));
  return result;
}

/** @param {CanvasRenderingContext2D} ctx2d @param {Plot} plot @param {Curve[]} curves @param {(i: number) => string} colour @param {number[]} order */
function drawCurves(ctx2d, plot, curves, colour, order) {
  const isMany = curves.length > 60;
  for (const i of order) {
    const curve = curves[i];
    ctx2d.strokeStyle = ctx2d.fillStyle = colour(i);
    ctx2d.lineWidth = isMany ? 1 : 1.6;
    ctx2d.globalAlpha = isMany ? 0.65 : 0.9;
    line(ctx2d, plot, curve.points);
    const last = curve.points[curve.points.length - 1];
    if (!last) continue;
    const [x, y] = [plot.x(last[0]), plot.y(last[1])];
    ctx2d.globalAlpha = 1;
    if (curve.stopped !== null) {
      ctx2d.strokeStyle = css("--cut");
      ctx2d.lineWidth = 1.4;
      cross(ctx2d, x, y);
    } else if (curve.cutOff !== null) {
      ctx2d.strokeStyle = ink();
      ctx2d.lineWidth = 1.6;
      bar(ctx2d, x, y);
    } else if (curve.status === "ERRORED") {
      ctx2d.strokeStyle = css("--bad");
      ctx2d.lineWidth = 2;
      cross(ctx2d, x, y, 4);
    } else if (curve.status === "RUNNING") {
      ctx2d.fillStyle = statusColour("RUNNING");
      dot(ctx2d, x, y, 2.5);
    }
  }
  ctx2d.globalAlpha = 1;
}

/** How a curve came to its end, where that was not its own. Pure. @param {Curve} curve @returns {string} */
export const endText = (curve) =>
  curve.stopped !== null
    ? ", stopped by the scheduler at " + figure(curve.stopped)
    : curve.cutOff !== null
      ? ", ended from outside at " + figure(curve.cutOff)
      : "";

/** @param {any} ctx @param {Plot} plot @param {{curves: Curve[], total: number}} data */
function show(ctx, plot, data) {
  const { logx, logy, smoothing, x, all, pick } = here();
  const metric = metricOf(ctx);
  const weight = number(smoothing || 0) || 0;
  const curves = data.curves.map((c) => ({ ...c, points: smooth(c.points, weight) }));
  const points = curves.flatMap((c, i) => c.points.map(([px, py]) => ({ x: px, y: py, at: i })));
  const ys = points.map((p) => p.y);
  const rank = ranks(curves, modeOf(ctx, metric));
  const order = rank.map((_, i) => i).sort((a, b) => rank[a] - rank[b]);
  const colour = (/** @type {number} */ i) => (pick ? hue(i) : shade(rank[i]));
  const isClock = x === "time" || x === "cost";
  plot.show({
    x: {
      label: isClock
        ? x === "cost"
          ? "training time of the trial"
          : "time of the experiment"
        : "iteration",
      domain: extent(points.map((p) => p.x)),
      log: logx === "1",
      time: isClock,
    },
    y: {
      label: metric,
      // Whoever chose trials wants to see each of them.
      domain: all === "1" || logy === "1" || pick ? extent(ys) : calmExtent(ys),
      log: logy === "1",
    },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: curves[p.at].trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(curves[p.at].trial)),
      h("div", null, figure(p.y, 6) + " at " + (isClock ? duration(p.x) : figure(p.x))),
      h(
        "div.quiet",
        null,
        plain(String(curves[p.at].status).toLowerCase(), 20) + endText(curves[p.at]),
      ),
    ],
    summary:
      curves.length +
      " of " +
      data.total +
      " trials, " +
      curves.filter((c) => c.stopped !== null).length +
      " were stopped by the scheduler, " +
      curves.filter((c) => c.cutOff !== null).length +
      " ended from outside",
    draw: (ctx2d) => drawCurves(ctx2d, plot, curves, colour, order),
  });
}

/** @param {any} ctx @param {() => void} redraw @param {() => void} reload */
function tools(ctx, redraw, reload) {
  const set =
    (/** @type {string} */ key, /** @type {() => void} */ act) => (/** @type {any} */ value) => {
      adjust({ [key]: value === true ? "1" : value });
      act();
    };
  const now = here();
  const slider = h("input", {
    type: "range",
    min: "0",
    max: "0.95",
    step: "0.05",
    value: now.smoothing || "0",
    "aria-label": "Smoothing",
  });
  slider.addEventListener("input", () =>
    set("smoothing", redraw)(slider.value === "0" ? "" : slider.value),
  );
  return [
    metricChoice(ctx, set("metric", reload)),
    now.pick && link({ e: ctx.route.e, view: "curves", metric: now.metric }, "all trials"),
    // A report holds one choice of trials.
    now.pick || isStored()
      ? null
      : [
          choice(
            "Which",
            now.which || "best",
            [
              ["best", "best"],
              ["recent", "most recent"],
              ["spread", "spread"],
            ],
            set("which", reload),
          ),
          choice(
            "Trials",
            now.many || "100",
            ["20", "50", "100", "200", "500"].map((x) => /** @type {[string, string]} */ ([x, x])),
            set("many", reload),
          ),
        ],
    choice(
      "x",
      now.x || "iteration",
      [
        ["iteration", "iteration"],
        ["time", "time"],
        ["cost", "cost"],
      ],
      set("x", reload),
    ),
    h("label.field", null, h("span", null, "Smoothing"), slider),
    toggle("log x", now.logx === "1", set("logx", redraw)),
    toggle("log y", now.logy === "1", set("logy", redraw)),
    now.pick ? null : toggle("outliers", now.all === "1", set("all", redraw)),
  ];
}

/** Configurations side by side: what differs stands out. @param {any} ctx @param {HTMLElement} host @param {string[]} picked */
function comparison(ctx, host, picked) {
  const { node, body } = panel("Compared configurations");
  host.appendChild(node);
  follow(ctx, body, {
    still: true,
    fetch: () => Promise.all(picked.map((t) => get([...ctx.base, "trials", t], {}, ctx.signal))),
    show: (/** @type {any[]} */ rows, place) => {
      const known = (ctx.about.parameters || []).map((/** @type {any} */ x) => x.name);
      const names = [...new Set(rows.flatMap((x) => parameterNames(x.config, known)))];
      const lines = names.map((name) => {
        const values = rows.map((x) => plain(parameterOf(x.config, name), 60));
        const isSame = new Set(values).size === 1;
        return [
          h(isSame ? "span.quiet" : "strong", null, plain(name, 60)),
          ...values.map((x) => h(isSame ? "span.quiet" : "span", null, x)),
        ];
      });
      const heads = ["Parameter", ...rows.map(() => "Trial#")];
      const swatch = (/** @type {number} */ i) =>
        h("span.swatch", { style: { background: "var(--hue-" + (i % 8) + ")" } });
      const links = ["", ...rows.map((x, i) => [swatch(i), " ", trialLink(ctx, x.trial)])];
      fill(place, table(heads, [links, ...lines], "Compared configurations"));
    },
  });
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let data = /** @type {any} */ (null);
  const picked = split(here().pick).slice(0, 20);
  const redraw = () => data && show(ctx, plot, data);
  const legend = h(
    "p.legend",
    null,
    picked.length > 0
      ? null
      : [
          legendItem("ramp", "", "rank, the best is strongest"),
          legendItem("cut", "×", "stopped by the scheduler"),
          legendItem("", "|", "ended from outside"),
        ],
    legendItem("bad", "×", "failed"),
    legendItem("run", "●", "runs"),
  );
  const { node, body } = panel(
    picked.length > 0 ? "Compared trials" : "Learning curves",
    tools(ctx, redraw, () => reload()),
  );
  host.appendChild(node);
  const place = h("div", null);
  const said = h("p.quiet", null);
  const plot = new Plot(place, { label: "Learning curves", height: 440, signal: ctx.signal });
  const reload = follow(ctx, body, {
    every: 2000,
    fetch: () => fetchCurves(ctx),
    empty: (found) =>
      found.curves.every((/** @type {Curve} */ c) => c.points.length === 0)
        ? "No trial has reported this metric yet."
        : null,
    show: (found, box) => {
      if (!place.parentNode) box.append(place, legend, said);
      data = found;
      fill(said, found.curves.length + " of " + figure(found.total) + " trials");
      redraw();
    },
  });
  if (picked.length > 0) comparison(ctx, host, picked);
}
