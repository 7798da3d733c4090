/** Who was cut at which rung, against which cutoff, and what that saved. */
import { hue } from "../chart/palette.js";
import { cross, dot, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import { count, duration, figure, number, percent, plain, trialName } from "../core/format.js";
import { follow, legendItem, panel, table, tile, toggle, turns } from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";

/** A place within [-0.5, 0.5] that is always the same for a trial. @param {any} trial */
export function jitter(trial) {
  let x = (number(trial) || 0) + 1;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return ((x ^ (x >>> 16)) >>> 0) / 4294967296 - 0.5;
}

/**
 * The trials of a bracket, beside one another at each rung. `wentOn` is null while one waits.
 *
 * @param {any[]} rungs
 * @returns {any[]}
 */
const marksOf = (rungs) =>
  rungs.flatMap((rung, i) =>
    (rung.values || []).map((/** @type {any[]} */ v) => ({
      trial: v[0],
      x: i + 0.7 * jitter(v[0]),
      y: number(v[1]),
      wentOn: v[2],
      at: rung.at,
    })),
  );

/** @param {CanvasRenderingContext2D} ctx2d @param {Plot} plot @param {any[]} marks */
function drawMarks(ctx2d, plot, marks) {
  const [on, stopped, waits] = [hue(0), css("--cut"), css("--muted")];
  ctx2d.globalAlpha = 0.7;
  ctx2d.lineWidth = 1.3;
  for (const p of marks) {
    const [x, y] = [plot.x(p.x), plot.y(p.y)];
    ctx2d.fillStyle = ctx2d.strokeStyle = p.wentOn ? on : p.wentOn === false ? stopped : waits;
    if (p.wentOn === false) cross(ctx2d, x, y, 2.6);
    else dot(ctx2d, x, y, 2.6);
  }
  ctx2d.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx2d @param {Plot} plot @param {any[]} rungs */
function drawCutoffs(ctx2d, plot, rungs) {
  ctx2d.strokeStyle = css("--ink");
  ctx2d.lineWidth = 2;
  rungs.forEach((rung, i) => {
    const y = plot.y(number(rung.cutoff));
    if (!Number.isFinite(y)) return;
    ctx2d.beginPath();
    ctx2d.moveTo(plot.x(i - 0.42), y);
    ctx2d.lineTo(plot.x(i + 0.42), y);
    ctx2d.stroke();
  });
}

/** @param {any} p a mark */
const describe = (p) => [
  h("strong", null, "trial " + trialName(p.trial)),
  h("div", null, figure(p.y, 6) + " at " + figure(p.at)),
  h("div.quiet", null, p.wentOn ? "went on" : p.wentOn === false ? "was stopped" : "waits"),
];

/**
 * The name of a bracket among all; of HyperBand with its band where there are several. Pure.
 * @param {any} of @param {any[]} all @returns {string}
 */
export function bracketName(of, all) {
  if (all.length < 2) return "Rungs";
  const name = "Bracket " + plain(of.bracket, 20);
  return all.some((x) => x.band !== of.band) ? name + " of band " + plain(of.band, 20) : name;
}

/** @param {any} ctx @param {HTMLElement} host @param {any} bracket @param {string} title @param {AbortSignal} signal */
function drawBracket(ctx, host, bracket, title, signal) {
  const rungs = bracket.rungs || [];
  const label = title === "Rungs" ? "Values at the rungs" : title + ": values at its rungs";
  const plot = new Plot(host, { label, height: 300, signal });
  const points = marksOf(rungs);
  const cutoffs = rungs.map((/** @type {any} */ r) => number(r.cutoff));
  const ys = [...points.map((p) => p.y), ...cutoffs];
  const told = (/** @type {any} */ r) => r.stopped + " of " + r.entered + " stopped at " + r.at;
  const names = rungs.map((/** @type {any} */ r) => figure(r.at));
  const domain = here().all === "1" ? extent(ys) : calmExtent(ys);
  plot.show({
    x: { label: "iterations of the rung", names },
    y: { label: ctx.about.metric || "value", domain },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.trial }),
    describe,
    summary: rungs.map(told).join(", "),
    draw: (ctx2d) => {
      drawMarks(ctx2d, plot, points);
      drawCutoffs(ctx2d, plot, rungs);
    },
  });
}

/** @param {any} rung */
function rungRow(rung) {
  const part = number(rung.went_on) / Math.max(1, number(rung.entered));
  const bar = h(
    "span.bar",
    { role: "img", "aria-label": percent(part) + " went on" },
    h("i", { style: { width: 100 * (part || 0) + "%" } }),
  );
  return [
    figure(rung.at),
    rung.cutoff === null ? "–" : figure(rung.cutoff, 5),
    count(rung.entered),
    count(rung.went_on),
    count(rung.waits),
    count(rung.stopped),
    bar,
  ];
}

/** @param {any} cost */
function costTiles(cost) {
  const [spent, without] = [number(cost.spent_s), number(cost.without_stopping_s)];
  const [done, all] = [number(cost.iterations), number(cost.iterations_without)];
  return h(
    "section.tiles",
    { "aria-label": "Cost" },
    h(
      "dl",
      null,
      tile("Training time spent", duration(spent)),
      tile(
        "Without stopping",
        Number.isFinite(without) ? "≈ " + duration(without) : "–",
        "estimated",
      ),
      tile("Saved", Number.isFinite(without) && without > 0 ? percent(1 - spent / without) : "–"),
      tile(
        "Iterations",
        count(done),
        Number.isFinite(all) ? "of " + count(all) + " without stopping" : null,
      ),
    ),
  );
}

/** @param {any[]} rungs */
function legend(rungs) {
  const waits = rungs.some((x) => number(x.waits) > 0);
  return h(
    "p.legend",
    null,
    legendItem("on", "●", "went on"),
    legendItem("cut", "×", "stopped"),
    waits ? legendItem("", "●", "waits") : null,
  );
}

const heads = ["Iterations#", "Cutoff#", "Came#", "Went on#", "Wait#", "Stopped#", "Share that went on"];
const about = "Each mark is a trial that came to the rung; the line is the cutoff as it stands.";

/** @param {any} ctx @param {any[]} brackets @param {AbortSignal} signal @param {() => void} redraw @returns {HTMLElement[]} */
const panelsOf = (ctx, brackets, signal, redraw) =>
  brackets.map((bracket) => {
    const title = bracketName(bracket, brackets);
    const outliers = toggle("outliers", here().all === "1", (all) => {
      adjust({ all: all ? "1" : "" });
      redraw();
    });
    const { node, body } = panel(title, outliers, about);
    drawBracket(ctx, body, bracket, title, signal);
    body.append(legend(bracket.rungs), table(heads, bracket.rungs.map(rungRow), title));
    return node;
  });

/** @param {any} found */
function emptyText(found) {
  const isReached = (/** @type {any} */ rung) => number(rung.entered) > 0;
  if ((found.brackets || []).some((/** @type {any} */ b) => b.rungs.some(isReached))) return null;
  const kind = plain(found.kind, 40);
  return (
    "The scheduler of this experiment (" + kind + ") has no rungs, or no trial came to one yet."
  );
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const top = h("div", null);
  const list = h("div.stack", null);
  host.append(top, list);
  let shown = "";
  let brackets = /** @type {any[]} */ ([]);
  const turn = turns(ctx.signal);
  const redraw = () => fill(list, panelsOf(ctx, brackets, turn(), redraw));
  follow(ctx, top, {
    every: 2000,
    fetch: () => get([...ctx.base, "rungs"], {}, ctx.signal),
    empty: emptyText,
    show: (found, place) => {
      fill(place, costTiles(found.cost || {}));
      const key = JSON.stringify(found.brackets);
      if (key === shown) return;
      shown = key;
      brackets = found.brackets;
      redraw();
    },
  });
}
