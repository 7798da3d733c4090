/** The metric over two parameters at once, as a map. */
import { shade } from "../chart/palette.js";
import { dot, Plot } from "../chart/plot.js";
import { grid, place as unitPlace } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, h } from "../core/dom.js";
import { figure, number, plain, trialName } from "../core/format.js";
import { choice, follow, legendItem, metricChoice, metricOf, modeOf, panel } from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";
import { isWhole, tableOf } from "../core/table_of.js";

const size = 44;
/** More points say nothing more, and make the map slow. */
const most = 600;

/** @param {any} ctx @param {{axes: any[], rows: any[]}} data @returns {[number, number]} the two axes */
function chosenAxes(ctx, data) {
  const many = data.axes.length - 1;
  const of = (/** @type {string} */ name) =>
    data.axes.findIndex((x, i) => i < many && x.name === name);
  const a = Math.max(0, of(here().a || ""));
  const b = of(here().b || "");
  return [a, b >= 0 && b !== a ? b : a === 0 ? 1 : 0];
}

/** The metric's ranks, so that one wild value does not make all others look the same. @param {any[]} rows @param {boolean} isMax */
function ranked(rows, isMax) {
  const order = rows
    .map((_, i) => i)
    .sort((x, y) => (isMax ? rows[x].metric - rows[y].metric : rows[y].metric - rows[x].metric));
  const rank = new Float64Array(rows.length);
  order.forEach((i, at) => (rank[i] = rows.length > 1 ? at / (rows.length - 1) : 1));
  return rank;
}

/** Places between 0 and 1 whose values are round. @param {any} axis @returns {number[] | undefined} */
function unitTicks(axis) {
  const { low, high, log, values } = axis;
  if (values || !(low < high)) return undefined;
  const all = log && low > 0 ? d3.scaleLog().domain([low, high]).ticks(6) : d3.ticks(low, high, 7);
  const isPower = (/** @type {number} */ x) => Math.abs(Math.log10(x) % 1) < 1e-9;
  const powers = log ? all.filter(isPower) : all;
  const round = powers.length > 1 ? powers : all;
  return (isWhole(axis) ? round.filter(Number.isInteger) : round).map((/** @type {number} */ x) =>
    unitPlace(axis, x),
  );
}

/** @param {any} axis @returns {import("../chart/plot.js").Axis} of places between 0 and 1, told as values */
function unitAxis(axis) {
  const label = plain(axis.name, 40);
  const value = (/** @type {number} */ u) => {
    if (u < 0 || u > 1) return "";
    if (axis.values) {
      const at = u * Math.max(1, axis.values.length - 1);
      return Math.abs(at - Math.round(at)) < 0.02 ? plain(axis.values[Math.round(at)], 12) : "";
    }
    return figure(
      axis.log && axis.low > 0
        ? Math.exp(Math.log(axis.low) * (1 - u) + Math.log(axis.high) * u)
        : axis.low + u * (axis.high - axis.low),
      2,
    );
  };
  return { label, domain: [0, 1], exact: true, format: value, ticks: unitTicks(axis) };
}

/** @param {any} ctx @param {Plot} plot @param {{axes: any[], rows: any[]}} data */
function drawMap(ctx, plot, data) {
  const [a, b] = chosenAxes(ctx, data);
  const metric = metricOf(ctx);
  const rows = data.rows
    .filter(
      (r) =>
        Number.isFinite(r.metric) && Number.isFinite(r.places[a]) && Number.isFinite(r.places[b]),
    )
    .slice(-most);
  const rank = ranked(rows, modeOf(ctx, metric) === "max");
  const cells = grid(
    rows.map((r, i) => [r.places[a], r.places[b], rank[i]]),
    size,
  );
  const bands = d3
    .contours()
    .size([size, size])
    .thresholds(d3.range(0, 1, 0.08))(Array.from(cells));
  plot.show({
    x: unitAxis(data.axes[a]),
    y: unitAxis(data.axes[b]),
    points: rows.map((r) => ({ x: r.places[a], y: r.places[b], row: r })),
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.row.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.row.trial)),
      h("div", null, plain(metric, 40) + " " + figure(p.row.metric, 6)),
      [a, b].map((i) =>
        h("div", null, plain(data.axes[i].name, 40) + " " + plain(p.row.values[i], 40)),
      ),
    ],
    summary: rows.length + " trials; the strongest colour is where the best lie",
    draw: (ctx2d) => {
      const { left, top, right, bottom } = plot.box;
      const project = d3.geoTransform({
        point(/** @type {number} */ x, /** @type {number} */ y) {
          this.stream.point(
            left + ((right - left) * (x - 0.5)) / (size - 1),
            bottom - ((bottom - top) * (y - 0.5)) / (size - 1),
          );
        },
      });
      const path = d3.geoPath(project, ctx2d);
      ctx2d.beginPath();
      ctx2d.rect(left, top, right - left, bottom - top);
      ctx2d.clip();
      for (const band of bands) {
        ctx2d.beginPath();
        path(band);
        ctx2d.fillStyle = shade(band.value);
        ctx2d.fill();
      }
      ctx2d.strokeStyle = css("--paper");
      ctx2d.fillStyle = css("--ink");
      for (const r of rows) {
        dot(ctx2d, plot.x(r.places[a]), plot.y(r.places[b]), 2.2);
        ctx2d.stroke();
      }
    },
  });
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let data = /** @type {any} */ (null);
  const place = h("div", null);
  const plot = new Plot(place, { label: "Contour", height: 480, left: 70, signal: ctx.signal });
  const redraw = () => data && drawMap(ctx, plot, data);
  const set = (/** @type {string} */ key) => (/** @type {string} */ value) => {
    adjust({ [key]: value });
    if (key === "metric") reload();
    else redraw();
  };
  const names = (ctx.about.parameters || []).map(
    (/** @type {any} */ x) => /** @type {[string, string]} */ ([x.name, x.name]),
  );
  const second = here().b || (names[1] || [""])[0];
  const tools = [
    metricChoice(ctx, set("metric")),
    choice("x", here().a || "", names, set("a")),
    choice("y", second, names, set("b")),
  ];
  const { node, body } = panel(
    "Contour",
    tools,
    "Ranks of the metric between the trials, the best strongest. Where there are few points, the map is a guess.",
  );
  host.appendChild(node);
  const reload = follow(ctx, body, {
    every: 6000,
    fetch: () => get([...ctx.base, "parallel"], { metric: metricOf(ctx), limit: 1000 }, ctx.signal),
    empty: (found) =>
      (found.lines || []).length < 3
        ? "Too few trials have a value yet."
        : (found.axes || []).length < 2
          ? "A map needs two parameters; this experiment has fewer."
          : null,
    show: (found, box) => {
      if (!place.parentNode)
        box.append(place, h("p.legend", null, legendItem("ramp", "", "worse to better")));
      data = tableOf(found, metricOf(ctx));
      redraw();
    },
  });
}
