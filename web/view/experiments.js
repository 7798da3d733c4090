/** All experiments below the storage. */
import { shares, spark } from "../chart/spark.js";
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, date, duration, plain } from "../core/format.js";
import { pages } from "../core/pages.js";
import {
  bestText,
  countParts,
  laterFailure,
  link,
  panel,
  statusChip,
  table,
  trialLink,
} from "../core/parts.js";
import { go, here, join, split } from "../core/route.js";

/** Of one whose record cannot be read. @param {any} x */
const unreadableRow = (x) => [
  "",
  [h("strong", null, plain(x.name, 80)), h("small.block", null, plain(x.problem.detail, 300))],
  statusChip("unreadable"),
  ...heads.slice(3).map(() => "–"),
];

/** @param {any} x @param {Set<string>} chosen @param {() => void} onChoice */
function row(x, chosen, onChoice) {
  if (x.problem) return unreadableRow(x);
  const box = h("input", {
    type: "checkbox",
    checked: chosen.has(x.name),
    "aria-label": "compare " + plain(x.name, 60),
  });
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(x.name);
    else chosen.delete(x.name);
    onChoice();
  });
  const ctx = /** @type {any} */ ({ route: { e: x.name } });
  const best = x.best
    ? [
        h("span.mono", null, bestText(x.best)),
        " ",
        h("small", null, trialLink(ctx, x.best.trial), laterFailure(x.best)),
      ]
    : "–";
  const history = (x.spark || []).length > 1 ? spark(x.spark, "best so far") : null;
  return [
    box,
    [
      link({ e: x.name }, h("strong", null, plain(x.name, 80))),
      x.why ? h("small.block", null, plain(x.why, 120)) : null,
    ],
    statusChip(x.status === "running" && x.live === false ? "left off" : x.status),
    best,
    history,
    [count(x.trials && x.trials.total), shares(countParts(x.trials), "trials")],
    h(
      "span.quiet.nowrap",
      null,
      x.metric ? (x.mode === "max" ? "max " : "min ") + plain(x.metric, 40) : "",
    ),
    duration(x.elapsed_s),
    date(x.created_ms),
  ];
}

const heads = [
  "",
  "Name",
  "Status",
  "Best#",
  "Best so far",
  "Trials#",
  "Objective",
  "Elapsed#",
  "Created#",
];

/** @param {any} data */
const emptyText = (data) =>
  data.experiments.length === 0
    ? "No experiment is here yet. `tune-node run config.ini` makes one."
    : null;

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const chosen = new Set(split(here().c));
  const open = () => go({ view: "compare", c: join([...chosen]) });
  const compare = h("button", { type: "button", onclick: open });
  const onChoice = () => {
    compare.disabled = chosen.size < 2;
    compare.textContent = chosen.size > 1 ? "Compare " + chosen.size : "Compare";
  };
  onChoice();
  const { node, body } = panel("Experiments", compare);
  host.appendChild(node);
  const reload = pages(ctx, body, {
    still: true,
    fetch: (cursor) => get(["experiments"], { limit: 100, cursor }, ctx.signal),
    empty: emptyText,
    show: (data, place) => {
      const rows = data.experiments.map((/** @type {any} */ x) => row(x, chosen, onChoice));
      fill(place, table(heads, rows, "Experiments"));
    },
  });
  const isLookedAt = () => !document.hidden && !host.contains(document.activeElement);
  const timer = setInterval(() => isLookedAt() && reload(), 5000);
  ctx.signal.addEventListener("abort", () => clearInterval(timer));
}
