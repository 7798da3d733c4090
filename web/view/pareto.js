/** Two objectives against one another, and the trials that none beats in all. */
import { hue } from "../chart/palette.js";
import { dot, line, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import { count, figure, number, plain, trialName } from "../core/format.js";
import { choice, follow, panel, table, toggle, trialLink } from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";

/** @param {any} data */
const pointsOf = (data) =>
  data.points.map((/** @type {any[]} */ p) => ({
    trial: p[0],
    values: p.slice(1, -2).map(number),
    isFront: Boolean(p[p.length - 2]),
    isFeasible: p[p.length - 1] !== false,
  }));

/**
 * Why there is nothing to draw; null: there is something.
 *
 * @param {any} data
 */
export function nothingText(data) {
  if ((data.objectives || []).length < 2)
    return "This experiment has one objective: its front is its best trial.";
  const isWhole = (/** @type {any} */ p) => !p.values.some(Number.isNaN);
  return pointsOf(data).some(isWhole) ? null : "No trial has all objectives yet.";
}

/**
 * What is said of a front without a trial: of those that have all objectives all miss a constraint.
 *
 * @param {any} data something to draw
 */
export const emptyFrontText = (data) =>
  pointsOf(data).some((/** @type {any} */ p) => p.isFront)
    ? ""
    : "No trial keeps all constraints yet: the front is empty.";

/** @param {any} data @returns {[number, number]} which two objectives are the axes */
function axesOf(data) {
  const last = data.objectives.length - 1;
  const at = (/** @type {string | undefined} */ text, /** @type {number} */ otherwise) =>
    /^\d+$/.test(text || "") ? Math.min(last, Number(text)) : otherwise;
  return [at(here().a, 0), at(here().b, 1)];
}

/**
 * A range that a few outliers do not stretch, but that has the front in it.
 *
 * @param {number[]} xs
 * @param {number[]} must
 * @returns {[number, number]}
 */
function range(xs, must) {
  const calm = here().all === "1" ? extent(xs) : calmExtent(xs);
  const own = extent(must);
  return must.length > 0 ? [Math.min(calm[0], own[0]), Math.max(calm[1], own[1])] : calm;
}

/** @param {any} ctx @param {Plot} plot @param {any} data */
function show(ctx, plot, data) {
  const [a, b] = axesOf(data);
  const points = pointsOf(data).map((/** @type {any} */ p) => ({
    ...p,
    x: p.values[a],
    y: p.values[b],
  }));
  const front = points
    .filter((/** @type {any} */ p) => p.isFront)
    .sort((/** @type {any} */ p, /** @type {any} */ q) => p.x - q.x);
  const axis = (/** @type {number} */ i, /** @type {"x" | "y"} */ key) => ({
    label:
      plain(data.objectives[i].metric, 40) +
      (data.objectives[i].mode === "max" ? " (more is better)" : " (less is better)"),
    domain: range(
      points.map((/** @type {any} */ p) => p[key]),
      front.map((/** @type {any} */ p) => p[key]),
    ),
  });
  plot.show({
    x: axis(a, "x"),
    y: axis(b, "y"),
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.trial)),
      data.objectives.map((/** @type {any} */ o, /** @type {number} */ i) =>
        h("div", null, plain(o.metric, 40) + " " + figure(p.values[i], 6)),
      ),
      h(
        "div.quiet",
        null,
        p.isFront ? "on the front" : p.isFeasible ? "beaten" : "breaks a constraint",
      ),
    ],
    summary: front.length + " of " + points.length + " trials are on the front",
    draw: (ctx2d) => {
      for (const p of points) {
        ctx2d.globalAlpha = p.isFeasible ? 0.55 : 0.3;
        ctx2d.fillStyle = css(p.isFeasible ? "--muted" : "--bad");
        dot(ctx2d, plot.x(p.x), plot.y(p.y), 2.6);
      }
      ctx2d.globalAlpha = 1;
      ctx2d.strokeStyle = ctx2d.fillStyle = hue(0);
      ctx2d.lineWidth = 1.5;
      if (data.objectives.length === 2)
        line(
          ctx2d,
          plot,
          front.map((/** @type {any} */ p) => [p.x, p.y]),
          { stepped: true },
        );
      front.forEach((/** @type {any} */ p) => dot(ctx2d, plot.x(p.x), plot.y(p.y), 4));
    },
  });
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let data = /** @type {any} */ (null);
  const place = h("div", null);
  const list = h("div", null);
  const plot = new Plot(place, {
    label: "Pareto front",
    height: 420,
    left: 66,
    signal: ctx.signal,
  });
  const redraw = () => data && show(ctx, plot, data);
  const set = (/** @type {string} */ key) => (/** @type {any} */ value) => {
    adjust({ [key]: value === true ? "1" : value });
    redraw();
  };
  const names = (ctx.about.objectives || []).map(
    (/** @type {any} */ x, /** @type {number} */ i) =>
      /** @type {[string, string]} */ ([String(i), x.metric]),
  );
  const tools =
    names.length > 1
      ? [
          choice("x", here().a || "0", names, set("a")),
          choice("y", here().b || "1", names, set("b")),
          toggle("outliers", here().all === "1", set("all")),
        ]
      : null;
  const { node, body } = panel("Pareto front", tools);
  host.appendChild(node);
  follow(ctx, body, {
    every: 3000,
    fetch: () => get([...ctx.base, "pareto"], {}, ctx.signal),
    empty: nothingText,
    show: (found, box) => {
      if (!place.parentNode) box.append(place, list);
      data = found;
      redraw();
      const front = pointsOf(found).filter((/** @type {any} */ p) => p.isFront);
      const isEmpty = emptyFrontText(found);
      fill(
        list,
        ctx.about.repeats
          ? h(
              "p.quiet",
              null,
              "Configurations run several times: each run is a point of its own here.",
            )
          : null,
        h("h3", null, "On the front: " + count(front.length)),
        isEmpty ? h("p.quiet", null, isEmpty) : null,
        table(
          ["Trial", ...found.objectives.map((/** @type {any} */ o) => plain(o.metric, 40) + "#")],
          front
            .slice(0, 100)
            .map((/** @type {any} */ p) => [
              trialLink(ctx, p.trial),
              ...p.values.map((/** @type {number} */ v) => figure(v, 6)),
            ]),
          "Trials on the front",
        ),
      );
    },
  });
}
