/** How an experiment stands. */
import { hue, statusColour } from "../chart/palette.js";
import { dot, line, Plot } from "../chart/plot.js";
import { calmExtent, extent } from "../chart/ranges.js";
import { shares } from "../chart/spark.js";
import { askAdd, askExperiment } from "../core/actions.js";
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import {
  bytes,
  count,
  date,
  duration,
  figure,
  judgeName,
  number,
  plain,
  trialName,
} from "../core/format.js";
import {
  bestText,
  choice,
  configuration,
  countParts,
  follow,
  laterFailure,
  link,
  metricChoice,
  metricOf,
  note,
  panel,
  tile,
  trialLink,
  words,
} from "../core/parts.js";
import { adjust, go, here } from "../core/route.js";
import { meters } from "./nodes.js";

/** @param {HTMLElement} host */
function headline(host) {
  const place = h("section.tiles", { "aria-label": "How it stands" });
  host.appendChild(place);
  return (/** @type {any} */ ctx) => {
    const x = ctx.about;
    const n = x.trials || {};
    const done = (number(n.terminated) || 0) + (number(n.errored) || 0);
    fill(
      place,
      h(
        "dl",
        null,
        tile(
          "Best " + plain(x.metric || "", 40),
          h("span.mono", null, bestText(x.best)),
          x.best ? ["trial ", trialLink(ctx, x.best.trial), laterFailure(x.best)] : "no result yet",
        ),
        tile("Trials", count(done) + " / " + count(n.total), shares(countParts(n), "trials")),
        tile("Running", count(n.running), [
          count(n.paused) + " paused, " + count(n.pending) + " pending",
        ]),
        tile(
          "Errors",
          h(number(n.errored) > 0 ? "span.bad" : "span", null, count(n.errored)),
          number(n.errored) > 0
            ? link({ e: ctx.route.e, view: "trials", status: "ERRORED" }, "which")
            : "none",
        ),
        tile(
          "Elapsed",
          duration(x.elapsed_s),
          x.eta_s !== null && x.eta_s !== undefined
            ? duration(x.eta_s) + " to go"
            : "since " + date(x.created_ms),
        ),
      ),
    );
  };
}

/** @param {any} ctx @param {() => void} after */
function buttons(ctx, after) {
  const x = ctx.about;
  const act = (/** @type {string} */ verb, /** @type {string} */ text) =>
    h(
      "button",
      {
        type: "button",
        "data-act": verb,
        onclick: () => askExperiment(ctx.base, x.name, verb, after),
      },
      text,
    );
  const add = h(
    "button",
    {
      type: "button",
      "data-act": "add",
      onclick: () => askAdd(ctx.base, x.parameters || [], x.best_config, after),
    },
    "Add a trial",
  );
  if (x.live === false) return h("span.quiet", null, "not running: nothing can be changed");
  return h(
    "div.buttons",
    null,
    add,
    x.paused ? act("unpause", "Unpause") : act("pause", "Pause"),
    act("stop", "Stop"),
  );
}

/** @param {{type: any, line?: any}} x what it says begins with its type, as a rule @returns {string} */
function schedulerText(x) {
  const [type, said] = [plain(x.type, 40), plain(x.line || "", 300)];
  return !said || said.startsWith(type + ":") ? said || type : type + ": " + said;
}

/**
 * Where an experiment stands among those that share a head; null where it shares none.
 * @param {any} x
 */
function standing(x) {
  if (!x) return null;
  const parts = [
    "priority " + figure(x.priority) + ", share " + figure(x.share),
    x.user ? " of " + plain(x.user, 60) : "",
    "; " + count(x.running) + (x.running === 1 ? " trial holds " : " trials hold "),
    figure(x.cpu) + " CPU, " + figure(x.gpu) + " GPU; " + count(x.waiting) + " wait",
    x.place > 0 ? "; place " + count(x.place) + " in the queue" : "",
    x.stands_aside ? "; no node can run its trials now" : "",
  ];
  if (x.made_room > 0)
    parts.push(
      "; " + count(x.made_room) + " made room for a higher priority, the last for ",
      plain(x.made_room_for, 120),
    );
  if (x.quota) parts.push("; quota: " + quotaText(x.quota));
  return parts.filter((part) => part !== "");
}

/** @param {any} x @returns {string} "8 of 32 CPU, 1 of 20 trials" */
function quotaText(x) {
  const parts = [];
  for (const [name, shown] of [
    ["cpu", "CPU"],
    ["gpu", "GPU"],
    ["memory", "memory"],
    ["trials", "trials"],
  ]) {
    const text = name === "memory" ? bytes : figure;
    if (x[name]) parts.push(text(x[name].used) + " of " + text(x[name].total) + " " + shown);
  }
  return parts.join(", ");
}

/** @param {any} ctx @param {HTMLElement} host @param {() => void} after */
function facts(ctx, host, after) {
  const { node, body } = panel("State");
  host.appendChild(node);
  return () => {
    const x = ctx.about;
    const said = [
      [
        "Status",
        [
          plain(String(x.status).replace(/_/g, " "), 60),
          x.paused && x.live ? ", paused" : "",
          x.why ? ": " + plain(x.why, 300) : "",
        ],
      ],
      ["Waits for", x.waits_for ? words(plain(x.waits_for, 300)) : null],
      ["Standing", standing(x.allocation)],
      [
        "Scheduler",
        x.scheduler ? schedulerText(x.scheduler) : null,
      ],
      ["Search", x.search ? plain(x.search.type, 40) : null],
      [
        "Objectives",
        (x.objectives || [])
          .map((/** @type {any} */ o) => (o.mode === "max" ? "max " : "min ") + plain(o.metric, 60))
          .join(", "),
      ],
      ["Seed", plain(x.seed, 30)],
      ["Generation", x.epoch > 1 ? x.epoch + ", resumed " + (x.epoch - 1) + " times" : null],
    ].filter((row) => row[1] && row[1].length !== 0);
    const nodes = (x.nodes || []).length;
    fill(
      body,
      h(
        "dl.facts",
        null,
        said.map(([name, what]) => h("div", null, h("dt", null, name), h("dd", null, what))),
      ),
      x.resources ? meters({ capacity: x.resources.total, used: x.resources.used }) : null,
      nodes > 1
        ? h("p.quiet", null, link({ e: ctx.route.e, view: "nodes" }, nodes + " nodes"))
        : null,
      buttons(ctx, after),
    );
  };
}

/** @param {any} ctx @param {Plot} plot @param {any} data @param {string} over */
function drawHistory(ctx, plot, data, over) {
  const metric = metricOf(ctx);
  const isTime = over === "time";
  const raw = isTime ? data.best_over_time : data.best_over_trials;
  const best = (raw || []).map((/** @type {any[]} */ p) => [number(p[0]), number(p[1])]);
  const points = (data.values || []).map((/** @type {any[]} */ v) => ({
    trial: v[0],
    x: isTime ? number(v[1]) : number(v[0]) + 1,
    y: number(v[2]),
    status: v[3],
  }));
  const xs = extent([
    0,
    ...points.map((/** @type {any} */ p) => p.x),
    ...best.map((/** @type {any} */ p) => p[0]),
  ]);
  const ys =
    here().all === "1"
      ? extent(points.map((/** @type {any} */ p) => p.y))
      : calmExtent(points.map((/** @type {any} */ p) => p.y));
  const steps = best.length > 0 ? [...best, [xs[1], best[best.length - 1][1]]] : best;
  const bests = extent(best.map((/** @type {any} */ p) => p[1]));
  const domain = /** @type {[number, number]} */ (
    best.length > 0
      ? [Math.min(ys[0], bests[0]), Math.max(ys[1], here().all === "1" ? bests[1] : ys[1])]
      : ys
  );
  plot.show({
    x: { label: isTime ? "time" : "trials", domain: xs, time: isTime, whole: !isTime },
    y: { label: metric, domain, log: here().log === "1" },
    points,
    pick: (p) => go({ e: ctx.route.e, view: "trial", t: p.trial }),
    describe: (p) => [
      h("strong", null, "trial " + trialName(p.trial)),
      h("div", null, figure(p.y, 6)),
      h("div.quiet", null, plain(String(p.status).toLowerCase(), 20)),
    ],
    summary:
      best.length > 0
        ? "The best is " + figure(best[best.length - 1][1]) + " after " + points.length + " values"
        : "No value yet",
    draw: (ctx2d) => {
      ctx2d.globalAlpha = points.length > 400 ? 0.35 : 0.6;
      for (const p of points) {
        ctx2d.fillStyle = statusColour(p.status);
        dot(ctx2d, plot.x(p.x), plot.y(p.y), points.length > 400 ? 1.8 : 2.6);
      }
      ctx2d.globalAlpha = 1;
      ctx2d.strokeStyle = hue(0);
      ctx2d.lineWidth = 2;
      line(ctx2d, plot, steps, { stepped: true });
    },
  });
}

/**
 * What the values of a history are where they are not the best of each trial: what the runs of a
 * configuration come to, or those of another metric at each trial's best report; else empty. Pure.
 * @param {any} found @returns {string}
 */
export function judgeText(found) {
  if (found.at_best_of) return "Each trial has its value at its best " + found.at_best_of + ".";
  if (!found.judge) return "";
  const judge = judgeName(String(found.judge), found.mode === "min");
  return "The line is the best " + judge + " of a configuration's runs; each dot is a single run.";
}

/**
 * What the steps of a history are: of a metric that is no objective it is not known which of two
 * values is the better one.
 * @param {any} found
 */
function nameOfSteps(found) {
  if (found.is_objective !== false) return "Best so far";
  return found.mode === "max" ? "Highest so far" : "Lowest so far";
}

/** @param {any} ctx @param {HTMLElement} host */
export function historyPanel(ctx, host) {
  let data = /** @type {any} */ (null);
  const redraw = () => data && drawHistory(ctx, plot, data, here().over || "trials");
  const tools = [
    metricChoice(ctx, (metric) => {
      adjust({ metric });
      reload();
    }),
    choice(
      "Over",
      here().over || "trials",
      [
        ["trials", "trials"],
        ["time", "time"],
      ],
      (over) => {
        adjust({ over: over === "trials" ? "" : over });
        redraw();
      },
    ),
    choice(
      "Scale",
      here().log === "1" ? "1" : "",
      [
        ["", "linear"],
        ["1", "log"],
      ],
      (log) => {
        adjust({ log });
        redraw();
      },
    ),
  ];
  const { node, body } = panel("Best so far", tools);
  host.appendChild(node);
  const said = h("p.quiet", null);
  const place = h("div", null, said);
  const plot = new Plot(place, { label: "Best so far", height: 300, signal: ctx.signal });
  const reload = follow(ctx, body, {
    every: 1500,
    fetch: () => get([...ctx.base, "history"], { metric: metricOf(ctx), points: 1000 }, ctx.signal),
    empty: (found) => ((found.values || []).length === 0 ? "No trial has reported yet." : null),
    show: (found, box) => {
      if (!place.parentNode) box.appendChild(place);
      data = found;
      const heading = node.querySelector("h2");
      if (heading) heading.textContent = nameOfSteps(found);
      said.textContent = judgeText(found);
      said.hidden = said.textContent === "";
      redraw();
    },
  });
}

/** @param {any} ctx @param {HTMLElement} host */
function bestPanel(ctx, host) {
  const { node, body } = panel("Best configuration");
  host.appendChild(node);
  let shownBest = "";
  const place = h("div", null);
  body.appendChild(place);
  return async () => {
    const best = ctx.about.best;
    const key = JSON.stringify(best || null);
    if (key === shownBest) return;
    shownBest = key;
    if (!best) return fill(place, h("p.empty", null, "None yet."));
    try {
      const row = await get([...ctx.base, "trials", String(best.trial)], {}, ctx.signal);
      ctx.about.best_config = row.best_config || row.config;
      fill(
        place,
        h(
          "p",
          null,
          "Trial ",
          trialLink(ctx, best.trial),
          laterFailure(best),
          row.best_iteration ? " at iteration " + count(row.best_iteration) : "",
        ),
        configuration(ctx, row.best_config || row.config, "Best configuration"),
      );
    } catch (error) {
      if (!ctx.signal.aborted)
        fill(place, h("p.quiet", null, plain(error instanceof Error ? error.message : "", 200)));
    }
  };
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const draw = headline(host);
  const left = h("div.column", null);
  const right = h("div.column", null);
  host.appendChild(h("div.columns", null, left, right));
  historyPanel(ctx, left);
  const drawFacts = facts(ctx, right, () => renew());
  const drawBest = bestPanel(ctx, right);
  const all = () => {
    draw(ctx);
    drawFacts();
    drawBest();
  };
  let due = 0;
  const renew = async () => {
    try {
      ctx.renew(await get(ctx.base, {}, ctx.signal));
      all();
    } catch (error) {
      if (!ctx.signal.aborted) note(error instanceof Error ? error.message : "");
    }
  };
  ctx.line.listen(() => {
    draw(ctx);
    drawBest();
    if (!due)
      due = window.setTimeout(() => {
        due = 0;
        if (!ctx.signal.aborted) renew();
      }, 1500);
  }, ctx.signal);
  all();
  if (ctx.about.live !== false) {
    const timer = setInterval(() => !document.hidden && renew(), 5000);
    ctx.signal.addEventListener("abort", () => clearInterval(timer));
  }
}
