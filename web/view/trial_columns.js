/** Which columns the table of trials has. */
import { count, duration, figure, member, parameterOf, plain } from "../core/format.js";
import { statusChip, trialLink } from "../core/parts.js";
import { split } from "../core/route.js";

/**
 * @typedef {object} Column
 * @property {string} name in the address
 * @property {string} title
 * @property {string} key to sort by; empty: cannot be
 * @property {string} width
 * @property {boolean} isNumber
 * @property {boolean} isShown unless one chooses
 * @property {(row: any) => any} cell
 * @property {(row: any) => any} [hint]
 */

/** @param {any} value */
const cell = (value) =>
  value === undefined ? "" : typeof value === "number" ? figure(value, 4) : plain(value, 60);

const ofNumbers = { isNumber: true, isShown: true, width: "98px" };
const ofTexts = { isNumber: false, isShown: true, key: "" };
const further = { isShown: false, width: "108px" };

/** @param {any} ctx @returns {Column[]} */
const firstColumns = (ctx) => [
  {
    ...ofTexts,
    name: "trial",
    title: "Trial",
    key: "trial",
    width: "74px",
    cell: (x) => trialLink(ctx, x.trial),
  },
  {
    ...ofTexts,
    name: "status",
    title: "Status",
    key: "status",
    width: "118px",
    cell: (x) => statusChip(x.status),
  },
  {
    ...ofNumbers,
    name: "iterations",
    title: "Iterations",
    key: "iterations",
    width: "92px",
    cell: (x) => count(x.iterations),
  },
  {
    ...ofNumbers,
    name: "time",
    title: "Time",
    key: "time_total_s",
    cell: (x) => duration(x.time_total_s),
  },
];

/** @param {string} m @param {boolean} isObjective @returns {Column[]} */
function metricColumns(m, isObjective) {
  const best = {
    ...ofNumbers,
    name: "best:" + m,
    title: "best " + m,
    key: "best:" + m,
    cell: (/** @type {any} */ x) => cell(member(x.best_metrics, m)),
  };
  const last = {
    ...ofNumbers,
    name: "metric:" + m,
    title: m,
    key: "last:" + m,
    isShown: isObjective,
    cell: (/** @type {any} */ x) => cell(member(x.metrics, m)),
  };
  return isObjective ? [best, last] : [last];
}

/** @param {string} p @param {number} i @returns {Column} */
const parameterColumn = (p, i) => ({
  ...ofNumbers,
  isShown: i < 8,
  name: "param:" + p,
  title: p,
  key: "param:" + p,
  cell: (x) => cell(parameterOf(x.best_config || x.config, p)),
});

/** @type {Column[]} */
const lastColumns = [
  { ...ofTexts, ...further, name: "node", title: "Node", cell: (x) => plain(x.node || "", 40) },
  {
    ...ofTexts,
    ...further,
    name: "origin",
    title: "Origin",
    cell: (x) => plain(x.origin || "", 40),
  },
  {
    ...ofNumbers,
    ...further,
    name: "failures",
    title: "Failures",
    key: "",
    cell: (x) => count(x.failures),
  },
  {
    ...ofNumbers,
    ...further,
    name: "created",
    title: "Created",
    key: "created",
    cell: (x) => duration(x.created),
  },
  {
    ...ofNumbers,
    ...further,
    name: "ended",
    title: "Ended",
    key: "ended",
    cell: (x) => (x.ended === null ? "" : duration(x.ended)),
  },
  {
    ...ofTexts,
    name: "reason",
    title: "Why",
    width: "minmax(280px, 1fr)",
    cell: (x) => plain(x.error || x.reason || "", 160),
    hint: (x) => x.error || x.reason || "",
  },
];

/** @param {any} ctx @returns {Column[]} */
export function columnsOf(ctx) {
  const { metrics = [], objectives = [], parameters = [] } = ctx.about;
  const goals = objectives.map((/** @type {any} */ x) => x.metric);
  const names = parameters.map((/** @type {any} */ x) => x.name);
  return [
    ...firstColumns(ctx),
    ...metrics.flatMap((/** @type {string} */ m) => metricColumns(m, goals.includes(m))),
    ...names.map(parameterColumn),
    ...lastColumns,
  ];
}

/** @param {Column[]} all @param {string | undefined} asked @returns {Column[]} */
export function shownColumns(all, asked) {
  const names = split(asked);
  const chosen =
    names.length > 0 ? all.filter((x) => names.includes(x.name)) : all.filter((x) => x.isShown);
  return chosen.length > 0 ? chosen : all.slice(0, 1);
}
