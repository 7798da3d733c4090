/** Who was cut at which rung, against which cutoff, and what that saved. */
import { hue } from "../chart/palette.js";
import { cross, dot, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import { count, duration, figure, number, percent, plain, trialName } from "../core/format.js";
import { follow, panel, table, tile, toggle } from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";

/** A place within [-0.5, 0.5] that is always the same for a trial. @param {any} trial */
export function jitter(trial) {
  let x = (number(trial) || 0) + 1;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return ((x ^ (x >>> 16)) >>> 0) / 4294967296 - 0.5;
}

/** @param {any} ctx @param {HTMLElement} host @param {any} bracket */
function drawBracket(ctx, host, bracket) {
  const rungs = bracket.rungs || [];
  const plot = new Plot(host, { label: "Values at the rungs of bracket " + bracket.bracket, height: 300, signal: ctx.signal });
  const points = rungs.flatMap((/** @type {any} */ rung, /** @type {number} */ i) => (rung.values || []).map((/** @type {any[]} */ v) => ({ trial: v[0], x: i + 0.7 * jitter(v[0]), y: number(v[1]), wentOn: v[2], at: rung.at })));
  const ys = points.map((/** @type {any} */ p) => p.y).concat(rungs.map((/** @type {any} */ r) => number(r.cutoff)));
  plot.show({
    x: { label: "iterations of the rung", names: rungs.map((/** @type {any} */ r) => figure(r.at)) },
    y: { label: ctx.about.metric || "value", domain: here().all === "1" ? extent(ys) : calmExtent(ys) },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.trial }),
    describe: (p) => [h("strong", null, "trial " + trialName(p.trial)), h("div", null, figure(p.y, 6) + " at " + figure(p.at)), h("div.quiet", null, p.wentOn === null ? "waits" : p.wentOn ? "went on" : "was stopped")],
    summary: rungs.map((/** @type {any} */ r) => r.stopped + " of " + r.entered + " stopped at " + r.at).join(", "),
    draw: (ctx2d) => {
      for (const p of points) {
        const [x, y] = [plot.x(p.x), plot.y(p.y)];
        ctx2d.fillStyle = ctx2d.strokeStyle = p.wentOn ? hue(0) : css("--cut");
        ctx2d.globalAlpha = 0.7;
        ctx2d.lineWidth = 1.3;
        if (p.wentOn === false) cross(ctx2d, x, y, 2.6);
        else dot(ctx2d, x, y, 2.6);
      }
      ctx2d.globalAlpha = 1;
      ctx2d.strokeStyle = css("--ink");
      ctx2d.lineWidth = 2;
      rungs.forEach((/** @type {any} */ rung, /** @type {number} */ i) => {
        const y = plot.y(number(rung.cutoff));
        if (!Number.isFinite(y)) return;
        ctx2d.beginPath();
        ctx2d.moveTo(plot.x(i - 0.42), y);
        ctx2d.lineTo(plot.x(i + 0.42), y);
        ctx2d.stroke();
      });
    },
  });
}

/** @param {any} rung */
function rungRow(rung) {
  const part = number(rung.went_on) / Math.max(1, number(rung.entered));
  const bar = h("span.bar", { role: "img", "aria-label": percent(part) + " went on" }, h("i", { style: { width: 100 * (part || 0) + "%" } }));
  return [figure(rung.at), rung.cutoff === null ? "–" : figure(rung.cutoff, 5), count(rung.entered), count(rung.went_on), count(rung.stopped), bar];
}

/** @param {any} cost */
function costTiles(cost) {
  const [spent, without] = [number(cost.spent_s), number(cost.without_stopping_s)];
  const [done, all] = [number(cost.iterations), number(cost.iterations_without)];
  return h("section.tiles", { "aria-label": "Cost" }, h("dl", null, tile("Training time spent", duration(spent)), tile("Without stopping", Number.isFinite(without) ? "≈ " + duration(without) : "–", "estimated"), tile("Saved", Number.isFinite(without) && without > 0 ? percent(1 - spent / without) : "–"), tile("Iterations", count(done), Number.isFinite(all) ? "of " + count(all) + " without stopping" : null)));
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const top = h("div", null);
  const list = h("div.stack", null);
  host.append(top, list);
  let shown = "";
  let data = /** @type {any} */ (null);
  const drawAll = () => {
    const old = [...list.childNodes];
    for (const bracket of data.brackets) {
      const many = data.brackets.length > 1;
      const made = panel(many ? "Bracket " + plain(bracket.bracket, 20) : "Rungs", toggle("outliers", here().all === "1", (all) => {
        adjust({ all: all ? "1" : "" });
        drawAll();
      }), "Each mark is a trial that came to the rung; the line is the cutoff as it stands.");
      list.appendChild(made.node);
      drawBracket(ctx, made.body, bracket);
      made.body.append(h("p.legend", null, h("span.key.on", null, "●"), "went on", h("span.key.cut", null, "×"), "stopped"), table(["Iterations#", "Cutoff#", "Came#", "Went on#", "Stopped#", "Share that went on"], bracket.rungs.map(rungRow), "Rungs"));
    }
    old.forEach((x) => x.remove());
  };
  follow(ctx, top, {
    every: 2000,
    fetch: () => get([...ctx.base, "rungs"], {}, ctx.signal),
    empty: (found) => ((found.brackets || []).length === 0 ? "The scheduler of this experiment (" + plain(found.kind, 40) + ") has no rungs, or no trial came to one yet." : null),
    show: (found, place) => {
      fill(place, costTiles(found.cost || {}));
      const key = JSON.stringify(found.brackets);
      if (key === shown) return;
      shown = key;
      data = found;
      drawAll();
    },
  });
}
