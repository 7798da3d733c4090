/** Population-based training: who took over whose state, and how parameters went from there. */
import { hue } from "../chart/palette.js";
import { dot, line, Plot } from "../chart/plot.js";
import { extent } from "../chart/ranges.js";
import { get } from "../core/api.js";
import { css, fill, h } from "../core/dom.js";
import {
  count,
  duration,
  figure,
  number,
  parameterNames,
  parameterOf,
  plain,
  trialName,
} from "../core/format.js";
import { choice, follow, panel, table, trialLink } from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";

/** @param {any} data @returns {string[]} trials that are in the story, in order */
const trialsOf = (data) =>
  [
    ...new Set([...data.nodes, ...data.exploits].map((/** @type {any} */ x) => String(x.trial))),
  ].sort((a, b) => Number(a) - Number(b));

/** @param {any} ctx @param {Plot} plot @param {any} data */
function drawTree(ctx, plot, data) {
  const trials = trialsOf(data);
  const rowOf = new Map(trials.map((t, i) => [t, i]));
  const end = Math.max(
    number(ctx.about.elapsed_s) || 0,
    ...data.exploits.map((/** @type {any} */ x) => number(x.t)),
    ...data.nodes.map((/** @type {any} */ x) => number(x.started) || 0),
  );
  const row = (/** @type {any} */ trial) => rowOf.get(String(trial)) ?? 0;
  const points = data.exploits.map((/** @type {any} */ x) => ({
    x: number(x.t),
    y: row(x.trial),
    exploit: x,
  }));
  plot.frame.style.setProperty(
    "height",
    Math.max(180, Math.min(900, 60 + trials.length * 18)) + "px",
  );
  plot.show({
    x: { label: "time", domain: [0, end || 1], time: true },
    y: { label: "trial", names: trials.map(trialName) },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.exploit.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.exploit.trial) + " ← " + trialName(p.exploit.donor)),
      h(
        "div.quiet",
        null,
        "at iteration " + figure(p.exploit.training_iteration) + ", " + duration(p.exploit.t),
      ),
    ],
    summary: data.exploits.length + " exploits among " + trials.length + " trials",
    draw: (ctx2d) => {
      ctx2d.strokeStyle = css("--faint");
      ctx2d.lineWidth = 2;
      for (const t of trials) {
        const first = data.nodes
          .filter((/** @type {any} */ n) => String(n.trial) === t)
          .map((/** @type {any} */ n) => number(n.started));
        line(ctx2d, plot, [
          [Math.min(end, ...first), row(t)],
          [end, row(t)],
        ]);
      }
      for (const p of points) {
        const from = plot.y(row(p.exploit.donor));
        const [x, y] = [plot.x(p.x), plot.y(p.y)];
        ctx2d.strokeStyle = ctx2d.fillStyle = hue(row(p.exploit.donor));
        ctx2d.lineWidth = 1.4;
        ctx2d.beginPath();
        ctx2d.moveTo(x - 5, from);
        ctx2d.quadraticCurveTo(x, (from + y) / 2, x, y);
        ctx2d.stroke();
        dot(ctx2d, x, y, 3);
      }
    },
  });
}

/** How a parameter of a trial went: steps of time and value. @param {any} data @param {string} trial @param {string} name @param {number} end */
export function schedule(data, trial, name, end) {
  const first = data.nodes
    .filter((/** @type {any} */ x) => String(x.trial) === trial)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => number(a.started) - number(b.started))[0];
  /** @type {Array<[number, number]>} */
  const steps = [];
  if (first) steps.push([number(first.started), number(parameterOf(first.config, name))]);
  for (const x of data.exploits)
    if (String(x.trial) === trial) steps.push([number(x.t), number(parameterOf(x.after, name))]);
  if (steps.length > 0) steps.push([end, steps[steps.length - 1][1]]);
  return steps;
}

/** @param {any} ctx @param {Plot} plot @param {any} data @param {string} name */
function drawSchedules(ctx, plot, data, name) {
  const trials = trialsOf(data);
  const end =
    number(ctx.about.elapsed_s) ||
    Math.max(1, ...data.exploits.map((/** @type {any} */ x) => number(x.t)));
  const lines = trials.map((t) => ({ t, steps: schedule(data, t, name, end) }));
  const best = ctx.about.best ? String(ctx.about.best.trial) : "";
  const domain = extent(lines.flatMap((l) => l.steps.map((s) => s[1])));
  const parameter = (ctx.about.parameters || []).find((/** @type {any} */ x) => x.name === name);
  plot.show({
    x: { label: "time", domain: [0, end], time: true },
    y: {
      label: plain(name, 40),
      domain,
      log: Boolean(parameter && parameter.domain && parameter.domain.log),
    },
    points: lines.flatMap((l) => l.steps.map((s) => ({ x: s[0], y: s[1], trial: l.t }))),
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.trial)),
      h("div", null, plain(name, 40) + " " + figure(p.y, 5)),
    ],
    summary: lines.length + " trials",
    draw: (ctx2d) => {
      lines.forEach((l, i) => {
        ctx2d.strokeStyle = hue(i);
        ctx2d.globalAlpha = l.t === best ? 1 : 0.5;
        ctx2d.lineWidth = l.t === best ? 3 : 1.3;
        line(ctx2d, plot, l.steps, { stepped: true });
      });
      ctx2d.globalAlpha = 1;
    },
  });
}

/** @param {any} before @param {any} after @param {string[]} known names of the space @returns {string} */
export function changes(before, after, known) {
  const all = [...parameterNames(before, known), ...parameterNames(after, known)];
  const names = [...new Set(all)].filter(
    (x) => JSON.stringify(parameterOf(before, x)) !== JSON.stringify(parameterOf(after, x)),
  );
  return (
    names
      .map(
        (x) =>
          plain(x, 40) +
          " " +
          plain(parameterOf(before, x), 30) +
          " → " +
          plain(parameterOf(after, x), 30),
      )
      .join(", ") || "nothing but the state"
  );
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  let data = /** @type {any} */ (null);
  const names = (ctx.about.parameters || []).map((/** @type {any} */ x) => x.name);
  const parameter = () => here().param || names[0] || "";
  const tree = panel(
    "Lineage",
    null,
    "Each curve leads from the trial whose state was taken over to the one that took it.",
  );
  const schedules = panel(
    "Schedules",
    choice(
      "Parameter",
      parameter(),
      names.map((/** @type {string} */ x) => [x, x]),
      (param) => {
        adjust({ param });
        if (data) drawSchedules(ctx, lower, data, parameter());
      },
    ),
    "How the parameter went in each trial; the best trial is drawn thick.",
  );
  const list = panel("Exploits");
  const rest = h("div.stack", { hidden: true }, schedules.node, list.node);
  host.append(tree.node, rest);
  const place = h("div", null);
  const upper = new Plot(place, { label: "Lineage", left: 66, signal: ctx.signal });
  const lower = new Plot(schedules.body, { label: "Schedules", height: 300, signal: ctx.signal });
  follow(ctx, tree.body, {
    every: 2000,
    fetch: () => get([...ctx.base, "lineage"], {}, ctx.signal),
    empty: (found) => {
      const isNone = (found.exploits || []).length === 0;
      rest.hidden = isNone;
      return isNone
        ? "No trial has taken over another's state. Population-based training (`[scheduler] type = pbt`) does that."
        : null;
    },
    show: (found, box) => {
      if (!place.parentNode) box.appendChild(place);
      data = found;
      drawTree(ctx, upper, found);
      drawSchedules(ctx, lower, found, parameter());
      const rows = found.exploits
        .slice(-200)
        .reverse()
        .map((/** @type {any} */ x) => [
          duration(x.t),
          trialLink(ctx, x.trial),
          trialLink(ctx, x.donor),
          count(x.training_iteration),
          changes(x.before, x.after, names),
        ]);
      fill(
        list.body,
        table(["Time#", "Trial", "Took over", "Iteration#", "What changed"], rows, "Exploits"),
      );
    },
  });
}
