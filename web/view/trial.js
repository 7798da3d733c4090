/** All that is known of one trial. */
import { askTrial, verbsFor } from "../core/actions.js";
import { address, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import {
  bytes,
  count,
  duration,
  figure,
  number,
  plain,
  plainLines,
  trialName,
} from "../core/format.js";
import {
  configuration,
  follow,
  link,
  pairs,
  panel,
  statusChip,
  table,
  tile,
} from "../core/parts.js";
import { here } from "../core/route.js";
import { suggestionPanel } from "./suggestion.js";
import { logPanel } from "./trial_log.js";
import { metricsPanel } from "./trial_metrics.js";
import { decisionText, whyText } from "./why.js";

/** @param {any} ctx @param {any} x @param {() => void} after */
function head(ctx, x, after) {
  const act = (/** @type {string} */ verb) =>
    h(
      "button",
      { type: "button", "data-act": verb, onclick: () => askTrial(ctx.base, x.trial, verb, after) },
      verb[0].toUpperCase() + verb.slice(1),
    );
  const isBest = ctx.about.best && String(ctx.about.best.trial) === String(x.trial);
  return h(
    "section.panel",
    { "aria-label": "Trial" },
    h(
      "div.head",
      null,
      h(
        "h2",
        null,
        "Trial ",
        h("span.mono", null, trialName(x.trial)),
        " ",
        statusChip(x.status),
        isBest ? h("span.star", { title: "the best trial" }, "★ best") : null,
      ),
      h(
        "div.tools.buttons",
        null,
        ctx.about.live === false ? null : verbsFor(x.status).map(act),
        h(
          "button",
          {
            type: "button",
            onclick: () => step(ctx, x, -1),
            "aria-label": "previous trial",
            disabled: number(x.trial) <= 0,
          },
          "←",
        ),
        h(
          "button",
          { type: "button", onclick: () => step(ctx, x, 1), "aria-label": "next trial" },
          "→",
        ),
      ),
    ),
    h(
      "div.body",
      null,
      h("p.why", null, whyText(x)),
      x.error ? h("pre.error", null, plainLines(String(x.error), 4000)) : null,
      numbers(ctx, x),
    ),
  );
}

/** @param {any} ctx @param {any} x @param {number} by */
function step(ctx, x, by) {
  const to = link({ ...here(), t: number(x.trial) + by });
  document.body.appendChild(to);
  to.click();
  to.remove();
}

/** @param {any} ctx @param {any} x */
function numbers(ctx, x) {
  const goals = (ctx.about.objectives || []).map((/** @type {any} */ o) =>
    tile(
      "Best " + plain(o.metric, 40),
      h("span.mono", null, figure((x.best_metrics || {})[o.metric], 6)),
      x.best_iteration ? "at iteration " + count(x.best_iteration) : null,
    ),
  );
  return h(
    "div.tiles",
    null,
    h(
      "dl",
      null,
      goals,
      tile("Iterations", count(x.iterations)),
      tile("Training time", duration(x.time_total_s)),
      tile("Origin", plain(x.origin || "–", 40)),
      tile("Failures", count(x.failures)),
      tile(
        "Node",
        x.node ? link({ e: ctx.route.e, view: "node", n: x.node }, plain(x.node, 40)) : "–",
      ),
    ),
  );
}

/** What an attempt cost, as far as it is known. @param {any} costs */
function costText(costs) {
  if (costs === null || typeof costs !== "object") return "";
  const parts = [];
  if (Number.isFinite(costs.cpu_s)) parts.push(duration(costs.cpu_s) + " CPU");
  if (Number.isFinite(costs.gpu_s)) parts.push(duration(costs.gpu_s) + " GPU");
  if (Number.isFinite(costs.peak_rss_bytes)) parts.push(bytes(costs.peak_rss_bytes) + " memory");
  if (Number.isFinite(costs.peak_gpu_bytes)) {
    parts.push(bytes(costs.peak_gpu_bytes) + " GPU memory");
  }
  if (Number.isFinite(costs.energy_j)) parts.push(plain(costs.energy_j.toPrecision(3), 16) + " J");
  if (costs.read_bytes > 0) parts.push(bytes(costs.read_bytes) + " read");
  if (costs.written_bytes > 0) parts.push(bytes(costs.written_bytes) + " written");
  return parts.join(", ");
}

/** @param {any[]} attempts */
const attemptRows = (attempts) =>
  attempts.map((a) => [
    h("span.mono", null, plain(a.attempt, 20)),
    plain(a.node || "", 40),
    duration(a.started),
    a.ended === null || a.ended === undefined
      ? "runs"
      : duration(number(a.ended) - number(a.started)),
    plain(String(a.end_class || "runs").replace(/_/g, " "), 30),
    costText(a.costs),
    plain(a.detail || "", 300),
  ]);

/** @param {any} ctx @param {any} x */
function checkpointRows(ctx, x) {
  return x.checkpoints.map((/** @type {any} */ c) => {
    const isThere =
      c.state === "good" &&
      c.checkpoint !== null &&
      !/^(executor|memory):/.test(String(c.location || ""));
    const name = "checkpoint " + plain(c.checkpoint === null ? "–" : c.checkpoint, 20);
    const to = isThere
      ? h(
          "a",
          {
            href: address([
              ...ctx.base,
              "trials",
              String(x.trial),
              "checkpoints",
              String(c.checkpoint),
            ]),
            download: "",
          },
          name,
        )
      : name;
    return [
      to,
      count(c.training_iteration),
      bytes(c.bytes),
      plain(c.state, 20),
      plain(c.detail || "", 200),
    ];
  });
}

/** @param {any} ctx @param {any} x */
function artifactRows(ctx, x) {
  return x.artifacts.map((/** @type {any} */ a) => {
    const segments = String(a.path).split("/");
    return [
      h(
        "a",
        {
          href: address([...ctx.base, "trials", String(x.trial), "artifacts", ...segments]),
          download: "",
        },
        plain(a.path, 200),
      ),
      bytes(a.bytes),
    ];
  });
}

/** @param {any[]} decisions */
const decisionRows = (decisions) =>
  decisions.map((d) => [
    count(d.training_iteration),
    plain(String(d.action).replace(/_/g, " "), 30),
    decisionText(d),
  ]);

/** @param {any[]} exports */
const exportRows = (exports) =>
  exports.map((e) => [plain(e.format, 40), plain(e.path || e.detail || e.reason || "", 200)]);

/** A table of its own, where there is something in it. @param {string} title @param {string[]} heads @param {any} list @param {(list: any[]) => any[][]} rows */
function part(title, heads, list, rows) {
  if (!Array.isArray(list) || list.length === 0) return null;
  const made = panel(title);
  made.body.appendChild(table(heads, rows(list), title));
  return made.node;
}

/** @param {any} ctx @param {any} x */
const lists = (ctx, x) => [
  part("Decisions", ["Iteration#", "What", "Why"], x.decisions, decisionRows),
  part(
    "Attempts",
    ["Attempt", "Node", "Started#", "Ran#", "Ended", "Cost", "Detail"],
    x.attempts,
    attemptRows,
  ),
  part("Checkpoints", ["Checkpoint", "Iteration#", "Size#", "State", ""], x.checkpoints, () =>
    checkpointRows(ctx, x),
  ),
  part("Artifacts", ["File", "Size#"], x.artifacts, () => artifactRows(ctx, x)),
  part("Exports", ["Format", "Place"], x.exports, exportRows),
];

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const t = ctx.route.t || "0";
  const top = h("div", null);
  const config = panel("Configuration");
  const metrics = panel("Last report");
  const rest = h("div.stack", null);
  const left = h("div.column", null);
  const right = h("div.column", null, config.node, metrics.node);
  host.append(top, h("div.columns", null, left, right), rest);
  metricsPanel(ctx, left, t);
  logPanel(ctx, left, t);
  suggestionPanel(ctx, right, t);
  const reload = follow(ctx, top, {
    fetch: () => get([...ctx.base, "trials", t], {}, ctx.signal),
    show: (x, place) => {
      const focused = place.contains(document.activeElement)
        ? /** @type {HTMLElement} */ (document.activeElement).dataset.act || ""
        : null;
      fill(
        place,
        head(ctx, x, () => reload()),
      );
      const again = /** @type {HTMLElement | null} */ (
        place.querySelector('[data-act="' + focused + '"]') || place.querySelector("button")
      );
      if (focused !== null && again) again.focus();
      fill(
        config.body,
        configuration(ctx, x.config, "Configuration"),
        JSON.stringify(x.best_config || x.config) !== JSON.stringify(x.config)
          ? [
              h("h3", null, "At its best report"),
              configuration(ctx, x.best_config, "Configuration at its best report"),
            ]
          : null,
      );
      fill(metrics.body, pairs(x.metrics, "Metrics of the last report"));
      fill(rest, lists(ctx, x));
    },
  });
}
