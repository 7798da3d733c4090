/** All parameters side by side, one line per trial; brushes leave what lies within them. */
import { shade } from "../chart/palette.js";
import { cut, sized } from "../chart/plot.js";
import { get } from "../core/api.js";
import { css, fill, h, onceAFrame } from "../core/dom.js";
import { count, figure, plain, tick } from "../core/format.js";
import { follow, metricChoice, metricOf, modeOf, panel, table, trialLink } from "../core/parts.js";
import { adjust, here } from "../core/route.js";
import { brushesOf, brushText, isWhole, ranksOf, tableOf, within } from "../core/table_of.js";

const margin = { top: 34, bottom: 26, side: 52 };

class Parallel {
  /** @param {any} ctx @param {HTMLElement} host @param {(rows: any[]) => void} onRows */
  constructor(ctx, host, onRows) {
    this.ctx = ctx;
    this.onRows = onRows;
    this.back = h("canvas", { "aria-hidden": "true" });
    this.front = h("canvas", { "aria-hidden": "true" });
    this.frame = h(
      "div.plot.parallel",
      { role: "img", "aria-label": "Parallel coordinates" },
      this.back,
      this.front,
    );
    this.svg = d3.select(this.frame).append("svg").attr("aria-hidden", "true");
    host.appendChild(
      h(
        "div.scroll",
        { tabindex: "0", role: "group", "aria-label": "Parallel coordinates" },
        this.frame,
      ),
    );
    /** @type {Array<[number, number] | null>} */
    this.brushes = [];
    this.rank = new Float64Array(0);
    /** @type {number[]} */
    this.order = [];
    /** @type {Path2D[]} */
    this.paths = [];
    /** @type {string[]} */
    this.colours = [];
    this.width = this.height = 0;
    this.data = { axes: /** @type {any[]} */ ([]), rows: /** @type {any[]} */ ([]) };
    this.ask = onceAFrame(() => this.draw());
    this.light = onceAFrame(() => this.drawFront());
    const sizes = new ResizeObserver(this.ask);
    sizes.observe(host);
    addEventListener("themechange", this.ask);
    addEventListener("drawnow", () => this.draw(), { signal: ctx.signal });
    ctx.signal.addEventListener("abort", () => {
      sizes.disconnect();
      removeEventListener("themechange", this.ask);
    });
  }

  /** @param {any} answer */
  show(answer) {
    const metric = metricOf(this.ctx);
    this.data = tableOf(answer, metric);
    this.brushes = brushesOf(here().brush, this.data.axes);
    const isMax = modeOf(this.ctx, metric) === "max";
    /** How good each is among all, from 0 to 1. */
    this.rank = ranksOf(
      this.data.rows.map((r) => r.metric),
      isMax,
    );
    this.order = [...this.data.rows.keys()].sort((a, b) => this.rank[a] - this.rank[b]);
    this.ask();
  }

  draw() {
    const many = this.data.axes.length;
    // Of a view that was left, nothing has a height.
    if (many === 0 || this.frame.clientHeight === 0) return;
    const room = this.frame.parentElement.clientWidth;
    // Paper does not scroll.
    const isPaper = document.documentElement.classList.contains("printing");
    this.width = isPaper ? room : Math.max(room, many * 84);
    this.height = this.frame.clientHeight;
    this.frame.style.setProperty("width", this.width + "px");
    this.paths = this.data.rows.map((r) => this.path(r));
    this.drawAxes();
    const ctx = sized(this.back, this.width, this.height);
    ctx.strokeStyle = css("--faint");
    ctx.lineWidth = 1;
    ctx.globalAlpha = this.data.rows.length > 500 ? 0.35 : 0.7;
    for (const path of this.paths) ctx.stroke(path);
    this.drawFront();
  }

  /** @param {number} i an axis @returns {number} */
  x(i) {
    const many = this.data.axes.length;
    return many === 1
      ? this.width / 2
      : margin.side + (i * (this.width - 2 * margin.side)) / (many - 1);
  }

  /** @param {number} place @returns {number} */
  y(place) {
    return this.height - margin.bottom - place * (this.height - margin.top - margin.bottom);
  }

  /** @param {any} row @returns {Path2D} */
  path(row) {
    const path = new Path2D();
    let isDown = false;
    row.places.forEach((/** @type {number} */ place, /** @type {number} */ i) => {
      if (!Number.isFinite(place)) return;
      if (isDown) path.lineTo(this.x(i), this.y(place));
      else path.moveTo(this.x(i), this.y(place));
      isDown = true;
    });
    return path;
  }

  drawFront() {
    const ctx = sized(this.front, this.width, this.height);
    const chosen = new Set(within(this.data.rows, this.brushes));
    ctx.lineWidth = chosen.size > 300 ? 1 : 1.4;
    ctx.globalAlpha = chosen.size > 800 ? 0.25 : chosen.size > 200 ? 0.5 : 0.85;
    for (const i of this.order) {
      if (!chosen.has(i)) continue;
      ctx.strokeStyle = this.colours[Math.round(this.rank[i] * 31)];
      ctx.stroke(this.paths[i]);
    }
    this.onRows(
      [...this.order]
        .reverse()
        .filter((i) => chosen.has(i))
        .map((i) => this.data.rows[i]),
    );
  }

  drawAxes() {
    this.colours = Array.from({ length: 32 }, (_, i) => shade(i / 31));
    this.svg.attr("width", this.width).attr("height", this.height);
    this.svg.selectAll("*").remove();
    this.data.axes.forEach((axis, i) => this.drawAxis(axis, i));
  }

  /** @param {any} axis @param {number} i */
  drawAxis(axis, i) {
    const [top, bottom] = [this.y(1), this.y(0)];
    const g = this.svg
      .append("g")
      .attr("class", "axis upright")
      .attr("transform", "translate(" + this.x(i) + ",0)");
    const scale = scaleOfAxis(axis, [bottom, top]);
    const made = d3.axisLeft(scale.scale).tickSize(4);
    const { names } = scale;
    if (names)
      made
        .tickValues(names.map((_, at) => at))
        .tickFormat((/** @type {number} */ at) => cut(plain(names[at], 30), 10));
    else if (axis.log && axis.low > 0) made.ticks(4, tick);
    else
      made
        .ticks(5)
        .tickFormat((/** @type {number} */ x) =>
          isWhole(axis) && !Number.isInteger(x) ? "" : tick(x),
        );
    g.call(made);
    g.append("text")
      .attr("class", axis.isMetric ? "title metric" : "title")
      .attr("y", 14)
      .attr("text-anchor", "middle")
      .text(cut(plain(axis.name, 60), Math.max(12, Math.floor((this.x(1) - this.x(0)) / 9))))
      .append("title")
      .text(plain(axis.name, 200));
    const brush = d3.brushY().extent([
      [-12, top],
      [12, bottom],
    ]);
    const hold = g.append("g").attr("class", "brush").call(brush);
    const kept = this.brushes[i];
    if (kept) hold.call(brush.move, [this.y(Math.max(...kept)), this.y(Math.min(...kept))]);
    brush.on("brush end", () => this.brushed(i, d3.event));
  }

  /** @param {number} i @param {any} event */
  brushed(i, event) {
    if (!event.sourceEvent) return;
    const [top, bottom] = [this.y(1), this.y(0)];
    // As exact as the address tells it, so that a link keeps the same trials.
    const place = (/** @type {number} */ y) =>
      Number(Math.min(1, Math.max(0, (bottom - y) / (bottom - top))).toFixed(4));
    this.brushes[i] = event.selection
      ? [place(event.selection[1]), place(event.selection[0])]
      : null;
    if (event.type === "end") adjust({ brush: brushText(this.brushes, this.data.axes) });
    this.light();
  }

  clear() {
    this.brushes = this.brushes.map(() => null);
    adjust({ brush: "" });
    this.draw();
  }
}

/** @param {any} axis @param {[number, number]} range @returns {{scale: any, names: any[] | null}} */
function scaleOfAxis(axis, range) {
  if (axis.values) {
    const last = Math.max(1, axis.values.length - 1);
    const domain = axis.values.length === 1 ? [-0.5, 0.5] : [0, last];
    return { scale: d3.scaleLinear().domain(domain).range(range), names: axis.values };
  }
  if (axis.low === axis.high)
    return {
      scale: d3
        .scaleLinear()
        .domain([axis.low - 1, axis.high + 1])
        .range(range),
      names: null,
    };
  const scale = axis.log && axis.low > 0 ? d3.scaleLog() : d3.scaleLinear();
  return { scale: scale.domain([axis.low, axis.high]).range(range), names: null };
}

/** @param {any} ctx @param {HTMLElement} host @param {Parallel} chart */
function rowsPanel(ctx, host, chart) {
  const { node, body } = panel("Within the brushes");
  host.appendChild(node);
  let timer = 0;
  return (/** @type {any[]} */ rows) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const axes = chart.data.axes;
      const cell = (/** @type {any} */ v) => 
        v === null ? "" : typeof v === "number" ? figure(v) : plain(v, 40);
      const lines = rows
        .slice(0, 20)
        .map((r) => [trialLink(ctx, r.trial), cell(r.metric), ...r.values.slice(0, -1).map(cell)]);
      const last = axes[axes.length - 1];
      fill(
        body,
        h(
          "p.quiet",
          null,
          count(rows.length) +
            " of " +
            count(chart.data.rows.length) +
            " trials" +
            (rows.length > 20 ? "; the best 20:" : ""),
        ),
        lines.length > 0
          ? table(
              [
                "Trial",
                (last ? last.name : "") + "#",
                ...axes.slice(0, -1).map((x) => x.name + "#"),
              ],
              lines,
              "Trials within the brushes",
            )
          : h("p.empty", null, "None lies within all brushes."),
      );
    }, 150);
  };
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let onRows = (/** @type {any[]} */ _) => {};
  const place = h("div", null);
  const chart = new Parallel(ctx, place, (rows) => onRows(rows));
  const tools = [
    metricChoice(ctx, (metric) => {
      adjust({ metric, brush: "" });
      reload();
    }),
    h("button", { type: "button", onclick: () => chart.clear() }, "Clear brushes"),
  ];
  const { node, body } = panel(
    "Parallel coordinates",
    tools,
    "Drag along an axis to keep what lies there; click beside the brush to lift it. The best trials are the strongest.",
  );
  host.appendChild(node);
  onRows = rowsPanel(ctx, host, chart);
  let shown = "";
  const reload = follow(ctx, body, {
    every: 4000,
    fetch: () => get([...ctx.base, "parallel"], { metric: metricOf(ctx), limit: 2000 }, ctx.signal),
    empty: (data) => ((data.lines || []).length === 0 ? "No trial has a value yet." : null),
    show: (data, box) => {
      if (!place.parentNode) box.append(place);
      const key =
        JSON.stringify(data.lines).length +
        metricOf(ctx) +
        JSON.stringify(data.lines[data.lines.length - 1]);
      if (key === shown) return;
      shown = key;
      chart.show(data);
    },
  });
}
