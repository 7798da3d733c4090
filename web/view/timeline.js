/** When each attempt ran, and where. */
import { endColour } from "../chart/palette.js";
import { Plot } from "../chart/plot.js";
import { lanes } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, h } from "../core/dom.js";
import { count, duration, number, plain, trialName } from "../core/format.js";
import { follow, legendItem, panel } from "../core/parts.js";
import { go, here } from "../core/route.js";

/** Attempts as bars in lanes below their nodes. @param {any} data @param {number} end of those that run */
export function layout(data, end) {
  const names = [
    ...new Set([
      ...(data.nodes || []).map((/** @type {any} */ x) => String(x.node)),
      ...data.attempts.map((/** @type {any} */ x) => String(x.node)),
    ]),
  ].sort();
  /** @type {any[]} */
  const bars = [];
  /** @type {Array<{name: string, from: number, to: number}>} */
  const groups = [];
  /** The first lane: a name stands above each group. */
  let row = 0.9;
  for (const name of names) {
    const own = data.attempts.filter((/** @type {any} */ x) => String(x.node) === name);
    const spans = own.map((/** @type {any} */ x) => ({
      from: number(x.started),
      to: x.ended === null ? Math.max(end, number(x.started)) : number(x.ended),
    }));
    const lane = lanes(spans);
    const many = Math.max(1, ...lane.map((x) => x + 1));
    own.forEach((/** @type {any} */ x, /** @type {number} */ i) =>
      bars.push({ attempt: x, ...spans[i], row: row + lane[i] }),
    );
    groups.push({ name, from: row, to: row + many });
    row += many + 1.1;
  }
  return { bars, groups, rows: Math.max(1.9, row - 1.1) };
}

/** @param {CanvasRenderingContext2D} ctx2d @param {Plot} plot @param {any} drawn @param {any[]} down */
function drawBars(ctx2d, plot, drawn, down) {
  const height = Math.max(1, Math.abs(plot.y(1) - plot.y(0)));
  const thick = Math.max(1, height - (height > 5 ? 2 : 0));
  for (const x of down || []) {
    const group = drawn.groups.find((/** @type {any} */ g) => g.name === String(x.node));
    if (!group) continue;
    const from = plot.x(number(x.from));
    const to = x.to === null ? plot.box.right : plot.x(number(x.to));
    ctx2d.fillStyle = css("--lost");
    ctx2d.globalAlpha = 0.18;
    ctx2d.fillRect(
      from,
      plot.y(group.from),
      Math.max(2, to - from),
      plot.y(group.to) - plot.y(group.from),
    );
    ctx2d.globalAlpha = 1;
  }
  for (const bar of drawn.bars) {
    const x = plot.x(bar.from);
    ctx2d.fillStyle = endColour(bar.attempt.end_class);
    ctx2d.fillRect(x, plot.y(bar.row) + 1, Math.max(1.2, plot.x(bar.to) - x - 0.6), thick);
  }
}

/** @param {any} ctx @param {Plot} plot @param {any} data */
export function show(ctx, plot, data) {
  const end = Math.max(
    number(ctx.about.elapsed_s) || 0,
    ...data.attempts.map((/** @type {any} */ x) => number(x.ended ?? x.started) || 0),
  );
  const drawn = layout(data, end);
  plot.frame.style.setProperty(
    "height",
    Math.max(110, Math.min(1200, 60 + drawn.rows * 16)) + "px",
  );
  plot.show({
    x: { label: "time", domain: [0, end || 1], exact: true, time: true },
    y: { label: "", domain: [drawn.rows, 0], exact: true, hidden: true },
    points: drawn.bars.map((b) => ({ x: (b.from + b.to) / 2, y: b.row + 0.5, bar: b })),
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.bar.attempt.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.bar.attempt.trial)),
      h("div", null, plain(p.bar.attempt.node, 40) + ", " + duration(p.bar.to - p.bar.from)),
      h("div.quiet", null, plain(String(p.bar.attempt.end_class || "runs").replace(/_/g, " "), 30)),
    ],
    summary: drawn.bars.length + " attempts on " + drawn.groups.length + " nodes",
    draw: (ctx2d) => {
      drawBars(ctx2d, plot, drawn, data.down);
      ctx2d.fillStyle = css("--ink");
      ctx2d.font = "600 11px system-ui, sans-serif";
      for (const g of drawn.groups)
        ctx2d.fillText(plain(g.name, 30), plot.box.left + 4, plot.y(g.from) - 3);
    },
  });
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel(
    "Timeline",
    null,
    "Each bar is an attempt: a run of a trial from one starting point on one node. Shaded: the node was away.",
  );
  host.appendChild(node);
  const place = h("div", null);
  const plot = new Plot(place, { label: "Timeline of attempts", left: 14, signal: ctx.signal });
  const legend = h(
    "p.legend",
    null,
    [
      ["done", "finished"],
      ["cut", "stopped"],
      ["paused", "paused"],
      ["run", "runs"],
      ["lost", "node lost"],
      ["bad", "failed"],
    ].map(([key, text]) => legendItem(key, "■", text)),
  );
  const said = h("p.quiet", null);
  follow(ctx, body, {
    every: 2000,
    fetch: () => get([...ctx.base, "timeline"], { limit: 5000 }, ctx.signal),
    empty: (data) => (data.attempts.length === 0 ? "No trial has run yet." : null),
    show: (data, box) => {
      if (!place.parentNode) box.append(place, legend, said);
      const only = here().n;
      const shown = only
        ? {
            ...data,
            nodes: data.nodes.filter((/** @type {any} */ x) => x.node === only),
            attempts: data.attempts.filter((/** @type {any} */ x) => x.node === only),
          }
        : data;
      said.textContent = data.sampled
        ? count(data.attempts.length) + " of " + count(data.total) + " attempts, evenly chosen"
        : "";
      show(ctx, plot, shown);
    },
  });
}
