/** Several experiments beside one another. */
import { hue } from "../chart/palette.js";
import { line, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { Fault, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, figure, judgeName, number, plain } from "../core/format.js";
import {
  bestText,
  choice,
  follow,
  laterFailure,
  link,
  panel,
  statusChip,
  table,
  toggle,
} from "../core/parts.js";
import { adjust, go, here, split } from "../core/route.js";

/** @param {Plot} plot @param {any[]} found */
function draw(plot, found) {
  const isTime = here().over === "time";
  const lines = found.map((x) => ({
    name: x.about.name,
    points: (isTime ? x.history.best_over_time : x.history.best_over_trials).map(
      (/** @type {any[]} */ p) => [number(p[0]), number(p[1])],
    ),
    end: isTime ? number(x.about.elapsed_s) : number(x.about.trials.total),
  }));
  for (const l of lines)
    if (l.points.length > 0 && Number.isFinite(l.end))
      l.points.push([
        Math.max(l.end, l.points[l.points.length - 1][0]),
        l.points[l.points.length - 1][1],
      ]);
  const all = lines.flatMap((l) => l.points);
  const ys = all.map((p) => p[1]);
  plot.show({
    x: {
      label: isTime ? "time" : "trials",
      domain: extent([0, ...all.map((p) => p[0])]),
      time: isTime,
    },
    y: {
      label: "best so far",
      domain: here().log === "1" ? extent(ys) : calmExtent(ys),
      log: here().log === "1",
    },
    points: lines.flatMap((l) =>
      l.points.map((/** @type {any} */ p) => ({ x: p[0], y: p[1], name: l.name })),
    ),
    pick: (p) => go({ e: p.name }),
    describe: (p) => [h("strong", null, plain(p.name, 60)), h("div", null, figure(p.y, 6))],
    summary: lines.length + " experiments",
    draw: (ctx2d) => {
      lines.forEach((l, i) => {
        ctx2d.strokeStyle = hue(i);
        ctx2d.lineWidth = 2;
        ctx2d.setLineDash(i >= 8 ? [5, 3] : []);
        line(ctx2d, plot, l.points, { stepped: true });
      });
      ctx2d.setLineDash([]);
    },
  });
}

/** @param {any} x @param {number} i */
const row = (x, i) => [
  h("span.swatch", { style: { background: "var(--hue-" + (i % 8) + ")" } }),
  link({ e: x.about.name }, plain(x.about.name, 60)),
  statusChip(x.about.status),
  plain((x.about.mode === "max" ? "max " : "min ") + x.about.metric, 40),
  bestText(x.about.best) + laterFailure(x.about.best),
  runsText(x.about.best),
  count(x.about.trials.total),
  duration(x.about.elapsed_s),
  x.about.search ? plain(x.about.search.type, 30) : "",
  x.about.scheduler ? plain(x.about.scheduler.type, 30) : "",
];

/** What all runs of a configuration come to, in words. Pure. @param {any} best @returns {string} */
export function runsText(best) {
  const x = best && best.runs;
  if (!x) return "";
  const error = x.error === null || x.error === undefined ? "" : " ± " + figure(x.error, 2);
  const many = x.count < x.wanted ? count(x.count) + " of " + count(x.wanted) : count(x.count);
  const mean = figure(x.mean, 5) + error;
  const confirmed = x.confirmed ? ", confirmed" : "";
  if (!x.judge || x.judge === "mean" || x.value === null)
    return "mean " + mean + " of " + many + confirmed;
  const isUpper = number(x.value) > number(x.mean);
  const judge = judgeName(String(x.judge), isUpper) + " " + figure(x.value, 5);
  return "judged by the " + judge + " of " + many + confirmed + "; mean " + mean;
}

const heads = [
  "",
  "Experiment",
  "Status",
  "Objective",
  "Best#",
  "All its runs",
  "Trials#",
  "Elapsed#",
  "Search",
  "Scheduler",
];

/** @type {Array<[string, string]>} */
const overs = [
  ["trials", "trials"],
  ["time", "time"],
];

/** @param {() => void} redraw */
const tools = (redraw) => [
  choice("Over", here().over || "trials", overs, (over) => {
    adjust({ over: over === "trials" ? "" : over });
    redraw();
  }),
  toggle("log y", here().log === "1", (log) => {
    adjust({ log: log ? "1" : "" });
    redraw();
  }),
];

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const names = split(here().c).slice(0, 16);
  let data = /** @type {any} */ (null);
  const place = h("div", null);
  const list = h("div", null);
  const redraw = () => data && draw(plot, data);
  const { node, body } = panel("Compare experiments", tools(redraw));
  host.appendChild(node);
  const plot = new Plot(place, {
    label: "Best so far of each experiment",
    height: 400,
    signal: ctx.signal,
  });
  if (names.length === 0)
    return void body.appendChild(
      h("p.empty", null, "Choose experiments in the ", link({}, "list"), " and press Compare."),
    );
  const one = async (/** @type {string} */ name) => {
    try {
      const about = await get(["experiments", name], {}, ctx.signal);
      const history = await get(["experiments", name, "history"], { points: 500 }, ctx.signal);
      return { about: { ...about, name }, history };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { name, fault: error.message };
    }
  };
  follow(ctx, body, {
    still: true,
    fetch: () => Promise.all(names.map(one)),
    show: (all, box) => {
      if (!place.parentNode) box.append(place, list);
      const found = all.filter((/** @type {any} */ x) => x.about);
      const faults = all.filter((/** @type {any} */ x) => x.fault);
      data = found;
      redraw();
      fill(list, [
        faults.map((/** @type {any} */ x) =>
          h("p.fault", { role: "alert" }, plain(x.name, 60) + ": " + plain(x.fault, 300)),
        ),
        table(heads, found.map(row), "Compared experiments"),
      ]);
    },
  });
}
